package matrix

import (
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/matrix"
	"countersign/views/ui"

	"github.com/a-h/templ"
)

// Start is the form that starts a run, or a retest.
type Start struct {
	Slug, Name    string // of the control
	Key, Scenario string
	Revision      int   // the run is bound to it
	Other         int   // the approved one or the latest, where a run could be too; 0: none
	Retest        int64 // the failed run that this one answers; 0: no retest
	RetestLine    string
	Agreed        Expectation
	Environments  []EnvironmentChoice
	Environment   string
	StartingState string
	Correction    string
	Counts        []CountField
	Evidence      []string
	Refused       string // why it cannot be started at all
	Lost          []ui.Lost
	Submission    string
	Problems      []models.FieldError
	Zone          *time.Location
}

func (p Start) path() string  { return "/controls/" + p.Slug + "/matrix/" + p.Key + "/start" }
func (p Start) other() string { return fmt.Sprintf("%s?revision=%d", p.path(), p.Other) }
func (p Start) back() string  { return "/controls/" + p.Slug + "/matrix#c-" + p.Key }

func (p Start) title() string {
	if p.Retest != 0 {
		return "Start a retest of " + inside(p.Scenario)
	}
	return "Start a run of " + inside(p.Scenario)
}

// EnvironmentChoice is where a run could be, or why it cannot.
type EnvironmentChoice struct{ Slug, Name, Why string }

// CountField takes the count of one watched effect.
type CountField struct {
	Name, Label, Help, Value string // Name is the form's field
}

// Run is one run.
type Run struct {
	ID               int64
	Slug, Name       string // of the control
	Key, Scenario    string
	State            ui.State
	Result           ui.State // what it was recorded as, while it waits for its review
	Number           int      // of the revision
	Environment      string
	When             string // "Recorded by Implementer,"
	At               time.Time
	Agreed           string
	AgreedBy         string
	AgreedChanged    string
	Observed         string
	StartingState    string
	Reason           string // why it was abandoned
	Correction       string
	Counts           []Count
	Chain            []Step
	Discrepancy      *Discrepancy
	Slots            []EvidenceSlot
	Attached, Needed int
	WhyNoAttach      string
	Next, Prev       int64 // runs of the same scenario; 0: none
	Design           string
	DesignWord       string // "current" or "earlier, no longer counts"
	Facts            []Fact
	Record           *RecordForm
	WhyNoRecord      string // why the reader may not record it; "" when they may or it is over
	Review           *ReviewForm
	WhyNoReview      string
	Reviewed         string // "Accepted as failed by Reviewer"
	ReviewReason     string
	ReviewedAt       time.Time
	MayAbandon       bool
	Over             bool   // recorded or abandoned
	Retest           ui.Btn // the next step after a failure; zero Text: none
	Refused          string
	Lost             []ui.Lost
	Problems         []models.FieldError
	Zone             *time.Location
	Help             ui.Help // shown where a count was wrong
}

func (p Run) path() string     { return fmt.Sprintf("/runs/%d", p.ID) }
func (p Run) matrix() string   { return "/controls/" + p.Slug + "/matrix" }
func (p Run) card() string     { return p.matrix() + "#c-" + p.Key }
func (p Run) evidence() string { return fmt.Sprintf("%d of %d attached", p.Attached, p.Needed) }

// Fact is one line of what is known of a run.
type Fact struct {
	Label, Text string
	Code        bool
	Href        string
}

// Discrepancy is what a failed run opened.
type Discrepancy struct {
	ID    int64
	State ui.State
	Open  bool
	Text  string
}

// EvidenceSlot is one item that the scenario asks for, with what is there.
type EvidenceSlot struct {
	Key, Title, Text string
	Items            []EvidenceItem
	Attach           templ.Component // the form; nil when nothing can be attached
	Optional         bool
}

// EvidenceItem is one attachment.
type EvidenceItem struct {
	Name, Href string
	Line       string // "18 KB, kept until 10 Aug"
	Hash       string
	State      ui.State // expired, or soon to be; zero while it is in force
}

// RecordForm takes the result of a run.
type RecordForm struct {
	Observed, LogReference, InspectedWhat string
	Inspected                             bool
	Counts                                []CountField
	NoPass                                string // why no pass can be recorded now; "" when it can
	Submission                            string
}

// ReviewForm takes the word of somebody else on a recorded run.
type ReviewForm struct {
	Says       string // what accepting means
	Reason     string
	Submission string
}

// Abandon asks before a run ends without a result.
type Abandon struct {
	ID                 int64
	Scenario, Name     string
	Reason, Submission string
	Problems           []models.FieldError
}

// EndWaiver asks before a waiver ends.
type EndWaiver struct {
	Slug, Key, Scenario string
	Waiver              matrix.Waiver
	Reason, Submission  string
	Problems            []models.FieldError
}
