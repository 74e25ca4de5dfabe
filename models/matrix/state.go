package matrix

import (
	"time"

	"countersign/models/control"
)

// State is where a case stands on the design and agreement of today.
type State string

const (
	NoExpectation State = "no_expectation" // the implementer proposes one
	NotAgreed     State = "not_agreed"     // proposed or declined; the owner agrees
	NotApplicable State = "not_applicable" // agreed to be
	NotRun        State = "not_run"
	Started       State = "started" // the latest run waits for its result
	AwaitsReview  State = "to_review"
	Returned      State = "returned" // the reviewer did not accept the latest run
	HasPassed     State = "passed"   // and was accepted
	HasFailed     State = "failed"   // a discrepancy is open, whatever ran since
	WasNot        State = "inconclusive"
	EarlierDesign State = "earlier_design" // runs exist, of another design or agreement
	Waived        State = "waived"         // shown, never stored: not passed, and a signed waiver is in force
)

// States in the order a filter offers them.
var States = []State{HasFailed, AwaitsReview, Returned, Started, NoExpectation, NotAgreed, NotRun, EarlierDesign, WasNot, Waived, HasPassed, NotApplicable}

// Words is the state as a label.
func (s State) Words() string {
	return map[State]string{NoExpectation: "No expectation", NotAgreed: "Not agreed", NotApplicable: "Not applicable", NotRun: "Not run", Started: "Started",
		AwaitsReview: "To review", Returned: "Returned", HasPassed: "Passed", HasFailed: "Failed", WasNot: "Inconclusive", EarlierDesign: "Earlier design", Waived: "Waived"}[s]
}

// Cell is a case as lists show it.
type Cell struct {
	State         State // as stored; see Shown
	Pending       bool  // a proposal waits for the owner
	Failures      int   // failed runs, ever: "passed after 1 failure"
	RunID         int64 // what the state rests on; 0: no run
	RetestID      int64 // of an open discrepancy: the newest answer to its latest failure; 0: none
	DiscrepancyID int64 // the open one; 0: none
	WaivedUntil   *time.Time
	ProvenUntil   *time.Time // passed: when the first required evidence expires
}

// Shown is the state at now: Waived while a waiver that both signed stands in
// for a pass.
func (c Cell) Shown(now time.Time) State {
	if c.State != HasPassed && c.State != NotApplicable && c.WaivedUntil != nil && !control.Passed(c.WaivedUntil, now) {
		return Waived
	}
	return c.State
}

// WaiverEnded reports whether the date of a waiver has passed that still would
// be needed.
func (c Cell) WaiverEnded(now time.Time) bool {
	return c.State != HasPassed && c.State != NotApplicable && control.Passed(c.WaivedUntil, now)
}

// EvidenceExpired reports whether required evidence of the passed run is gone.
func (c Cell) EvidenceExpired(now time.Time) bool { return control.Passed(c.ProvenUntil, now) }

// Settled reports whether the case needs nothing more at now.
func (c Cell) Settled(now time.Time) bool {
	s := c.Shown(now)
	return s == HasPassed || s == NotApplicable || s == Waived
}
