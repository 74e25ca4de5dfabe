package handoff

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/control"
	"countersign/models/matrix"
)

// Test is a scenario: what was agreed, where it stands on the revision's design,
// and every failure with what answered it.
type Test struct {
	Case        string   `json:"case"`
	Title       string   `json:"title"`
	State       string   `json:"state"`
	Expected    string   `json:"expected"` // agreed; "" when nothing is
	Applies     bool     `json:"applies"`
	Reason      string   `json:"reason"` // why it does not apply
	Effects     []Effect `json:"effects"`
	Needs       []string `json:"required_evidence"`
	Run         string   `json:"run"` // what the state rests on; "" without one
	Failures    int      `json:"failures"`
	WaivedUntil string   `json:"waived_until"` // a date, UTC, through its end
	Chains      []Chain  `json:"chains"`
}

// Effect is a watched effect and the agreed change of its count.
type Effect struct {
	Control string `json:"control"`
	Change  int    `json:"change"`
}

// Chain is one discrepancy: what failed, what was corrected and what ran again.
type Chain struct {
	OpenedAt string `json:"opened_at"`
	ClosedAt string `json:"closed_at"` // "" while it is open
	LeftOut  int    `json:"left_out"`  // runs between the first and the last ones that are not listed
	Runs     []Run  `json:"runs"`
}

// Run is one run of a chain.
type Run struct {
	ID            string  `json:"id"`
	RetestOf      string  `json:"retest_of"`
	Correction    string  `json:"correction"`
	Environment   string  `json:"environment"`
	Revision      int     `json:"revision"`
	StartedBy     string  `json:"started_by"`
	StartedAt     string  `json:"started_at"`
	StartingState string  `json:"starting_state"`
	Outcome       string  `json:"outcome"` // "" while it waits for its result
	Observed      string  `json:"observed"`
	Inspected     bool    `json:"destination_inspected"`
	InspectedWhat string  `json:"inspected_what"`
	LogReference  string  `json:"log_reference"`
	RecordedBy    string  `json:"recorded_by"`
	RecordedAt    string  `json:"recorded_at"`
	Review        string  `json:"review"` // accepted or returned; "" while it waits
	ReviewNote    string  `json:"review_note"`
	ReviewedBy    string  `json:"reviewed_by"`
	Counts        []Count `json:"counts"`
}

// Count is what was counted of a watched effect.
type Count struct {
	Control  string `json:"control"`
	Account  string `json:"account"`
	Before   int64  `json:"before"`
	After    *int64 `json:"after"`
	Agreed   int    `json:"agreed_change"`
	Observed *int64 `json:"observed_change"`
}

// newTests puts together what was agreed in the content and where it stands.
func newTests(agreed map[string]matrix.Frozen, standings []matrix.Standing, chains map[int64][]matrix.Chain, now time.Time) []Test {
	all := []Test{}
	for _, s := range standings {
		f, frozen := agreed[s.Key]
		t := Test{Case: s.Key, Title: s.Title, State: string(s.State(now)), Applies: true, Effects: []Effect{}, Needs: []string{}, Failures: s.Failures, Chains: []Chain{}}
		for _, n := range s.Needs {
			t.Needs = append(t.Needs, n.Label)
		}
		if frozen && f.ExpectationID != 0 {
			t.Expected, t.Applies, t.Reason = f.Expected, f.Applies, f.Reason
			for _, e := range f.Effects {
				t.Effects = append(t.Effects, Effect(e))
			}
		}
		t.Run = idText(s.Run)
		if s.WaivedUntil != nil {
			t.WaivedUntil = s.WaivedUntil.Format(time.DateOnly)
		}
		for _, c := range chains[s.ID] {
			t.Chains = append(t.Chains, newChain(c))
		}
		all = append(all, t)
	}
	return all
}

func newChain(c matrix.Chain) Chain {
	out := Chain{OpenedAt: stamp(c.OpenedAt), ClosedAt: stampOf(c.ClosedAt), LeftOut: c.Left, Runs: []Run{}}
	for _, r := range c.Runs {
		out.Runs = append(out.Runs, newRun(r))
	}
	return out
}

func newRun(r matrix.Run) Run {
	out := Run{ID: idText(r.ID), RetestOf: idText(r.RetestOf), Correction: r.Correction, Environment: r.Environment.Slug, Revision: r.Revision,
		StartedBy: byName(r.StartedBy, r.StartedFor), StartedAt: stamp(r.StartedAt), StartingState: r.StartingState, Outcome: string(r.Outcome),
		Observed: r.Observed, Inspected: r.Inspected, InspectedWhat: r.InspectedWhat, LogReference: r.LogReference,
		RecordedBy: byName(r.RecordedBy, r.RecordedFor), RecordedAt: stampOf(r.RecordedAt), Review: r.Decision, ReviewNote: r.ReviewNote,
		ReviewedBy: byName(r.ReviewedBy, r.ReviewedFor), Counts: []Count{}}
	if r.Outcome == matrix.Abandoned {
		out.Observed = r.Reason
	}
	for _, c := range r.Counts {
		count := Count{Control: c.Slug, Account: c.Destination.Slug, Before: c.Before, After: c.After, Agreed: c.Change}
		if seen, ok := c.Observed(); ok {
			count.Observed = &seen
		}
		out.Counts = append(out.Counts, count)
	}
	return out
}

// StateWords is the state as a person reads it.
func (t Test) StateWords() string {
	words := matrix.State(t.State).Words()
	switch {
	case t.State == string(matrix.Waived):
		return words + " until " + t.WaivedUntil
	case t.State == string(matrix.HasPassed) && t.Failures == 1:
		return words + " after 1 failure"
	case t.State == string(matrix.HasPassed) && t.Failures > 1:
		return fmt.Sprintf("%s after %d failures", words, t.Failures)
	}
	return words
}

// Unresolved reports whether nothing is agreed about what it must show.
func (t Test) Unresolved() bool { return t.Expected == "" && t.Applies }

// Unproven reports whether something is agreed and nothing has proven it.
func (t Test) Unproven() bool { return !t.Unresolved() && !t.Settled() }

// Settled reports whether nothing is left to do for the scenario.
func (t Test) Settled() bool {
	switch matrix.State(t.State) {
	case matrix.HasPassed, matrix.NotApplicable, matrix.Waived:
		return true
	}
	return false
}

// Words is what became of the run, in one line.
func (r Run) Words() string {
	words := map[string]string{"": "no result yet", "passed": "passed", "failed": "failed", "inconclusive": "inconclusive", "abandoned": "abandoned"}[r.Outcome]
	switch r.Review {
	case matrix.Accept:
		return words + ", accepted by " + r.ReviewedBy
	case matrix.Return:
		return words + ", returned by " + r.ReviewedBy
	}
	if r.Outcome == "" || r.Outcome == string(matrix.Abandoned) {
		return words
	}
	return words + ", not reviewed yet"
}

// ChangeWords is the agreed change of each watched effect in one line.
func (t Test) ChangeWords() string {
	var all []string
	for _, e := range t.Effects {
		all = append(all, fmt.Sprintf("%s: %+d", e.Control, e.Change))
	}
	return strings.Join(all, "; ")
}

// CountWords compares what was agreed and what was counted, in one line.
func (r Run) CountWords() string {
	var all []string
	for _, c := range r.Counts {
		seen := "not counted"
		if c.Observed != nil {
			seen = fmt.Sprintf("%+d", *c.Observed)
		}
		all = append(all, fmt.Sprintf("%s: agreed %+d, observed %s.", c.Control, c.Agreed, seen))
	}
	return strings.Join(all, " ")
}

func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprint(id)
}

func byName(by, standsFor control.Ref) string {
	if standsFor.Name != "" {
		return by.Name + " for " + standsFor.Name
	}
	return by.Name
}
