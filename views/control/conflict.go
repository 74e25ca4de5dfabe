package control

import (
	"strings"
	"time"

	"countersign/models/control"
	"countersign/models/identity"
	"countersign/views/ui"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Conflict shows both versions of an answer that two people wrote at once.
type Conflict struct {
	Slug, Name, Field, Label string
	SavedBy                  string
	SavedAt                  time.Time
	SavedVersion             int
	Saved, Yours             []ui.DiffPart
	Parts                    []RulePart // instead, where both wrote a rule
	You                      string
	Base                     string
	BaseVersion              int
	Edit                     Edit
	Zone                     *time.Location
}

// NewConflict is the page for somebody whose answer met a newer one.
func NewConflict(r Reader, d control.Detail, e *control.AnswerConflict) Conflict {
	base, saved, yours := spoken(e.Base), spoken(e.Saved), typed(e.Field, e.Yours, r.Options)
	if e.Base.Version == 0 {
		base = ""
	}
	in := e.Yours
	switch e.Field.Kind {
	case control.Text, control.Sentence:
		if in.State == control.Answered && e.Saved.State != control.NotApplicable {
			in.Text = merged(e.Base.Value, e.Saved.Value, in.Text)
		}
	}
	var parts []RulePart
	if rule, ok := e.Saved.Rule(); ok && e.Saved.State != control.NotApplicable && in.State != control.NotApplicable {
		var start *identity.Rule
		if b, ok := e.Base.Rule(); ok {
			start = &b
		}
		parts = compareRules(start, rule, in.Rule, byName(e.Saved.By, e.Saved.For))
	}
	return Conflict{Parts: parts, Slug: d.Slug, Name: d.Name, Field: e.Field.Key, Label: e.Field.Label, SavedBy: byName(e.Saved.By, e.Saved.For), SavedAt: e.Saved.At,
		SavedVersion: e.Saved.Version, Saved: added(base, saved), Yours: added(base, yours), You: r.Actor.Name, Base: base, BaseVersion: e.Base.Version,
		Edit: editFor(e.Field, in, r.Options), Zone: r.Zone}
}

// spoken is an answer as one text, whatever its state.
func spoken(a control.Answer) string {
	switch a.State {
	case control.NotApplicable:
		return "Not applicable: " + a.Reason
	case control.Unresolved:
		if a.Value == "" {
			return "Unresolved"
		}
	}
	return a.Value
}

// typed is what a person typed as one text, with names instead of ids.
func typed(f control.Field, in control.Input, o control.Options) string {
	switch {
	case in.State == control.NotApplicable:
		return "Not applicable: " + in.Reason
	case in.State == control.Unresolved:
		return "Unresolved"
	}
	e := editFor(f, in, o)
	var lines []string
	switch f.Kind {
	case control.Person, control.Sender, control.Policy:
		return labelOf(e.Options, e.Person)
	case control.Environments:
		for _, slug := range in.Environments {
			lines = append(lines, labelOf(e.Environments, slug))
		}
		return strings.Join(lines, ", ")
	case control.Operations:
		for _, c := range e.Operations {
			if c.Value != "" {
				lines = append(lines, c.Name+": "+labelOf(c.Options, c.Value))
			}
		}
		return strings.Join(lines, "\n")
	case control.Mode:
		return strings.TrimSpace(ui.StateFor(in.Mode).Word + "\n" + in.Reason)
	case control.Date:
		return in.Date
	case control.Number:
		return in.Number
	case control.Rule:
		return control.RuleWords(in.Rule)
	case control.Hours, control.Days:
		return in.Number + " " + string(f.Kind) + ". " + in.Basis
	}
	return in.Text
}

func labelOf(options []ui.Option, value string) string {
	for _, o := range options {
		if o.Value == value {
			return o.Label
		}
	}
	return value
}

// added marks in text what base does not have.
func added(base, text string) []ui.DiffPart {
	var parts []ui.DiffPart
	for _, p := range ui.DiffWords(base, text) {
		if p.Op != "del" {
			parts = append(parts, p)
		}
	}
	return parts
}

// merged puts the change from base to yours on top of saved. When the two touch
// the same words it is yours alone; the page shows both in any case.
func merged(base, saved, yours string) string {
	if strings.TrimSpace(base) == "" {
		return strings.TrimSpace(saved + "\n\n" + yours)
	}
	dmp := diffmatchpatch.New()
	dmp.MatchThreshold, dmp.PatchDeleteThreshold = 0.2, 0.2
	text, applied := dmp.PatchApply(dmp.PatchMake(base, yours), saved)
	for _, ok := range applied {
		if !ok {
			return yours
		}
	}
	return text
}
