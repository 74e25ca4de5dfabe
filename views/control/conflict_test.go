package control

import (
	"strings"
	"testing"

	"countersign/models/control"
)

func TestMerged(t *testing.T) {
	base := "One visit in the calendar for the request."
	for name, c := range map[string]struct{ base, saved, yours, want string }{
		"both added":        {base, "One confirmed visit in the calendar for the request.", "One visit in the calendar for the request, at the agreed time.", "One confirmed visit in the calendar for the request, at the agreed time."},
		"only theirs":       {base, "Another text.", base, "Another text."},
		"the same":          {base, base, base, base},
		"nothing in common": {"a", "Something else entirely", "Mine alone, and long enough to matter", ""},
		"from nothing":      {"", "Theirs", "Mine", "Theirs\n\nMine"},
	} {
		got := merged(c.base, c.saved, c.yours)
		if c.want != "" && got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if c.want == "" && !strings.Contains(got, c.yours) {
			t.Errorf("%s: %q lost what was typed", name, got)
		}
	}
}

func TestInputOfReadsWhatIsStored(t *testing.T) {
	for data, want := range map[string]control.Input{
		`{"person":7}`:                   {Person: 7},
		`{"mode":"observe"}`:             {Mode: "observe"},
		`{"number":0}`:                   {Number: "0"},
		`{"hours":24,"basis":"Manual"}`:  {Number: "24", Basis: "Manual"},
		`{"days":90,"basis":"Decision"}`: {Number: "90", Basis: "Decision"},
		`{"date":"2150-05-31"}`:          {Date: "2150-05-31"},
		`{"sender":"web-form"}`:          {Sender: "web-form"},
		`[1]`:                            {},
	} {
		got := inputOf(control.Answer{Data: []byte(data)})
		if got.Person != want.Person || got.Mode != want.Mode || got.Number != want.Number || got.Basis != want.Basis || got.Date != want.Date || got.Sender != want.Sender {
			t.Errorf("%s gives %+v", data, got)
		}
	}
	got := inputOf(control.Answer{Data: []byte(`{"operations":{"sandbox":3}}`)})
	if got.Operations["sandbox"] != 3 {
		t.Errorf("operations are %v", got.Operations)
	}
}
