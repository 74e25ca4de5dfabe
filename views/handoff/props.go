// Package handoff holds the pages that hand a control over: what can be taken
// along, the sheet for printing, copying a control and reading one in.
package handoff

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/handoff"
	"countersign/views/ui"
)

// Show is the page of what can be taken along of one revision.
type Show struct {
	Slug, Name string
	Number     int
	State      string // of the revision
	Revisions  []ui.Tab
	Open       []ui.CheckItem // what is unresolved, not proven or still asked
	Next       []handoff.Approver
	Markdown   string
	WhyNoCopy  string // why the reader may not copy the control; "" when they may
}

// Path is the address of a download of this revision.
func (p Show) Path(name string) string {
	return fmt.Sprintf("/controls/%s/%s?revision=%d", p.Slug, name, p.Number)
}

// NewShow is the page for a record.
func NewShow(r handoff.Record, numbers []int, whyNoCopy string) Show {
	s := r.Sheet()
	p := Show{Slug: s.Slug, Name: s.Name, Number: r.Revision.Number, State: r.Revision.State, Next: r.NextAction, Markdown: r.Markdown(), WhyNoCopy: whyNoCopy}
	for _, n := range numbers {
		p.Revisions = append(p.Revisions, ui.Tab{Text: fmt.Sprintf("Revision %d", n), Href: fmt.Sprintf("/controls/%s/handoff?revision=%d", s.Slug, n), Current: n == p.Number})
	}
	for _, u := range r.Unresolved {
		p.Open = append(p.Open, ui.CheckItem{Tone: "warn", Strong: "Unresolved: " + u.Label + ".", Text: strings.TrimSpace(u.Ask + " " + u.Why)})
	}
	for _, t := range r.Tests {
		if t.Unproven() {
			p.Open = append(p.Open, ui.CheckItem{Tone: "warn", Strong: "Not proven: " + t.Title + ".", Text: t.StateWords()})
		}
	}
	if n := r.Revision.OpenQuestions; n > 0 {
		p.Open = append(p.Open, ui.CheckItem{Tone: "warn", Strong: "Open questions.", Text: fmt.Sprint(n)})
	}
	return p
}

// Sheet is the record as it is printed.
type Sheet struct {
	handoff.Sheet
	Back string // the page it was opened from
}

// Head is what every printed page begins with.
func (s Sheet) Head() string {
	return fmt.Sprintf("%s · revision %d, %s", s.Name, s.Revision.Number, s.StateWords())
}

func when(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.Format("2 January 2006, 15:04") + " UTC"
}

func joined(who []string) string {
	if len(who) == 0 {
		return "Nobody is named"
	}
	return strings.Join(who, "; ")
}

// eights cuts a hash into pieces of eight, so that people can read it to each other.
func eights(hash string) string {
	var pieces []string
	for ; len(hash) > 8; hash = hash[8:] {
		pieces = append(pieces, hash[:8])
	}
	return strings.Join(append(pieces, hash), " ")
}

// Import is the form that a record is read in with.
type Import struct {
	Record   string
	Problems []ui.FieldProblem
}
