package signoff

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/control"
)

// GateState is what a control allows now in environments that can reach real
// customers.
type GateState string

const (
	GateBlocked   GateState = "blocked"   // claims, retries and starts are refused
	GateManual    GateState = "manual"    // tries again only by approved replay
	GateAutomatic GateState = "automatic" // up to N retries, as signed
	GateObserving GateState = "observing" // refuses nothing, counts what it would have refused
)

// Reason says why the gate is where it is. Path is the page to put it right.
type Reason struct {
	Key   string // stopped, never_approved, observe, no_retries, review_date, approved
	Words string
	Path  string
}

// Gate is the decision with its reasons; N is the number of automatic retries.
type Gate struct {
	State   GateState
	N       int
	Reasons []Reason
}

// GateFacts is what the gate is decided from. Facts of the test matrix and of
// evidence join here as they come into being.
type GateFacts struct {
	ControlPath  string
	WorkflowPath string
	Stopped      bool
	StopReason   string
	Approved     int        // number of the approved revision; 0: none ever was
	Mode         string     // of the approved revision
	Retries      int        // of the approved revision
	ReviewDate   *time.Time // of the approved revision
	Now          time.Time
}

// Decide says what the control allows now. A stop wins over everything.
func Decide(f GateFacts) Gate {
	var stops, manual []Reason
	if f.Stopped {
		stops = append(stops, Reason{"stopped", "The workflow is stopped: " + f.StopReason, f.WorkflowPath})
	}
	if f.Approved == 0 {
		stops = append(stops, Reason{"never_approved", "No revision was ever approved.", f.ControlPath + "/sign-off"})
	}
	if len(stops) > 0 {
		return Gate{State: GateBlocked, Reasons: stops}
	}
	if f.Retries == 0 {
		manual = append(manual, Reason{"no_retries", fmt.Sprintf("Revision %d allows 0 automatic retries.", f.Approved), f.ControlPath + "#f-automatic_retries"})
	}
	if control.Passed(f.ReviewDate, f.Now) {
		manual = append(manual, Reason{"review_date", "The review date, " + f.ReviewDate.Format("2 January 2006") + ", has passed.", f.ControlPath + "#f-review_date"})
	}
	switch {
	case f.Mode == "observe":
		observe := Reason{"observe", fmt.Sprintf("Revision %d is in mode observe: repeats are counted and not refused.", f.Approved), f.ControlPath + "#f-mode"}
		return Gate{State: GateObserving, Reasons: append([]Reason{observe}, manual...)}
	case len(manual) > 0:
		return Gate{State: GateManual, Reasons: manual}
	}
	return Gate{State: GateAutomatic, N: f.Retries,
		Reasons: []Reason{{"approved", fmt.Sprintf("Revision %d allows up to %d.", f.Approved, f.Retries), f.ControlPath + "/sign-off"}}}
}

// RowGate decides the gate of a row of the list.
func RowGate(r control.ListRow) Gate {
	f := GateFacts{ControlPath: "/controls/" + r.Slug, WorkflowPath: "/workflows/" + r.WorkflowSlug, Stopped: r.StoppedAt != nil, StopReason: r.StopReason,
		Approved: r.ApprovedNumber, Mode: r.Mode, ReviewDate: r.ReviewDate, Now: r.Now}
	if r.AutomaticRetries != nil {
		f.Retries = *r.AutomaticRetries
	}
	return Decide(f)
}

// LoadGate decides the gate of one control. NotFound.
func LoadGate(ctx context.Context, db *models.DB, slug string) (Gate, error) {
	var r control.ListRow
	done := db.Query(ctx).Raw(`select c.slug, w.slug as workflow_slug, a.number as approved_number, a.mode, a.review_date, a.automatic_retries,
			s.reason as stop_reason, s.stopped_at, now() as now
		from controls c join workflows w on w.id = c.workflow_id left join revisions a on a.id = c.approved_revision_id
		left join stops s on s.workflow_id = c.workflow_id and s.lifted_at is null where c.slug = ?`, control.Plain(slug)).Scan(&r)
	if done.Error == nil && done.RowsAffected == 0 {
		return Gate{}, models.NotFoundf("There is no control named “%s”.", control.Plain(slug))
	}
	return RowGate(r), done.Error
}
