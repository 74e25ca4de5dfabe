// Package environments shows environments and whether they reach customers.
package environments

import (
	"countersign/models/workflow"
	"countersign/views/ui"
	"time"
)

// Index is the list of environments.
type Index struct {
	Rows     []Row
	Archived string // "yes" shows the archived ones
	Pager    ui.Pager
	WhyNoNew string // "" when this person may make one
	Zone     *time.Location
}

// Row is one environment, for this person.
type Row struct {
	workflow.EnvironmentRow
	WhyNoConfirm string // "" when this person may confirm what was said
	Zone         *time.Location
}

func (r Row) path(rest string) string { return workflow.EnvironmentPath(r.Slug) + rest }

// toConfirm reports whether somebody must still confirm it.
func (r Row) toConfirm() bool { return !r.Confirmed() && r.ArchivedAt == nil }

func (r Row) reachState() string {
	switch {
	case !r.Confirmed():
		return "reach_unconfirmed"
	case r.SaidToReach:
		return "reaches"
	}
	return "cannot_reach"
}

// Show is the page of one environment.
type Show struct {
	Row
	WhyNoEdit string
}

// Fields are the answers of the form as typed.
type Fields struct {
	Slug  string
	Name  string
	Kind  string
	Reach string
}

// Form edits or creates an environment.
type Form struct {
	Fields
	New      bool
	Fixed    bool // it can reach customers, for good
	At       ui.FormAt
	Base     string
	Problems []ui.FieldProblem
	Stale    *ui.StaleEdit
	Cancel   string
}

func (f Form) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value, Required: true}.With(f.Problems)
}

func (f Form) optional(name, label, help, value string) ui.Field {
	field := f.field(name, label, help, value)
	field.Required, field.Optional = false, true
	return field
}

func (f Form) choice(name, label, help, value string, options ...ui.Option) ui.Field {
	field := f.field(name, label, help, value)
	field.Options = options
	return field
}
