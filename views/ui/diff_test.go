package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiffWords(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"same text", "same text", "same text"},
		{"", "new", "[+new]"},
		{"old", "", "[-old]"},
		{"12 hours, from a support e-mail", "24 hours, CRM API reference", "[-12][+24] hours, [-from a support e-mail][+CRM API reference]"},
		{"environment, account", "environment, account, version", "environment, account[+, version]"},
		{"a task", "a tasks", "a [-task][+tasks]"},
		{"Größe 日本", "Größe 日本 🙂", "Größe 日本[+ 🙂]"},
	} {
		var got strings.Builder
		for _, p := range DiffWords(c.old, c.new) {
			switch p.Op {
			case "ins":
				fmt.Fprintf(&got, "[+%s]", p.Text)
			case "del":
				fmt.Fprintf(&got, "[-%s]", p.Text)
			default:
				got.WriteString(p.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, got.String(), c.want)
		}
	}
}

// Whatever the texts, the parts must add up to both of them.
func TestDiffWordsLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "task", " ", "  ", "\n", ",", ".", "ü", "日", "🙂", "-", "1", "\t", "e\u0301"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 2000 {
		old, new := text(), text()
		adds(t, old, new)
	}
	// more different words than there are runes below the surrogates
	var a, b strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&a, "w%d ", i)
	}
	fmt.Fprintf(&b, "%s and more", a.String())
	adds(t, a.String(), b.String())
}

func adds(t *testing.T, old, new string) {
	t.Helper()
	var was, now strings.Builder
	for _, p := range DiffWords(old, new) {
		if p.Op != "ins" {
			was.WriteString(p.Text)
		}
		if p.Op != "del" {
			now.WriteString(p.Text)
		}
	}
	if was.String() != old || now.String() != new {
		t.Fatalf("parts of %.60q and %.60q do not add up", old, new)
	}
}

func TestDiffKeepsSpaces(t *testing.T) {
	doc := render(t, Diff([]DiffPart{{"", "one "}, {"del", "two"}, {"ins", "three"}, {"", ", four"}}))
	if got := doc.Find("body").Text(); got != "one twothree, four" {
		t.Errorf("rendered %q", got)
	}
	if doc.Find("ins").Text() != "three" || doc.Find("del").Text() != "two" {
		t.Error("wrong marks")
	}
}
