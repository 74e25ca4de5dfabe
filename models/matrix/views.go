package matrix

import (
	"time"

	"countersign/models/control"
)

// Page is the test matrix of one control.
type Page struct {
	ControlID  int64
	Slug, Name string
	Workflow   control.Ref
	Parties    control.Parties
	Now        time.Time
	Latest     control.Revision
	Approved   *control.Revision // in force while Latest is not yet; nil otherwise
	DesignHash string            // of the record as it stands
	Cases      []CaseView
	Watchable  []control.Ref // controls of the workflow whose effects a case may watch; the own one first
	Places     []RunPlace    // where the control acts
	Waiting    []Run         // started without a result or recorded without a review, oldest first, 50 at most

	AddRefusal     error // why the reader may not add a scenario; nil when they may
	DiscussRefusal error // why the reader may not ask and comment
}

// On is what a run of a case on a revision rests on, and why the reader may not
// start one: on Approved when revision is its number, else on Latest.
func (p Page) On(v CaseView, revision int) (*Expectation, error) {
	if p.Approved != nil && revision == p.Approved.Number {
		return v.InForce, v.InForceRefusal
	}
	return v.Agreed, v.RunRefusal
}

// RunPlace is an environment where the control acts, and why no run can be
// made there.
type RunPlace struct {
	Environment control.Ref
	Refusal     error                 // nil: a run can be started there
	Accounts    map[int64]control.Ref // destination by control id, of the controls in Watchable; Name is system and account
}

// CaseView is a case with everything its card shows.
type CaseView struct {
	Case
	Cell          Cell
	Shown         State         // of Cell now
	Run           *Run          // what the state rests on; nil without one
	Retest        *Run          // Cell.RetestID; nil without one
	Agreed        *Expectation  // in force; also "not applicable"
	InForce       *Expectation  // what Page.Approved agreed; nil without either
	Newest        *Expectation  // the newest version, whatever became of it; nil without one
	All           []Expectation // newest first, 50 at most
	Exceptions    []Expectation // agreed while a discrepancy was open, oldest first: shown for good
	Chains        []Chain       // failures with what answered them, newest first, 5 at most
	MoreChains    bool
	Waiver        *Waiver           // neither ended by somebody nor replaced; its date may have passed
	Waivers       []Waiver          // ended ones, newest first, 10 at most
	Thread        []control.Comment // oldest first, with replies
	LatestFailure int64             // of the open discrepancy: the run that a retest answers; 0: none

	ProposeRefusal error // why the reader may not propose; nil when they may
	DecideRefusal  error // why the reader may not decide the newest proposal, or that there is none
	RunRefusal     error // why the reader may not start a run
	InForceRefusal error // why the reader may not start one on Page.Approved
	WaiveRefusal   error // why the reader may not ask for a waiver
	SignRefusal    error // why the reader may not sign Waiver, or that there is none
	EndRefusal     error // why the reader may not end Waiver, or that there is none
}

// Chain is one discrepancy: what failed, what was corrected and what ran again.
type Chain struct {
	ID          int64 // of the discrepancy
	OpenedAt    time.Time
	ClosedAt    *time.Time
	ClosedByRun int64
	Runs        []Run // failures and retests in the order of their start: the first failure and the newest 10
	Left        int   // how many between the first and the others are left out
}

// Open reports whether nothing closed it yet.
func (c Chain) Open() bool { return c.ClosedAt == nil }

// RunPage is everything the page of one run shows.
type RunPage struct {
	Run
	Workflow                  control.Ref
	Parties                   control.Parties
	Now                       time.Time
	DesignNow                 string // of the record as it stands
	CaseOf                    Case
	Expectation               Expectation  // that it was started under
	Agreed                    *Expectation // of today; nil when there is none any more
	Slots                     []SlotView   // required first, then OtherSlot when anything is there
	Chain                     *Chain       // of its discrepancy; nil without one
	RetestedBy                int64        // the newest run that answers this one; 0: none
	Prev, Next                int64        // runs of the same case; 0: none
	HelpContact, IncidentPlan string       // of the workflow

	LatestFailure int64 // of the case's open discrepancy: the run that a retest answers; 0: none is open

	RecordRefusal error // why the reader may not record or abandon it; nil when they may
	ReviewRefusal error // why the reader may not accept or return it
	AttachRefusal error // why the reader may not attach evidence
	RetestRefusal error // why the reader may not start a retest of it
}

// Missing are the labels of the required items that nothing fills.
func (p RunPage) Missing() []string {
	var labels []string
	for _, s := range p.Slots {
		if s.Required && len(s.Evidence) == 0 {
			labels = append(labels, s.Label)
		}
	}
	return labels
}

// SlotView is an item of evidence that the scenario asks for, with what is there.
type SlotView struct {
	Slot
	Required bool
	Evidence []int64 // ids, in the order they were attached; see evidence.Of
}

// GridFilter narrows the matrix of all controls. Zero values do not.
type GridFilter struct {
	Workflow string // slug
	Owner    int64  // business owner
	State    State  // controls with a case in this state
	Cursor   string
}

// GridRow is a control with where its cases stand.
type GridRow struct {
	ID           int64
	Slug, Name   string
	WorkflowSlug string
	WorkflowName string
	OwnerID      int64
	OwnerName    string
	LatestNumber int
	LatestState  control.RevisionState // Expired included
	ChangedAt    time.Time
	Now          time.Time
	Cells        []GridCell // in the order of their position: the six built-in ones, then custom ones
}

// GridCell is a case in the grid.
type GridCell struct {
	Cell
	CaseID     int64
	Key, Title string
	Shown      State
	Run        *Run // what the state rests on, with its counts
	Retest     *Run
	Change     *int // agreed for the own effect; nil without an agreement
}

// RunFilter narrows a list of runs. Zero values do not.
type RunFilter struct {
	Control string // slug
	Case    string // key; only with Control
	Cursor  string
}
