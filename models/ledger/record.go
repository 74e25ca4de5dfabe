package ledger

import (
	"context"
	"encoding/json"
	"time"

	"countersign/models"
	"countersign/models/identity"
	"countersign/models/signoff"
)

// Record is everything about one action, as an automation reads it.
type Record struct {
	Standing
	Control, Workflow, Environment, Account string // slugs
	IdentityKey, DestinationKey             string
	Business                                string // business record; "" when not known
	Version                                 string
	Delivery                                int64 // 0: none
	RepeatOf                                int64 // 0: none
	CreatedAt                               time.Time
	Duplicate                               string        // an open possible or confirmed duplicate; "" none
	Attempts                                []RecordTry   `gorm:"-"` // oldest first, observed ones too
	Lookups                                 []RecordCheck `gorm:"-"` // oldest first
}

// RecordTry is one attempt of a Record.
type RecordTry struct {
	ID         int64
	Number     int
	Kind       string // first, retry, replay or observed
	Worker     string
	StartedAt  time.Time
	LeaseUntil time.Time
	Outcome    State // "" while nothing was reported
	ResultID   string
	Detail     string
	EndedAt    *time.Time
}

// RecordCheck is one lookup of a Record.
type RecordCheck struct {
	ID      int64
	Method  string
	Result  Looked
	List    string   // of the ids, as JSON
	Results []string `gorm:"-"`
	BeganAt time.Time
	Counts  bool
	Detail  string
	At      time.Time
}

// mostTries is how many attempts and lookups a Record shows, the latest.
const mostTries = 200

// ActionRecord reads one action. NotFound; Forbidden outside the token's place.
func ActionRecord(ctx context.Context, db *models.DB, by Caller, id int64) (Record, error) {
	q := db.Query(ctx)
	l, err := seeAction(q, id)
	if err != nil {
		return Record{}, models.Classify(err)
	}
	if err := by.within(l.Workflow, l.Environment); err != nil {
		return Record{}, err
	}
	var r Record
	err = q.Raw(`select c.slug as control, w.slug as workflow, e.slug as environment, d.slug as account,
			coalesce(a.delivery_id, 0) as delivery, coalesce(a.repeat_of, 0) as repeat_of, a.created_at,
			coalesce((select max(kind) from duplicates where action_id = a.id and settled_at is null), '') as duplicate
		from actions a join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id join environments e on e.id = a.environment_id
		join destinations d on d.id = a.destination_id where a.id = ?`, id).Scan(&r).Error
	if err != nil {
		return Record{}, models.Classify(err)
	}
	r.Standing = *l.standing()
	if r.Duplicate == "" {
		r.Duplicate = l.Due
	}
	r.IdentityKey, r.DestinationKey, r.Business, r.Version = l.Key, identity.DestinationKey(l.Key), l.Record, l.Version
	if err := q.Raw(`select * from (select id, number, kind, worker, started_at, lease_until, coalesce(outcome, '') as outcome, result_id, detail, ended_at
		from attempts where action_id = ? order by number desc limit ?) t order by number`, id, mostTries).Scan(&r.Attempts).Error; err != nil {
		return Record{}, models.Classify(err)
	}
	if err := q.Raw(`select * from (select id, method, result, to_json(result_ids)::text as list, began_at, counts, detail, at
		from lookups where action_id = ? order by id desc limit ?) t order by id`, id, mostTries).Scan(&r.Lookups).Error; err != nil {
		return Record{}, models.Classify(err)
	}
	for i := range r.Lookups {
		if err := json.Unmarshal([]byte(r.Lookups[i].List), &r.Lookups[i].Results); err != nil {
			return Record{}, err
		}
	}
	return r, nil
}

// StandingOf is where an action stands. NotFound.
func StandingOf(ctx context.Context, db *models.DB, action int64) (s Standing, err error) {
	done := db.Query(ctx).Raw("select id as action, state_now(state, lease_until, waiting) as state, result_id as result from actions where id = ?", action).Scan(&s)
	if done.Error == nil && done.RowsAffected == 0 {
		return s, models.NotFoundf("There is no action %d.", action)
	}
	return s, models.Classify(done.Error)
}

// GateView is what a control allows in one environment now.
type GateView struct {
	signoff.Gate
	Control, Environment string // slugs
	Mode                 string // observe or enforce; "" while no revision serves
	Revision             int    // the revision that serves; 0: none
	Approved             int    // the approved revision; 0: none
}

// GateAt reads the gate of a control in an environment. NotFound; Forbidden
// outside the token's place; Invalid when the control has no account there.
func GateAt(ctx context.Context, db *models.DB, by Caller, control, environment string) (GateView, error) {
	q := db.Query(ctx)
	s, err := loadServing(q, control, environment)
	if s.Control != 0 {
		if refused := by.within(s.Workflow, s.Environment); refused != nil {
			return GateView{}, refused
		}
	}
	if err != nil {
		return GateView{}, models.Classify(err)
	}
	gate, err := gateIn(q, s)
	if err != nil {
		return GateView{}, models.Classify(err)
	}
	view := GateView{Gate: gate, Control: s.ControlSlug, Environment: s.EnvironmentSlug, Revision: s.Revision.Number, Approved: s.Approved}
	if s.Revision.Number > 0 {
		view.Mode = s.mode()
	}
	return view, nil
}
