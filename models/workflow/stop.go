package workflow

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/notice"
)

// StopRecord is one use of the stop switch. It is in force until LiftedAt; afterwards
// it is history. While it is in force claims, retries and starts are refused.
type StopRecord struct {
	ID         int64
	WorkflowID int64
	Reason     string
	StoppedBy  string // name
	StoppedAt  time.Time
	LiftReason string
	LiftedBy   string // name
	LiftedAt   *time.Time
}

const stopColumns = `select s.id, s.workflow_id, s.reason, p.name as stopped_by, s.stopped_at,
	s.lift_reason, coalesce(l.name, '') as lifted_by, s.lifted_at
	from stops s join people p on p.id = s.stopped_by left join people l on l.id = s.lifted_by `

// StopCmd stops the workflow with Slug.
type StopCmd struct {
	models.Once
	Slug   string
	Reason string
}

// Object is what a refusal of this command is recorded on.
func (c StopCmd) Object() models.Object { return objectOf("workflow", c.Slug, Path(c.Slug)) }

// Stop puts a stop in force. Forbidden by MayStop; Invalid without a reason;
// Conflict when a stop is in force, saying whose and since when.
func Stop(ctx context.Context, db *models.DB, by models.Actor, cmd StopCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, err := lock(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MayStop(by); err != nil {
			return Ref{}, err
		}
		reason, err := reasonFrom(cmd.Reason, "Say why the workflow must stop.")
		if err != nil {
			return Ref{}, err
		}
		current, err := Stopped(tx, w.ID)
		if err != nil {
			return Ref{}, err
		}
		if current != nil {
			return Ref{}, models.Conflictf("%s stopped this workflow on %s.", current.StoppedBy, current.StoppedAt.UTC().Format("2 January 2006 at 15:04 UTC"))
		}
		var stop int64
		if err := tx.Raw("insert into stops (workflow_id, reason, stopped_by, stopped_at) values (?,?,?,?) returning id",
			w.ID, reason, by.ID, tx.Now).Row().Scan(&stop); err != nil {
			return Ref{}, err
		}
		tx.Audit("workflow.stopped", w.object(), nil, map[string]string{"reason": reason})
		return Ref{w.ID, w.Slug}, w.tell(tx, notice.WorkflowStopped, stop, notice.Words{Title: w.Name + " was stopped", Text: by.Name + ": " + reason})
	})
}

// LiftCmd lifts the stop with id Stop, the one the person saw.
type LiftCmd struct {
	models.Once
	Slug   string
	Stop   int64
	Reason string
}

// Object is what a refusal of this command is recorded on.
func (c LiftCmd) Object() models.Object { return objectOf("workflow", c.Slug, Path(c.Slug)) }

// Lift ends the stop in force. Forbidden by MayLift; Invalid without a reason;
// Conflict when that stop is not the one in force any more.
func Lift(ctx context.Context, db *models.DB, by models.Actor, cmd LiftCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, err := lock(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MayLift(by, w); err != nil {
			return Ref{}, err
		}
		current, err := Stopped(tx, w.ID)
		if err != nil {
			return Ref{}, err
		}
		switch {
		case current == nil:
			return Ref{}, models.Conflictf("This workflow is not stopped any more.")
		case current.ID != cmd.Stop:
			return Ref{}, models.Conflictf("This is another stop than the one you saw. Read its reason first.")
		}
		reason, err := reasonFrom(cmd.Reason, "Say why the stop can be lifted.")
		if err != nil {
			return Ref{}, err
		}
		r := tx.Exec("update stops set lift_reason = ?, lifted_by = ?, lifted_at = ? where id = ? and lifted_at is null",
			reason, by.ID, tx.Now, current.ID)
		if err := guarded("stop", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		forPerson, _ := by.ActsFor(w.BusinessOwnerID)
		tx.AuditFor(forPerson, "workflow.stop_lifted", w.object(), map[string]string{"stopped_because": current.Reason}, map[string]string{"reason": reason})
		if err := notice.Settle(tx, notice.WorkflowStopped, stopKey(current.ID)); err != nil {
			return Ref{}, err
		}
		return Ref{w.ID, w.Slug}, w.tell(tx, notice.WorkflowLifted, current.ID, notice.Words{Title: "The stop of " + w.Name + " was lifted", Text: by.Name + ": " + reason})
	})
}

// tell says to the workflow's people that it was stopped, or that the stop was lifted.
func (w Workflow) tell(tx *models.Tx, event notice.Event, stop int64, words notice.Words) error {
	return notice.Tell(tx, event, []int64{w.BusinessOwnerID, w.ImplementerID, w.ReviewerID}, words, Path(w.Slug), stopKey(stop))
}

func stopKey(id int64) string { return fmt.Sprintf("stop %d", id) }

// Stopped returns the stop in force for a workflow, or nil when it runs.
func Stopped(tx *models.Tx, workflowID int64) (*StopRecord, error) {
	var s StopRecord
	err := tx.Raw(stopColumns+"where s.workflow_id = ? and s.lifted_at is null", workflowID).Scan(&s).Error
	if err != nil || s.ID == 0 {
		return nil, err
	}
	return &s, nil
}

func reasonFrom(text, missing string) (string, error) {
	var c models.Check
	text = models.Clean(text)
	c.Required("reason", text, 4000, missing)
	return text, c.Err()
}
