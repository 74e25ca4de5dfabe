package notice

import (
	"context"
	"time"

	"countersign/models"
)

type summariesCmd struct{ models.Once }

// summaryLock lets one server at a time make summaries.
const summaryLock = 0x73756d6d617279 // "summary"

// SendSummaries makes the e-mails of those who want one for the hour or the
// day, of what is still unread, and returns how many. Each notice is in one
// summary. Safe on several servers at once, and after any time without one.
func SendSummaries(ctx context.Context, db *models.DB) (int, error) {
	return models.Do(ctx, db, models.Actor{}, summariesCmd{}, func(tx *models.Tx) (int, error) {
		var mine bool
		if err := tx.Raw("select pg_try_advisory_xact_lock(?)", int64(summaryLock)).Row().Scan(&mine); err != nil || !mine {
			return 0, err
		}
		var people []struct {
			ID       int64
			TimeZone string
		}
		if err := tx.Raw(`select p.id, p.time_zone from people p where p.active and exists (
			select from notices n where n.person_id = p.id and n.mail_id is null and n.read_at is null and n.mail in ('hourly', 'daily')) order by p.id`).Scan(&people).Error; err != nil {
			return 0, err
		}
		made := 0
		for _, p := range people {
			zone, err := time.LoadLocation(p.TimeZone)
			if err != nil {
				zone = time.UTC
			}
			one, err := summarize(tx, p.ID, summaryBefore(Hourly, tx.Now, zone), summaryBefore(Daily, tx.Now, zone))
			if err != nil {
				return 0, err
			}
			made += one
		}
		return made, nil
	})
}

// summaryBefore is the latest moment at which a summary was due: what was told
// before it and not yet mailed belongs into one now.
func summaryBefore(c Choice, now time.Time, zone *time.Location) time.Time {
	if c == Hourly {
		return now.Truncate(time.Hour)
	}
	local := now.In(zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), 7, 0, 0, 0, zone)
	if at.After(now) {
		at = time.Date(local.Year(), local.Month(), local.Day()-1, 7, 0, 0, 0, zone)
	}
	return at
}

// summarize puts what is due for a person into one e-mail; 0 when nothing is.
func summarize(tx *models.Tx, person int64, hourly, daily time.Time) (int, error) {
	var due []int64
	if err := tx.Raw(`select id from notices where person_id = ? and mail_id is null and read_at is null and mail in ('hourly', 'daily')
		and at < case when mail = 'hourly' then ?::timestamptz else ?::timestamptz end for update`, person, hourly, daily).Scan(&due).Error; err != nil || len(due) == 0 {
		return 0, err
	}
	mail, err := newMail(tx, person, "summary")
	if err != nil {
		return 0, err
	}
	return 1, tx.Exec("update notices set mail_id = ? where id in ?", mail, due).Error
}
