package signoff

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"
)

type noteExpiredCmd struct{ models.Once }

// NoteExpired notes, once each, that the review date of an approved revision
// has passed, and returns how many. The gate and the pages go by the clock and
// do not wait for this. Safe on several servers at once.
func NoteExpired(ctx context.Context, db *models.DB) (int, error) {
	return models.Do(ctx, db, models.Actor{}, noteExpiredCmd{}, func(tx *models.Tx) (int, error) {
		var rows []struct {
			ID         int64
			Number     int
			Slug, Name string
			ReviewDate time.Time
		}
		err := tx.Raw(`update revisions r set expired_at = ? from controls c
			where c.id = r.control_id and r.id in (
				select id from revisions where state = 'approved' and expired_at is null and review_date < (now() at time zone 'utc')::date
				order by review_date limit 500 for update skip locked)
			returning r.id, r.number, c.slug, c.name, r.review_date`, tx.Now).Scan(&rows).Error
		for _, r := range rows {
			tx.Audit("revision.expired", control.RevisionObject(control.Revision{ID: r.ID, Number: r.Number}, r.Slug, r.Name), nil,
				map[string]any{"review_date": r.ReviewDate.Format(time.DateOnly)})
		}
		return len(rows), err
	})
}
