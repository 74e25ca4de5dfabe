package matrix

import (
	"maps"
	"slices"
	"strings"

	"countersign/models/matrix"
	"countersign/views/ui"
)

// typed collects the fields of a form that hold something.
type typed []ui.Lost

func (t *typed) add(label, text string) {
	if strings.TrimSpace(text) != "" {
		*t = append(*t, ui.Lost{Label: label, Text: text})
	}
}

// counts adds what was typed for each effect; names holds how they are called.
func (t *typed) counts(label string, values, names map[string]string) {
	for _, slug := range slices.Sorted(maps.Keys(values)) {
		name := names[slug]
		if name == "" {
			name = slug
		}
		t.add(label+": "+name, values[slug])
	}
}

// lost is what was typed into a form that stands open on no card any more.
func (open Open) lost(p matrix.Page, cards []Card, custom bool) []ui.Lost {
	t := open.Typed
	if t == nil || custom || slices.ContainsFunc(cards, func(c Card) bool { return c.holds(open) }) {
		return nil
	}
	names := effectNames(p)
	var all typed
	all.add("Expected result", t.Expected)
	all.counts("Agreed change", t.Changes, names)
	all.add("Note", t.Note)
	all.add("Reason", t.Reason)
	all.add("Until", t.Until)
	all.add("Question or comment", t.Body)
	all.add("Scenario", t.Title)
	all.add("What a run has to show", t.Needs)
	all.add("What was corrected", t.Correction)
	all.add("How the destination looks", t.StartingState)
	all.counts("Count before", t.Before, names)
	return all
}

// holds reports whether the card has the open form with what was typed.
func (c Card) holds(open Open) bool {
	for _, e := range c.Thread {
		if e.Reply != nil {
			return true
		}
	}
	if c.Key != open.Case {
		return false
	}
	switch open.Do {
	case "propose", "not-applicable":
		return c.Propose != nil
	case "decide":
		return c.Decide != nil
	case "waive":
		return c.Ask != nil
	case "talk":
		return c.Talk != nil
	}
	return false
}

// lost is what was typed into a form that the run's page shows no more.
func (open OpenRun) lost(run Run, counts []matrix.Count) []ui.Lost {
	t := open.Typed
	if t == nil {
		return nil
	}
	var all typed
	if run.Record == nil {
		names := map[string]string{}
		for _, c := range counts {
			names[c.Slug] = c.Name
		}
		all.add("What did you observe?", t.Observed)
		all.counts("Count after", t.After, names)
		all.add("What did you look at?", t.InspectedWhat)
		all.add("Automation log", t.LogReference)
	}
	if run.Review == nil {
		all.add("Reason", t.Reason)
	}
	all.add("Why it is abandoned", t.Abandon)
	return all
}

// lost is what was counted for effects that are agreed
// no more, and a correction when nothing is left to retest.
func (s Start) lost(p matrix.Page, t *TypedStart) []ui.Lost {
	var all typed
	if s.Retest == 0 {
		all.add("What was corrected?", t.Correction)
	}
	gone := maps.Clone(t.Before)
	for _, f := range s.Counts {
		delete(gone, strings.TrimPrefix(f.Name, "before."))
	}
	all.counts("Count before", gone, effectNames(p))
	return all
}

func effectNames(p matrix.Page) map[string]string {
	names := map[string]string{}
	for _, w := range p.Watchable {
		names[w.Slug] = w.Name
	}
	return names
}
