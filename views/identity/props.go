// Package identity holds the list of identity rules and the identity lab.
package identity

import (
	"fmt"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/views/ui"
)

// Index is the list of rules.
type Index struct {
	Filter     Filter
	Rows       []control.RuleRow
	Next, Prev string // addresses, "" at the ends
	Zone       *time.Location
}

// Filter is what the list was narrowed to.
type Filter struct {
	Q, Kind, State, Workflow string
	Broken                   bool
	Workflows                []ui.Option
}

// Narrow reports whether anything is filtered out.
func (f Filter) Narrow() bool {
	return f.Q != "" || f.Kind != "" || f.State != "" || f.Workflow != "" || f.Broken
}

// Lab is the identity lab under the rules of one control.
type Lab struct {
	Controls    []ui.Option
	Many        bool   // more controls than a select offers: they are searched
	Find        string // what was searched
	Found       []ui.RowItem
	Slug, Name  string
	Typed       Typed
	A, B        Side
	Problems    []models.FieldError
	Verdict     *identity.Verdict
	Rules       []RuleLine
	Pairs       []PairLine
	Archived    []PairLine
	Suggestions []SuggestionLine
	Stored      []ledger.StoredBody // deliveries whose bodies are kept
	WhyNoSave   string              // why the reader may not save pairs; "" when they may
	Saving      bool                // the form to save a pair stands open
	Opened      string              // the name of the saved pair or suggestion that is shown
	Zone        *time.Location
}

// Typed is what stands in the form beside the two inputs.
type Typed struct{ Name, Note, Expected, Submission string }

// Side is one of the two inputs.
type Side struct {
	Key                    string // a or b
	Title, Input           string
	Environment, Account   string
	Environments, Accounts []ui.Option
}

// RuleLine is a rule that the lab applies.
type RuleLine struct {
	Label, Href string
	Version     int // 0: nobody wrote it
	Findings    int
}

// PairLine is a saved pair.
type PairLine struct {
	ID                int64
	Name, Note        string
	Expected, Verdict string
	Broken            bool
	Href              string
	By                string
	At                time.Time
}

// SuggestionLine is a pair that is worth trying.
type SuggestionLine struct {
	Name, Why, Expected, Href string
	Saved                     bool
	Values                    [][2]string // hidden inputs that save it
}

// MadeUp are the places of the lab that are nobody's, for "another".
const (
	OtherEnvironment = "another-environment"
	OtherAccount     = "another-account"
)

// Error is the message at one of the form's inputs.
func (l Lab) Error(name string) string {
	for _, p := range l.Problems {
		if p.Field == name {
			return p.Message
		}
	}
	return ""
}

// NewSide is one side with the places it can be claimed at.
func NewSide(key, input, environment, account string, lab control.Lab) Side {
	s := Side{Key: key, Title: "Input " + map[string]string{"a": "A", "b": "B"}[key], Input: input, Environment: environment, Account: account}
	s.Environments = places(lab.Environments, OtherEnvironment, "Another environment", environment)
	var accounts []control.Ref
	for i, a := range lab.Accounts {
		accounts = append(accounts, control.Ref{Slug: a.Slug, Name: lab.Environments[i].Name + ": " + a.Name})
	}
	s.Accounts = places(accounts, OtherAccount, "Another account", account)
	return s
}

func places(refs []control.Ref, other, words, chosen string) []ui.Option {
	var options []ui.Option
	for _, r := range refs {
		if !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == r.Slug }) {
			options = append(options, ui.Option{Value: r.Slug, Label: r.Name})
		}
	}
	options = append(options, ui.Option{Value: other, Label: words})
	if chosen != "" && !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == chosen }) {
		options = append(options, ui.Option{Value: chosen, Label: chosen})
	}
	return options
}

// Rules are the four rules of the lab's control.
func Rules(lab control.Lab) []RuleLine {
	var lines []RuleLine
	for _, k := range identity.Kinds {
		f := control.RuleField(k)
		line := RuleLine{Label: f.Label, Href: "/controls/" + lab.Slug + "#" + f.Anchor(), Version: lab.Versions[k]}
		for _, found := range lab.Rules.Of(k) {
			if found.Blocks() {
				line.Findings++
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// NewPair is a saved pair as a line.
func NewPair(slug string, p control.Pair) PairLine {
	return PairLine{ID: p.ID, Name: p.Name, Note: p.Note, Expected: p.Expected.Words(), Verdict: p.Verdict.Words(), Broken: p.Broken(),
		Href: fmt.Sprintf("/identity-rules/lab?control=%s&pair=%d", slug, p.ID), By: p.CreatedBy.Name, At: p.CreatedAt}
}

// questions are the four comparisons as the verdict asks them.
var questions = map[identity.Kind]string{identity.TransportEvent: "Same delivery?", identity.BusinessRecord: "Same business record?",
	identity.IntendedEffect: "Same action?", identity.LegitimateRepeat: "Legitimate repeat?"}

// answerTo is what a comparison answers, as a state and a word.
func answerTo(c identity.Comparison) (state, word string) {
	yes, no := identity.Same, identity.Different
	if c.Kind == identity.LegitimateRepeat {
		yes, no = no, yes
	}
	switch c.Outcome {
	case yes:
		return "outcome_same", "Yes"
	case no:
		return "outcome_different", "No"
	case identity.NeedsReview:
		return "needs_review", "Goes to review"
	}
	return "outcome_undefined", "No rule yet"
}

func verdictOptions() []ui.Option {
	options := []ui.Option{{Label: "Choose a verdict"}}
	for _, v := range identity.Verdicts {
		options = append(options, ui.Option{Value: string(v), Label: v.Words()})
	}
	return options
}

func kindOptions() []ui.Option {
	options := []ui.Option{{Label: "Any identity"}}
	for _, k := range identity.Kinds {
		options = append(options, ui.Option{Value: string(k), Label: control.RuleField(k).Label})
	}
	return options
}

func stateOptions() []ui.Option {
	options := []ui.Option{{Label: "Any state"}}
	for _, s := range []string{"unresolved", "flagged", "answered", "not_applicable"} {
		options = append(options, ui.Option{Value: s, Label: ui.StateFor(s).Word})
	}
	return options
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
