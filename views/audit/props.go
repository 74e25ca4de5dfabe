// Package audit shows the audit log.
package audit

import (
	"time"

	"countersign/views/ui"
)

// Props is the audit log page.
type Props struct {
	Filter  Filter
	Events  []Event
	Pager   ui.Pager
	Zone    *time.Location
	Summary []ui.FieldProblem
}

// Filter is what was asked for, as typed.
type Filter struct{ Label, Person, Type, From, To, Refused string }

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
	{Value: "workflow", Label: "Workflows"}, {Value: "sender", Label: "Senders"}, {Value: "environment", Label: "Environments"},
	{Value: "destination", Label: "Destinations"}, {Value: "operation", Label: "Operations"}, {Value: "person", Label: "People"},
}

var outcomes = []ui.Option{{Value: "", Label: "Done and refused"}, {Value: "only", Label: "Refused only"}}
