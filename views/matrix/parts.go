// Package matrix holds the pages of the test matrix: all controls against all
// scenarios, the scenarios of one control, the form that starts a run and a run.
// The strip and the chain are shown at sign-off and on the control's page too.
package matrix

import "countersign/views/ui"

// Cell is one scenario of one control in few words.
type Cell struct {
	Scenario string // its title
	Href     string // its card or the run it rests on
	State    ui.State
	Line     string // "Run 44 answers run 41"
	Failed   bool   // tinted: a person has to do something about a failure
	None     bool   // not applicable
	Chain    bool   // it failed before it passed
	Settled  bool   // passed, not applicable or waived: nothing is left to do
	Other    bool   // not in the state that the list was narrowed to
}

// Step is one step of a chain: a failed run, a correction, a retest.
type Step struct {
	Title, Href string
	State       ui.State // zero: a correction
	Text        string
	Open        bool // not recorded or reviewed yet
}

func (s Step) tone() string {
	if s.State.Word == "" {
		return "idle"
	}
	return s.State.Tone
}

// Count is one watched effect of a run: how many there were, and how many
// there should be. Numbers are ready to print; After and Observed are "" while
// the run is not recorded.
type Count struct {
	Effect, Account  string
	Before, BeforeAt string
	After, AfterAt   string
	Agreed, AgreedBy string
	Observed, Words  string // "+2", "1 more than agreed"
	Wrong            bool
	Unseen           bool // nobody looked at the destination itself
}
