package matrix

import (
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/control"
)

// Run is one test, from its start. What a run holds never changes; a result
// and a review are added once each.
type Run struct {
	ID            int64
	Control       control.Ref
	Case          control.Ref // Slug is the key, Name the title
	Revision      int         // the number of the revision it was started on
	DesignHash    string
	ExpectationID int64
	Environment   control.Ref
	RetestOf      int64 // the failed run it answers; 0: no retest
	DiscrepancyID int64 // of a failed run the one it opened or joined, of a retest the one it may close; 0: neither
	Correction    string
	StartingState string
	StartedBy     control.Ref
	StartedFor    control.Ref
	StartedAt     time.Time
	Counts        []Count // where a query loads them

	Outcome       Outcome // "" while it waits for its result
	Claimed       Outcome // what the button said
	Observed      string
	LogReference  string
	Inspected     bool
	InspectedWhat string
	Reason        string // why abandoned
	RecordedBy    control.Ref
	RecordedFor   control.Ref
	RecordedAt    *time.Time // nil while it waits

	Decision    string // of the review: accepted or returned; "" while it waits
	ReviewNote  string
	ReviewedBy  control.Ref
	ReviewedFor control.Ref
	ReviewedAt  *time.Time

	Current bool // of the design and agreement of today
	InForce bool // on the approved revision
}

// State is where the run stands. A failed run is failed, reviewed or not.
func (r Run) State() State {
	switch {
	case r.Outcome == "":
		return Started
	case r.Outcome == Failed:
		return HasFailed
	case r.Decision == "returned":
		return Returned
	case r.Outcome == Abandoned:
		return State(Abandoned)
	case r.Decision == "":
		return AwaitsReview
	}
	return State(r.Outcome)
}

// StillCounts reports whether the run proves or answers anything now: on the design
// and agreement of today, or on the revision in force.
func (r Run) StillCounts() bool { return r.Current || r.InForce }

// Waits reports whether somebody has to review it.
func (r Run) Waits() bool { return r.Outcome != "" && r.Outcome != Abandoned && r.Decision == "" }

// Count is what was counted of one watched effect.
type Count struct {
	ControlID   int64
	Slug, Name  string // of the control whose effect it is
	Own         bool
	Destination control.Ref // Name is system and account
	Change      int         // agreed
	Before      int64
	After       *int64 // nil while it is not recorded
}

// Observed is the change that was seen; ok is false while it is not recorded.
func (c Count) Observed() (change int64, ok bool) {
	if c.After == nil {
		return 0, false
	}
	return *c.After - c.Before, true
}

// Equal reports whether the observed change is the agreed one.
func (c Count) Equal() bool {
	change, ok := c.Observed()
	return ok && change == int64(c.Change)
}

// Object is a run in the audit log.
func (r Run) Object() models.Object {
	return models.Object{Type: "run", ID: r.ID, Label: fmt.Sprintf("Run %d of %s: %s", r.ID, r.Control.Name, r.Case.Name), Path: RunPath(r.ID)}
}

func refusedRun(id int64) models.Object {
	return models.Object{Type: "run", ID: id, Label: fmt.Sprintf("Run %d", id), Path: RunPath(id)}
}

// StartRunCmd starts a run, before anything happens at a destination.
type StartRunCmd struct {
	models.Once
	Control       string
	Case          string
	Version       int               // of the agreed expectation that was read
	Revision      int               // its number; 0: the latest
	Environment   string            // slug; one confirmed as unable to reach real customers
	StartingState string            // of the destination
	Before        map[string]string // control slug to the count before, for each watched effect
	RetestOf      int64             // needed while a discrepancy is open: its latest failed run
	Correction    string            // of a retest: what was corrected
}

// Object names the control when the command is refused.
func (c StartRunCmd) Object() models.Object { return refused(c.Control) }

// RunStarted names the new run.
type RunStarted struct{ Run int64 }

// RecordRunCmd records what a started run came to.
type RecordRunCmd struct {
	models.Once
	Run           int64
	Claimed       Outcome           // the button: Passed, Failed or Inconclusive
	Observed      string            // what was seen at the destination
	After         map[string]string // control slug to the count after; needed for each watched effect when inspected
	LogReference  string            // of the automation's log; optional
	Inspected     bool              // somebody looked at the destination itself
	InspectedWhat string            // needed when inspected: what was looked at
}

// Object names the run when the command is refused.
func (c RecordRunCmd) Object() models.Object { return refusedRun(c.Run) }

// Recorded is what came of recording. Outcome may differ from the button; see
// Observation.Decide.
type Recorded struct {
	Run           int64
	Outcome       Outcome
	DiscrepancyID int64 // that a failed run opened or joined
}

// AbandonRunCmd ends a started run without a result.
type AbandonRunCmd struct {
	models.Once
	Run    int64
	Reason string
}

// Object names the run when the command is refused.
func (c AbandonRunCmd) Object() models.Object { return refusedRun(c.Run) }

// Decisions of a review.
const (
	Accept = "accepted"
	Return = "returned"
)

// ReviewRunCmd is somebody else's word on a recorded run.
type ReviewRunCmd struct {
	models.Once
	Run      int64
	Decision string // Accept or Return
	Reason   string // needed to return
}

// Object names the run when the command is refused.
func (c ReviewRunCmd) Object() models.Object { return refusedRun(c.Run) }

// Reviewed is what came of a review.
type Reviewed struct {
	Run      int64
	Decision string
	Closed   int64 // the discrepancy that this closed; 0: none
}
