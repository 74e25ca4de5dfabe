package replay

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/notice"
)

type settleCmd struct{ models.Once }

// Settle stores what the ledger and the clock have made of a request. Nothing
// waits for it: every read and every decision finds out by itself. It reports
// whether there was anything to store. NotFound.
func Settle(ctx context.Context, db *models.DB, ref string) (bool, error) {
	q := db.Query(ctx)
	r, err := find(q, ref)
	if err != nil || !r.State.Open() {
		return false, err
	}
	facts, err := ledger.LoadFacts(q, r.ActionID)
	if err != nil {
		return false, err
	}
	record, err := recordOf(q, r, facts)
	if err != nil || r.At(record).State == r.State {
		return false, err
	}
	return models.Do(ctx, db, models.Actor{}, settleCmd{}, func(tx *models.Tx) (bool, error) {
		f, err := lock(tx, ref)
		if err != nil || f.State == f.stored.State {
			return false, err
		}
		return true, f.store(tx)
	})
}

// settleAction settles the open request of an action, if there is one.
func settleAction(ctx context.Context, db *models.DB, action int64) error {
	var id int64
	if err := db.Query(ctx).Raw("select id from requests where action_id = ? and closed_at is null", action).Scan(&id).Error; err != nil || id == 0 {
		return err
	}
	_, err := Settle(ctx, db, Ref(id))
	return err
}

// store writes the state that the request has come to since it was stored.
func (f *file) store(tx *models.Tx) error {
	r := f.Request
	if err := update(tx, f.stored, r); err != nil {
		return err
	}
	if !r.State.Open() && f.Record.Permit != nil && f.Record.Permit.State(tx.Now) == ledger.Open {
		// What was approved may stand again one day; the permission must not.
		if err := ledger.WithdrawAuthorization(tx, r.Ref()); err != nil {
			return err
		}
	}
	tx.Audit("replay."+string(r.State), r.object(), map[string]any{"state": f.stored.State}, map[string]any{"state": r.State, "why": r.Ending})
	event, title := notice.ReplayDecided, ""
	switch r.State {
	case Lapsed:
		event, title = notice.ReplayLapsed, "The approval of "+r.Ref()+" lapsed"
	case Expired:
		title = r.Ref() + " expired without a decision"
	case Overtaken:
		title = r.Ref() + " was overtaken: the action succeeded"
	case Finished:
		title = fmt.Sprintf("The approved attempt of %s ended as %s", r.Ref(), f.Record.Outcome)
	default:
		return nil
	}
	return tellAskers(tx, r, f.Parties, event, title, r.Ending)
}

// update writes what may change of a request, guarded by the version that was
// read, and frees the action and the evidence of one that ended.
func update(tx *models.Tx, was, is Request) error {
	pause := is.Paused
	if is.State != EvidenceWanted {
		pause = Pause{}
	}
	done := tx.Exec(`update requests set state = ?, level = ?, unanswered = ?, next_at = ?, expires_at = ?, paused_at = ?, paused_minutes = ?, paused_seconds = ?,
			authorization_id = nullif(?, 0), attempt_id = nullif(?, 0), ending = ?, closed_at = ?, version = version + 1 where id = ? and version = ?`,
		is.State, is.Level, is.Unanswered, is.NextAt, is.ExpiresAt, pause.At, pause.Minutes, pause.Seconds,
		is.AuthorizationID, is.AttemptID, is.Ending, is.ClosedAt, is.ID, was.Version)
	if done.Error != nil {
		return done.Error
	}
	if done.RowsAffected != 1 {
		return models.Conflictf("Somebody else decided this request at the same moment. Read where it stands now.")
	}
	if was.State == Pending && is.State != Pending { // approvers need not look any more
		if err := notice.SettlePage(tx, Path(is.Ref()), notice.ReplayRequested, notice.ReplayEscalated); err != nil {
			return err
		}
	}
	if is.State.Open() {
		return nil
	}
	if err := tx.Exec("update actions set request_id = null where id = ? and request_id = ?", is.ActionID, is.ID).Error; err != nil {
		return err
	}
	return evidence.Release(tx, Path(is.Ref()))
}
