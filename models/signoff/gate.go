package signoff

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"

	"gorm.io/gorm"
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
	Key   string // stopped, never_approved, observe, no_retries, review_date, waiver_ended, evidence_expired, discrepancy, approved
	Words string
	Path  string
}

// Gate is the decision with its reasons; N is the number of automatic retries.
type Gate struct {
	State   GateState
	N       int
	Reasons []Reason
}

// Stopped is why the workflow is stopped, in words; "" while it runs.
func (g Gate) Stopped() string {
	for _, r := range g.Reasons {
		if r.Key == "stopped" {
			return r.Words
		}
	}
	return ""
}

// GateFacts is what the gate is decided from. Everything but the stop is of the
// approved revision.
type GateFacts struct {
	ControlPath   string
	WorkflowPath  string
	Stopped       bool
	StopReason    string
	Approved      int // its number; 0: none ever was
	Mode          string
	Retries       int
	ReviewDate    *time.Time
	WaivedUntil   *time.Time  // the first waiver to end of those it rests on
	ProvenUntil   *time.Time  // the first required evidence to expire of the runs it rests on
	Discrepancies int         // failures of its design that nothing answered
	Ways          matrix.Ways // the pages that put the last three right; "" is the control's matrix
	Now           time.Time
}

// Decide says what the control allows now. A stop wins over everything.
func Decide(f GateFacts) Gate {
	var stops []Reason
	if f.Stopped {
		stops = append(stops, f.stop())
	}
	if f.Approved == 0 {
		stops = append(stops, Reason{"never_approved", "No revision was ever approved.", f.ControlPath + "/sign-off"})
	}
	manual := f.manual()
	switch {
	case len(stops) > 0:
		return Gate{State: GateBlocked, Reasons: stops}
	case f.Mode == "observe":
		return Gate{State: GateObserving, Reasons: append([]Reason{f.observing(f.Approved)}, manual...)}
	case len(manual) > 0:
		return Gate{State: GateManual, Reasons: manual}
	}
	return Gate{State: GateAutomatic, N: f.Retries,
		Reasons: []Reason{{"approved", fmt.Sprintf("Revision %d allows up to %d.", f.Approved, f.Retries), f.ControlPath + "/sign-off"}}}
}

// manual are the reasons why nothing is tried again automatically.
func (f GateFacts) manual() []Reason {
	var all []Reason
	if f.Retries == 0 {
		all = append(all, f.noRetries(f.Approved))
	}
	return append(all, f.lapsed()...)
}

// lapsed are the reasons that came up after the approval.
func (f GateFacts) lapsed() []Reason {
	var all []Reason
	grid := f.ControlPath + "/matrix"
	if control.Passed(f.ReviewDate, f.Now) {
		all = append(all, Reason{"review_date", "The review date, " + date(f.ReviewDate) + ", has passed.", f.ControlPath + "#f-review_date"})
	}
	if control.Passed(f.WaivedUntil, f.Now) {
		all = append(all, Reason{"waiver_ended", "A waiver that the approval rests on ended on " + date(f.WaivedUntil) + ".", cmp.Or(f.Ways.Waiver, grid)})
	}
	if control.Passed(f.ProvenUntil, f.Now) {
		all = append(all, Reason{"evidence_expired", "Evidence that the approval rests on expired on " + date(f.ProvenUntil) + ".", cmp.Or(f.Ways.Evidence, grid)})
	}
	if f.Discrepancies > 0 {
		words := "A test failed on the approved design, and no retest on it answered that."
		if f.Discrepancies > 1 {
			words = fmt.Sprintf("%d scenarios failed on the approved design, and no retest on it answered that.", f.Discrepancies)
		}
		all = append(all, Reason{"discrepancy", words, cmp.Or(f.Ways.Discrepancy, grid)})
	}
	return all
}

func (f GateFacts) stop() Reason {
	return Reason{"stopped", "The workflow is stopped: " + f.StopReason, f.WorkflowPath}
}

func (f GateFacts) observing(revision int) Reason {
	return Reason{"observe", fmt.Sprintf("Revision %d is in mode observe: repeats are counted and not refused.", revision), f.ControlPath + "#f-mode"}
}

func (f GateFacts) noRetries(revision int) Reason {
	return Reason{"no_retries", fmt.Sprintf("Revision %d allows 0 automatic retries.", revision), f.ControlPath + "#f-automatic_retries"}
}

func date(d *time.Time) string { return d.Format("2 January 2006") }

// RowGate decides the gate of a row of the list.
func RowGate(r control.ListRow) Gate { return Decide(factsOf(r)) }

func factsOf(r control.ListRow) GateFacts {
	f := GateFacts{ControlPath: "/controls/" + r.Slug, WorkflowPath: "/workflows/" + r.WorkflowSlug, Stopped: r.StoppedAt != nil, StopReason: r.StopReason,
		Approved: r.ApprovedNumber, Mode: r.Mode, ReviewDate: r.ReviewDate, WaivedUntil: r.WaivedUntil, ProvenUntil: r.ProvenUntil, Discrepancies: r.OpenDiscrepancies, Now: r.Now}
	if r.AutomaticRetries != nil {
		f.Retries = *r.AutomaticRetries
	}
	return f
}

// LoadGate decides the gate of one control, in environments that can reach real
// customers. NotFound.
func LoadGate(ctx context.Context, db *models.DB, slug string) (Gate, error) {
	_, f, err := loadGate(db.Query(ctx), slug)
	return Decide(f), err
}

// loadGate reads what the gate of a control is decided from, and where what
// stands against it is put right.
func loadGate(q *gorm.DB, slug string) (control.ListRow, GateFacts, error) {
	var r control.ListRow
	done := q.Raw(`select c.id, c.slug, w.slug as workflow_slug, a.number as approved_number, a.mode, a.review_date, a.automatic_retries,
			c.waived_until, c.proven_until, c.open_discrepancies, s.reason as stop_reason, s.stopped_at, now() as now
		from controls c join workflows w on w.id = c.workflow_id left join revisions a on a.id = c.approved_revision_id
		left join stops s on s.workflow_id = c.workflow_id and s.lifted_at is null where c.slug = ?`, control.Plain(slug)).Scan(&r)
	if done.Error == nil && done.RowsAffected == 0 {
		done.Error = models.NotFoundf("There is no control named “%s”.", control.Plain(slug))
	}
	if done.Error != nil {
		return r, GateFacts{}, done.Error
	}
	f := factsOf(r)
	if control.Passed(f.WaivedUntil, f.Now) || control.Passed(f.ProvenUntil, f.Now) || f.Discrepancies > 0 {
		var err error
		if f.Ways, err = matrix.WaysOut(q, r.ID); err != nil {
			return r, f, err
		}
	}
	return r, f, nil
}
