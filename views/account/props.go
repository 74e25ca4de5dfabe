// Package account shows a person their own account.
package account

import (
	"time"

	"countersign/views/ui"
)

// Props is the account page.
type Props struct {
	Name, Email string
	Roles       string
	LastIn      time.Time
	Version     int64
	TimeZone    string
	Zones       []ui.Option
	Open        *Delegation // who stands in for this person, past its date or not
	StandsFor   []Delegation
	Form        DelegateForm
	Delegates   []ui.Option
	WhyNoName   string    // why this person names no delegate; "" when they may
	Overlaps    []Control // that name the delegate in force too
	MoreOverlap bool      // there are more of them
	FirstDay    string    // of a delegation, year-month-day
	LastDay     string
	Problems    []ui.FieldProblem
	Conflict    string
	Pairs       []ui.VersionPair
	Zone        *time.Location
	Mail        MailChoices
	Sessions    []Session
}

// Session is one browser that is signed in.
type Session struct {
	ID              int64
	Device, Address string
	BeganAt, SeenAt time.Time
	This            bool
}

func (s Session) title() string {
	if s.Device == "" {
		return "Unknown browser"
	}
	return s.Device
}

// DelegateForm is what was typed.
type DelegateForm struct{ Delegate, Until, Reason string }

// Control is one that names both this person and their delegate.
type Control struct{ Name, Path string }

// Delegation is one that has not been ended.
type Delegation struct {
	ID      int64
	Name    string // the other person
	Until   time.Time
	Reason  string
	InForce bool // false: its last day has passed
	Mine    bool // this person is away, the other one stands in
}

func (d Delegation) title() string {
	if d.Mine {
		return d.Name + " stands in for you"
	}
	return "You stand in for " + d.Name
}

func (d Delegation) text() string {
	text := "Through " + ui.DateWords(d.Until) + "."
	if d.Reason != "" {
		text += " " + d.Reason
	}
	return text
}

func (d Delegation) button() string {
	if d.Mine {
		return "End delegation"
	}
	return "Stop standing in"
}

// standing is every delegation in force, this person's own first.
func (p Props) standing() []Delegation {
	if p.Open != nil && p.Open.InForce {
		return append([]Delegation{*p.Open}, p.StandsFor...)
	}
	return p.StandsFor
}

func (p Props) seen() int64 {
	if p.Open == nil {
		return 0
	}
	return p.Open.ID
}

func (p Props) delegateWords() string {
	if p.Open != nil {
		return "Change delegate"
	}
	return "Name delegate"
}
