package control

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	"countersign/views/ui"
)

// Rule is an identity rule as it stands.
type Rule struct {
	Statement string
	Parts     []ui.KeyPart
	Defaults  []string // "$.version is 1 when absent"
	Boundary  string
	Example   string
	Version   int
	Findings  []Finding
	Lab       string // address; "" for a frozen rule
}

// Finding is what the checker found in a rule.
type Finding struct {
	Key, Words string
	Made       string // two made-up lines
	State      string // of ui.StateFor: finding_block, finding_reason, finding_warn, finding_kept
	Component  string
	Reason     string // why it is kept
	By         string
	At         time.Time
	MayKeep    bool
	WhyNoKeep  string // why the reader may not keep it; "" when nobody could
	Keep       *Talk  // the form that was refused
}

// RuleEdit is the form of a rule.
type RuleEdit struct {
	Statement, Boundary, Example string
	Parts                        []PartEdit
	First                        bool // only the statement is asked: the components follow from it
	More                         bool // another row fits
}

// PartEdit is one row of the form.
type PartEdit struct{ Name, From, Path, Default string }

// formRows is how many components the form takes.
const formRows = 10

func newRule(r Reader, d control.Detail, f control.FieldAnswer) *Rule {
	written, ok := f.Answer.Rule()
	if !ok || f.Answer.State == control.NotApplicable {
		return nil
	}
	view := ruleOf(written)
	view.Version, view.Lab = f.Answer.Version, "/identity-rules/lab?control="+d.Slug
	keep := control.MayKeep(r.Actor, d.Parties)
	for _, one := range d.Rules.ShownAt(written.Kind) {
		line := findingOf(one)
		if one.Keepable() && d.Latest.State != control.InReview {
			line.MayKeep, line.WhyNoKeep = keep == nil, words(keep)
		}
		if r.Open.Keep != nil && r.Open.Keep.Finding == one.Key && r.Open.Keep.Field == f.Field.Key {
			line.Keep = &r.Open.Keep.Talk
		}
		view.Findings = append(view.Findings, line)
	}
	return view
}

// refused is why a finding could not be kept, for the summary of the page.
func (r Rule) refused(field string) []models.FieldError {
	var list []models.FieldError
	for i, f := range r.Findings {
		if f.Keep != nil && f.Keep.Error != "" {
			list = append(list, models.FieldError{Field: keepID(field, i), Message: f.Keep.Error})
		}
	}
	return list
}

// keepID is the id of the reason to keep a finding.
func keepID(field string, i int) string { return fmt.Sprintf("%s-keep-%d", field, i+1) }

func ruleOf(r identity.Rule) *Rule {
	view := &Rule{Statement: r.Statement, Boundary: r.Boundary, Example: r.Example}
	for _, c := range r.Components {
		from := c.Path
		switch {
		case c.Scope == identity.ScopeFixed:
			from = c.Value
		case c.Scope != "":
			from = c.Scope.Words()
		}
		view.Parts = append(view.Parts, ui.KeyPart{Name: c.Name, Value: from})
		if c.Default != nil {
			view.Defaults = append(view.Defaults, fmt.Sprintf("Where %s is absent, %s stands in for it.", c.Path, *c.Default))
		}
	}
	return view
}

func findingOf(f control.Finding) Finding {
	line := Finding{Key: f.Key, Words: f.Words, Made: f.Example, Component: f.Component}
	switch {
	case f.Kept != nil:
		line.State, line.Reason, line.By, line.At = "finding_kept", f.Kept.Reason, byName(f.Kept.By, f.Kept.For), f.Kept.At
	case f.Severity == identity.Block:
		line.State = "finding_block"
	case f.Severity == identity.ReasonAllowed:
		line.State = "finding_reason"
	default:
		line.State = "finding_warn"
	}
	return line
}

// frozenRule is the rule that was signed, with the findings that were kept.
func frozenRule(c control.Content, field control.Field, rule identity.Rule) *Rule {
	view := ruleOf(rule)
	for _, k := range c.Kept {
		if k.Field != field.Key {
			continue
		}
		line := Finding{Key: k.Finding, Words: k.Words, State: "finding_kept", Reason: k.Reason}
		line.At, _ = time.Parse(time.RFC3339, k.KeptAt)
		if k.KeptBy != nil {
			line.By = k.KeptBy.Name
		}
		if k.KeptFor != nil {
			line.By += " for " + k.KeptFor.Name
		}
		view.Findings = append(view.Findings, line)
	}
	return view
}

// ruleEdit is the form holding what in says. A new intended effect starts with
// its scope.
func ruleEdit(f control.Field, in control.Input) RuleEdit {
	e := RuleEdit{Statement: in.Rule.Statement, Boundary: in.Rule.Boundary, Example: in.Rule.Example}
	components := in.Rule.Components
	if e.First = strings.TrimSpace(e.Statement) == "" && !said(components); e.First {
		return e
	}
	if !said(components) && f.Recognises() == identity.IntendedEffect {
		components = identity.ScopeComponents()
	}
	for _, c := range components {
		part := PartEdit{Name: c.Name, From: string(c.Scope), Path: c.Path}
		if c.Scope == identity.ScopeFixed {
			part.Path = c.Value
		}
		if c.Default != nil {
			part.Default = *c.Default
		}
		e.Parts = append(e.Parts, part)
	}
	if len(e.Parts) < formRows && !blankEnd(components) {
		e.Parts = append(e.Parts, PartEdit{})
	}
	e.More = len(e.Parts) < formRows
	return e
}

// said reports whether a component says anything yet.
func said(components []identity.Component) bool {
	return slices.ContainsFunc(components, func(c identity.Component) bool {
		return c != (identity.Component{})
	})
}

// blankEnd reports whether the form ends in a row for the next component.
func blankEnd(components []identity.Component) bool {
	n := len(components)
	return n > 0 && components[n-1] == (identity.Component{})
}

var fromOptions = []ui.Option{{Label: "The input, by path"}, {Value: "environment", Label: "The environment"}, {Value: "account", Label: "The destination account"},
	{Value: "effect", Label: "The effect"}, {Value: "fixed", Label: "A fixed value"}}

// pathField is the input that holds a path or a fixed value.
func (e Edit) pathField(a Answer, i int, p PartEdit) ui.Field {
	f := e.field(a, fmt.Sprintf("components.%d.path", i), "Path or fixed value", "")
	f.Value, f.Code, f.ID = p.Path, true, partID(a.Field, f.Name)
	return f
}

func (e Edit) partField(a Answer, i int, name, label, value string) ui.Field {
	f := e.field(a, fmt.Sprintf("components.%d.%s", i, name), label, "")
	f.Value, f.ID = value, partID(a.Field, f.Name)
	return f
}

// partID is the id of an input of a component.
func partID(field, name string) string { return field + "-" + strings.ReplaceAll(name, ".", "-") }
