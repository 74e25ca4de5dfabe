// Package mail shows administrators how e-mail leaves and what became of it.
package mail

import (
	"time"

	"countersign/views/ui"
)

// Props is the page about e-mail.
type Props struct {
	On          bool // there is a mail server
	Server, TLS string
	From, User  string
	To          string // where a test message goes
	State       string // the filter
	Mails       []Mail
	Pager       ui.Pager
	Zone        *time.Location
}

// Mail is one e-mail.
type Mail struct {
	ID       int64
	About    string
	Person   string
	State    string // waiting, sent, failed or skipped
	Attempts string
	Problem  string
	At       time.Time
	Again    bool // it can be sent again
}

func (p Props) tabs() (tabs []ui.Tab) {
	for _, t := range []ui.Tab{{Text: "All"}, {Text: "Waiting", Href: "waiting"}, {Text: "Sent", Href: "sent"}, {Text: "Failed", Href: "failed"}, {Text: "Skipped", Href: "skipped"}} {
		t.Current = t.Href == p.State
		if t.Href != "" {
			t.Href = "?state=" + t.Href
		}
		t.Href = "/admin/mail" + t.Href
		tabs = append(tabs, t)
	}
	return tabs
}

func (p Props) whyNoTest() string {
	if !p.On {
		return "No mail server is set."
	}
	return ""
}

// problem is the line under a message that did not leave at once.
func (m Mail) problem() string {
	if m.Attempts == "" {
		return m.Problem
	}
	return m.Attempts + ". " + m.Problem
}
