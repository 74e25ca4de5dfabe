package matrix

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/views/ui"
)

// states are the keys of ui's states for where a case or a run stands.
var states = map[matrix.State]string{matrix.NotAgreed: "proposed", matrix.Started: "run_started", matrix.AwaitsReview: "run_to_review", matrix.Returned: "run_returned",
	matrix.HasFailed: "run_failed", matrix.State(matrix.Abandoned): "run_abandoned"}

// stateOf is how a state is shown.
func stateOf(s matrix.State) ui.State {
	if key, ok := states[s]; ok {
		return ui.StateFor(key)
	}
	return ui.StateFor(string(s))
}

// cellState is the state of a case. A pass says for good what failed before it.
func cellState(c matrix.Cell, now time.Time) ui.State {
	s := c.Shown(now)
	switch {
	case s == matrix.HasPassed && c.EvidenceExpired(now):
		return ui.State{Word: "Passed, evidence expired", Icon: "calendar-x", Tone: "bad"}
	case s == matrix.HasPassed && c.Failures > 0:
		return ui.StateFor("passed_on_retest").Called("Passed after " + plural(c.Failures, "failure"))
	}
	return stateOf(s)
}

// newCell is one scenario in few words; path leads to the control's matrix.
func newCell(path string, g matrix.GridCell, now time.Time, zone *time.Location) Cell {
	s := g.Shown
	c := Cell{Scenario: g.Title, Href: path + "#c-" + g.Key, State: cellState(g.Cell, now), Line: cellLine(g, now, zone), Failed: s == matrix.HasFailed,
		None: s == matrix.NotApplicable, Chain: s == matrix.HasPassed && g.Failures > 0, Settled: g.Settled(now) && !g.EvidenceExpired(now)}
	if g.RunID != 0 && s != matrix.NotApplicable && s != matrix.Waived {
		c.Href = matrix.RunPath(g.RunID)
	}
	return c
}

func cellLine(g matrix.GridCell, now time.Time, zone *time.Location) string {
	switch s := g.Shown; {
	case s == matrix.Waived:
		return "Until " + ui.DateWords(*g.WaivedUntil)
	case s == matrix.NoExpectation:
		return "The implementer proposes one"
	case s == matrix.NotAgreed && g.Pending:
		return "Waits for the business owner"
	case s == matrix.NotAgreed:
		return "Declined. Another is needed"
	case s == matrix.NotApplicable:
		return "Agreed by the business owner"
	case g.WaiverEnded(now):
		return "The waiver ended " + ui.DateWords(*g.WaivedUntil)
	case s == matrix.NotRun && g.Change != nil:
		return "Agreed: change " + signed(int64(*g.Change))
	case g.Run == nil:
		return ""
	}
	return runLine(g, zone)
}

// runLine says what the run shows that the state of a case rests on.
func runLine(g matrix.GridCell, zone *time.Location) string {
	r := *g.Run
	run := fmt.Sprintf("Run %d", r.ID)
	at := run + ", " + day(happened(r), zone)
	switch {
	case g.Shown == matrix.HasFailed && g.Retest != nil:
		return at + ". " + fmt.Sprintf("Retest %d: %s", g.Retest.ID, lower(stateOf(g.Retest.State()).Word))
	case g.Shown == matrix.HasPassed && g.Failures > 0 && r.RetestOf != 0:
		return at + fmt.Sprintf(". Answers run %d", r.RetestOf)
	case g.Shown == matrix.EarlierDesign:
		return fmt.Sprintf("%s %s on design %s", run, lower(stateOf(r.State()).Word), r.DesignHash[:min(8, len(r.DesignHash))])
	case g.Shown == matrix.AwaitsReview:
		return at + ". Waits for review"
	case g.Shown == matrix.HasPassed || g.Shown == matrix.HasFailed:
		if words := ownChange(r); words != "" {
			return at + ". " + words
		}
	}
	return at
}

// ownChange compares the count of the control's own effect: "Change +1 as agreed".
func ownChange(r matrix.Run) string {
	for _, c := range r.Counts {
		change, ok := c.Observed()
		switch {
		case !c.Own || !ok:
		case c.Equal() && !r.Inspected:
			return "Change " + signed(change) + ", but nobody looked at the destination"
		case c.Equal():
			return "Change " + signed(change) + " as agreed"
		default:
			return "Change " + signed(change) + ", agreed " + signed(int64(c.Change))
		}
	}
	return ""
}

// happened is when the last thing happened to a run that is not its review.
func happened(r matrix.Run) time.Time {
	if r.RecordedAt != nil {
		return *r.RecordedAt
	}
	return r.StartedAt
}

// newRunLine is a run in a list.
func newRunLine(r matrix.Run) RunLine {
	l := RunLine{ID: r.ID, Scenario: r.Case.Name, Control: r.Control.Name, Slug: r.Control.Slug, State: runState(r), Environment: r.Environment.Name,
		By: byName(r.StartedBy, r.StartedFor), At: happened(r), Line: runWords(r), Design: r.DesignHash, Current: r.Current}
	if r.Outcome != "" {
		l.By = byName(r.RecordedBy, r.RecordedFor)
	}
	return l
}

// runState is the state of a run, with what the review said of a failure.
func runState(r matrix.Run) ui.State {
	s := stateOf(r.State())
	switch {
	case r.Outcome == matrix.Failed && r.Decision == matrix.Accept:
		return s.Called("Failed, accepted")
	case r.Outcome == matrix.Failed && r.Decision == matrix.Return:
		return s.Called("Failed, returned")
	}
	return s
}

// runWords say in one line what a run came to.
func runWords(r matrix.Run) string {
	var parts []string
	if r.RetestOf != 0 {
		parts = append(parts, fmt.Sprintf("Retest of run %d", r.RetestOf))
	}
	if words := ownChange(r); words != "" {
		parts = append(parts, words)
	}
	switch {
	case r.Outcome == "":
		parts = append(parts, "Started, not recorded yet")
	case r.Outcome == matrix.Abandoned:
		parts = append(parts, "Abandoned: "+shorten(r.Reason, 120))
	case r.Observed != "":
		parts = append(parts, shorten(r.Observed, 120))
	}
	return strings.Join(parts, ". ")
}

// steps are one discrepancy as a chain of failures, corrections and retests.
func steps(c matrix.Chain, zone *time.Location) []Step {
	var all []Step
	for i, r := range c.Runs {
		if i > 0 && r.Correction != "" {
			text := r.Correction
			if r.DesignHash == c.Runs[i-1].DesignHash {
				text += "\nDesign unchanged."
			} else {
				text += "\nThe design changed."
			}
			all = append(all, Step{Title: "Correction, " + day(r.StartedAt, zone), Text: text})
		}
		all = append(all, runStep(r, zone))
		if i == 0 && c.Left > 0 {
			all = append(all, Step{Title: plural(c.Left, "more run") + " between", Text: "They are in the list of every run."})
		}
	}
	return all
}

func runStep(r matrix.Run, zone *time.Location) Step {
	s := Step{Title: fmt.Sprintf("Run %d, %s", r.ID, day(happened(r), zone)), Href: matrix.RunPath(r.ID), State: runState(r), Open: r.Outcome == "" || r.Waits() && r.Outcome != matrix.Failed}
	switch {
	case r.Outcome == "":
		s.Text = "Waiting for its result."
	case r.Outcome == matrix.Abandoned:
		s.Text = shorten(r.Reason, 200)
	default:
		s.Text = shorten(r.Observed, 200)
		if words := ownChange(r); words != "" {
			s.Text += "\n" + words + "."
		}
	}
	switch r.Decision {
	case matrix.Accept:
		s.Text += " Accepted by " + byName(r.ReviewedBy, r.ReviewedFor) + "."
	case matrix.Return:
		s.Text += " Returned by " + byName(r.ReviewedBy, r.ReviewedFor) + ": " + shorten(r.ReviewNote, 120)
	}
	return s
}

// signed is a change of a count with its sign: +1, 0, -2.
func signed(n int64) string {
	if n > 0 {
		return "+" + grouped(n)
	}
	return grouped(n)
}

// grouped is a number with commas: 1,204.
func grouped(n int64) string {
	text, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		text, sign = text[1:], "-"
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// day is a moment as its date: "5 May", with the year when it is not this one.
func day(t time.Time, zone *time.Location) string {
	words, _, _ := strings.Cut(ui.TimeWords(t, zone, time.Now()), ",")
	return words
}

// byName is who did something, and for whom.
func byName(by, standsFor control.Ref) string {
	if standsFor.Name != "" {
		return by.Name + " for " + standsFor.Name
	}
	return by.Name
}

// why is the reason in words when something is refused; "" when it is not.
func why(err error) string {
	if e := models.AsError(err); e != nil {
		return e.Message
	}
	return ""
}

// shorten keeps the first n characters on one line.
func shorten(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}
