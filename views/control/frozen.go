package control

import (
	"fmt"
	"time"

	"countersign/models/control"
	"countersign/models/signoff"
	matrixviews "countersign/views/matrix"
	signing "countersign/views/signoff"
	"countersign/views/ui"
)

// History is every version of one answer, newest first.
type History struct {
	Slug, Name, Field, Label string
	Versions                 []Version
	Zone                     *time.Location
}

// Version is one version with what changed since the one before.
type Version struct {
	Number, Revision int
	State            string
	Proposal         bool
	Parts            []ui.DiffPart
	Reason           string
	Again            string // where its words are used again; "" when they cannot be
	By               string
	At               time.Time
}

// Frozen is the content of a submitted revision.
type Frozen struct {
	Slug, Name           string
	Number               int
	State                string
	Facts                RevisionFacts
	Sections             []Section
	Accounts             []AccountLine
	Cases                []matrixviews.FrozenCase // what was agreed to be tested
	Signatures           []signing.Signature
	DesignHash, FullHash string
	Current              bool // the latest revision
	Zone                 *time.Location
}

// NewHistory is every version of one field for its reader, newest first.
func NewHistory(r Reader, d control.Detail, field control.Field, versions []control.Answer) History {
	h := History{Slug: d.Slug, Name: d.Name, Field: field.Key, Label: field.Label, Zone: r.Zone}
	may := mayEdit(r, d, field)
	for i, a := range versions {
		v := Version{Number: a.Version, Revision: a.Revision, State: string(a.State), Proposal: a.Proposal(), Reason: a.Reason, By: byName(a.By, a.For), At: a.At}
		v.Parts = []ui.DiffPart{{Text: a.Value}}
		if i+1 < len(versions) && versions[i+1].Value != "" {
			v.Parts = ui.DiffWords(versions[i+1].Value, a.Value)
		}
		if may && i > 0 && (a.Value != "" || a.State == control.NotApplicable) {
			v.Again = fmt.Sprintf("/controls/%s?edit=%s&from=%d#%s", d.Slug, field.Key, a.Version, field.Anchor())
		}
		h.Versions = append(h.Versions, v)
	}
	return h
}

// NewFrozen is the content of a submitted revision with every signature on it.
// On the current one a reader who may ask finds where.
func NewFrozen(r Reader, d control.Detail, f control.Frozen, signatures []signoff.Signature) Frozen {
	current, zone := d.Latest.Number == f.Revision.Number, r.Zone
	ask := current && control.MayDiscuss(r.Actor, d.Parties) == nil
	p := Frozen{Slug: f.Slug, Name: f.Name, Number: f.Revision.Number, State: string(f.Revision.Shown(f.Now)), Facts: factsOf(f.Revision, nil),
		DesignHash: f.Revision.DesignHash, FullHash: f.Revision.FullHash, Current: current, Zone: zone,
		Cases: matrixviews.NewFrozen(f.Slug, f.Content)}
	if f.Revision.State == control.Approved {
		p.Facts.ApprovedNumber = f.Revision.Number
	}
	for _, a := range f.Content.Accounts {
		p.Accounts = append(p.Accounts, AccountLine{Environment: a.EnvironmentName, System: a.System, Account: a.Account})
	}
	for _, s := range control.Sections {
		section := Section{Number: s.Number, Title: s.Title}
		for _, field := range s.Fields {
			if a, ok := f.Content.Answer(field.Key); ok {
				shown := frozenAnswer(f, field, a, zone)
				if ask {
					shown.AskAt = shown.Opens("talk", field.Key)
				}
				section.Answers = append(section.Answers, shown)
			}
		}
		p.Sections = append(p.Sections, section)
	}
	for _, s := range signatures {
		p.Signatures = append(p.Signatures, signing.NewSignature(s))
	}
	return p
}

func frozenAnswer(f control.Frozen, field control.Field, c control.ContentAnswer, zone *time.Location) Answer {
	a := Answer{Control: f.Slug, Field: field.Key, Label: field.Label, Ask: field.Ask, State: string(c.State), Value: c.Value, Reason: c.Reason,
		Said: field.Kind == control.Sentence, Version: 1, Zone: zone}
	a.At, _ = time.Parse(time.RFC3339, c.AnsweredAt)
	if c.AnsweredBy != nil {
		a.By = c.AnsweredBy.Name
	}
	if c.AnsweredFor != nil {
		a.By += " for " + c.AnsweredFor.Name
	}
	if field.Kind == control.Operations {
		a.Accounts = frozenOperations(f.Content)
	}
	if field.Kind == control.Sender && c.State == control.Answered {
		a.Sender = senderLine(f.Content.Sender)
	}
	if rule, ok := c.Rule(); ok && c.State != control.NotApplicable {
		a.Rule = frozenRule(f.Content, field, rule)
	}
	return a
}

func frozenOperations(c control.Content) []OperationLine {
	var lines []OperationLine
	for _, o := range c.Operations {
		l := OperationLine{Environment: o.Environment, Destination: o.Destination, Account: o.Destination, Operation: o.Name, Mechanism: o.Mechanism, Lookup: o.LookupMethod,
			Facts: operationFacts(o.Behaviour), Source: frozenSource(o.DocURL, o.DocumentedAt, o.Notes, o.CheckedOn, o.CheckedBy)}
		for _, a := range c.Accounts {
			if a.Environment == o.Environment {
				l.Environment, l.Account = a.EnvironmentName, a.Account
			}
		}
		lines = append(lines, l)
	}
	return lines
}
