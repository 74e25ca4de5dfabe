package replay

import (
	"context"
	"time"

	"countersign/models"
)

// Asking is a request as the page of its action tells of it.
type Asking struct {
	ID              int64
	State           State // as last written; the page of the request reads the ledger and the clock
	Reason, AskedBy string
	AskedAt         time.Time
	ClosedAt        *time.Time
	Ending          string
	Decided         Decision // the last that settled something: approve, reject or withdraw; "" before
	DecidedBy       string   // with whom they stood in for
	DecidedAt       *time.Time
	Note            string
}

// Ref is RR-n.
func (a Asking) Ref() string { return Ref(a.ID) }

// RequestsOf are the requests of an action, newest first, 50 at most.
func RequestsOf(ctx context.Context, db *models.DB, action int64) (list []Asking, err error) {
	err = db.Query(ctx).Raw(`select r.id, r.state, r.reason, p.name as asked_by, r.asked_at, r.closed_at, r.ending, coalesce(d.decision, '') as decided, coalesce(d.who, '') as decided_by, d.at as decided_at, coalesce(d.note, '') as note
		from requests r join people p on p.id = r.asked_by left join lateral (select x.decision, x.at, x.note, w.name || coalesce(' for ' || f.name, '') as who
			from decisions x join people w on w.id = x.person_id left join people f on f.id = x.for_person_id where x.request_id = r.id and x.decision in ('approve','reject','withdraw') order by x.id desc limit 1) d on true
		where r.action_id = ? order by r.id desc limit ?`, action, shown).Scan(&list).Error
	return list, models.Classify(err)
}

// MayAskAbout is MayAsk with the implementer of the action's workflow.
func MayAskAbout(ctx context.Context, db *models.DB, by models.Actor, workflow int64) error {
	var p Parties
	if err := db.Query(ctx).Raw("select coalesce(implementer_id, 0) from workflows where id = ?", workflow).Row().Scan(&p.Implementer); err != nil {
		return models.Classify(err)
	}
	return MayAsk(by, p)
}
