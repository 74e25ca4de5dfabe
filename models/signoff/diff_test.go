package signoff

import (
	"strings"
	"testing"

	"countersign/models/control"
)

func TestDiff(t *testing.T) {
	before := control.Content{Answers: []control.ContentAnswer{
		{Field: "exact_effect", State: control.Answered, Value: "One task."},
		{Field: "late_update", State: control.NotApplicable, Reason: "None."},
		{Field: "mode", State: control.Answered, Value: "Enforce"},
		{Field: "gone", State: control.Answered, Value: "Old."},
	}, Operations: []control.ContentOperation{{Environment: "sandbox", Behaviour: control.Behaviour{Mechanism: "none"}}}}
	after := control.Content{Answers: []control.ContentAnswer{
		{Field: "exact_effect", State: control.Answered, Value: "One task.", AnsweredAt: "later"},
		{Field: "late_update", State: control.Answered, Value: "Compared by version."},
		{Field: "mode", State: control.Answered, Value: "Observe", Reason: "Trial."},
	}, Operations: []control.ContentOperation{{Environment: "sandbox", Behaviour: control.Behaviour{Mechanism: "documented"}}},
		Accounts: []control.ContentAccount{{Environment: "production", EnvironmentName: "Production"}}}
	d := Diff(before, after)
	var got []string
	for _, c := range d.Changes {
		got = append(got, c.Field+" "+c.Kind)
		if c.Label == "" || len(c.Parts) == 0 {
			t.Errorf("%+v", c)
		}
	}
	want := "late_update changed, mode changed, account.production added, operation.sandbox changed, gone removed"
	if s := strings.Join(got, ", "); s != want || d.Total != 7 {
		t.Errorf("%d: %s, want %s", d.Total, s, want)
	}
	if d := Diff(after, after); len(d.Changes) != 0 {
		t.Errorf("%+v", d)
	}
}
