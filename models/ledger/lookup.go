package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/models"
)

// clockSkew is how far a caller's clock may run ahead of the database's.
const clockSkew = 5 * time.Minute

// Lookup records a check of the destination. NotFound; Forbidden by MayLookUp for
// a person; Invalid.
func Lookup(ctx context.Context, db *models.DB, by Caller, cmd LookupCmd) (LookedUp, error) {
	return models.Do(ctx, db, by.actor(), cmd, func(tx *models.Tx) (LookedUp, error) {
		l, err := lockAction(tx, by, cmd.Action, "")
		if err != nil {
			return LookedUp{}, err
		}
		if by.Token == 0 {
			if err := MayLookUp(by.Person); err != nil {
				return LookedUp{}, err
			}
		}
		began, err := cmd.check(l.Now)
		if err != nil {
			return LookedUp{}, err
		}
		v, counts := judgeLookup(l.Now, l.actionFact, cmd.Result, cmd.Results, began)
		out := LookedUp{Counts: counts, Duplicate: v.Duplicate, Detail: v.Words}
		if err := l.lookedUp(tx, by, cmd, began, counts, v); err != nil {
			return out, err
		}
		out.Standing, out.Lookup = *l.standing(), l.Lookup
		return out, nil
	})
}

// check cleans the command and says when the lookup began.
func (cmd *LookupCmd) check(now time.Time) (began time.Time, err error) {
	cmd.Method, cmd.Detail = models.Clean(cmd.Method), models.Clean(cmd.Detail)
	var ids []string
	for _, id := range cmd.Results {
		if id = models.Clean(id); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	cmd.Results = ids
	var c models.Check
	c.Required("method", cmd.Method, MaxID, "Enter how it was looked up, such as the call that was made.")
	c.Line("method", cmd.Method, MaxID)
	c.Text("detail", cmd.Detail, MaxDetail)
	switch {
	case cmd.Result != Found && cmd.Result != NotFound && cmd.Result != Inconclusive:
		c.Add("result", "Choose what the lookup came to: found, not found or inconclusive.")
	case cmd.Result == Found && len(ids) == 0:
		c.Add("destination_result_ids", "Enter the ids that were found at the destination.")
	case cmd.Result != Found && len(ids) > 0:
		c.Add("destination_result_ids", "Remove the ids, or say that the result was found.")
	case len(ids) > MaxResults:
		c.Add("destination_result_ids", "Enter %d ids at most.", MaxResults)
	}
	for _, id := range ids {
		c.Line("destination_result_ids", id, MaxID)
	}
	began = now
	if cmd.Began != nil {
		began = cmd.Began.UTC()
		if began.After(now.Add(clockSkew)) {
			c.Add("began_at", "Enter when the lookup began. This is in the future.")
		}
		if began.Year() < 2000 {
			c.Add("began_at", "Enter when the lookup began, such as 2026-05-31T09:30:00Z.")
		}
		if began.After(now) {
			began = now
		}
	}
	return began, c.Err()
}

// lookedUp writes what v says.
func (l *locked) lookedUp(tx *models.Tx, by Caller, cmd LookupCmd, began time.Time, counts bool, v verdict) error {
	ids, err := json.Marshal(append([]string{}, cmd.Results...))
	if err != nil {
		return err
	}
	err = tx.Raw(`insert into lookups (action_id, attempt_id, method, result, result_ids, began_at, counts, detail, before, after, token_id, person_id, at)
		values (@action, @attempt, @method, @result, array(select jsonb_array_elements_text(cast(@ids as jsonb))), @began, @counts, @detail, @before, @after, nullif(@token, 0), nullif(@person, 0), @now) returning id`,
		map[string]any{"action": l.ID, "attempt": l.Attempt, "method": cmd.Method, "result": cmd.Result, "ids": string(ids), "began": began, "counts": counts,
			"detail": cmd.Detail, "before": l.State, "after": v.Next, "token": by.Token, "person": by.person(), "now": l.Now}).Row().Scan(&l.Lookup)
	if err != nil {
		return err
	}
	l.State, l.Result = v.Next, v.Result
	if v.Settles {
		l.SettledLookup = l.Lookup
		if err := overtake(tx, l.ID, l.Now); err != nil {
			return err
		}
	}
	if err := tx.Exec("update actions set state = ?, result_id = ?, settled_lookup = nullif(?, 0), lookup_id = ?, changed_at = ? where id = ?",
		l.State, l.Result, l.SettledLookup, l.Lookup, l.Now, l.ID).Error; err != nil {
		return err
	}
	if v.Duplicate != "" {
		why := v.Why
		if cmd.Method != "" {
			why = fmt.Sprintf("%s (%s)", why, cmd.Method)
		}
		return openDuplicate(tx, l.ID, v.Duplicate, "lookup", resultsOf(slices.Concat([]string{l.Result}, cmd.Results, l.Found)...), why, by.person(), l.Now)
	}
	return nil
}
