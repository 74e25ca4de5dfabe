package matrix

import (
	"fmt"
	"time"

	"countersign/models/matrix"
	"countersign/views/ui"
)

// Tests is what sign-off and a control's page show of its matrix.
type Tests struct {
	Path       string
	Summary    ui.State
	Strip      []Cell
	Chains     []ChainOf
	Exceptions []ExceptionOf
	Waivers    []WaiverOf
	Unrecorded []RunLine      // started, and neither recorded nor abandoned
	Tested     map[string]int // by environment: scenarios that passed there
	Applies    int            // scenarios that apply
	Any        bool           // something was run
	Zone       *time.Location
}

// ChainOf is how a failure of one scenario was answered.
type ChainOf struct {
	Scenario string
	Steps    []Step
	Open     bool
}

// ExceptionOf is an exception of one scenario.
type ExceptionOf struct {
	Scenario string
	Exception
}

// WaiverOf is a waiver of one scenario that both signed, or that waits.
type WaiverOf struct {
	Scenario string
	Waiver
}

// NewTests reads the matrix of a control for the pages beside its own.
func NewTests(p matrix.Page, zone *time.Location) *Tests {
	t := &Tests{Path: "/controls/" + p.Slug + "/matrix", Summary: SummaryOf(p), Strip: StripOf(p, false, zone), Tested: map[string]int{}, Zone: zone}
	for _, v := range p.Cases {
		t.Any = t.Any || v.Run != nil
		if v.Shown != matrix.NotApplicable {
			t.Applies++
		}
		if v.Cell.State == matrix.HasPassed && v.Run != nil {
			t.Tested[v.Run.Environment.Slug]++
		}
		for _, c := range v.Chains {
			t.Chains = append(t.Chains, ChainOf{v.Title, steps(c, zone), c.Open()})
		}
		for _, e := range v.Exceptions {
			t.Exceptions = append(t.Exceptions, ExceptionOf{v.Title, newException(v.All, e)})
		}
		if w := newWaiver(p, v); w != nil {
			t.Waivers = append(t.Waivers, WaiverOf{v.Title, *w})
		}
	}
	for _, r := range p.Waiting {
		if r.Outcome == "" {
			t.Unrecorded = append(t.Unrecorded, newRunLine(r))
		}
	}
	return t
}

// TestedWords says for one account how much of the matrix passed there, as a state.
func (t Tests) TestedWords(environment string) ui.State {
	n := t.Tested[environment]
	switch {
	case n == 0:
		return ui.State{Word: "Not tested", Icon: "circle-dashed", Tone: "warn", Open: true}
	case n < t.Applies:
		return ui.State{Word: fmt.Sprintf("Tested: %d of %d", n, t.Applies), Icon: "flask-conical", Tone: "idle"}
	}
	return ui.State{Word: fmt.Sprintf("Tested: all %d", n), Icon: "flask-conical", Tone: "ok"}
}

func (t Tests) failed() string {
	open := 0
	for _, c := range t.Chains {
		if c.Open {
			open++
		}
	}
	switch n := len(t.Chains); {
	case open == 1 && n == 1:
		return "One failure is not answered yet:"
	case open > 0:
		return fmt.Sprintf("%d of %d failures are not answered yet:", open, n)
	case n == 1:
		return "One scenario failed first. This is how it was put right:"
	}
	return fmt.Sprintf("%d failures came first. This is how they were put right:", len(t.Chains))
}
