package matrix

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// RecordRun records a result, once. A failed one opens a discrepancy or joins
// the open one of its case. NotFound, Forbidden, Conflict when recorded or
// abandoned already. Invalid fields: claimed, observed, after.<slug>,
// log_reference, inspected_what, and evidence when it would pass and an item is
// missing: nothing is recorded then.
func RecordRun(ctx context.Context, db *models.DB, by models.Actor, cmd RecordRunCmd) (Recorded, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Recorded, error) {
		c, r, err := lockRun(tx, cmd.Run)
		if err != nil {
			return Recorded{}, err
		}
		if err := MayRun(by, c.Parties()); err != nil {
			return Recorded{}, err
		}
		if err := r.recordable(); err != nil {
			return Recorded{}, err
		}
		after, err := cmd.check(r)
		if err != nil {
			return Recorded{}, err
		}
		t, err := caseByKey(tx.DB, c.ID, r.Case.Slug)
		if err != nil {
			return Recorded{}, err
		}
		missing, err := missingEvidence(tx.DB, r.ID, t)
		if err != nil {
			return Recorded{}, err
		}
		outcome, ok := Observation{Claimed: cmd.Claimed, Inspected: cmd.Inspected, Equal: r.equal(after), Complete: len(missing) == 0}.Decide()
		if !ok {
			return Recorded{}, models.Invalid("evidence", "Attach what is missing before the run is recorded as passed: %s.", list(missing))
		}
		return record(tx, c, t, r, cmd.clean(), outcome, after)
	})
}

// recordable is a Conflict unless the run waits for its result.
func (r Run) recordable() error {
	switch r.Outcome {
	case "":
		return nil
	case Abandoned:
		return models.Conflictf("%s abandoned this run. Start another one.", r.RecordedBy.Name)
	}
	return models.Conflictf("%s recorded this run as %s already. A recorded run does not change.", r.RecordedBy.Name, r.Outcome)
}

// clean gives the texts one form.
func (cmd RecordRunCmd) clean() RecordRunCmd {
	cmd.Observed, cmd.LogReference, cmd.InspectedWhat = models.Clean(cmd.Observed), models.Clean(cmd.LogReference), models.Clean(cmd.InspectedWhat)
	return cmd
}

// check returns the counts after by control: all of them when inspected, those
// that were entered when not.
func (cmd RecordRunCmd) check(r Run) (map[int64]int64, error) {
	var check models.Check
	cmd = cmd.clean()
	if cmd.Claimed != Passed && cmd.Claimed != Failed && cmd.Claimed != Inconclusive {
		check.Add("claimed", "Choose how the run is recorded.")
	}
	check.Required("observed", cmd.Observed, 4000, "Say what was observed at the destination.")
	check.Line("log_reference", cmd.LogReference, 500)
	if cmd.Inspected {
		check.Required("inspected_what", cmd.InspectedWhat, 500, "Say what was looked at, such as the message log of the account.")
	}
	check.Line("inspected_what", cmd.InspectedWhat, 500)
	after := map[int64]int64{}
	for _, n := range r.Counts {
		if typed := cmd.After[n.Slug]; typed != "" || cmd.Inspected {
			if counted, ok := count(&check, "after."+n.Slug, typed); ok {
				after[n.ControlID] = counted
			}
		}
	}
	return after, check.Err()
}

// equal reports whether every observed change equals the agreed one.
func (r Run) equal(after map[int64]int64) bool {
	for _, n := range r.Counts {
		counted, ok := after[n.ControlID]
		if n.After = &counted; !ok || !n.Equal() {
			return false
		}
	}
	return true
}

// missingEvidence are the labels of the required items that nothing fills.
func missingEvidence(q *gorm.DB, run int64, t Case) ([]string, error) {
	var filled []string
	if err := q.Raw("select distinct slot from run_evidence where run_id = ?", run).Scan(&filled).Error; err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, slot := range filled {
		have[slot] = true
	}
	var missing []string
	for _, s := range t.Needs {
		if !have[s.Key] {
			missing = append(missing, s.Label)
		}
	}
	return missing, nil
}

func record(tx *models.Tx, c control.Locked, t Case, r Run, cmd RecordRunCmd, outcome Outcome, after map[int64]int64) (Recorded, error) {
	forPerson, _ := tx.By.ActsFor(c.ImplementerID)
	discrepancy, err := int64(0), error(nil)
	if outcome == Failed {
		if discrepancy, err = fail(tx, c, t, r.ID, forPerson); err != nil {
			return Recorded{}, err
		}
	}
	if !cmd.Inspected {
		cmd.InspectedWhat = ""
	}
	err = tx.Exec(`insert into run_results (run_id, outcome, claimed, observed, log_reference, inspected, inspected_what, discrepancy_id, person_id, for_person_id, at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, outcome, cmd.Claimed, cmd.Observed, cmd.LogReference, cmd.Inspected, cmd.InspectedWhat,
		orNull(discrepancy), tx.By.ID, orNull(forPerson), tx.Now).Error
	if err != nil {
		return Recorded{}, err
	}
	said := map[string]any{"outcome": outcome, "claimed": cmd.Claimed, "observed": cmd.Observed, "inspected": cmd.Inspected, "inspected_what": cmd.InspectedWhat, "log_reference": cmd.LogReference}
	for _, n := range r.Counts {
		counted, ok := after[n.ControlID]
		if !ok {
			continue
		}
		if err := tx.Exec("insert into run_after (run_id, control_id, after) values (?, ?, ?)", r.ID, n.ControlID, counted).Error; err != nil {
			return Recorded{}, err
		}
		said["after of "+n.Slug] = fmt.Sprint(counted)
	}
	if err := tx.Exec("update open_runs set waits_for = 'review' where run_id = ?", r.ID).Error; err != nil {
		return Recorded{}, err
	}
	tx.AuditFor(forPerson, "run.recorded", r.Object(), nil, said)
	if err := tellRecorded(tx, c, t, r, outcome, discrepancy); err != nil {
		return Recorded{}, err
	}
	return Recorded{Run: r.ID, Outcome: outcome, DiscrepancyID: discrepancy}, settle(tx, c.ID)
}

// AbandonRun ends a start without a result. Refusals as RecordRun. Invalid
// field: reason.
func AbandonRun(ctx context.Context, db *models.DB, by models.Actor, cmd AbandonRunCmd) (Recorded, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Recorded, error) {
		c, r, err := lockRun(tx, cmd.Run)
		if err != nil {
			return Recorded{}, err
		}
		if err := MayRun(by, c.Parties()); err != nil {
			return Recorded{}, err
		}
		if err := r.recordable(); err != nil {
			return Recorded{}, err
		}
		var check models.Check
		reason := models.Clean(cmd.Reason)
		check.Required("reason", reason, 4000, "Say why the run is not finished.")
		if err := check.Err(); err != nil {
			return Recorded{}, err
		}
		return abandon(tx, c, r, reason)
	})
}

func abandon(tx *models.Tx, c control.Locked, r Run, reason string) (Recorded, error) {
	forPerson, _ := tx.By.ActsFor(c.ImplementerID)
	err := tx.Exec("insert into run_results (run_id, outcome, claimed, reason, person_id, for_person_id, at) values (?, ?, ?, ?, ?, ?, ?)",
		r.ID, Abandoned, Abandoned, reason, tx.By.ID, orNull(forPerson), tx.Now).Error
	if err != nil {
		return Recorded{}, err
	}
	if err := tx.Exec("delete from open_runs where run_id = ?", r.ID).Error; err != nil {
		return Recorded{}, err
	}
	tx.AuditFor(forPerson, "run.abandoned", r.Object(), nil, map[string]any{"reason": reason})
	if err := release(tx, r); err != nil {
		return Recorded{}, err
	}
	return Recorded{Run: r.ID, Outcome: Abandoned}, settle(tx, c.ID)
}
