package notice

import (
	"context"
	"errors"
	"strings"
	"time"

	"countersign/models"
)

// mostInSummary is how many notices a summary lists.
const mostInSummary = 50

// MailDelays are the waits between the attempts at one e-mail.
var MailDelays = []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, time.Hour, 2 * time.Hour, 2 * time.Hour, 3 * time.Hour, 3 * time.Hour}

// SendMail makes one attempt at an e-mail and keeps what came of it. An error
// means: try again, unless this was the last attempt. An e-mail that was sent
// is not sent again; but when the server is killed after the mail server took
// it and before that is kept, it goes out once more, with the same Message-ID.
func SendMail(ctx context.Context, db *models.DB, by Mailer, id int64, last bool) error {
	l, waiting, err := loadLetter(ctx, db, id)
	if err != nil || !waiting {
		return err
	}
	if !by.SMTP.On() {
		return keepMail(ctx, db, id, "skipped", "No mail server was set.")
	}
	if l.Email == "" {
		return keepMail(ctx, db, id, "skipped", "The person is no longer active.")
	}
	l.Base = strings.TrimRight(by.BaseURL, "/")
	m, err := l.message(by.SMTP.From)
	if err == nil {
		err = by.SMTP.deliver(ctx, m)
	}
	var never refused
	switch {
	case err == nil:
		return keepMail(ctx, db, id, "sent", "")
	case errors.As(err, &never):
		return keepMail(ctx, db, id, "failed", problem(err))
	case last:
		return errors.Join(err, keepMail(ctx, db, id, "failed", problem(err)))
	}
	return errors.Join(err, keepMail(ctx, db, id, "waiting", problem(err)))
}

// keepMail notes an attempt; also when the server is about to stop.
func keepMail(ctx context.Context, db *models.DB, id int64, state, why string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return models.Classify(db.Query(ctx).Exec(`update mails set state = ?::text, last_error = ?, tried_at = now(),
		attempts = attempts + case when ?::text = 'skipped' then 0 else 1 end,
		sent_at = case when ?::text = 'sent' then now() end where id = ? and state = 'waiting'`, state, why, state, state, id).Error)
}

// loadLetter reads what an e-mail says. waiting is false when there is nothing
// to send. Email is "" when the person left.
func loadLetter(ctx context.Context, db *models.DB, id int64) (l letter, waiting bool, err error) {
	var r struct {
		MessageID, Kind, State, Name, Email string
		CreatedAt                           time.Time
		Active                              bool
	}
	q := db.Query(ctx).Raw(`select m.message_id, m.kind, m.state, m.created_at, p.name, p.email, p.active
		from mails m join people p on p.id = m.person_id where m.id = ?`, id).Scan(&r)
	if q.Error != nil || q.RowsAffected == 0 || r.State != "waiting" {
		return l, false, models.Classify(q.Error)
	}
	l = letter{MessageID: r.MessageID, Name: r.Name, Email: r.Email, Kind: r.Kind, At: r.CreatedAt}
	if !r.Active {
		l.Email = ""
	}
	if err := db.Query(ctx).Raw("select event, title, text, standing_in_for, path from notices where mail_id = ? order by id", id).Scan(&l.Items).Error; err != nil {
		return l, false, models.Classify(err)
	}
	if len(l.Items) > mostInSummary {
		l.Items, l.More = l.Items[:mostInSummary], len(l.Items)-mostInSummary
	}
	return l, len(l.Items) > 0 || l.Kind == "test", nil
}
