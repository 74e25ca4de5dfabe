// Package people shows people and their roles to administrators.
package people

import (
	"time"

	"countersign/views/ui"
)

// IndexProps is the list of people.
type IndexProps struct {
	Query, Role, State string
	Roles              []ui.Option
	People             []Row
	Pager              ui.Pager
	Zone               *time.Location
}

// Filtered reports whether the list was narrowed.
func (p IndexProps) Filtered() bool { return p.Query+p.Role+p.State != "" }

// Row is one person in the list.
type Row struct {
	Name, Path, Email string
	Roles             string
	State             string // active, invited or deactivated
	LastIn            time.Time
}

var stateOptions = []ui.Option{
	{Value: "", Label: "Any state"}, {Value: "active", Label: "Active"}, {Value: "invited", Label: "Invited, no password yet"}, {Value: "inactive", Label: "Deactivated"},
}

func roleFilter(roles []ui.Option) []ui.Option {
	return append([]ui.Option{{Value: "", Label: "Any role"}}, roles...)
}

// Form is what was typed about a person.
type Form struct {
	Name, Email, TimeZone string
	Roles                 []string
}

// NewProps is the page to add somebody.
type NewProps struct {
	Form     Form
	Roles    []ui.Option
	Zones    []ui.Option
	Problems []ui.FieldProblem
}

// ShowProps is the page of one person.
type ShowProps struct {
	Path        string
	Name, Email string // as saved
	State       string // active, invited or deactivated
	Version     int64
	Form        Form
	Confirm     string
	Roles       []ui.Option
	Zones       []ui.Option
	Problems    []ui.FieldProblem
	Conflict    *Conflict
	Link        string // a sign-in link that was just made: shown once
	LinkUntil   time.Time
	AddedAt     time.Time
	LastIn      time.Time
	Delegations []Delegation
	Duties      []Duty
	CannotLeave string // why the person cannot be deactivated
	Zone        *time.Location
}

// Conflict says why a form was not saved, and both sides of what differs.
type Conflict struct {
	Text  string
	Pairs []ui.VersionPair
}

// Delegation is one line about who stands in for whom.
type Delegation struct {
	ID    int64
	Text  string // "Reviewer stands in for Business owner"
	Until time.Time
	State string // in_force or ended
	Open  bool   // can be ended
}

// Duty is a workflow that names the person.
type Duty struct{ Name, Path, Roles string }

func (p ShowProps) invited() bool { return p.State == "invited" }

func (p ShowProps) linkTitle() string {
	if p.invited() {
		return "Invitation"
	}
	return "Forgotten password"
}

func (p ShowProps) linkHelp() string {
	if p.invited() {
		return "A new link lets the person choose a password. It works once, for 7 days, and ends earlier links."
	}
	return "A link lets the person choose a new password. It works once, for 7 days. The old password works until then."
}
