package handlers

import (
	"fmt"

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
