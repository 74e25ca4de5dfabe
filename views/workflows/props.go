// Package workflows shows workflows, their senders and the stop switch.
package workflows

import (
	"countersign/models/workflow"
	"countersign/views/ui"
	"fmt"
	"time"
)

// Index is the list of workflows.
type Index struct {
	Rows     []Row
	Q        string
	Archived string // "yes" shows the archived ones
	Pager    ui.Pager
	WhyNoNew string // "" when this person may create one
}

func (p Index) narrow() bool { return p.Q != "" || p.Archived != "" }

// Row is one workflow of the list.
type Row struct {
	Name, Path, Owner string
	State             string // running, stopped or archived
	StoppedBy         string
	StoppedAt         time.Time
	ReviewDate        time.Time
	ReviewPassed      bool
	Controls          string // "3, 1 approved"
	Zone              *time.Location
}

// Show is the page of one workflow.
type Show struct {
	workflow.Details
	State        string
	Warning      string // one person in two roles
	ReviewPassed bool
	Zone         *time.Location
	WhyNoEdit    string
	WhyNoStop    string
	WhyNoLift    string
	WhyNoControl string
	// Senders and controls as lines.
	SenderRows  []SenderRow
	ControlRows []ControlRow
}

// SenderRow is a sender in one line.
type SenderRow struct {
	Name, Path, Text string
	Checked          bool
	Archived         bool
}

// ControlRow is a control in one line.
type ControlRow struct{ Name, Path, Text, State, Word string }

func (s Show) path(rest string) string { return workflow.Path(s.Slug) + rest }

// Fields are the answers of the workflow form as typed.
type Fields struct {
	Slug          string
	Name          string
	Description   string
	BusinessOwner string
	Implementer   string
	Reviewer      string
	ReviewDate    string
	IncidentPlan  string
	HelpContact   string
	VersionOrder  string
	Policy        string
	PayloadDays   string
}

// Form edits or creates a workflow.
type Form struct {
	Fields
	New                            bool
	At                             ui.FormAt
	Base                           string // what the person started from
	Problems                       []ui.FieldProblem
	Warning                        string
	Stale                          *ui.StaleEdit
	Cancel                         string
	Owners, Implementers, Checkers []ui.Option
	Policies                       []ui.Option
}

func (f Form) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value}.With(f.Problems)
}

func (f Form) choice(name, label, help, value string, options []ui.Option) ui.Field {
	field := f.field(name, label, help, value)
	field.Options = append([]ui.Option{{Value: "", Label: "Choose a person"}}, options...)
	field.Required = true
	return field
}

func (f Form) policy() ui.Field {
	field := f.field("escalation_policy", "Escalation policy", "Who decides whether one of its actions is tried again. An admin writes it. Without one nobody can be asked.", f.Fields.Policy)
	field.Options = f.Policies
	return field
}

func (f Form) payloads() ui.Field {
	return optional(number(f.field("payload_days", "Days that payloads are kept", "Left empty, only a digest of each delivery is kept, which tells a repeat from another body. With a number, everybody who can sign in "+
		"reads what arrived, on the page of its review, for so many days; then it is removed. Payloads often hold personal data. A change counts for what arrives from then on.", f.PayloadDays)))
}

func orderOptions() (options []ui.Option) {
	for _, o := range workflow.VersionOrders {
		options = append(options, ui.Option{Value: o, Label: workflow.VersionOrderWords(o)})
	}
	return options
}

// Stop asks for the reason of a stop, or of lifting it.
type Stop struct {
	Name, Path string
	Record     *workflow.StopRecord // the stop in force, when lifting
	Reason     string
	Problems   []ui.FieldProblem
	Submission string
	WhyNot     string
	Zone       *time.Location
}

// SenderFields are the answers of the sender form as typed.
type SenderFields struct {
	Slug               string
	Name               string
	EventIDField       string
	Duplicates         string
	Ordering           string
	RetrySchedule      string
	RetryHorizonHours  string
	ResendHorizonHours string
	Signature          string
	VersionField       string
	ChangingFields     string
	DocURL             string
	DocumentedAt       string
	Notes              string
}

// SenderForm edits or creates a sender.
type SenderForm struct {
	SenderFields
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
	Hints     map[string]string // what that entry says under a field
}

func (f SenderForm) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value}.Hinted(f.Hints).With(f.Problems)
}

func (f SenderForm) choice(name, label, help, value string, options ...ui.Option) ui.Field {
	field := f.field(name, label, help, value)
	field.Options = options
	return field
}

// Sender is the page of one sender.
type Sender struct {
	workflow.SenderDetails
	WhyNoEdit string
	Zone      *time.Location
}

func (s Sender) path(rest string) string {
	return workflow.SenderPath(s.SenderDetails.Workflow.Slug, s.SenderDetails.Sender.Slug) + rest
}

// hoursOr says a number of hours in words, "" when it is not known.
func hoursOr(n *int) string {
	if n == nil {
		return ""
	}
	return workflow.HoursWords(*n)
}

func number(f ui.Field) ui.Field {
	f.Narrow, f.Type = true, "number"
	f.Attrs = map[string]any{"min": "0", "inputmode": "numeric"}
	return f
}

func optional(f ui.Field) ui.Field {
	f.Optional = true
	return f
}

func required(f ui.Field) ui.Field {
	f.Required = true
	return f
}

func long(f ui.Field, max int) ui.Field {
	f.Max, f.Optional = max, true
	return f
}

func web(f ui.Field) ui.Field {
	f.Type, f.Optional = "url", true
	return f
}

// payloadWords says for how long payloads are kept.
func payloadWords(days *int) string {
	switch {
	case days == nil:
		return "Not kept, only digests"
	case *days == 1:
		return "Kept for 1 day"
	}
	return fmt.Sprintf("Kept for %d days", *days)
}
