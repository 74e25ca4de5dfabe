// Package queue shows what waits for a person, and the page on which one replay
// request is decided.
package queue

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/ledger"
	"countersign/models/replay"
	"countersign/views/ui"
)

// Index is one view of the queue.
type Index struct {
	View  replay.View
	Kind  replay.Kind
	Rows  []replay.Item
	Pager ui.Pager
	Now   time.Time
	Zone  *time.Location
}

func (p Index) tabs() []ui.Tab {
	tab := func(v replay.View, text string) ui.Tab {
		return ui.Tab{Text: text, Href: "/queue?view=" + string(v), Current: p.View == v}
	}
	return []ui.Tab{tab(replay.Waiting, "Waiting on you"), tab(replay.All, "All open"), tab(replay.Closed, "Decided")}
}

var kinds = map[replay.Kind]string{
	replay.ConfirmedDuplicate: "Confirmed duplicate", replay.PossibleDuplicate: "Possible duplicate", replay.Replay: "Replay request",
	replay.UnknownOutcome: "Unknown outcome", replay.ReviewItem: "Review item", replay.StalledOwner: "Stalled owner",
}

func kindOptions() []ui.Option {
	options := []ui.Option{{Label: "Any kind"}}
	for _, k := range replay.Kinds {
		options = append(options, ui.Option{Value: string(k), Label: kinds[k]})
	}
	return options
}

// left says how long is left until due, or how long it is over.
func left(due *time.Time, now time.Time) string {
	if due == nil {
		return ""
	}
	d := due.Sub(now).Round(time.Minute)
	if d < 0 {
		return span(-d) + " over"
	}
	return span(d) + " left"
}

func span(d time.Duration) string {
	switch hours, minutes := int(d.Hours()), int(d.Minutes()); {
	case hours >= 48:
		return fmt.Sprintf("%d days", hours/24)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	default:
		return fmt.Sprintf("%d min", minutes)
	}
}

func itemState(i replay.Item) ui.State {
	if i.Kind == replay.Replay {
		return requestState(replay.State(i.State))
	}
	if i.Outcome != "" {
		return ui.StateFor(string(i.Outcome))
	}
	return ui.StateFor("unknown").Called(kinds[i.Kind])
}

func requestState(s replay.State) ui.State { return ui.StateFor("request_" + string(s)) }

// Show is the page of one request, with the form as it was sent when it was refused.
type Show struct {
	replay.Page
	Note         string
	Acknowledged []string
	Submission   string
	Problems     []ui.FieldProblem
	Refused      string // why the decision was not recorded
	ClaimToken   string // of an attempt that was just started by hand; shown once
	Zone         *time.Location
}

func (p Show) ticked(key string) bool {
	for _, k := range p.Acknowledged {
		if k == key {
			return true
		}
	}
	return false
}

func (p Show) checks() (list []ui.CheckItem) {
	for _, c := range p.Conditions {
		item := ui.CheckItem{Tone: "ok", Text: c.Words, Href: c.Path}
		switch c.Holds {
		case replay.Stops:
			item.Tone, item.Strong, item.Text = "bad", c.Words, c.Instead
		case replay.Acknowledge:
			item.Tone, item.Strong, item.Text = "warn", c.Words, "The approver acknowledges this."
		}
		list = append(list, item)
	}
	return list
}

// note says in one line what the conditions come to.
func (p Show) note() string {
	stops, ticks := 0, 0
	for _, c := range p.Conditions {
		switch c.Holds {
		case replay.Stops:
			stops++
		case replay.Acknowledge:
			ticks++
		}
	}
	switch {
	case stops > 0:
		return fmt.Sprintf("%d of %d forbid an approval now", stops, len(p.Conditions))
	case ticks > 0:
		return fmt.Sprintf("None forbids it, %d to acknowledge", ticks)
	}
	return "None forbids it"
}

// whyNotApprove is why the button is disabled; "" when it is not.
func (p Show) whyNotApprove() string {
	for _, c := range p.Conditions {
		if c.Holds == replay.Stops {
			return c.Words
		}
	}
	return ""
}

func (p Show) acknowledgements() (list []replay.Condition) {
	for _, c := range p.Conditions {
		if c.Holds == replay.Acknowledge {
			list = append(list, c)
		}
	}
	return list
}

// decides reports whether this person can decide it now.
func (p Show) decides() bool { return p.May[replay.Reject] == nil }

// whyNot says why this person cannot decide it.
func (p Show) whyNot() string {
	if err := p.May[replay.Reject]; err != nil {
		return err.Error()
	}
	return ""
}

func (p Show) asker() string {
	who := p.AskedByName
	if p.AskedForName != "" {
		who += " for " + p.AskedForName
	}
	if p.TokenName != "" {
		who = "the automation " + p.TokenName + ", made by " + p.AskedByName
	}
	return who
}

func (p Show) key() (parts []ui.KeyPart) {
	for _, part := range p.Key() {
		parts = append(parts, ui.KeyPart{Name: part.Name, Value: part.Value})
	}
	return parts
}

func (p Show) outcome() ui.State { return ui.StateFor(string(p.Facts.State)) }

func people(r replay.Rung) string {
	var names []string
	for _, person := range r.People {
		name := person.Name
		if !person.Able() {
			name += " (skipped: " + strings.ToLower(person.WhyNot()[:1]) + strings.TrimSuffix(person.WhyNot()[1:], ".") + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func rungNote(r replay.Rung) string {
	switch {
	case r.Over:
		return "Its time has passed. Its people may still decide."
	case r.Reached:
		return "Asked now."
	}
	return fmt.Sprintf("Asked when nobody before answers, then has %s.", span(time.Duration(r.RespondMinutes)*time.Minute))
}

var entryWords = map[string]string{"asked": "Asked", "told": "Level told", "decision": "Decided", "refused": "Refused", "saw": "Seen", "started": "Attempt started", "ended": "Ended"}

func entryTitle(e replay.Entry) string {
	title := entryWords[e.Kind]
	switch e.Kind {
	case "decision", "refused", "ended":
		title += ": " + strings.ReplaceAll(e.What, "_", " ")
	case "told":
		title = "Level " + e.What + " told"
	}
	if e.Who != "" {
		title += ", " + e.Who
	}
	if e.For != "" {
		title += " for " + e.For
	}
	return title
}

func entryText(e replay.Entry) string {
	return strings.Join(append([]string{e.Words}, e.Ticks...), "\n")
}

func lookupTitle(l replay.Looked) string {
	switch l.Result {
	case "found":
		return "Found: " + l.ResultIds
	case "not_found":
		return "Not found"
	}
	return "Inconclusive: neither proves nor rules out the effect"
}

func lookupText(l replay.Looked) string {
	text := l.Method
	if l.Detail != "" {
		text += ". " + l.Detail
	}
	if !l.Counts {
		text = strings.TrimSuffix(text, ".") + ". It began before the last attempt ended, so it does not count."
	}
	return text
}

func action(id int64) string { return ledger.ActionPath(id) }
