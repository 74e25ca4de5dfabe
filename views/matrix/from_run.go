package matrix

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"
	evidenceviews "countersign/views/evidence"
	"countersign/views/ui"

	"github.com/a-h/templ"
)

// TypedRun is what came with a form about a run that was not taken.
type TypedRun struct {
	Observed, LogReference, InspectedWhat string
	Inspected                             bool
	After                                 map[string]string
	Reason                                string // of a review
	Abandon                               string // why it is abandoned
}

// OpenRun is what a run's page shows beside the run itself.
type OpenRun struct {
	Evidence   map[int64]evidence.Attachment // by id
	Attach     map[string]templ.Component    // the form of each slot, by key
	Typed      *TypedRun
	Submission string
	Problems   []models.FieldError
	Refused    string
}

// NewRun is the page of a run for its reader.
func NewRun(p matrix.RunPage, open OpenRun, zone *time.Location) Run {
	r := p.Run
	run := Run{Help: ui.Help{Contact: p.HelpContact, IncidentPlan: p.IncidentPlan, StopPath: "/workflows/" + p.Workflow.Slug + "/stop"}, ID: r.ID, Slug: r.Control.Slug, Name: r.Control.Name, Key: r.Case.Slug, Scenario: r.Case.Name, State: runState(r), Number: r.Revision,
		Environment: r.Environment.Name, When: "Started by " + byName(r.StartedBy, r.StartedFor) + ",", At: happened(r), Agreed: p.Expectation.Expected,
		AgreedBy: agreedBy(p.Expectation, zone), Observed: r.Observed, StartingState: r.StartingState, Reason: r.Reason, Correction: r.Correction,
		Next: p.Next, Prev: p.Prev, Design: r.DesignHash, DesignWord: designWord(p), Problems: open.Problems, Refused: open.Refused, Zone: zone}
	if r.Outcome != "" {
		run.When = "Recorded by " + byName(r.RecordedBy, r.RecordedFor) + ","
	}
	if r.Waits() {
		run.State, run.Result = stateOf(matrix.AwaitsReview), stateOf(recordedAs[r.Outcome]).Called("Recorded as "+string(r.Outcome))
	}
	if r.Outcome == matrix.Abandoned {
		run.When = "Abandoned by " + byName(r.RecordedBy, r.RecordedFor) + ","
	}
	if p.Agreed == nil || p.Agreed.ID != p.Expectation.ID {
		run.AgreedChanged = "Another expectation is agreed since. This run no longer counts."
		if p.InForce {
			run.AgreedChanged = "Another expectation is agreed since. This run counts for the revision in force only."
		}
	}
	for _, c := range r.Counts {
		run.Counts = append(run.Counts, newCount(p, c, zone))
	}
	if p.Chain != nil {
		run.Chain = steps(*p.Chain, zone)
		run.Discrepancy = newDiscrepancy(p)
	}
	run.slots(p, open)
	run.facts(p, zone)
	run.decisions(p, open)
	run.Lost = open.lost(run, r.Counts)
	return run
}

// recordedAs is the state that a recorded result is shown as.
var recordedAs = map[matrix.Outcome]matrix.State{matrix.Passed: matrix.HasPassed, matrix.Failed: matrix.HasFailed, matrix.Inconclusive: matrix.WasNot}

func agreedBy(e matrix.Expectation, zone *time.Location) string {
	return "Agreed by " + byName(e.DecidedBy, e.DecidedFor) + ", " + day(e.DecidedAt, zone)
}

func designWord(p matrix.RunPage) string {
	if p.DesignHash == p.DesignNow {
		return "Current"
	}
	if p.InForce {
		return "Of the revision in force:"
	}
	return "Earlier, so this run no longer counts:"
}

func newCount(p matrix.RunPage, c matrix.Count, zone *time.Location) Count {
	n := Count{Effect: c.Name, Account: c.Destination.Name, Before: grouped(c.Before), BeforeAt: clock(p.StartedAt, zone) + ", before the start",
		Agreed: signed(int64(c.Change)), AgreedBy: "by " + byName(p.Expectation.DecidedBy, p.Expectation.DecidedFor)}
	change, ok := c.Observed()
	if !ok {
		n.AfterAt, n.Words = "Not counted", "Not counted"
		if p.Outcome == "" {
			n.AfterAt, n.Words = "Not recorded yet", "Not recorded yet"
		}
		return n
	}
	n.After, n.Observed, n.Wrong, n.Words = grouped(*c.After), signed(change), !c.Equal(), "As agreed"
	if p.RecordedAt != nil {
		n.AfterAt = clock(*p.RecordedAt, zone) + ", when it was recorded"
	}
	switch off := change - int64(c.Change); {
	case off > 0:
		n.Words = grouped(off) + " more than agreed"
	case off < 0:
		n.Words = grouped(-off) + " fewer than agreed"
	case !p.Inspected:
		n.Unseen, n.Words = true, "The same number, but nobody looked at the destination"
	}
	return n
}

// clock is the time of day: "15:31".
func clock(t time.Time, zone *time.Location) string {
	_, words, _ := strings.Cut(ui.TimeWords(t, zone, time.Now()), ", ")
	return words
}

func newDiscrepancy(p matrix.RunPage) *Discrepancy {
	d := &Discrepancy{ID: p.Chain.ID, State: ui.StateFor("open"), Open: true, Text: "Only a passing, accepted retest closes it. Until then the expectation stays as agreed."}
	if !p.Chain.Open() {
		d.Open, d.State, d.Text = false, ui.StateFor("closed"), fmt.Sprintf("Closed by run %d.", p.Chain.ClosedByRun)
	}
	return d
}

func (run *Run) slots(p matrix.RunPage, open OpenRun) {
	for _, s := range p.Slots {
		slot := EvidenceSlot{Key: s.Key, Title: s.Label, Text: s.Help, Attach: open.Attach[s.Key], Optional: !s.Required}
		for _, id := range s.Evidence {
			if a, ok := open.Evidence[id]; ok {
				slot.Items = append(slot.Items, newItem(a, p.Now))
			}
		}
		if s.Required {
			run.Needed++
			if len(s.Evidence) > 0 {
				run.Attached++
			}
		}
		run.Slots = append(run.Slots, slot)
	}
	if more := open.Attach[matrix.OtherSlot]; more != nil && p.Slots[len(p.Slots)-1].Key != matrix.OtherSlot {
		run.Slots = append(run.Slots, EvidenceSlot{Key: matrix.OtherSlot, Title: "Something else", Optional: true, Attach: more})
	}
	if p.AttachRefusal != nil && p.Outcome == "" {
		run.WhyNoAttach = why(p.AttachRefusal)
	}
}

func newItem(a evidence.Attachment, now time.Time) EvidenceItem {
	r := evidenceviews.NewRow(a, now)
	i := EvidenceItem{Name: r.Name, Href: r.Href, Hash: r.Hash, Line: r.Facts}
	switch a.State(now) {
	case evidence.InForce:
		i.Line += ", kept until " + ui.DateWords(a.KeepUntil)
	case evidence.Expiring:
		i.State, i.Line = r.State, i.Line+", kept until "+ui.DateWords(a.KeepUntil)
	default:
		i.State, i.Line = r.State, i.Line+", expired "+ui.DateWords(a.KeepUntil)
	}
	return i
}

func (run *Run) facts(p matrix.RunPage, zone *time.Location) {
	add := func(label, text, href string, code bool) {
		if text != "" {
			run.Facts = append(run.Facts, Fact{Label: label, Text: text, Href: href, Code: code})
		}
	}
	add("Started", byName(p.StartedBy, p.StartedFor)+", "+ui.TimeWords(p.StartedAt, zone, p.Now), "", false)
	if p.RecordedAt != nil {
		add("Recorded", byName(p.RecordedBy, p.RecordedFor)+", "+ui.TimeWords(*p.RecordedAt, zone, p.Now), "", false)
	}
	if p.Outcome != "" && p.Claimed != p.Outcome {
		add("Pressed", pressed[p.Claimed]+"; by the rules it is "+string(p.Outcome), "", false)
	}
	if p.RetestOf != 0 {
		add("Answers", fmt.Sprintf("Run %d", p.RetestOf), matrix.RunPath(p.RetestOf), false)
	}
	if p.RetestedBy != 0 {
		add("Answered by", fmt.Sprintf("Run %d", p.RetestedBy), matrix.RunPath(p.RetestedBy), false)
	}
	add("Log", p.LogReference, "", true)
	if p.Outcome != "" && p.Outcome != matrix.Abandoned {
		inspected := "Nobody looked at the destination"
		if p.Inspected {
			inspected = p.InspectedWhat
		}
		add("Inspected", inspected, "", false)
	}
}

// pressed are the words on the buttons that record a result.
var pressed = map[matrix.Outcome]string{matrix.Passed: "“Record as passed”", matrix.Failed: "“Record as failed”", matrix.Inconclusive: "“Inconclusive”"}

// decisions are the forms of the reader, or why they are not there.
func (run *Run) decisions(p matrix.RunPage, open OpenRun) {
	t := open.Typed
	switch {
	case p.Outcome != "":
		run.Over = true
	case p.RecordRefusal == nil:
		run.MayAbandon, run.Record = true, newRecord(p, open)
	default:
		run.WhyNoRecord = why(p.RecordRefusal)
	}
	switch {
	case p.Decision != "":
		run.Reviewed, run.ReviewReason, run.ReviewedAt = reviewWords(p.Run), p.ReviewNote, *p.ReviewedAt
	case !p.Waits():
	case p.ReviewRefusal == nil:
		run.Review = &ReviewForm{Says: accepting(p.Run), Submission: open.Submission}
		if t != nil {
			run.Review.Reason = t.Reason
		}
	default:
		run.WhyNoReview = why(p.ReviewRefusal)
	}
	if p.LatestFailure == p.ID {
		run.Retest = ui.Btn{Text: "Start retest", Icon: "play", Size: "sm", Href: "/controls/" + run.Slug + "/matrix/" + run.Key + "/start", Why: why(p.RetestRefusal)}
		if run.Review != nil {
			run.Retest.Variant = "outline"
		}
	}
}

func newRecord(p matrix.RunPage, open OpenRun) *RecordForm {
	f := &RecordForm{Submission: open.Submission}
	if missing := p.Missing(); len(missing) > 0 {
		f.NoPass = "To record a pass, attach first: " + strings.Join(missing, ", ") + "."
	}
	after := map[string]string{}
	if t := open.Typed; t != nil {
		f.Observed, f.LogReference, f.InspectedWhat, f.Inspected, after = t.Observed, t.LogReference, t.InspectedWhat, t.Inspected, t.After
	}
	for _, c := range p.Counts {
		f.Counts = append(f.Counts, CountField{Name: "after." + c.Slug, Label: c.Name, Value: after[c.Slug],
			Help: fmt.Sprintf("%s. %s would match the agreed change.", c.Destination.Name, grouped(c.Before+int64(c.Change)))})
	}
	return f
}

func reviewWords(r matrix.Run) string {
	word := "Accepted"
	if r.Decision == matrix.Return {
		word = "Returned"
	} else if r.Outcome == matrix.Failed {
		word = "Accepted as failed"
	}
	return word + " by " + byName(r.ReviewedBy, r.ReviewedFor)
}

// accepting says what accepting the run would mean.
func accepting(r matrix.Run) string {
	switch {
	case r.Outcome == matrix.Failed:
		return "Accepting says that it failed as described. The discrepancy stays open until a retest passes."
	case r.Outcome == matrix.Inconclusive:
		return "Accepting says that it shows nothing either way. The scenario has to be run again."
	case r.DiscrepancyID != 0 && !r.StillCounts():
		return "Accepting says that the evidence shows what was agreed then. The design or the agreement changed since, so it closes no discrepancy: another retest does."
	case r.DiscrepancyID != 0:
		return "Accepting closes the discrepancy: this run passed, and it answers the failure."
	}
	return "Accepting says that the evidence shows what was agreed."
}

// NewStart is the form that starts a run of a case on a revision, 0 for the
// latest. t holds what was typed.
func NewStart(p matrix.Page, v matrix.CaseView, revision int, t *TypedStart, problems []models.FieldError, zone *time.Location) Start {
	s := Start{Slug: p.Slug, Name: p.Name, Key: v.Key, Scenario: v.Title, Retest: v.LatestFailure, Problems: problems, Zone: zone}
	agreed, _ := p.On(v, revision)
	s.Agreed, s.Revision = newExpectation(p, *agreed), p.Latest.Number
	if p.Approved != nil && revision == p.Approved.Number {
		s.Revision, s.Other = revision, p.Latest.Number
	} else if p.Approved != nil && v.InForceRefusal == nil {
		s.Other = p.Approved.Number
	}
	if t == nil {
		t = &TypedStart{}
	}
	s.Environment, s.StartingState, s.Correction, s.Submission = t.Environment, t.StartingState, t.Correction, t.Submission
	if v.Run != nil && s.Revision < v.Run.Revision {
		s.Retest = 0 // what failed on a later revision is put right there
	}
	if s.Retest != 0 {
		s.RetestLine = fmt.Sprintf("What makes the result of run %d not happen again.", v.LatestFailure)
	}
	open := 0
	for _, place := range p.Places {
		s.Environments = append(s.Environments, EnvironmentChoice{Slug: place.Environment.Slug, Name: place.Environment.Name, Why: why(place.Refusal)})
		if place.Refusal == nil {
			open++
			if t.Environment == "" {
				s.Environment = place.Environment.Slug
			}
		}
	}
	if open > 1 && t.Environment == "" {
		s.Environment = "" // a choice is the person's
	}
	for _, e := range agreed.Effects {
		s.Counts = append(s.Counts, CountField{Name: "before." + e.Slug, Label: e.Name, Help: accounts(p, e.ControlID), Value: t.Before[e.Slug]})
	}
	s.Lost = s.lost(p, t)
	for _, n := range v.Needs {
		s.Evidence = append(s.Evidence, n.Label)
	}
	return s
}

// TypedStart is what came with a start that was not taken.
type TypedStart struct {
	Environment, StartingState, Correction, Submission string
	Before                                             map[string]string
}
