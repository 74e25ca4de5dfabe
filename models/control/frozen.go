package control

import (
	"context"
	"math"

	"countersign/models"

	"gorm.io/gorm"
)

// FrozenContent reads what a submitted revision froze.
func FrozenContent(q *gorm.DB, revision int64) (Content, error) {
	var canonical string
	found, err := one(q.Raw("select content from revisions where id = ? and content is not null", revision), &canonical)
	if err == nil && !found {
		err = models.NotFoundf("This revision is a draft and has no frozen content.")
	}
	if err != nil {
		return Content{}, err
	}
	return ParseContent(canonical)
}

// LoadRevision is one revision of a control with its frozen content; for a
// draft, the content as it stands. NotFound.
func LoadRevision(ctx context.Context, db *models.DB, slug string, number int) (Frozen, error) {
	q := db.Query(ctx)
	d, _, err := loadFrame(q, slug)
	if err != nil {
		return Frozen{}, err
	}
	f := Frozen{ControlID: d.ID, Slug: d.Slug, Name: d.Name, Now: d.Now}
	if number < 1 || number > math.MaxInt32 {
		return f, models.NotFoundf("%s has no such revision.", d.Name)
	}
	var r revisionRow
	found, err := one(q.Raw(selectRevision+"where r.control_id = ? and r.number = ?", d.ID, number), &r)
	if err != nil {
		return f, err
	}
	if !found {
		return f, models.NotFoundf("%s has no revision %d.", d.Name, number)
	}
	f.Revision = r.revision()
	if f.Revision.State == Draft {
		f.Content, err = Snapshot(q, d.ID, nil)
	} else {
		f.Content, err = FrozenContent(q, r.ID)
	}
	return f, err
}
