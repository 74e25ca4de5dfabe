// Package tokens shows administrators the tokens of automations.
package tokens

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/people"
	"countersign/views/ui"
)

// Index is the list of tokens.
type Index struct {
	State, Workflow string // the filter
	Workflows       []ui.Option
	Tokens          []people.Token
	Pager           ui.Pager
	Zone            *time.Location
}

func (p Index) filtered() bool { return p.State+p.Workflow != "" }

var stateOptions = []ui.Option{{Value: "", Label: "Any state"}, {Value: "active", Label: "Active"}, {Value: "orphaned", Label: "Account deactivated"},
	{Value: "expired", Label: "Expired"}, {Value: "revoked", Label: "Revoked"}}

// Form is what was typed about a new token.
type Form struct {
	Submission                                 string
	Name, Workflow, Environment, Expires, Rate string
	Scopes                                     []string
}

// New is the form for a new token.
type New struct {
	Form                    Form
	Workflows, Environments []ui.Option
	Problems                []ui.FieldProblem
}

// Made is a token that was just made: the one time that it is shown.
type Made struct {
	people.Token
	Secret  string
	Base    string // address of this server
	Control string // one of the workflow's, to try the token with; "" when there is none
	Again   bool   // the form was sent before
}

// ScopeOptions say what each scope lets an automation do.
var ScopeOptions = []ui.Option{
	{Value: string(people.ScopeDeliveries), Label: "Deliveries", Hint: "Report notifications that arrived."},
	{Value: string(people.ScopeClaims), Label: "Claims", Hint: "Claim an action, send heartbeats, retry within the gate."},
	{Value: string(people.ScopeOutcomes), Label: "Outcomes", Hint: "Report how an attempt ended."},
	{Value: string(people.ScopeLookups), Label: "Lookups", Hint: "Report what a check of the destination found."},
	{Value: string(people.ScopeReplays), Label: "Replays", Hint: "Ask for a replay and start an approved one. It approves nothing."},
	{Value: string(people.ScopeRead), Label: "Read", Hint: "Read actions, review items and gates."},
}

func scopes(t people.Token) string {
	if len(t.Scopes) == len(people.Scopes) {
		return "All"
	}
	var words []string
	for _, s := range t.Scopes {
		words = append(words, string(s))
	}
	return sentence(strings.Join(words, ", "))
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func rate(t people.Token) string {
	if t.RatePerMinute == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls in a minute", t.RatePerMinute)
}

func state(t people.Token) string { return "token_" + t.State() }

func revokePath(t people.Token) string { return fmt.Sprintf("/admin/tokens/%d/revoke", t.ID) }

// Revoke asks before a token ends.
func Revoke(t people.Token) ui.Asking {
	used := "It was never used."
	if t.LastUsedAt != nil {
		used = "It was last used on " + t.LastUsedAt.UTC().Format("2 January 2006 at 15:04 UTC") + "."
	}
	return ui.Asking{Title: "Revoke “" + t.Name + "”?", Cancel: "/admin/tokens", Button: ui.Btn{Text: "Revoke token", Variant: "destructive"}, Form: ui.FormAt{Action: revokePath(t)},
		Text: used + " Its next call is refused, on every server, and it cannot be brought back. Claims that it holds end with their lease and become unknown; make the automation's new token first."}
}

// curl is a first call that shows whether the token works.
func (m Made) curl() string {
	return "TOKEN=" + m.Secret + "\ncurl -H \"Authorization: Bearer $TOKEN\" \"" + m.Base + "/api/v1/controls/" + m.Control + "/gate?environment=" + m.Environment + "\""
}
