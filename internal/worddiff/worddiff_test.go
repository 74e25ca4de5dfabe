package worddiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
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
		{"12 hours, from a support e-mail", "24 hours, CRM API reference", "-12 +24 = hours,  -from a support e-mail +CRM API reference"},
		{"Tag für Tag", "Tag für Nacht", "=Tag für  -Tag +Nacht"},
		{"cats", "cat", "-cats +cat"},
	} {
		var got []string
		for _, p := range Words(c.before, c.after) {
			got = append(got, map[string]string{Equal: "=", Insert: "+", Delete: "-"}[p.Op]+p.Text)
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
