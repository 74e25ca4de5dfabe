package matrix

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// StartRun starts a run of an agreed case, before anything happens at a
// destination. It is bound to the design and the agreement of its revision: of
// a draft as the record stands, of a submitted one as it was frozen.
//
// NotFound, Forbidden, Conflict when the agreement changed since Version, a
// discrepancy's latest failure is another run, or the revision takes no runs.
// Invalid fields: environment, starting_state, before.<slug>, retest_of,
// correction.
func StartRun(ctx context.Context, db *models.DB, by models.Actor, cmd StartRunCmd) (RunStarted, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (RunStarted, error) {
		c, t, err := lockCase(tx, cmd.Control, cmd.Case)
		if err != nil {
			return RunStarted{}, err
		}
		if err := MayRun(by, c.Parties()); err != nil {
			return RunStarted{}, err
		}
		on, err := subject(tx, c, t, cmd.Revision)
		if err != nil {
			return RunStarted{}, err
		}
		if err := runnable(on.Expectation, cmd.Version); err != nil {
			return RunStarted{}, err
		}
		d, err := openDiscrepancy(tx, t.ID)
		if err != nil {
			return RunStarted{}, err
		}
		if err := answers(d, cmd.RetestOf, on.Revision.Number); err != nil {
			return RunStarted{}, err
		}
		if cmd.RetestOf == 0 {
			d = discrepancy{} // it answers none
		}
		s, err := cmd.check(tx, c, on.Expectation, d)
		if err != nil {
			return RunStarted{}, err
		}
		return start(tx, c, t, on, s)
	})
}

// tested is what a run is bound to.
type tested struct {
	Revision    control.Revision
	DesignHash  string
	Expectation *Expectation // nil: nothing is agreed
}

// subject finds the revision that a run tests: the latest (number 0), or the
// approved one while a later draft is open.
func subject(tx *models.Tx, c control.Locked, t Case, number int) (tested, error) {
	latest, err := control.RevisionByID(tx.DB, c.LatestRevisionID)
	if err != nil {
		return tested{}, err
	}
	if number == 0 || number == latest.Number {
		return latestSubject(tx, c, t, latest)
	}
	if c.ApprovedRevisionID != 0 {
		approved, err := control.RevisionByID(tx.DB, c.ApprovedRevisionID)
		if err != nil {
			return tested{}, err
		}
		if approved.Number == number {
			return approvedSubject(tx, t, approved)
		}
	}
	return tested{}, models.Conflictf("Runs are made on the latest revision, which is %d, or on the approved one.", latest.Number)
}

func latestSubject(tx *models.Tx, c control.Locked, t Case, latest control.Revision) (tested, error) {
	on := tested{Revision: latest, DesignHash: latest.DesignHash}
	if latest.State == control.ChangesRequested {
		return on, models.Conflictf("Changes were requested on revision %d. Open the next draft, then start the run.", latest.Number)
	}
	stands, err := control.DesignHash(tx.DB, c.ID)
	if err != nil {
		return on, err
	}
	if latest.State == control.Draft {
		on.DesignHash = stands
	}
	// A control from before the matrix has none yet.
	if err := tx.Exec("update controls set design_hash = ? where id = ? and design_hash <> ?", stands, c.ID, stands).Error; err != nil {
		return on, err
	}
	byCase, err := loadExpectations(tx.DB, "where x.case_id = ?", t.ID)
	on.Expectation = agreed(byCase[t.ID])
	return on, err
}

func approvedSubject(tx *models.Tx, t Case, approved control.Revision) (tested, error) {
	on := tested{Revision: approved, DesignHash: approved.DesignHash}
	byCase, err := frozenExpectations(tx.DB, approved.ID)
	on.Expectation = newest(byCase[t.ID])
	return on, err
}

// frozenExpectations are what a submitted revision agreed, one by case.
func frozenExpectations(q *gorm.DB, revisionID int64) (map[int64][]Expectation, error) {
	content, err := control.FrozenContent(q, revisionID)
	if err != nil {
		return nil, err
	}
	ids := []int64{0}
	for _, f := range ParseFrozen(content.Expectations) {
		ids = append(ids, f.ExpectationID)
	}
	return loadExpectations(q, "where x.id in ?", ids)
}

// runnable is a Conflict unless e is agreed, applies, and is the version that
// the person read.
func runnable(e *Expectation, version int) error {
	switch {
	case e == nil:
		return models.Conflictf("Nothing is agreed for this scenario yet. Only an agreed scenario can be run.")
	case !e.Applies:
		return models.Conflictf("This scenario is agreed to be not applicable.")
	case e.Version != version:
		return models.Conflictf("Version %d of what this scenario must show is agreed now. Read it, then start the run.", e.Version)
	}
	return nil
}

// answers is nil when a run that answers retestOf (0: none) may start on a
// revision. What failed on a later one is not put right on an earlier one, where
// ordinary runs go on.
func answers(d discrepancy, retestOf int64, revision int) error {
	switch {
	case d.ID == 0 && retestOf != 0:
		return models.Conflictf("No discrepancy of this scenario is open, so there is nothing to retest. Start a run instead.")
	case d.ID != 0 && retestOf == 0 && revision < d.Number:
		return nil
	case d.ID != 0 && retestOf == 0:
		return models.Invalid("retest_of", "Run %d failed. Start a retest of it, and say what was corrected.", d.Failure)
	case d.ID != 0 && retestOf != d.Failure:
		return models.Conflictf("Run %d failed since. A retest answers that one.", d.Failure)
	case d.ID != 0 && revision < d.Number:
		return models.Conflictf("Run %d failed on revision %d, so its retest is made on that one or a later one.", d.Failure, d.Number)
	}
	return nil
}

// started is what the form of a start comes to.
type started struct {
	Environment   int64
	StartingState string
	Before        map[int64]int64 // by control
	Destinations  map[int64]int64
	Discrepancy   discrepancy
	Correction    string
}

func (cmd StartRunCmd) check(tx *models.Tx, c control.Locked, e *Expectation, d discrepancy) (started, error) {
	var check models.Check
	s := started{StartingState: models.Clean(cmd.StartingState), Before: map[int64]int64{}, Discrepancy: d}
	check.Required("starting_state", s.StartingState, 4000, "Say how the destination stands before the run.")
	for _, f := range e.Effects {
		if n, ok := count(&check, "before."+f.Slug, cmd.Before[f.Slug]); ok {
			s.Before[f.ControlID] = n
		}
	}
	if d.ID != 0 {
		s.Correction = models.Clean(cmd.Correction)
		check.Required("correction", s.Correction, 4000, "Say what was corrected since the failure.")
	}
	err := s.place(tx, &check, cmd.Environment, e)
	if err == nil {
		err = check.Err()
	}
	return s, err
}

const maxCount = 1_000_000_000_000

// A count may be written in groups of three, as destinations show it.
var (
	separators = regexp.MustCompile(`[, \x{a0}\x{202f}]`)
	grouped    = regexp.MustCompile(`^\d{1,3}([, \x{a0}\x{202f}]\d{3})+$`)
)

// count reads a count from a form.
func count(check *models.Check, field, typed string) (int64, bool) {
	typed = strings.TrimSpace(typed)
	if grouped.MatchString(typed) {
		typed = separators.ReplaceAllString(typed, "")
	}
	n, err := strconv.ParseInt(typed, 10, 64)
	if err != nil || n < 0 || n > maxCount || typed[0] == '+' {
		check.Add(field, "Enter how many there are, such as 0 or 1204.")
		return 0, false
	}
	return n, true
}

func start(tx *models.Tx, c control.Locked, t Case, on tested, s started) (RunStarted, error) {
	forPerson, _ := tx.By.ActsFor(c.ImplementerID)
	r := Run{Control: control.Ref{ID: c.ID, Slug: c.Slug, Name: c.Name}, Case: control.Ref{Slug: t.Key, Name: t.Title}}
	err := tx.Raw(`insert into runs (control_id, case_id, revision_id, design_hash, expectation_id, environment_id, retest_of, discrepancy_id, correction, starting_state, started_by, started_for, at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`, c.ID, t.ID, on.Revision.ID, on.DesignHash, on.Expectation.ID, s.Environment,
		orNull(s.Discrepancy.Failure), orNull(s.Discrepancy.ID), s.Correction, s.StartingState, tx.By.ID, orNull(forPerson), tx.Now).Row().Scan(&r.ID)
	if err != nil {
		return RunStarted{}, err
	}
	after := map[string]any{"scenario": t.Key, "revision": on.Revision.Number, "design_hash": on.DesignHash, "expectation": on.Expectation.Version, "starting_state": s.StartingState}
	for _, f := range on.Expectation.Effects {
		if err := tx.Exec("insert into run_counts (run_id, control_id, destination_id, change, before) values (?, ?, ?, ?, ?)",
			r.ID, f.ControlID, s.Destinations[f.ControlID], f.Change, s.Before[f.ControlID]).Error; err != nil {
			return RunStarted{}, err
		}
		after["before of "+f.Slug] = fmt.Sprint(s.Before[f.ControlID])
	}
	if s.Discrepancy.ID != 0 {
		after["retest_of"], after["correction"] = s.Discrepancy.Failure, s.Correction
	}
	if err := tx.Exec("insert into open_runs (run_id, control_id, case_id, waits_for) values (?, ?, ?, 'result')", r.ID, c.ID, t.ID).Error; err != nil {
		return RunStarted{}, err
	}
	tx.AuditFor(forPerson, "run.started", r.Object(), nil, after)
	return RunStarted{Run: r.ID}, settle(tx, c.ID)
}
