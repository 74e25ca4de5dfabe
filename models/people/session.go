package people

import (
	"context"
	"time"

	"countersign/models"
)

// Session is one browser in which a person is signed in.
type Session struct {
	ID              int64
	Device, Address string
	BeganAt, SeenAt time.Time
	This            bool
}

// inForce are the sessions that still count: neither expired nor ended, and not
// from before the person signed out everywhere.
const inForce = ` from sessions s join people p on p.id = s.person_id and p.session_epoch = s.epoch
	where s.expiry > now() and not exists (select 1 from ended_sessions e where e.token = s.token)`

// Sessions are the actor's own, the newest use first; this is the token, as it
// is stored, of the one that asks.
func Sessions(ctx context.Context, db *models.DB, by models.Actor, this string) ([]Session, error) {
	var all []Session
	err := db.Query(ctx).Raw("select s.id, s.device, s.address, s.began_at, s.seen_at, s.token = ? as this"+inForce+" and s.person_id = ? order by s.token = ? desc, s.seen_at desc limit 50", this, by.ID, this).Scan(&all).Error
	return all, models.Classify(err)
}

// EndSessionCmd ends one session of one's own.
type EndSessionCmd struct {
	models.Once
	ID int64
}

// EndSession signs one browser out for good; a request that is under way there
// does not bring it back. NotFound when it is not the actor's own, or ended.
func EndSession(ctx context.Context, db *models.DB, by models.Actor, cmd EndSessionCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		p, err := lock(tx, by.ID)
		if err != nil {
			return 0, err
		}
		var found struct{ Token, Device string }
		if err := tx.Raw("select s.token, s.device"+inForce+" and s.id = ? and s.person_id = ?", cmd.ID, by.ID).Scan(&found).Error; err != nil {
			return 0, err
		}
		if found.Token == "" {
			return 0, models.NotFoundf("This session has ended already.")
		}
		if err := tx.Exec("insert into ended_sessions (token) values (?) on conflict do nothing", found.Token).Error; err != nil {
			return 0, err
		}
		tx.Audit("person.session_ended", p.object(), map[string]any{"device": found.Device}, nil)
		return cmd.ID, tx.Exec("delete from sessions where token = ?", found.Token).Error
	})
}
