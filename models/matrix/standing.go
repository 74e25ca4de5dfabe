package matrix

import (
	"time"

	"countersign/models/control"

	"gorm.io/gorm"
)

// Standing is where a case stands on one design, as sign-off needs it.
type Standing struct {
	Case
	Expectation   int64      // agreed; 0: none
	Applies       bool       // as agreed; true while nothing is
	Pending       bool       // a proposal waits for the owner
	Run           int64      // the latest on the design and agreement that was not abandoned; 0: none
	Outcome       Outcome    // of Run; "" while it waits for its result
	Decision      string     // of Run's review; "" while it waits
	Failures      int        // failed runs, ever
	DiscrepancyID int64      // the open one; 0: none
	Failure       int64      // its latest failed run
	WaivedUntil   *time.Time // of a waiver that both signed and nobody ended
}

// Waived reports whether a signed waiver stands in at now.
func (s Standing) Waived(now time.Time) bool {
	return s.WaivedUntil != nil && !control.Passed(s.WaivedUntil, now)
}

// Proven reports whether the latest run passed and was accepted, and nothing
// that failed is open.
func (s Standing) Proven() bool {
	return s.Outcome == Passed && s.Decision == Accept && s.DiscrepancyID == 0
}

// State is where the case stands on the design at now.
func (s Standing) State(now time.Time) State {
	switch {
	case s.Proven():
		return HasPassed
	case s.Expectation != 0 && !s.Applies && s.DiscrepancyID == 0:
		return NotApplicable
	case s.Waived(now):
		return Waived
	case s.DiscrepancyID != 0, s.Outcome == Failed:
		return HasFailed
	case s.Expectation == 0 && s.Pending:
		return NotAgreed
	case s.Expectation == 0:
		return NoExpectation
	case s.Run == 0:
		return NotRun
	}
	return Run{Outcome: s.Outcome, Decision: s.Decision}.State()
}

// Standings are the cases of a control in order, as they stand on a design.
func Standings(q *gorm.DB, controlID int64, design string) ([]Standing, error) {
	cases, err := casesOf(q, controlID)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		CaseID, ExpectationID  int64
		Applies, Pending       bool
		RunID                  int64
		Outcome                Outcome
		Decision               string
		Failures               int
		DiscrepancyID, Failure int64
		WaivedUntil            *time.Time
	}
	err = q.Raw(`select k.case_id, k.expectation_id, coalesce(x.applies, true) as applies, k.pending, r.id as run_id, r.outcome, r.decision, k.failures, k.discrepancy_id,
			case when k.discrepancy_id is not null then k.run_id end as failure, k.waived_until
		from case_cells k left join expectations x on x.id = k.expectation_id
		left join lateral (select r.id, s.outcome, v.decision from runs r left join run_results s on s.run_id = r.id left join run_reviews v on v.run_id = r.id
			where r.case_id = k.case_id and r.expectation_id = k.expectation_id and r.design_hash = ? and s.outcome is distinct from 'abandoned' order by r.id desc limit 1) r on true
		where k.control_id = ?`, design, controlID).Scan(&rows).Error
	all := make([]Standing, len(cases))
	at := map[int64]int{}
	for i, c := range cases {
		all[i], at[c.ID] = Standing{Case: c, Applies: true}, i
	}
	for _, r := range rows {
		s := &all[at[r.CaseID]]
		s.Expectation, s.Applies, s.Pending, s.Run, s.Outcome, s.Decision = r.ExpectationID, r.Applies, r.Pending, r.RunID, r.Outcome, r.Decision
		s.Failures, s.DiscrepancyID, s.Failure, s.WaivedUntil = r.Failures, r.DiscrepancyID, r.Failure, r.WaivedUntil
	}
	return all, err
}

// Unrecorded are the runs of a control that were started and neither recorded
// nor abandoned, the oldest first, 50 at most.
func Unrecorded(q *gorm.DB, controlID int64) (ids []int64, err error) {
	err = q.Raw("select run_id from open_runs where control_id = ? and waits_for = 'result' order by run_id limit 50", controlID).Scan(&ids).Error
	return ids, err
}

// Tested are the slugs of the environments where a run passed on the design
// and was accepted.
func Tested(q *gorm.DB, controlID int64, design string) (slugs []string, err error) {
	err = q.Raw(`select e.slug from control_accounts a join environments e on e.id = a.environment_id where a.control_id = ? and exists (
		select 1 from case_cells k join lateral (select r.environment_id, s.outcome, v.decision from runs r join run_results s on s.run_id = r.id and s.outcome <> 'abandoned'
			left join run_reviews v on v.run_id = r.id
			where r.case_id = k.case_id and r.expectation_id = k.expectation_id and r.design_hash = ? order by r.id desc limit 1) r on true
		where k.control_id = a.control_id and r.environment_id = e.id and r.outcome = 'passed' and r.decision = 'accepted')`, controlID, design).Scan(&slugs).Error
	return slugs, err
}

// ChainsOf are the discrepancies of a control with what answered them, by case
// and newest first: 5 of a case at most.
func ChainsOf(q *gorm.DB, controlID int64) (map[int64][]Chain, error) {
	all, err := loadChains(q, "d.control_id = ?", controlID)
	for id, chains := range all {
		all[id] = chains[:min(len(chains), mostChains)]
	}
	return all, err
}
