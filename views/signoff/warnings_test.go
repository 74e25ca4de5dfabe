package signoff

import (
	"testing"

	"countersign/models/control"
)

func TestWarnings(t *testing.T) {
	mode := func(value string) control.Content {
		return control.Content{Answers: []control.ContentAnswer{{Field: "mode", State: control.Answered, Value: value}}}
	}
	operation := func(mechanism string) control.Content {
		return control.Content{Operations: []control.ContentOperation{{Behaviour: control.Behaviour{Mechanism: mechanism}}}}
	}
	sender := func(checked string) control.Content {
		hours := 48
		return control.Content{Sender: &control.ContentSender{CheckedOn: checked, RetryHorizonHours: &hours}}
	}
	remembered := func(hours int) control.Content {
		c := sender("2026-05-04")
		c.Operations = []control.ContentOperation{{Behaviour: control.Behaviour{Mechanism: "documented", KeyLifetimeHours: &hours}}}
		return c
	}
	claim := func(text string) control.Content {
		return control.Content{Answers: []control.ContentAnswer{{Field: "atomic_claim", State: control.Answered, Value: text}}}
	}
	for name, c := range map[string]struct {
		content control.Content
		want    int
	}{
		"nothing":           {control.Content{}, 0},
		"observe":           {mode("Observe"), 1},
		"enforce":           {mode("Enforce"), 0},
		"operation unknown": {operation("not_checked"), 1},
		"operation known":   {operation("none"), 0},
		"sender unknown":    {sender(""), 1},
		"sender known":      {sender("2026-05-04"), 0},
		"sender silent":     {control.Content{Sender: &control.ContentSender{CheckedOn: "2026-05-04"}}, 1},
		"memory long":       {remembered(48), 0},
		"memory short":      {remembered(47), 1},
		"a claim":           {claim("It is delivered exactly once."), 1},
		"no claim":          {claim("One worker gets through."), 0},
	} {
		if got := len(Warnings(c.content)); got != c.want {
			t.Errorf("%s: %d warnings, want %d", name, got, c.want)
		}
	}
}
