package evidence

import (
	"context"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/models"
)

// Filter narrows the library. Zero values do not.
type Filter struct {
	Q        string // words of the name, what it proves or what it is attached to; or the beginning of a hash
	Workflow string // slug
	Kind     Kind
	State    State
	Cursor   string
}

// Library is a page of the library, and the database's clock when it was read.
type Library struct {
	models.Page[Attachment]
	Now time.Time
}

var hashPrefix = regexp.MustCompile(`^[0-9a-f]{6,64}$`)

// List returns attachments, the newest first; with the state Expiring those that
// end first.
func List(ctx context.Context, db *models.DB, f Filter) (Library, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return Library{}, err
	}
	q, today := rows(db.Query(ctx)), now.Format(time.DateOnly)
	if models.Clean(f.Q) != "" {
		if q, err = matching(ctx, db, q, f.Q); err != nil {
			return Library{}, models.Classify(err)
		}
	}
	if f.Workflow != "" {
		q = q.Where("e.workflow_id = (select id from workflows where slug = ?)", f.Workflow)
	}
	if f.Kind != "" {
		q = q.Where("e.kind = ?", f.Kind)
	}
	order := models.Order{Columns: []string{"e.id"}, Desc: true}
	key := func(a Attachment) []any { return []any{a.ID} }
	byDate := func(a Attachment) []any { return []any{a.KeepUntil.Format(time.DateOnly), a.ID} }
	switch f.State {
	case InForce:
		q = q.Where("e.removed_at is null and e.keep_until >= ?", today)
	case Expiring:
		q = q.Where("e.removed_at is null and e.keep_until >= ? and e.keep_until <= ?", today, now.AddDate(0, 0, ExpiresSoon).Format(time.DateOnly))
		order, key = models.Order{Columns: []string{"e.keep_until", "e.id"}}, byDate
	case Expired:
		q = q.Where("e.keep_until < ?", today)
		order, key = models.Order{Columns: []string{"e.keep_until", "e.id"}, Desc: true}, byDate
	case Removed:
		q = q.Where("e.removed_at is not null")
	}
	page, err := models.Keyset(q, f.Cursor, models.PageSize, order, key)
	return Library{page, now}, err
}

// fewMatches is up to how many matches are named one by one. PostgreSQL would
// rather walk the whole table in its order, which is right for common words only.
const fewMatches = 1000

// matching narrows q to what text finds: the beginning of a hash that there is,
// or else words.
func matching(ctx context.Context, db *models.DB, q *gorm.DB, text string) (*gorm.DB, error) {
	var ids []int64
	if hash := strings.ToLower(models.Clean(text)); hashPrefix.MatchString(hash) {
		err := db.Query(ctx).Raw("select id from blobs where sha256 like ? limit ?", hash+"%", fewMatches).Scan(&ids).Error
		if err != nil || len(ids) > 0 {
			return q.Where("e.blob_id in ?", ids), err
		}
	}
	words := searchWords(text)
	if words == "" {
		return q.Where("false"), nil // only punctuation: nothing has it
	}
	var recent int
	err := db.Query(ctx).Raw("select count(*) from (select from (select search from evidence order by id desc limit 3000) e where search @@ to_tsquery('simple', ?) limit ?) f", words, models.PageSize+1).Row().Scan(&recent)
	if err == nil && recent <= models.PageSize { // else it is common: the walk in order ends soon
		err = db.Query(ctx).Raw("select id from evidence where search @@ to_tsquery('simple', ?) limit ?", words, fewMatches+1).Scan(&ids).Error
	}
	if err != nil || recent > models.PageSize || len(ids) > fewMatches {
		return q.Where("e.search @@ to_tsquery('simple', ?)", words), err
	}
	return q.Where("e.id in ?", append(ids, 0)), nil
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

// searchWords is a full-text query: every word, by its beginning; the last as it
// is being typed.
func searchWords(text string) string {
	words := wordPattern.FindAllString(strings.ToLower(text), 10)
	for i, w := range words {
		words[i] = w + ":*"
	}
	return strings.Join(words, " & ")
}

// Detail is everything the page of one attachment shows.
type Detail struct {
	Attachment
	WorkflowSlug, WorkflowName string
	Elsewhere                  []Attachment // the same bytes in other attachments, newest first
	Now                        time.Time
}

// Show returns one attachment. NotFound when there is none.
func Show(ctx context.Context, db *models.DB, id int64) (Detail, error) {
	a, now, err := load(ctx, db, id)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Attachment: a, Now: now}
	if a.WorkflowID != nil {
		if err := db.Query(ctx).Raw("select slug, name from workflows where id = ?", *a.WorkflowID).Row().Scan(&d.WorkflowSlug, &d.WorkflowName); err != nil {
			return Detail{}, models.Classify(err)
		}
	}
	if a.Kind != Link {
		err = rows(db.Query(ctx)).Where("e.blob_id in (select id from blobs where sha256 = ? and size = ?) and e.id <> ?", a.SHA256, a.Size, id).
			Order("e.id desc").Limit(20).Scan(&d.Elsewhere).Error
	}
	return d, models.Classify(err)
}

func load(ctx context.Context, db *models.DB, id int64) (Attachment, time.Time, error) {
	all, err := Of(db.Query(ctx), id)
	if err == nil && len(all) == 0 {
		err = models.NotFoundf("There is no such evidence.")
	}
	if err != nil {
		return Attachment{}, time.Time{}, err
	}
	now, err := db.Now(ctx)
	return all[0], now, err
}
