package evidence

import (
	"context"

	"gorm.io/gorm"

	"countersign/models"
)

// Content is the bytes of a file or a text, chunk by chunk. Between two chunks
// no connection is held.
type Content struct {
	read func(n int) ([]byte, error)
	n    int
}

// Next is the next chunk; nil at the end.
func (c *Content) Next() ([]byte, error) {
	b, err := c.read(c.n)
	c.n++
	return b, err
}

// chunk is nil after the last one.
func chunk(q *gorm.DB, blob int64, n int) ([]byte, error) {
	rows, err := q.Raw("select bytes from blob_chunks where blob_id = ? and number = ?", blob, n).Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var b []byte
	if rows.Next() {
		err = rows.Scan(&b)
	}
	if err == nil {
		err = rows.Err()
	}
	return b, err
}

// Gone is a Conflict: the evidence is there, its bytes cannot be read any more.
var errGone = models.Conflictf("This evidence has expired, so its bytes cannot be read any more.")

// IsGone reports whether err says that the bytes are gone for good.
func IsGone(err error) bool { return models.AsError(err) == models.AsError(errGone) }

// Open returns an attachment and its bytes. NotFound when there is none or it is
// a link; IsGone once it expired and nothing open rests on it.
func Open(ctx context.Context, db *models.DB, id int64) (Attachment, *Content, error) {
	a, now, err := load(ctx, db, id)
	switch {
	case err != nil:
		return Attachment{}, nil, err
	case a.Kind == Link:
		return Attachment{}, nil, models.NotFoundf("This evidence is a link, so there is no file of it here.")
	case !a.Readable(now):
		return a, nil, errGone
	}
	var blob int64
	if err := db.Query(ctx).Raw("select blob_id from evidence where id = ?", id).Row().Scan(&blob); err != nil {
		return Attachment{}, nil, models.Classify(err)
	}
	return a, &Content{read: func(n int) ([]byte, error) { return chunk(db.Query(ctx), blob, n) }}, nil
}
