// Package webhooks shows administrators the addresses of other systems that are
// told events.
package webhooks

import (
	"fmt"
	"time"

	"countersign/views/ui"
)

// IndexProps is the list of webhooks.
type IndexProps struct {
	Webhooks []Webhook
	Pager    ui.Pager
	Zone     *time.Location
}

// Webhook is one as its page shows it.
type Webhook struct {
	ID            int64
	Path          string
	Name, URL     string
	Events        []string // in words; none: every event
	Disabled      bool
	DisabledAt    time.Time
	PreviousUntil time.Time // the secret before the current one signs too until then; zero: it does not
	CreatedBy     string
	CreatedAt     time.Time
	Version       int64
}

func (w Webhook) state() string {
	if w.Disabled {
		return "disabled"
	}
	return "enabled"
}

// events is one line about what is sent.
func (w Webhook) events() string {
	switch len(w.Events) {
	case 0:
		return "Every event"
	case 1:
		return w.Events[0]
	}
	return fmt.Sprintf("%d kinds of event", len(w.Events))
}

// FormProps is the page that adds or edits one.
type FormProps struct {
	Action, Cancel string
	Submission     string
	Version        int64 // 0: a new one
	Name, URL      string
	Events         []string
	Options        []ui.Option
	Private        bool // http and private addresses are allowed
	Problems       []ui.FieldProblem
	Conflict       string
	Pairs          []ui.VersionPair
}

func (p FormProps) title() string {
	if p.Version == 0 {
		return "Which system should be told?"
	}
	return "Change where and what is told"
}

func (p FormProps) button() string {
	if p.Version == 0 {
		return "Add webhook"
	}
	return "Save webhook"
}

func (p FormProps) addressHelp() string {
	if p.Private {
		return "http and private addresses are allowed by WEBHOOK_PRIVATE."
	}
	return "It starts with https:// and leads to the public internet; WEBHOOK_PRIVATE allows more."
}

// ShowProps is the page of one webhook.
type ShowProps struct {
	Webhook
	Secret     string // shown once, after it was made
	State      string // the filter
	Deliveries []Delivery
	Pager      ui.Pager
	Problems   []ui.FieldProblem
	Zone       *time.Location
}

// Delivery is one line of the log.
type Delivery struct {
	ID        int64
	MessageID string
	Event     string
	Title     string
	State     string // waiting, delivered, failed or held
	Answer    string // "500, 2 attempts"
	Problem   string
	Reply     string
	TriedAt   time.Time
}

func (d Delivery) state() string { return "delivery_" + d.State }

func (p ShowProps) tabs() (tabs []ui.Tab) {
	for _, t := range []ui.Tab{{Text: "All", Href: ""}, {Text: "Waiting", Href: "waiting"}, {Text: "Delivered", Href: "delivered"}, {Text: "Failed", Href: "failed"}, {Text: "Held", Href: "held"}} {
		t.Current = t.Href == p.State
		if t.Href != "" {
			t.Href = "?state=" + t.Href
		}
		t.Href = p.Path + t.Href
		tabs = append(tabs, t)
	}
	return tabs
}

func (p ShowProps) whyNoResend() string {
	if p.Disabled {
		return "Enable the webhook first."
	}
	return ""
}
