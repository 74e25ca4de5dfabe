// Package queue shows what waits for a person, and the page on which one replay
// request is decided.
package queue

import (
	"fmt"
	"time"

	"countersign/models/replay"
	"countersign/views/ui"
)

var kinds = map[replay.Kind]string{
	replay.ConfirmedDuplicate: "Confirmed duplicate", replay.PossibleDuplicate: "Possible duplicate", replay.Replay: "Replay request",
	replay.UnknownOutcome: "Unknown outcome", replay.ReviewItem: "Review item", replay.StalledOwner: "Stalled owner",
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
	case hours > 0 && minutes%60 == 0:
		return fmt.Sprintf("%d h", hours)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	default:
		return fmt.Sprintf("%d min", minutes)
	}
}

func requestState(s replay.State) ui.State { return ui.StateFor("request_" + string(s)) }

// Show is the page of one request, with the form as it was sent when it was refused.
type Show struct {
	replay.Page
	List         List   // beside it
	Decision     string // as sent
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
