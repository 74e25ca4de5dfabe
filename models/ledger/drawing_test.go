package ledger

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const drawingFile = "../../docs/ledger.md"

// The drawings in the documentation are made from the transition tables. After a
// change of a table: UPDATE=1 go test ./models/ledger -run Drawn
func TestTransitionsAreDrawnAsTheyAre(t *testing.T) {
	raw, err := os.ReadFile(drawingFile)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for name, drawing := range map[string]string{"actions": drawActions(), "events": tableOfEvents(), "reviews": drawReviews(), "authorizations": drawAuthorizations()} {
		start, end := fmt.Sprintf("<!-- drawn: %s -->\n", name), "<!-- end -->"
		before, rest, ok := strings.Cut(doc, start)
		old, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for %s", drawingFile, name)
		}
		if old != drawing && os.Getenv("UPDATE") == "" {
			t.Errorf("%s: the drawing of %s is not the table", drawingFile, name)
		}
		doc = before + start + drawing + end + after
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(drawingFile, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func drawActions() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n  [*] --> pending: claim\n")
	for _, from := range States {
		for _, to := range States {
			var events []string
			for _, e := range Events {
				if next, ok := from.Next(e); ok && next == to && from != to {
					events = append(events, string(e))
				}
			}
			if len(events) > 0 {
				fmt.Fprintf(&b, "  %s --> %s: %s\n", from, to, strings.Join(events, ", "))
			}
		}
	}
	b.WriteString("  succeeded --> [*]\n```\n")
	return b.String()
}

func tableOfEvents() string {
	var b strings.Builder
	b.WriteString("| what happens |")
	for _, s := range States {
		fmt.Fprintf(&b, " %s |", s)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(States)) + "\n")
	for _, e := range Events {
		fmt.Fprintf(&b, "| %s |", e)
		for _, s := range States {
			next, ok := s.Next(e)
			word := string(next)
			if !ok {
				word = "-"
			} else if next == s {
				word = "stays"
			}
			fmt.Fprintf(&b, " %s |", word)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func drawReviews() string {
	var lines []string
	for from, to := range reviewTransitions {
		for decision, next := range to {
			lines = append(lines, fmt.Sprintf("  %s --> %s: %s", from, next, decision))
		}
	}
	slices.Sort(lines)
	return "```mermaid\nstateDiagram-v2\n  [*] --> open\n" + strings.Join(lines, "\n") + "\n```\n"
}

func drawAuthorizations() string {
	return "```mermaid\nstateDiagram-v2\n  [*] --> open: approval\n" +
		"  open --> used: start\n  open --> lapsed: its time is over\n  open --> overtaken: the action succeeded\n  open --> withdrawn: the request was withdrawn\n```\n"
}
