package home

import (
	"fmt"

	"countersign/models/home"
	"countersign/views/ui"
)

var icons = map[string]string{"sign": "signature", "confirm": "check", "question": "message-circle-question-mark", "rework": "undo-2",
	"finish": "pencil-line", "submit": "send", "reach": "globe", "review_date": "calendar-clock", "stopped": "octagon-pause", "replace": "users",
	"propose": "pencil-line", "expectation": "list-checks", "run": "clipboard-check", "record": "flask-conical", "returned": "undo-2", "discrepancy": "triangle-alert", "waiver": "signature",
	"prove": "flask-conical", "renew": "calendar-clock", "upload": "lock", "queue": "list-checks"}

func tone(n home.Need) string {
	if n.Urgent {
		return "ink"
	}
	return ""
}

// variant makes only the first button the page's primary one.
func variant(first bool) string {
	if first {
		return ""
	}
	return "outline"
}

func headline(p Props) string {
	switch n := len(p.Needs); {
	case n == 0 && len(p.Guide) > 0:
		return "No decision or answer waits for you. The first steps of this workspace are not all done yet."
	case n == 0:
		return "No decision or answer waits for you."
	case n == 1:
		return "1 decision or answer waits for you."
	default:
		return fmt.Sprintf("%d decisions and answers wait for you.", n)
	}
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func running(w home.Card) string {
	if w.Stopped {
		return "stopped"
	}
	return "running"
}

func approvedOf(w home.Card) string {
	switch {
	case w.Controls == 0:
		return "No control yet"
	case w.Controls == home.CardControls:
		return fmt.Sprintf("%d or more controls", w.Controls)
	}
	return fmt.Sprintf("%d of %s approved", w.Approved, count(w.Controls, "control"))
}

func reviewBy(w home.Card) string {
	if w.ReviewDate == nil {
		return "No review date"
	}
	return "Review by " + ui.DateWords(*w.ReviewDate)
}
