package control

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/identity"
)

const (
	maxStatement = 1000
	maxBoundary  = 1000
	maxExample   = 16 << 10 // bytes
)

// ruleFields are the fields that hold rules, in the order of identity.Kinds.
var ruleFields = []struct {
	Field string
	Kind  identity.Kind
}{
	{"transport_event", identity.TransportEvent},
	{"business_record", identity.BusinessRecord},
	{"action_identity", identity.IntendedEffect},
	{"legitimate_repeat", identity.LegitimateRepeat},
}

// Recognises is which identity a field's rule is about; "" for other fields.
func (f Field) Recognises() identity.Kind {
	for _, r := range ruleFields {
		if r.Field == f.Key {
			return r.Kind
		}
	}
	return ""
}

// RuleField is the field that holds the rule of one kind.
func RuleField(k identity.Kind) Field {
	for _, r := range ruleFields {
		if r.Kind == k {
			f, _ := FieldByKey(r.Field)
			return f
		}
	}
	return Field{}
}

func ruleKeys() []string {
	var keys []string
	for _, r := range ruleFields {
		keys = append(keys, r.Field)
	}
	return keys
}

// concernsRules reports whether an answer to f can change what the checker finds.
func (f Field) concernsRules() bool {
	switch f.Kind {
	case Rule, Sender, Operations, Hours, Days:
		return true
	}
	return false
}

// Rule is the rule that an answer holds. ok is false when it holds none.
func (a Answer) Rule() (rule identity.Rule, ok bool) { return ruleOf(a.Field, a.Data) }

// Rule is the rule that was frozen. ok is false when there was none.
func (a ContentAnswer) Rule() (rule identity.Rule, ok bool) { return ruleOf(a.Field, a.Data) }

func ruleOf(field string, data json.RawMessage) (rule identity.Rule, ok bool) {
	f, _ := FieldByKey(field)
	if f.Kind != Rule || len(data) == 0 || json.Unmarshal(data, &rule) != nil {
		return identity.Rule{}, false
	}
	return rule, rule.Kind == f.Recognises()
}

// Flagged reports whether a rule is written, and unresolved because of findings.
func (a Answer) Flagged() bool {
	_, ok := a.Rule()
	return ok && a.State == Unresolved
}

// cleanRule gives the texts of a rule one form.
func cleanRule(r identity.Rule) identity.Rule {
	r.Statement, r.Boundary, r.Example = models.Clean(r.Statement), models.Clean(r.Boundary), models.Clean(r.Example)
	components := make([]identity.Component, 0, len(r.Components))
	for _, c := range r.Components {
		c.Name, c.Path, c.Value = models.Clean(c.Name), models.Clean(c.Path), models.Clean(c.Value)
		if c.Default != nil {
			text := models.Clean(*c.Default)
			c.Default = &text
		}
		components = append(components, c)
	}
	r.Components = components
	return r
}

// StatementFirst asks for the owner's sentence about an identity.
const StatementFirst = "Say in plain words what counts as the same. The components come after that."

// checkRule notes what must change before a rule can be saved. Until the owner's
// statement is there, nothing else is asked.
func checkRule(c *models.Check, r identity.Rule) {
	c.Required("statement", r.Statement, maxStatement, StatementFirst)
	if r.Statement == "" {
		return
	}
	if e := models.AsError(compiled(r)); e != nil {
		for _, f := range e.Fields {
			c.Add(f.Field, "%s", f.Message)
		}
	}
	for i, part := range r.Components {
		c.Line(fmt.Sprintf("components.%d.path", i), part.Path, maxLine)
		if part.Default != nil {
			c.Line(fmt.Sprintf("components.%d.default", i), *part.Default, maxLine)
		}
	}
	if utf8.RuneCountInString(RuleWords(r)) > maxValue {
		c.Add("components", "Shorten the names and paths. Together they are too long.")
	}
	c.Required("boundary", r.Boundary, maxBoundary, "Say what must never be mixed up, such as two requests of one customer.")
	checkExample(c, r.Example)
}

func compiled(r identity.Rule) error {
	_, err := identity.Compile(r)
	return err
}

func checkExample(c *models.Check, text string) {
	switch {
	case text == "":
		c.Add("example", "Enter a made-up input in JSON, such as {\"request_id\": \"request-demo-01\"}.")
	case len(text) > maxExample:
		c.Add("example", "Shorten the example to %d KiB.", maxExample>>10)
	default:
		if problem := unkeepable(text, false); problem != "" {
			c.Add("example", "%s", problem)
		}
	}
	c.Text("example", text, maxExample)
}

// unkeepable says why a JSON text must not be kept, and where: it cannot be
// read, or it holds personal data. strict also refuses what only looks like it.
func unkeepable(text string, strict bool) string {
	for _, f := range identity.PersonalData(text) {
		switch {
		case f.Code == identity.FoundUnreadable:
			return strings.TrimPrefix(f.Words, "The example cannot be read. ")
		case f.Severity == identity.Block || strict:
			line, column := identity.Place(text, f.Where.Span.Start)
			words, _, _ := strings.Cut(f.Words, " The example is copied")
			advice := fmt.Sprintf("Write a placeholder such as [%s] there.", strings.TrimPrefix(string(f.Code), identity.FoundExample))
			if f.Where.Name {
				advice = "Rename it."
			}
			return fmt.Sprintf("Line %d, column %d, %s: %s %s", line, column, f.Where.Pointer, words, advice)
		}
	}
	return ""
}

// RuleWords is a rule as people read it: the statement, then what the key is
// made of.
func RuleWords(r identity.Rule) string {
	var parts []string
	for _, c := range r.Components {
		parts = append(parts, c.Name+" ("+ComponentWords(c)+")")
	}
	text := r.Statement + "\nComponents: " + strings.Join(parts, ", ") + "."
	if r.Boundary != "" {
		text += "\nNever mixed up: " + r.Boundary
	}
	return text
}

// ComponentWords says where a component comes from.
func ComponentWords(c identity.Component) string {
	switch {
	case c.Scope == identity.ScopeFixed:
		return "always " + c.Value
	case c.Scope != "":
		return c.Scope.Words()
	case c.Default != nil:
		return c.Path + ", " + *c.Default + " when absent"
	}
	return c.Path
}
