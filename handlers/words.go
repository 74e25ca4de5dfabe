package handlers

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/signoff"
	"countersign/views/ui"
)

// gateWord is the gate as a person reads it, with the number of automatic retries.
func gateWord(g signoff.Gate) string {
	if g.State == signoff.GateAutomatic {
		return fmt.Sprintf("Automatic up to %d", g.N)
	}
	return ui.StateFor(string(g.State)).Word
}

// lower is a word as it stands inside a sentence.
func lower(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// checkedBy says who read a documentation and when, "" when nobody did.
func checkedBy(name string, on *time.Time) string {
	if on == nil {
		return ""
	}
	return name + ", " + ui.DateWords(*on)
}
