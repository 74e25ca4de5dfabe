// Package session shows the pages that need nobody signed in: sign in, set up
// a new workspace, and choose a password at an invitation.
package session

import "countersign/views/ui"

// LoginProps is the sign-in page.
type LoginProps struct {
	Email    string
	Next     string // where to go afterwards, a path of ours
	Problems []ui.FieldProblem
	Wait     string // why nobody can sign in right now
	Empty    bool   // there are no people yet
}

// SetupProps is the page of a workspace without people.
type SetupProps struct {
	Token       string
	Name, Email string
	Roles       []string
	Options     []ui.Option
	Problems    []ui.FieldProblem
}

// InviteProps is the page at which somebody chooses a password.
type InviteProps struct {
	Token       string
	Name, Email string
	Again       bool // they had a password before
	Problems    []ui.FieldProblem
}

func (p InviteProps) title() string {
	if p.Again {
		return "Choose a new password"
	}
	return "Choose a password, " + p.Name
}
