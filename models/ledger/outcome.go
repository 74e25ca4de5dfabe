package ledger

import (
	"context"
	"slices"

	"countersign/models"
)

// Outcome records a report. NotFound, Forbidden, Invalid; a Refusal with
// CodeSucceeded (failed or unknown after succeeded) or CodeWrongToken.
func Outcome(ctx context.Context, db *models.DB, by Caller, cmd OutcomeCmd) (Reported, error) {
	return models.Do(ctx, db, by.actor(), cmd, func(tx *models.Tx) (Reported, error) {
		if err := cmd.check(); err != nil {
			return Reported{}, err
		}
		l, me, err := lockAttempt(tx, by, cmd.Action, cmd.ClaimToken)
		if err != nil {
			return Reported{}, err
		}
		v := judge(l.Now, l.actionFact, me, cmd.Outcome, cmd.Result, cmd.Detail)
		if v.Refused != "" {
			return Reported{}, conflict(v.Refused, l.standing(), "Attempt %d reported that it succeeded. That is kept, and “%s” is not.", me.Number, cmd.Outcome.Words())
		}
		if !v.Nothing {
			if err := l.report(tx, by, me, cmd, v); err != nil {
				return Reported{}, err
			}
		}
		return Reported{Standing: *l.standing(), Late: v.Late, Kept: v.Kept, Duplicate: v.Duplicate, Detail: v.Words}, nil
	})
}

func (cmd *OutcomeCmd) check() error {
	cmd.Result, cmd.Detail = models.Clean(cmd.Result), models.Clean(cmd.Detail)
	if !models.Visible(cmd.Detail) {
		cmd.Detail = ""
	}
	var c models.Check
	if cmd.Outcome != Succeeded && cmd.Outcome != Failed && cmd.Outcome != Unknown {
		c.Add("outcome", "Enter the outcome: succeeded, failed or unknown.")
	}
	if cmd.ClaimToken == "" {
		c.Add("claim_token", "Enter the claim_token that the claim, retry or start was answered with.")
	}
	c.Line("destination_result_id", cmd.Result, MaxID)
	c.Text("detail", cmd.Detail, MaxDetail)
	if cmd.Outcome != Succeeded && cmd.Result != "" {
		c.Add("destination_result_id", "Remove destination_result_id. Only a success has a result.")
	}
	return c.Err()
}

// lockAttempt takes the action and finds the attempt that the token is of. A
// Refusal with CodeWrongToken when none is.
func lockAttempt(tx *models.Tx, by Caller, action int64, token string) (*locked, attemptFact, error) {
	hash := tokenHash(token)
	l, err := lockAction(tx, by, action, hash)
	if err != nil {
		return nil, attemptFact{}, err
	}
	var id int64
	if err := tx.Raw("select coalesce(max(id), 0) from attempts where action_id = ? and token_hash = decode(?, 'hex')", action, hash).Row().Scan(&id); err != nil {
		return nil, attemptFact{}, err
	}
	me, ok := l.attempt(id)
	if !ok {
		return nil, me, wrongToken(l.standing())
	}
	return l, me, nil
}

func wrongToken(s *Standing) error {
	return conflict(CodeWrongToken, s, "This claim_token is not of an attempt of action %d.", s.Action)
}

// report writes what v says.
func (l *locked) report(tx *models.Tx, by Caller, me attemptFact, cmd OutcomeCmd, v verdict) error {
	before := l.State
	if err := insertReport(tx, l.ID, me.ID, string(cmd.Outcome), cmd.Result, cmd.Detail, v.Late, before, v.Next, by, l.Now, &l.Report); err != nil {
		return err
	}
	if !v.Late || v.Kept == Succeeded || v.Event == Retracted {
		result := me.Result
		if result == "" {
			result = cmd.Result
		}
		if err := tx.Exec(`update attempts set outcome = ?, result_id = ?, detail = ?,
			ended_at = case when outcome = ? then ended_at else ? end where id = ?`, v.Kept, result, cmd.Detail, v.Kept, l.Now, me.ID).Error; err != nil {
			return err
		}
	}
	was := l.Result
	l.take(me, v)
	if v.Settles {
		if err := overtake(tx, l.ID, l.Now); err != nil {
			return err
		}
	}
	if !me.observed() || v.Settles || v.Waits || l.Result != was { // an observed attempt stands beside the action otherwise
		ended := me.Outcome != v.Kept && (me.ID == l.Attempt && !v.Late || v.Event == Retracted)
		err := tx.Exec(`update actions set state = @state, result_id = @result, settled_by = nullif(@by, 0), report_id = @report, changed_at = @now, waiting = @state = 'pending' and (waiting or @waits),
			ended_at = case when @ended then @now else ended_at end where id = @id`, map[string]any{"state": l.State, "result": l.Result, "by": l.SettledBy, "report": l.Report, "now": l.Now,
			"waits": v.Waits, "ended": ended, "id": l.ID}).Error
		if err != nil {
			return err
		}
	}
	if l.State == Unknown && before == Pending {
		if err := countUp(tx, l.Control, l.Environment, "unknown"); err != nil {
			return err
		}
	}
	if v.Duplicate != "" {
		return openDuplicate(tx, l.ID, v.Duplicate, "report", resultsOf(was, l.Result, me.Result, cmd.Result), v.Why, 0, l.Now)
	}
	return nil
}

// resultsOf are the ids that are known, each once.
func resultsOf(ids ...string) (known []string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	return known
}
