package handoff

import (
	"fmt"

	"countersign/models/control"
	"countersign/models/workflow"
)

// Sheet is the record as a document shows it: Markdown and print are drawn from
// it, so that both say the same.
type Sheet struct {
	Record
	Name, Slug, Effect string
	Workflow           string
	Sections           []SheetSection
	Accounts           []control.ContentAccount
	Sources            []Source
	Kept               []control.ContentKept
}

// SheetSection is one of the eight parts.
type SheetSection struct {
	Number  int
	Title   string
	Entries []Entry // none in the part that shows the tests
}

// Entry is one field.
type Entry struct {
	Field, Label string
	State        control.AnswerState
	Value        string
	Reason       string
	Ask, Why     string // of an unresolved one
	By           string // who and when; "" when nobody wrote anything
}

// Source is what a provider documents, and where.
type Source struct {
	Title     string
	URL       string
	Facts     []Fact // without empty ones
	CheckedBy string // "" when nobody has compared them with the source
	CheckedOn string
}

// Fact is something a documentation says.
type Fact struct{ Label, Text string }

// Sheet arranges the record for reading.
func (r Record) Sheet() Sheet {
	c := r.content
	s := Sheet{Record: r, Name: c.Control.Name, Slug: c.Control.Slug, Effect: c.Control.Effect, Workflow: c.Workflow.Name, Accounts: c.Accounts, Kept: c.Kept, Sources: sources(c)}
	why := map[string]string{}
	for _, u := range r.Unresolved {
		why[u.Field] = u.Why
	}
	for _, section := range control.Sections {
		out := SheetSection{Number: section.Number, Title: section.Title}
		for _, f := range section.Fields {
			a, ok := c.Answer(f.Key)
			if !ok {
				a.State = control.Unresolved
			}
			out.Entries = append(out.Entries, Entry{Field: f.Key, Label: f.Label, State: a.State, Value: a.Value, Reason: a.Reason, Ask: f.Ask, Why: why[f.Key], By: answeredBy(a)})
		}
		s.Sections = append(s.Sections, out)
	}
	return s
}

func answeredBy(a control.ContentAnswer) string {
	if a.AnsweredBy == nil {
		return ""
	}
	who := a.AnsweredBy.Name
	if a.AnsweredFor != nil {
		who += " for " + a.AnsweredFor.Name
	}
	if len(a.AnsweredAt) >= 10 {
		who += ", " + a.AnsweredAt[:10]
	}
	return who
}

// sources are the documentation references of the sender and the operations.
func sources(c control.Content) []Source {
	var all []Source
	if s := c.Sender; s != nil {
		all = append(all, source("Sender: "+s.Name, s.DocURL, s.CheckedOn, s.CheckedBy, []Fact{{"Event ID", s.EventIDField}, {"Duplicates", workflow.DuplicatesWords(s.Duplicates)},
			{"Order", workflow.OrderingWords(s.Ordering)}, {"Retries", s.RetrySchedule}, {"Retries for", hours(s.RetryHorizonHours)}, {"Manual resends for", hours(s.ResendHorizonHours)},
			{"Signature", s.Signature}, {"Version", s.VersionField}, {"Changing fields", s.ChangingFields}, {"Documented at", s.DocumentedAt}, {"Notes", s.Notes}}))
	}
	for _, o := range c.Operations {
		all = append(all, source(fmt.Sprintf("Operation: %s at %s (%s)", o.Name, o.Destination, o.Environment), o.DocURL, o.CheckedOn, o.CheckedBy, []Fact{{"Call", o.Call},
			{"Idempotency", workflow.MechanismWords(o.Mechanism)}, {"Key field", o.KeyField}, {"Key lifetime", hours(o.KeyLifetimeHours)}, {"A repeat returns", o.RepeatReturns},
			{"Same key, other data", o.SameKeyOtherData}, {"Lookup", o.LookupMethod}, {"Documented at", o.DocumentedAt}, {"Notes", o.Notes}}))
	}
	return all
}

func source(title, url, on string, by *control.ContentPerson, facts []Fact) Source {
	s := Source{Title: title, URL: url, CheckedOn: on}
	if by != nil && on != "" {
		s.CheckedBy = by.Name
	}
	for _, f := range facts {
		if f.Text != "" {
			s.Facts = append(s.Facts, f)
		}
	}
	return s
}

func hours(n *int) string {
	if n == nil {
		return ""
	}
	return workflow.HoursWords(*n)
}

// Words is who signed what, in one line.
func (s Signature) Words() string {
	who := s.By
	if s.For != "" {
		who += " for " + s.For
	}
	if s.Decision == "changes" {
		return who + " requested changes"
	}
	return who + " approved and signed"
}

var slotWords = map[string]string{"business_owner": "Business owner", "implementer": "Implementer", "reviewer": "Reviewer"}

// SlotWords is the place of the signature as a label.
func (s Signature) SlotWords() string { return slotWords[s.Slot] }
