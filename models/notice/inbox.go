package notice

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
)

// Notice is one line of somebody's inbox.
type Notice struct {
	ID            int64
	Event         Event
	Title         string
	Text          string
	StandingInFor string // names; "" when told in person
	Path          string
	At            time.Time
	ReadAt        *time.Time
}

// Inbox returns a page of what by was told, newest first; with unread only what
// was not marked as read.
func Inbox(ctx context.Context, db *models.DB, by models.Actor, unread bool, at string) (models.Page[Notice], error) {
	q := db.Query(ctx).Table("notices").Select("id, event, title, text, standing_in_for, path, at, read_at").Where("person_id = ?", by.ID)
	if unread {
		q = q.Where("read_at is null")
	}
	return models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"id"}, Desc: true}, func(n Notice) []any { return []any{n.ID} })
}

// MostCounted is where counting what is unread stops.
const MostCounted = 100

// Unread counts what somebody has not marked as read, up to MostCounted.
func Unread(ctx context.Context, db *models.DB, personID int64) (n int, err error) {
	err = db.Query(ctx).Raw(fmt.Sprintf("select count(*) from (select from notices where person_id = ? and read_at is null limit %d) u", MostCounted), personID).Row().Scan(&n)
	return n, models.Classify(err)
}

// MarkReadCmd marks one notice as read.
type MarkReadCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c MarkReadCmd) Object() models.Object {
	return models.Object{Type: "notice", ID: c.ID, Label: fmt.Sprintf("notice %d", c.ID), Path: "/inbox"}
}

// Opened is where a notice leads.
type Opened struct{ Path string }

// MarkRead marks a notice as read and answers where it leads; marking it again
// changes nothing. It is kept with the notice and not in the audit log: it
// decides nothing. NotFound, and Forbidden for somebody else's.
func MarkRead(ctx context.Context, db *models.DB, by models.Actor, cmd MarkReadCmd) (Opened, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Opened, error) {
		var n struct {
			PersonID int64
			Path     string
		}
		q := tx.Raw("select person_id, path from notices where id = ? for update", cmd.ID).Scan(&n)
		if q.Error != nil {
			return Opened{}, q.Error
		}
		if q.RowsAffected == 0 {
			return Opened{}, models.NotFoundf("There is no such notice.")
		}
		if err := mayRead(by, n.PersonID); err != nil {
			return Opened{}, err
		}
		return Opened{n.Path}, tx.Exec("update notices set read_at = ? where id = ? and read_at is null", tx.Now, cmd.ID).Error
	})
}

// MarkAllReadCmd marks everything up to Newest, the newest one that the person
// saw: what arrived since stays unread.
type MarkAllReadCmd struct {
	models.Once
	Newest int64
}

// MarkAllRead answers how many were marked.
func MarkAllRead(ctx context.Context, db *models.DB, by models.Actor, cmd MarkAllReadCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		r := tx.Exec("update notices set read_at = ? where person_id = ? and id <= ? and read_at is null", tx.Now, by.ID, cmd.Newest)
		return r.RowsAffected, r.Error
	})
}
