package matrix

import (
	"context"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"
)

// DecideExpectation is the owner's word. NotFound, Forbidden (their own
// proposal, too), Conflict when decided already or replaced by a newer one,
// while in review, or while a run has no result. Invalid fields: decision, note.
func DecideExpectation(ctx context.Context, db *models.DB, by models.Actor, cmd DecideExpectationCmd) (Decided, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Decided, error) {
		c, t, err := lockCase(tx, cmd.Control, cmd.Case)
		if err != nil {
			return Decided{}, err
		}
		byCase, err := loadExpectations(tx.DB, "where x.case_id = ?", t.ID)
		if err != nil {
			return Decided{}, err
		}
		versions := byCase[t.ID]
		e := newest(versions)
		if e == nil {
			e = &Expectation{}
		}
		if err := MayDecide(by, c.Parties(), *e); err != nil {
			return Decided{}, err
		}
		if err := decidable(*e, cmd.Version); err != nil {
			return Decided{}, err
		}
		if err := editable(tx.DB, c); err != nil {
			return Decided{}, err
		}
		d, err := openDiscrepancy(tx, t.ID)
		if err != nil {
			return Decided{}, err
		}
		exception := cmd.Decision == Agree && d.ID != 0 && agreed(versions) != nil
		if cmd.Decision == Agree {
			if err := first(mayNotApply(e.Applies, d.ID), settled(tx, t.ID)); err != nil {
				return Decided{}, err
			}
		}
		if cmd.Note, err = cmd.check(exception); err != nil {
			return Decided{}, err
		}
		return decide(tx, c, t, *e, cmd, exception)
	})
}

// settled is a Conflict while a run of the case waits for its result: what it is
// measured against does not move meanwhile.
func settled(tx *models.Tx, caseID int64) error {
	var run int64
	if err := tx.Raw("select run_id from open_runs where case_id = ? and waits_for = 'result' order by run_id limit 1", caseID).Scan(&run).Error; err != nil || run == 0 {
		return err
	}
	return models.Conflictf("Run %d was started and has no result yet. Once it is recorded or abandoned, this can be agreed.", run)
}

// decidable is a Conflict unless version is the newest proposal and nobody
// decided it.
func decidable(newest Expectation, version int) error {
	switch {
	case newest.Version == 0:
		return models.Conflictf("Nothing was proposed for this scenario yet.")
	case newest.Version != version:
		return models.Conflictf("%s proposed version %d since you opened this page. Read that one, then decide.", newest.By.Name, newest.Version)
	case newest.Decision != "":
		return models.Conflictf("%s %s this already.", newest.DecidedBy.Name, newest.Decision)
	}
	return nil
}

// check returns the note as it is kept.
func (cmd DecideExpectationCmd) check(exception bool) (string, error) {
	var check models.Check
	note := models.Clean(cmd.Note)
	switch {
	case cmd.Decision != Agree && cmd.Decision != Decline:
		check.Add("decision", "Choose to agree or to decline.")
	case cmd.Decision == Decline:
		check.Required("note", note, 4000, "Say what must change.")
	case exception:
		check.Required("note", note, 4000, "Say why this changes while a discrepancy is open. It is shown at sign-off for good.")
	default:
		check.Text("note", note, 4000)
	}
	return note, check.Err()
}

func decide(tx *models.Tx, c control.Locked, t Case, e Expectation, cmd DecideExpectationCmd, exception bool) (Decided, error) {
	if cmd.Decision == Agree {
		if _, err := control.Edit(tx, c); err != nil {
			return Decided{}, err
		}
	}
	forPerson, _ := tx.By.ActsFor(c.OwnerID)
	err := tx.Exec(`insert into expectation_decisions (expectation_id, decision, note, exception, person_id, for_person_id, at) values (?, ?, ?, ?, ?, ?, ?)`,
		e.ID, cmd.Decision, cmd.Note, exception, tx.By.ID, orNull(forPerson), tx.Now).Error
	if err != nil {
		return Decided{}, err
	}
	after := map[string]any{"version": e.Version, "note": cmd.Note}
	if exception {
		after["while_a_discrepancy_was_open"] = true
	}
	tx.AuditFor(forPerson, "scenario.expectation_"+cmd.Decision, t.object(c), nil, after)
	if err := notice.Settle(tx, notice.ExpectationWanted, t.versionKey(e.Version)); err != nil {
		return Decided{}, err
	}
	return Decided{Case: t.Key, Version: e.Version, Decision: cmd.Decision, Exception: exception}, settle(tx, c.ID)
}
