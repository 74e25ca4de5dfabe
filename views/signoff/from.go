package signoff

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
	"countersign/views/ui"
)

// NewShow is the sign-off page for its reader.
func NewShow(p signoff.Page, zone *time.Location) Show {
	state := p.Revision.Shown(p.Now)
	show := Show{Slug: p.Slug, Name: p.Name, Number: p.Revision.Number, State: string(state), WorkflowSlug: p.Workflow.Slug, WorkflowName: p.Workflow.Name,
		SubmittedBy: p.Revision.SubmittedBy.Name, NotInReview: notInReview(p, state), Plain: plain(p.Content), Conditions: p.Conditions,
		FullHash: p.Revision.FullHash, Slots: NewSlots(p), Warnings: Warnings(p.Content), MayAsk: p.AskRefusal == nil, Zone: zone}
	if at := p.Revision.SubmittedAt; at != nil {
		show.SubmittedAt = *at
	}
	if a, ok := p.Content.Answer("duplicate_in_plain_words"); ok {
		show.Sentence = a.Value
	}
	for _, a := range p.Accounts {
		show.Accounts = append(show.Accounts, Account{Slug: a.Environment, Environment: a.EnvironmentName, System: a.System, Account: a.Account, ReachesCustomers: a.ReachesCustomers, Operation: operationIn(p.Content, a.Environment)})
	}
	if p.Previous != nil && p.Difference != nil {
		show.Previous, show.Total, show.Changes = p.Previous.Number, p.Difference.Total, changesOf(show, *p.Difference)
		if p.Previous.DecidedAt != nil {
			show.PreviousAt = *p.Previous.DecidedAt
		}
	}
	for _, s := range p.Voided {
		show.Voided = append(show.Voided, NewSignature(s))
	}
	if p.Revision.State == control.InReview {
		show.Withdraw = p.WithdrawRefusal == nil
		if p.SignRefusal == nil {
			show.Decision = &Decision{As: p.SignsAs.Words(), For: p.SignsFor.Name, Last: p.Last, MayApprove: p.Ready(), Missing: missing(p), Short: short(p)}
		} else if e := models.AsError(p.SignRefusal); e != nil {
			show.WhyNot = e.Message
		}
		show.Aside = aside(p)
	}
	return show
}

func operationIn(c control.Content, environment string) string {
	for _, o := range c.Operations {
		if o.Environment == environment {
			return o.Name
		}
	}
	return ""
}

// notInReview says what the revision is, and what that means for signing.
func notInReview(p signoff.Page, state control.RevisionState) string {
	switch state {
	case control.InReview:
		return ""
	case control.Draft:
		return "It is still being written. It can be signed once it is submitted for review."
	case control.Approved:
		return "It was signed in all three slots and is in force."
	case control.Expired:
		return "It was signed in all three slots. Its review date has passed, so nothing is tried again automatically."
	case control.ChangesRequested:
		return "It can no longer be signed. The next revision takes the changes in."
	}
	return "A later revision was approved."
}

// plain answers what somebody asks who reads only this.
func plain(c control.Content) []Fact {
	return []Fact{
		{"What happens", said(c, "exact_effect")},
		{"How a repeat is recognised", said(c, "action_identity")},
		{"When the result is uncertain", said(c, "lookup_method")},
		{"Who may allow another try", strings.TrimSpace(said(c, "manual_approver") + "\n" + retries(c))},
	}
}

func said(c control.Content, field string) string {
	a, _ := c.Answer(field)
	switch a.State {
	case control.Answered:
		return a.Value
	case control.NotApplicable:
		return "Not applicable: " + a.Reason
	}
	return "Not answered yet."
}

func retries(c control.Content) string {
	switch a, _ := c.Answer("automatic_retries"); {
	case a.State != control.Answered:
		return ""
	case a.Value == "1":
		return "1 automatic retry."
	default:
		return a.Value + " automatic retries."
	}
}

func changesOf(show Show, d signoff.Difference) []ui.Change {
	var changes []ui.Change
	for _, c := range d.Changes {
		line := ui.Change{Label: c.Label, Parts: c.Parts}
		if _, ok := control.FieldByKey(c.Field); ok {
			line.Href = show.record() + "#f-" + c.Field
		} else if strings.HasPrefix(c.Field, control.CasePrefix) {
			line.Href = control.ThreadPath(show.Slug, c.Field)
		}
		if show.MayAsk {
			line.Ask = show.ask(fieldOf(c.Field))
		}
		changes = append(changes, line)
	}
	return changes
}

// fieldOf is the field of the record that a fact comes from.
func fieldOf(fact string) string {
	if strings.HasPrefix(fact, control.CasePrefix) {
		return fact
	}
	switch kind, _, _ := strings.Cut(fact, "."); kind {
	case "account":
		return "operation"
	default:
		return kind
	}
}

// ask is where a question about a field, or a scenario, is typed.
func (p Show) ask(field string) string { return control.TalkPath(p.Slug, field) }

// missing is what blocks an approval, each with where to put it right.
func missing(p signoff.Page) []signoff.Item {
	var list []signoff.Item
	for _, c := range p.Conditions {
		switch {
		case c.OK:
		case c.Key == "questions":
			list = append(list, openQuestions(p)...)
		default:
			list = append(list, signoff.Item{Words: c.Words, Link: c.Link})
		}
	}
	return list
}

// short is missing in the few words of the bar on a phone.
func short(p signoff.Page) string {
	switch n := len(p.OpenQuestions); n {
	case 0:
		return "It cannot be approved yet"
	case 1:
		return "Not yet: a question is open"
	default:
		return fmt.Sprintf("Not yet: %d questions are open", n)
	}
}

func openQuestions(p signoff.Page) []signoff.Item {
	mine := map[int64]bool{}
	for _, q := range p.ToClose {
		mine[q.ID] = true
	}
	var list []signoff.Item
	for _, q := range p.OpenQuestions {
		label, link := q.Field, fmt.Sprintf("/controls/%s#c-%d", p.Slug, q.ID)
		if f, ok := control.FieldByKey(q.Field); ok {
			label = f.Label
		}
		if key, ok := strings.CutPrefix(q.Field, control.CasePrefix); ok {
			label, link = key, fmt.Sprintf("/controls/%s/matrix#t-%d", p.Slug, q.ID)
		}
		if scenario, ok := matrix.ScenarioByKey(label); ok {
			label = scenario.Title
		}
		words := q.By.Name + " asked about “" + label + "”. Approving waits until the question is closed."
		if mine[q.ID] {
			words = "Your question about “" + label + "” is still open: read the answer and close it."
		}
		list = append(list, signoff.Item{Words: words, Link: link})
	}
	return list
}

// aside says to a delegate why they do not sign in the slot they stand in for.
func aside(p signoff.Page) string {
	for _, s := range p.Slots {
		if s.Aside && s.Signature == nil {
			return fmt.Sprintf("You stand in for %s, but you sign as %s here, so you cannot sign for the %s too. Each slot needs another person.", s.Person.Name, s.Taken.Words(), s.Slot.Words())
		}
	}
	return ""
}

// NewSlots are the three slots of the latest revision.
func NewSlots(p signoff.Page) []Slot {
	var slots []Slot
	for _, v := range p.Slots {
		s := Slot{Title: title(v.Slot), Person: v.Person.Name, Delegate: v.Delegate.Name, Taken: v.Taken.Words(), Yours: v.Yours && p.Revision.State == control.InReview}
		switch {
		case v.Signature != nil:
			g := NewSignature(*v.Signature)
			s.Signature = &g
		case p.Revision.State == control.Draft:
			s.Waits = "After submission"
		case p.Revision.State == control.InReview:
			s.Hash = p.Revision.FullHash
		default:
			s.Waits = "Not needed any more"
		}
		slots = append(slots, s)
	}
	return slots
}

// NewSignature is one signature.
func NewSignature(s signoff.Signature) Signature {
	return Signature{Slot: title(s.Slot), By: s.By.Name, For: s.For.Name, Decision: s.Decision, Note: s.Note, Hash: s.FullHash, At: s.At, VoidedAt: s.VoidedAt, VoidReason: s.VoidReason}
}

func title(s signoff.Slot) string {
	w := s.Words()
	return fmt.Sprintf("%s%s", strings.ToUpper(w[:1]), w[1:])
}
