package control

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/views/ui"
)

// NewAnswer is one field of a control for its reader.
func NewAnswer(r Reader, d control.Detail, f control.FieldAnswer) Answer {
	may := mayEdit(r, d, f.Field)
	confirm := control.MayConfirm(r.Actor, d.Parties)
	a := Answer{Control: d.Slug, Field: f.Field.Key, Label: f.Field.Label, Ask: f.Field.Ask, State: string(f.Answer.State),
		Value: f.Answer.Value, Reason: f.Answer.Reason, Said: f.Field.Kind == control.Sentence, Proposal: f.Answer.Proposal(),
		MayConfirm: confirm == nil && d.Latest.State != control.InReview, WhyNoConfirm: words(confirm),
		MayEdit: may, MayDiscuss: control.MayDiscuss(r.Actor, d.Parties) == nil, Version: f.Answer.Version,
		By: byName(f.Answer.By, f.Answer.For), At: f.Answer.At, Zone: r.Zone}
	if f.Field.OwnerDecides {
		a.Hint = "The business owner decides this"
	}
	if f.Field.Kind == control.Operations {
		a.Accounts = operationLines(d)
	}
	if f.Field.Kind == control.Sender && f.Answer.State == control.Answered {
		a.Sender = senderLine(d.Rules.Sender)
	}
	if s := f.Suggestion; s != nil {
		a.Suggested = &Suggested{Value: s.Value, Reason: s.Reason, Source: s.Source}
	}
	a.Rule = newRule(r, d, f)
	for _, c := range f.Thread {
		a.Thread = append(a.Thread, newEntry(r, d, c))
	}
	if m := r.Open.Said; m != nil && m.Field == f.Field.Key {
		a.Done = m
	}
	refused := r.Open.Edit == f.Field.Key && r.Open.Input != nil
	if r.Open.Edit == f.Field.Key && (may || refused) {
		edit := newEdit(r, d, f)
		a.Edit = &edit
	}
	if r.Open.Talk == f.Field.Key && a.MayDiscuss {
		a.Talk = r.Open.talk()
	}
	return a
}

// mayEdit reports whether the reader may change the answer to f now.
func mayEdit(r Reader, d control.Detail, f control.Field) bool {
	return control.MayAnswer(r.Actor, d.Parties) == nil && d.Latest.State != control.InReview && f.Kind != control.Workflow
}

func (o Open) talk() *Talk {
	t := Talk{Body: o.Body, Submission: o.Submission}
	if o.Edit == "" && len(o.Problems) > 0 {
		t.Error = o.Problems[0].Message
	}
	return &t
}

func newEntry(r Reader, d control.Detail, c control.Comment) Entry {
	e := Entry{ID: c.ID, Question: c.Kind == "question", Open: c.Open(), InReview: c.InReview, Body: c.Body, By: byName(c.By, c.For), At: c.At, ClosedBy: c.ClosedBy.Name}
	if c.ClosedAt != nil {
		e.ClosedAt = *c.ClosedAt
	}
	if e.Open {
		err := control.MayClose(r.Actor, d.Parties, c.Asker())
		e.MayClose, e.WhyNoClose = err == nil, words(err)
	}
	for _, reply := range c.Replies {
		e.Replies = append(e.Replies, Entry{ID: reply.ID, Body: reply.Body, By: byName(reply.By, reply.For), At: reply.At})
	}
	if r.Open.Reply == c.ID && control.MayDiscuss(r.Actor, d.Parties) == nil {
		e.Reply = r.Open.talk()
	}
	return e
}

// operationLines are the chosen operations, then the covered environments that
// have none.
func operationLines(d control.Detail) []OperationLine {
	var lines []OperationLine
	chosen := map[string]bool{}
	for _, a := range d.Accounts {
		chosen[a.Environment.Slug] = a.Operation != nil
		if o := a.Operation; o != nil {
			lines = append(lines, OperationLine{Environment: a.Environment.Name, Destination: a.Destination.Slug, Account: a.Account, Operation: o.Name,
				Mechanism: o.Mechanism, Lookup: o.LookupMethod,
				Facts: operationFacts(o.Behaviour), Source: Source{DocURL: o.DocURL, DocumentedAt: o.DocumentedAt, Notes: o.Notes, CheckedOn: o.CheckedOn, CheckedBy: o.CheckedBy.Name}})
		}
	}
	for _, e := range d.Covered {
		if !chosen[e.Slug] {
			lines = append(lines, OperationLine{Environment: e.Name})
		}
	}
	return lines
}

func newEdit(r Reader, d control.Detail, f control.FieldAnswer) Edit {
	in, version := inputOf(f.Answer), f.Answer.Version
	if from := r.Open.From; from != nil && from.Field == f.Field.Key {
		in = inputOf(*from)
	}
	if r.Open.Input != nil {
		in, version = *r.Open.Input, r.Open.Version
	}
	e := editFor(f.Field, in, r.Options)
	e.lacks(r, d, f.Field)
	e.Version, e.Submission, e.Problems = version, r.Open.Submission, r.Open.Problems
	if r.Open.Input == nil && r.Open.From != nil {
		e.From = r.Open.From.Version
	}
	e.Settled = f.Answer.State != control.Unresolved
	if f.Field.OwnerOnly && !r.Actor.Is(d.Parties.Owner.ID) {
		e.ForOwner = "You are not the business owner, so what you type waits for their confirmation."
	}
	for i, p := range e.Problems {
		switch p.Field {
		case "state", "":
			e.Problems[i].Field = e.mainInput()
		case "components":
			e.Problems[i].Field = "components.0.name"
		}
		if part, ok := strings.CutSuffix(p.Field, ".value"); ok {
			e.Problems[i].Field = part + ".path"
		}
	}
	return e
}

// editFor is the form of one field holding what in says.
func editFor(f control.Field, in control.Input, o control.Options) Edit {
	e := Edit{Kind: string(f.Kind), Help: f.Help, Text: in.Text, Date: in.Date, Mode: in.Mode, Number: in.Number, Basis: in.Basis, Reason: in.Reason,
		Chosen: in.Environments, Always: f.Always, Declining: in.State == control.NotApplicable}
	switch f.Kind {
	case control.Person:
		e.Person, e.Options = idText(in.Person), people(f, o)
	case control.Sender:
		e.Person, e.Options = in.Sender, []ui.Option{{Label: "Choose a sender"}}
		for _, s := range o.Senders {
			e.Options = append(e.Options, ui.Option{Value: s.Slug, Label: s.Name})
		}
	case control.Policy:
		e.Person, e.Options = in.Policy, policies(in, o)
	case control.Environments:
		for _, env := range o.Environments {
			e.Environments = append(e.Environments, ui.Option{Value: env.Slug, Label: env.Name, Hint: reach(env.ReachesCustomers)})
		}
	case control.Operations:
		e.Operations = operationChoicesOf(in, o)
	case control.Rule:
		e.Rule = ruleEdit(f, in)
	}
	return e
}

func people(f control.Field, o control.Options) []ui.Option {
	list := map[string][]control.Ref{"business_owner": o.Owners, "implementer": o.Implementers, "reviewer": o.Reviewers}[f.Role]
	options := []ui.Option{{Label: "Choose a person"}}
	for _, p := range list {
		options = append(options, ui.Option{Value: idText(p.ID), Label: p.Name})
	}
	return options
}

// policies are the newest versions, and the one chosen before when that is another.
func policies(in control.Input, o control.Options) []ui.Option {
	options := []ui.Option{{Label: "Choose an escalation policy"}}
	offered := in.Policy == ""
	for _, p := range o.Policies {
		ref := workflow.PolicyVersionRef{Slug: p.Slug, Number: p.Latest}
		label := fmt.Sprintf("%s, version %d", p.Name, p.Latest)
		if p.Chosen {
			label += ", chosen by the workflow"
		}
		options = append(options, ui.Option{Value: ref.String(), Label: label})
		offered = offered || ref.String() == in.Policy
	}
	if ref, ok := workflow.ParsePolicyVersion(in.Policy); ok && !offered {
		options = append(options, ui.Option{Value: in.Policy, Label: fmt.Sprintf("Stay with %s, version %d", ref.Slug, ref.Number)})
	}
	return options
}

func reach(customers bool) string {
	if customers {
		return "Can reach real customers"
	}
	return "Cannot reach real customers"
}

func operationChoicesOf(in control.Input, o control.Options) []OperationChoice {
	var choices []OperationChoice
	for _, env := range o.Environments {
		c := OperationChoice{Environment: env.Slug, Name: env.Name, Value: idText(in.Operations[env.Slug]), Options: []ui.Option{{Label: "None here"}}}
		if env.Account != "" {
			c.Fixed = "The account in this environment is fixed: " + env.Account + "."
		}
		for _, op := range o.Operations {
			if op.EnvironmentSlug == env.Slug {
				c.Options = append(c.Options, ui.Option{Value: idText(op.ID), Label: op.Name + " at " + op.System + ", " + op.Account})
			}
		}
		if len(c.Options) > 1 || c.Fixed != "" {
			choices = append(choices, c)
		}
	}
	return choices
}

// mainInput is the name of the input that holds the answer itself, as
// control.Input names it.
func (e Edit) mainInput() string {
	switch control.Kind(e.Kind) {
	case control.Person, control.Sender, control.Environments, control.Date, control.Operations, control.Mode, control.Policy:
		return e.Kind
	case control.Number, control.Hours, control.Days:
		return "number"
	case control.Rule:
		return "statement"
	}
	return "text"
}

// inputOf is an answer as the form that would save it again.
func inputOf(a control.Answer) control.Input {
	var data struct {
		Person       int64            `json:"person"`
		Environments []string         `json:"environments"`
		Date         string           `json:"date"`
		Sender       string           `json:"sender"`
		Operations   map[string]int64 `json:"operations"`
		Mode         string           `json:"mode"`
		Number       *int             `json:"number"`
		Hours        *int             `json:"hours"`
		Days         *int             `json:"days"`
		Basis        string           `json:"basis"`
	}
	if len(a.Data) > 0 {
		_ = json.Unmarshal(a.Data, &data) // an answer of an older shape starts empty
	}
	in := control.Input{State: a.State, Text: a.Value, Person: data.Person, Environments: data.Environments, Date: data.Date, Sender: data.Sender,
		Operations: data.Operations, Mode: data.Mode, Basis: data.Basis, Reason: a.Reason}
	in.Rule, _ = a.Rule()
	if ref, ok := control.PolicyVersion(a.Data); ok {
		in.Policy = ref.String()
	}
	for _, n := range []*int{data.Number, data.Hours, data.Days} {
		if n != nil {
			in.Number = strconv.Itoa(*n)
		}
	}
	return in
}
