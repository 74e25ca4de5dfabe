// Package ledger shows deliveries, actions with their timelines, everything
// about one business record, and review items with their decisions.
package ledger

import (
	"fmt"
	"time"
	"unicode/utf8"

	model "countersign/models/ledger"
	"countersign/views/ui"
)

// Filter is what a list is narrowed to.
type Filter struct {
	Q, State, Workflow, Control, Environment, Day string
	Workflows, Controls, Environments             []ui.Option
	Problems                                      []ui.FieldProblem
}

// Narrow reports whether anything is left out.
func (f Filter) Narrow() bool {
	return f.Q+f.State+f.Workflow+f.Control+f.Environment+f.Day != ""
}

// chosen reports whether a choice besides the search was made.
func (f Filter) chosen() bool { return f.State+f.Workflow+f.Control+f.Environment+f.Day != "" }

// Index is the list of actions, or of deliveries.
type Index struct {
	CSV        string // the address of the same list as CSV
	Deliveries bool   // instead of actions
	Any        bool   // something was ever recorded
	Reviews    int    // open review items
	Tallies    []Tally
	Stopped    []model.Stopped
	AsDelivery string // where the deliveries are that a search for actions meant; "" for none
	Filter     Filter
	Actions    []model.ActionRow
	Arrived    []model.DeliveryRow
	Pager      ui.Pager
	Zone       *time.Location
}

// Tally is one kept counter.
type Tally struct{ Label, N, Note, Href string }

// NewTallies are the counters that are shown, the rest at zero.
func NewTallies(all []model.Tally) (list []Tally) {
	n := map[string]int64{}
	for _, t := range all {
		n[t.Kind] = t.N
	}
	for _, k := range []struct{ kind, label, note, href string }{
		{"repeat", "Repeats refused", "Claims that another claim had won", ""},
		{"unknown", "Unknown outcomes", "Attempts of which nobody knew the result", "/ledger?state=unknown"},
		{"stale", "Older versions kept out", "Claims with an older version", ""},
		{"would_have", "Let through by observe", "Enforce would have refused these", ""},
	} {
		list = append(list, Tally{k.label, fmt.Sprint(n[k.kind]), k.note, k.href})
	}
	return list
}

// short is an identifier in a list; the whole one is on its page.
func short(text string) string {
	const max = 48
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return string([]rune(text)[:max-1]) + "…"
}

// A is an action as people call it.
func A(id int64) string { return fmt.Sprintf("A-%d", id) }

// D is a delivery as people call it.
func D(id int64) string { return fmt.Sprintf("D-%d", id) }

func about(control, record string) string {
	if record == "" {
		return control
	}
	return control + " for " + short(record)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func requestPath(r model.ActionRow) string {
	return model.RequestPath(r.WorkflowSlug, r.EnvSlug, r.Record)
}

// tabs are the lists of the ledger.
func tabs(current string, reviews int) []ui.Tab {
	word := "Review items"
	if reviews >= model.MaxReviews {
		word = fmt.Sprintf("Review items (%d or more)", model.MaxReviews)
	} else if reviews > 0 {
		word = fmt.Sprintf("Review items (%d)", reviews)
	}
	return []ui.Tab{{Text: "Actions", Href: "/ledger", Current: current == "actions"}, {Text: "Deliveries", Href: "/ledger?show=deliveries", Current: current == "deliveries"},
		{Text: word, Href: "/ledger/reviews", Current: current == "reviews"}}
}

var actionStates = []ui.Option{{Label: "Any state"}, {Value: "pending", Label: "Pending"}, {Value: "unknown", Label: "Unknown"}, {Value: "failed", Label: "Failed"}, {Value: "succeeded", Label: "Succeeded"}}

var dispositions = []ui.Option{{Label: "Any disposition"}, {Value: "accepted", Label: "Accepted"}, {Value: "duplicate", Label: "Duplicate"}, {Value: "stale", Label: "Stale"}, {Value: "needs_review", Label: "Needs review"}}
