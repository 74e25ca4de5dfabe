// Package inbox shows a person what they were told.
package inbox

import (
	"fmt"
	"time"

	"countersign/views/ui"
)

// Props is the inbox page.
type Props struct {
	All     bool // read ones too
	Notices []Notice
	Newest  int64 // id of the newest notice shown on the first page; 0 elsewhere and when all are read
	Pager   ui.Pager
	Zone    *time.Location
}

// Notice is one line.
type Notice struct {
	ID            int64
	Event         string // such as signature.wanted
	EventName     string
	Title         string
	Text          string
	StandingInFor string
	Path          string
	At            time.Time
	Read          bool
}

func (n Notice) action(verb string) string { return fmt.Sprintf("/inbox/%d/%s", n.ID, verb) }

// about is the line under the title.
func (n Notice) about() string {
	text := n.EventName + "."
	if n.StandingInFor != "" {
		text += " You stand in for " + n.StandingInFor + "."
	}
	if n.Text != "" {
		text += " " + n.Text
	}
	return text
}

// icons of events; what is not here has a bell.
var icons = map[string]string{
	"signature.wanted": "signature", "revision.decided": "badge-check", "expectation.wanted": "message-circle-question-mark", "run.recorded": "eye",
	"replay.requested": "repeat", "replay.escalated": "hourglass", "replay.decided": "check-check", "replay.lapsed": "timer-off",
	"action.unknown": "circle-question-mark", "action.stalled": "timer", "action.duplicate": "copy", "review_date.near": "calendar-clock", "evidence.expiring": "paperclip",
	"discrepancy.opened": "triangle-alert", "workflow.stopped": "octagon-pause", "workflow.stop_lifted": "play",
}

func (n Notice) icon() string {
	if i := icons[n.Event]; i != "" {
		return i
	}
	return "bell"
}
