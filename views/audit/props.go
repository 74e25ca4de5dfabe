// Package audit shows the audit log.
package audit

import (
	"time"

	"countersign/views/ui"
)

// Props is the audit log page.
type Props struct {
	CSV     string // the address of the same list as CSV
	Filter  Filter
	Events  []Event
	Pager   ui.Pager
	Zone    *time.Location
	Summary []ui.FieldProblem
}

// Filter is what was asked for, as typed.
type Filter struct{ Label, Person, Type, Action, From, To, Refused string }

// Empty reports whether nothing was asked for.
func (f Filter) Empty() bool { return f == Filter{} }

// Event is one line of the log.
type Event struct {
	ID                 string
	At                 time.Time
	Who                string
	What               string // "Control answered"
	Object, ObjectPath string
	Type               string
	Refused            bool
	Reason             string
	Changes            []ui.Change
	RequestID          string
}

// types are the objects that the log speaks of, for the filter.
var types = []ui.Option{
	{Value: "", Label: "Any object"}, {Value: "control", Label: "Controls"}, {Value: "revision", Label: "Revisions"},
	{Value: "workflow", Label: "Workflows"}, {Value: "sender", Label: "Senders"}, {Value: "environment", Label: "Environments"}, {Value: "policy", Label: "Escalation policies"}, {Value: "replay", Label: "Replay requests"},
	{Value: "destination", Label: "Destinations"}, {Value: "operation", Label: "Operations"}, {Value: "person", Label: "People"},
}

// actions are those that people look for, for the filter.
var actions = []ui.Option{
	{Value: "", Label: "Anything done"}, {Value: "control.created", Label: "Control written"}, {Value: "control.answered", Label: "Field answered"},
	{Value: "control.asked", Label: "Question asked"}, {Value: "control.question_closed", Label: "Question closed"},
	{Value: "revision.submitted", Label: "Submitted for review"}, {Value: "revision.withdrawn", Label: "Withdrawn from review"},
	{Value: "revision.signed", Label: "Signed"}, {Value: "revision.changes_requested", Label: "Changes requested"},
	{Value: "revision.approved", Label: "Approved"}, {Value: "revision.expired", Label: "Review date passed"},
	{Value: "workflow.edited", Label: "Workflow edited"}, {Value: "workflow.stopped", Label: "Workflow stopped"}, {Value: "workflow.stop_lifted", Label: "Stop lifted"},
	{Value: "environment.reach_confirmed", Label: "Reach confirmed"}, {Value: "person.added", Label: "Person added"}, {Value: "person.roles_set", Label: "Roles set"},
	{Value: "person.deactivated", Label: "Person deactivated"}, {Value: "person.delegate_named", Label: "Delegate named"},
}

var outcomes = []ui.Option{{Value: "", Label: "Done and refused"}, {Value: "only", Label: "Refused only"}}
