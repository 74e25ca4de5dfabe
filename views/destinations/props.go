// Package destinations shows destinations and what the documentation of each
// of their operations says.
package destinations

import (
	"countersign/models/workflow"
	"countersign/views/ui"
	"strconv"
)

// Index is the list of destinations.
type Index struct {
	Rows     []Row
	Q        string
	Archived string // "yes" shows the archived ones
	Pager    ui.Pager
	WhyNoNew string // "" when this person may add one
}

func (p Index) narrow() bool { return p.Q != "" || p.Archived != "" }

// Row is one destination of the list.
type Row struct {
	System, Account, Slug, Path, Environment string
	Operations                               int
	NotChecked                               int
	Controls                                 int
}

// Show is the page of one destination.
type Show struct {
	workflow.DestinationDetails
	ControlRows    []ControlRow
	WhyNoEdit      string
	WhyNoOperation string
}

// ControlRow is a control in one line.
type ControlRow struct{ Name, Path, Text, State, Word string }

func (s Show) path(rest string) string { return workflow.DestinationPath(s.Slug) + rest }

// Fields are the answers of the destination form as typed.
type Fields struct {
	Slug        string
	System      string
	Account     string
	Environment string
	Notes       string
}

// Form edits or creates a destination.
type Form struct {
	Fields
	New             bool
	At              ui.FormAt
	Base            string
	Problems        []ui.FieldProblem
	Stale           *ui.StaleEdit
	Cancel          string
	Environments    []ui.Option
	EnvironmentName string // of an existing one; it cannot be changed
}

func (f Form) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value}.With(f.Problems)
}

// Operation is the page of one operation.
type Operation struct {
	workflow.OperationDetails
	WhyNoEdit string
}

func (p Operation) path(rest string) string {
	return workflow.OperationPath(p.Destination.Slug, p.Operation.Slug) + rest
}

// OperationFields are the answers of the operation form as typed.
type OperationFields struct {
	Slug             string
	Name             string
	Call             string
	Mechanism        string
	KeyField         string
	KeyLifetimeHours string
	RepeatReturns    string
	SameKeyOtherData string
	LookupMethod     string
	DocURL           string
	DocumentedAt     string
	Notes            string
}

// OperationForm edits or creates an operation.
type OperationForm struct {
	OperationFields
	New       bool
	At        ui.FormAt
	Base      string
	Checked   bool
	CheckedBy string // "Implementer, 4 May 2026"; "" when nobody did
	Problems  []ui.FieldProblem
	Stale     *ui.StaleEdit
	Cancel    string
	Catalogue string            // where a new one can be started from
	From      string            // the catalogue entry it was started from, "" for none
	FromName  string            // provider and operation of that entry
	Hints     map[string]string // what that entry says under a field
}

func (f OperationForm) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value}.Hinted(f.Hints).With(f.Problems)
}

func (f OperationForm) mechanism() ui.Field {
	field := f.field("mechanism", "Idempotency mechanism", "Whether this call recognises that it was made before.", f.Mechanism)
	field.Options = []ui.Option{{Value: workflow.Documented, Label: "Documented"}, {Value: workflow.NoMechanism, Label: "None"}, {Value: workflow.NotChecked, Label: "Not yet checked"}}
	return field
}

func hours(f ui.Field) ui.Field {
	f.Narrow, f.Optional, f.Type = true, true, "number"
	f.Attrs = map[string]any{"min": "0", "inputmode": "numeric"}
	return f
}

func required(f ui.Field) ui.Field {
	f.Required = true
	return f
}

func optional(f ui.Field) ui.Field {
	f.Optional = true
	return f
}

func long(f ui.Field, max int) ui.Field {
	f.Max = max
	return f
}

// hoursOf says a number of hours in words, "" when it is not known.
func hoursOf(n *int) string {
	if n == nil {
		return ""
	}
	return workflow.HoursWords(*n)
}

// count says "none", "1 operation" or "3 operations".
func count(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
