package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/models"
	"countersign/models/signoff"
)

// Retry tries a failed action again. NotFound, Forbidden, Invalid; a Refusal
// with CodePending, CodeSucceeded, CodeLookupRequired, CodeReplayRequired,
// CodeRetriesUsedUp, CodeStaleVersion (409), CodeStopped or CodeBlocked (423).
// In mode observe only those with 423 are refused.
func Retry(ctx context.Context, db *models.DB, by Caller, cmd RetryCmd) (Attempted, error) {
	out, err := models.Do(ctx, db, by.actor(), cmd, func(tx *models.Tx) (Attempted, error) {
		var c models.Check
		worker, lease := checkWorker(&c, cmd.Worker, cmd.LeaseSeconds)
		if err := c.Err(); err != nil {
			return Attempted{}, err
		}
		l, err := lockAction(tx, by, cmd.Action, "")
		if err != nil {
			return Attempted{}, err
		}
		f, s, err := l.facts(tx.DB)
		if err != nil {
			return Attempted{}, err
		}
		if err := f.locked(); err != nil {
			return Attempted{}, err
		}
		retries, _ := s.number("automatic_retries")
		n := newAttempt{kind: "retry", worker: worker, lease: lease}
		if code, words := f.mayRetry(retries); code != "" {
			if f.Gate.State != signoff.GateObserving {
				return Attempted{}, f.refuse(code, words)
			}
			n.kind, n.would = "observed", &WouldHave{Code: code, Detail: words, Action: l.ID}
			if err := countUp(tx, l.Control, l.Environment, "would_have"); err != nil {
				return Attempted{}, err
			}
		}
		return l.begin(tx, by, cmd.Once, n, s)
	})
	return out, keepStale(ctx, db, by, cmd.Worker, err)
}

// locked is the refusal with 423 while the gate is blocked.
func (f Facts) locked() error {
	if f.Gate.State != signoff.GateBlocked {
		return nil
	}
	code := CodeBlocked
	if f.Gate.Reasons[0].Key == "stopped" {
		code = CodeStopped
	}
	r := refuse(models.KindLocked, code, &f.Standing, "%s", f.Gate.Reasons[0].Words)
	r.Gate = f.Gate.Reasons
	return r
}

// mayRetry says why an action is not tried again automatically; "" when it is.
// retries is how many the serving revision allows. Pure.
func (f Facts) mayRetry(retries int) (Code, string) {
	switch f.State {
	case Pending:
		return CodePending, "A worker holds this action. Wait for its outcome, or for its lease to end."
	case Succeeded:
		return CodeSucceeded, "This action succeeded, so it is never tried again. A wanted second action is a legitimate repeat."
	case Unknown:
		if f.LookupDocumented && f.Counting != NotFound {
			return CodeLookupRequired, "Nobody knows what the last attempt did. Look it up at the destination first: " + f.LookupMethod
		}
		return CodeReplayRequired, "Nobody knows what the last attempt did. Ask for a replay."
	}
	if d := f.doubt(); d.Key != "" {
		return d.Code, d.Words + " " + d.Instead
	}
	switch {
	case f.StaleVersion:
		return CodeStaleVersion, f.staleWords()
	case f.Replayed:
		return CodeReplayRequired, "The last attempt was an approved replay, and no automatic retry follows one. Ask for a replay."
	case f.Gate.State == signoff.GateManual:
		return CodeReplayRequired, f.Gate.Reasons[0].Words + " Ask for a replay."
	case f.AutomaticUsed >= retries:
		return CodeRetriesUsedUp, fmt.Sprintf("All automatic retries are used up: %d. Ask for a replay.", retries)
	}
	return "", ""
}

// refuse is a refused retry.
func (f Facts) refuse(code Code, words string) error {
	r := conflict(code, &f.Standing, "%s", words)
	if code == CodeReplayRequired {
		r.Gate = f.Gate.Reasons
	}
	return r
}

// keepStale keeps a retry or start that was refused for its version, so that it
// can be appealed. Its own transaction was rolled back.
func keepStale(ctx context.Context, db *models.DB, by Caller, worker string, err error) error {
	var r *Refusal
	if !errors.As(err, &r) || r.Code != CodeStaleVersion {
		return err
	}
	kept := db.Query(ctx).Raw(`insert into suppressed_claims (action_id, workflow_id, environment_id, control_id, code, worker, record_id, version, version_rank, newest, token_id)
		select a.id, a.workflow_id, a.environment_id, a.control_id, 'stale_version', ?, a.record_id, a.version, a.version_rank, v.version_rank, nullif(?, 0)
		from actions a join record_versions v on v.workflow_id = a.workflow_id and v.environment_id = a.environment_id and v.record_id = a.record_id
		where a.id = ? returning id`, models.Clean(worker), by.Token, r.Standing.Action).Row().Scan(&r.Suppressed)
	if kept != nil {
		return errors.Join(err, kept)
	}
	return err
}

func (w WouldHave) json() string {
	text, _ := json.Marshal(map[string]any{"code": w.Code, "detail": w.Detail, "action": w.Action})
	return string(text)
}
