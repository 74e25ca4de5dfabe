package replay

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
)

// StartCmd uses the permission of an approval: one attempt of one action.
type StartCmd struct {
	models.Once
	Ref           string
	Authorization string // its code
	Worker        string
	LeaseSeconds  int
}

// Start uses an approval's permission and returns the attempt that the caller
// owns. The ledger consumes the permission in one transaction and checks again
// that nothing is newer than what was approved; the request learns from it.
//
// NotFound; Forbidden, Invalid; a ledger.Refusal. What was refused is kept with
// the request.
func Start(ctx context.Context, db *models.DB, by ledger.Caller, cmd StartCmd) (ledger.Attempted, error) {
	if _, err := find(db.Query(ctx), cmd.Ref); err != nil {
		return ledger.Attempted{}, err
	}
	a, err := ledger.Start(ctx, db, by, ledger.StartCmd{Once: cmd.Once, Request: cmd.Ref, Authorization: cmd.Authorization, Worker: cmd.Worker, LeaseSeconds: cmd.LeaseSeconds})
	if err != nil {
		return a, refusedTry(ctx, db, by, cmd.Ref, "start", err)
	}
	// The attempt stands whether or not this is stored now.
	_, _ = Settle(context.WithoutCancel(ctx), db, cmd.Ref)
	return a, nil
}

// StartByHandCmd starts an approved attempt for a team that does not poll.
type StartByHandCmd struct {
	models.Once
	Ref          string
	LeaseSeconds int // 0: an hour, because a person is slower than a worker
}

// Object names the request when the command is refused.
func (c StartByHandCmd) Object() models.Object { return DecideCmd{Ref: c.Ref}.Object() }

// StartByHand starts the approved attempt; its claim token is shown to the
// person, who reports the outcome with it. Forbidden by MayStart; Conflict when
// there is nothing to start; else as Start.
func StartByHand(ctx context.Context, db *models.DB, by models.Actor, cmd StartByHandCmd) (ledger.Attempted, error) {
	code, err := models.Do(ctx, db, by, StartByHandCmd{Ref: cmd.Ref}, func(tx *models.Tx) (string, error) {
		r, err := find(tx.DB, cmd.Ref)
		if err != nil {
			return "", err
		}
		facts, err := ledger.LoadFacts(tx.DB, r.ActionID)
		if err != nil {
			return "", err
		}
		f, err := open(tx.DB, r, facts)
		if err != nil {
			return "", err
		}
		if err := MayStart(by, f.Parties); err != nil {
			return "", err
		}
		if f.Record.Permit == nil {
			return "", models.Conflictf("This request is %s, so there is nothing to start.", f.State.Words())
		}
		return f.Record.Permit.Code, nil
	})
	if err != nil {
		return ledger.Attempted{}, refusedTry(ctx, db, ledger.Person(by), cmd.Ref, "start", err)
	}
	if cmd.LeaseSeconds == 0 {
		cmd.LeaseSeconds = ledger.MaxLease
	}
	return Start(ctx, db, ledger.Person(by), StartCmd{Once: cmd.Once, Ref: cmd.Ref, Authorization: code, Worker: fmt.Sprintf("by hand, %s, %s", by.Email, cmd.Ref), LeaseSeconds: cmd.LeaseSeconds})
}
