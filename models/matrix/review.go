package matrix

import (
	"context"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/evidence"
)

// ReviewRun accepts or returns a recorded run, once. Accepting a passed retest
// of the latest failure closes its discrepancy; returning a failed run closes
// nothing. NotFound, Forbidden, Conflict when it is not recorded or reviewed
// already. Invalid fields: decision, reason.
func ReviewRun(ctx context.Context, db *models.DB, by models.Actor, cmd ReviewRunCmd) (Reviewed, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Reviewed, error) {
		c, r, err := lockRun(tx, cmd.Run)
		if err != nil {
			return Reviewed{}, err
		}
		if err := MayReview(by, c.Parties(), r); err != nil {
			return Reviewed{}, err
		}
		if err := r.reviewable(); err != nil {
			return Reviewed{}, err
		}
		if cmd.Reason, err = cmd.check(); err != nil {
			return Reviewed{}, err
		}
		return review(tx, c, r, cmd)
	})
}

// reviewable is a Conflict unless the run waits for a review.
func (r Run) reviewable() error {
	switch {
	case r.Waits():
		return nil
	case r.Decision != "":
		return models.Conflictf("%s %s this run already. That decision stands.", r.ReviewedBy.Name, r.Decision)
	case r.Outcome == Abandoned:
		return models.Conflictf("This run was abandoned. There is nothing to review.")
	}
	return models.Conflictf("This run is not recorded yet.")
}

// check returns the reason as it is kept.
func (cmd ReviewRunCmd) check() (string, error) {
	var check models.Check
	reason := models.Clean(cmd.Reason)
	switch cmd.Decision {
	case Accept:
		check.Text("reason", reason, 4000)
	case Return:
		check.Required("reason", reason, 4000, "Say what is missing or wrong.")
	default:
		check.Add("decision", "Choose to accept the run or to return it.")
	}
	return reason, check.Err()
}

func review(tx *models.Tx, c control.Locked, r Run, cmd ReviewRunCmd) (Reviewed, error) {
	forPerson, _ := tx.By.ActsFor(c.ReviewerID)
	done := tx.Exec("insert into run_reviews (run_id, decision, reason, person_id, for_person_id, at) values (?, ?, ?, ?, ?, ?) on conflict do nothing",
		r.ID, cmd.Decision, cmd.Reason, tx.By.ID, orNull(forPerson), tx.Now)
	if done.Error == nil && done.RowsAffected != 1 {
		return Reviewed{}, models.Conflictf("Somebody else reviewed this run at the same moment. Open it again.")
	}
	if done.Error != nil {
		return Reviewed{}, done.Error
	}
	if err := tx.Exec("delete from open_runs where run_id = ?", r.ID).Error; err != nil {
		return Reviewed{}, err
	}
	tx.AuditFor(forPerson, "run."+cmd.Decision, r.Object(), nil, map[string]any{"outcome": r.Outcome, "reason": cmd.Reason})
	out := Reviewed{Run: r.ID, Decision: cmd.Decision}
	if cmd.Decision == Accept {
		t, err := caseByKey(tx.DB, c.ID, r.Case.Slug)
		if err != nil {
			return Reviewed{}, err
		}
		if out.Closed, err = answer(tx, c, t, r, forPerson); err != nil {
			return Reviewed{}, err
		}
	}
	if err := settleReviewed(tx, r, out.Closed); err != nil {
		return Reviewed{}, err
	}
	if err := release(tx, r); err != nil {
		return Reviewed{}, err
	}
	return out, settle(tx, c.ID)
}

// release lets evidence expire that nothing open rests on any more: of the run,
// and of every run of its discrepancy. A run waits for its review; a failed run
// and its retests wait for their discrepancy too.
func release(tx *models.Tx, r Run) error {
	var ids []int64
	err := tx.Raw(`select r.id from runs r left join run_results s on s.run_id = r.id left join open_runs o on o.run_id = r.id
			left join discrepancies d on d.id = coalesce(s.discrepancy_id, r.discrepancy_id)
		where (r.id = @run or r.id in (select run_id from run_results where discrepancy_id = @discrepancy union all select id from runs where discrepancy_id = @discrepancy))
			and o.run_id is null and (d.id is null or d.closed_at is not null)
			and exists (select 1 from run_evidence x where x.run_id = r.id)`, map[string]any{"run": r.ID, "discrepancy": r.DiscrepancyID}).Scan(&ids).Error
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := evidence.Release(tx, RunPath(id)); err != nil {
			return err
		}
	}
	return nil
}
