package signoff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"countersign/models/control"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"same", "same", "=same"},
		{"", "new", "+new"},
		{"old", "", "-old"},
		{"12 hours, from a mail", "24 hours, from a mail", "-12 +24 = hours, from a mail"},
		{"request ID", "request ID, approved version", "=request ID +, approved version"},
		{"One task.", "One confirmed task.", "=One  +confirmed  =task."},
		{"a red house here", "a blue ship here", "=a  -red house +blue ship = here"},
		{"Tag für Tag", "Tag für Nacht", "=Tag für  -Tag +Nacht"},
		{"cats", "cat", "-cats +cat"},
	} {
		var got []string
		for _, p := range Words(c.before, c.after) {
			got = append(got, map[Op]string{Equal: "=", Insert: "+", Delete: "-"}[p.Op]+p.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, s, c.want)
		}
	}
}

// Whatever the texts are, the parts put together are the texts.
func TestWordsLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "word", " ", "\n", ".", ",", "é", "日", "👍", "  ", "12"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 2000 {
		before, after := text(), text()
		var was, is strings.Builder
		for _, p := range Words(before, after) {
			if p.Text == "" {
				t.Fatalf("%q to %q: an empty part", before, after)
			}
			if p.Op != Insert {
				was.WriteString(p.Text)
			}
			if p.Op != Delete {
				is.WriteString(p.Text)
			}
		}
		if was.String() != before || is.String() != after {
			t.Fatalf("%q to %q: %q, %q", before, after, was.String(), is.String())
		}
	}
}

// More different words than there are runes below the surrogates.
func TestWordsOfAVeryLongText(t *testing.T) {
	var b strings.Builder
	for i := range 56000 {
		fmt.Fprintf(&b, "w%d,", i)
	}
	before := b.String()
	parts := Words(before, before+"end")
	if len(parts) != 2 || parts[0].Text != before || parts[1] != (Part{Insert, "end"}) {
		t.Errorf("%d parts", len(parts))
	}
	for _, i := range []int{0, 1, 0xd7fe, 0xd7ff, 0xd800, 0xe000, 60000} {
		if r := tokenRune(i); tokenIndex(r) != i || (r >= 0xd800 && r < 0xe000) {
			t.Errorf("token %d is rune %x", i, r)
		}
	}
}

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
