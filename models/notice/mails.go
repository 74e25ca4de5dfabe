package notice

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
)

// Mail is one e-mail as administrators see it.
type Mail struct {
	ID        int64
	Person    string
	PersonID  int64
	Kind      string // one, summary or test
	About     string // the first title
	State     string // waiting, sent, failed or skipped
	Attempts  int
	LastError string
	CreatedAt time.Time
	TriedAt   *time.Time
}

// Mails returns a page of e-mails, newest first, of one state or of any ("").
// Forbidden by MayManage.
func Mails(ctx context.Context, db *models.DB, by models.Actor, state, at string) (models.Page[Mail], error) {
	if err := MayManage(by); err != nil {
		return models.Page[Mail]{}, err
	}
	q := db.Query(ctx).Table("mails m").Joins("join people p on p.id = m.person_id").
		Select(`m.id, p.name as person, m.person_id, m.kind, m.state, m.attempts, m.last_error, m.created_at, m.tried_at,
			coalesce((select n.title from notices n where n.mail_id = m.id order by n.id limit 1), '') as about`)
	if state != "" {
		q = q.Where("m.state = ?", state)
	}
	return models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"m.id"}, Desc: true}, func(m Mail) []any { return []any{m.ID} })
}

// SendTestCmd sends a test e-mail to whoever asks.
type SendTestCmd struct{ models.Once }

// SendTest answers with the e-mail's id. Forbidden by MayManage.
func SendTest(ctx context.Context, db *models.DB, by models.Actor, cmd SendTestCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayManage(by); err != nil {
			return 0, err
		}
		id, err := newMail(tx, by.ID, "test")
		tx.Audit("mail.tested", mailObject(id), nil, nil)
		return id, err
	})
}

func mailObject(id int64) models.Object {
	return models.Object{Type: "mail", ID: id, Label: fmt.Sprintf("e-mail %d", id), Path: "/admin/mail"}
}

// SendAgainCmd sends an e-mail that failed or was skipped.
type SendAgainCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c SendAgainCmd) Object() models.Object { return mailObject(c.ID) }

// SendAgain starts the attempts over, with the same Message-ID. Forbidden by
// MayManage; Conflict when it is waiting or was sent.
func SendAgain(ctx context.Context, db *models.DB, by models.Actor, cmd SendAgainCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayManage(by); err != nil {
			return 0, err
		}
		var state string
		q := tx.Raw("select state from mails where id = ? for update", cmd.ID).Scan(&state)
		if q.Error != nil {
			return 0, q.Error
		}
		switch {
		case q.RowsAffected == 0:
			return 0, models.NotFoundf("There is no such e-mail.")
		case state == "sent":
			return 0, models.Conflictf("This e-mail was sent already.")
		case state == "waiting":
			return 0, models.Conflictf("This e-mail is waiting to be sent already.")
		}
		tx.Audit("mail.sent_again", mailObject(cmd.ID), map[string]string{"state": state}, map[string]string{"state": "waiting"})
		if err := tx.Exec("update mails set state = 'waiting' where id = ?", cmd.ID).Error; err != nil {
			return 0, err
		}
		return cmd.ID, tx.Enqueue(MailJob{cmd.ID})
	})
}
