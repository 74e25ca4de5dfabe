package replay

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/ledger"
)

// Status is what an automation reads of a request.
type Status struct {
	Ref      string
	State    State
	Ending   string // why it ended without a decision, in words
	Note     string // the reason of the last decision
	Standing ledger.Standing
	Permit   *ledger.Authorization // once approved
}

// StatusOf reads a request for an automation or a person. NotFound; Forbidden
// outside the token's workflow or environment.
func StatusOf(ctx context.Context, db *models.DB, by ledger.Caller, ref string) (Status, error) {
	q := db.Query(ctx)
	r, err := find(q, ref)
	if err != nil {
		return Status{}, err
	}
	facts, err := ledger.LoadFacts(q, r.ActionID)
	if err != nil {
		return Status{}, err
	}
	if err := within(by, facts); err != nil {
		return Status{}, err
	}
	record, err := recordOf(q, r, facts)
	if err != nil {
		return Status{}, err
	}
	now := r.At(record)
	s := Status{Ref: now.Ref(), State: now.State, Ending: now.Ending, Standing: facts.Standing}
	if now.State == Approved {
		s.Permit = record.Permit
	}
	err = q.Raw("select note from decisions where request_id = ? order by id desc limit 1", r.ID).Scan(&s.Note).Error
	return s, models.Classify(err)
}

// OpenOf is the open request of an action, as the action's page shows it; "" when
// there is none.
func OpenOf(ctx context.Context, db *models.DB, action int64) (ref string, since time.Time, err error) {
	var r Request
	err = db.Query(ctx).Raw("select id, asked_at from requests where action_id = ? and closed_at is null", action).Scan(&r).Error
	if err != nil || r.ID == 0 {
		return "", time.Time{}, models.Classify(err)
	}
	return r.Ref(), r.AskedAt, nil
}
