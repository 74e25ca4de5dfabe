package identity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/internal/pii"
)

// maxExampleFindings keeps a page readable; the rest shows when these are gone.
const maxExampleFindings = 50

// checkExample looks for personal data anywhere in the example.
func (c *checker) checkExample(r *readRule) {
	if r.problem != nil {
		f := Finding{Key: findingKey(FoundUnreadable, string(r.Kind)), Code: FoundUnreadable, Severity: Block, Rule: r.Kind,
			Words: "The example cannot be read. " + r.problem.Error()}
		if r.problem.Line > 0 {
			f.Where = &Where{Span: Span{r.problem.Offset, min(r.problem.Offset+1, len(r.Example))}}
		}
		c.findings = append(c.findings, f)
		return
	}
	if !r.has {
		return
	}
	var found []Finding
	note := func(names []string, value string, pointer string, span Span, inName bool) {
		if len(found) >= maxExampleFindings {
			return
		}
		if t := gravest(inExample(names, value)); t != nil {
			found = append(found, exampleFinding(r.Kind, *t, Where{pointer, span, inName}))
		}
	}
	note(nil, text(r.root), "", Span{0, len(r.Example)}, false)
	_, _ = parse([]byte(r.Example), func(o container) {
		label := labelOf(o)
		for _, e := range o.entries {
			if len(found) >= maxExampleFindings {
				return
			}
			at := pointer(o.trail, e.name)
			if o.object {
				note(nil, e.name, at, e.nameSpan, true)
			}
			names := append(slices.Clone(o.trail), e.name)
			if label != "" && (e.name == "value" || e.name == "answer") {
				names = []string{label}
			}
			note(names, text(e.value), at, e.span, false)
		}
	})
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Where.Span.Start - b.Where.Span.Start })
	c.findings = append(c.findings, found...)
}

// labelOf is what an object such as {"field": "email", "value": "..."} calls its value.
func labelOf(o container) string {
	for _, e := range o.entries {
		switch e.name {
		case "field", "name", "label", "key", "type", "question":
			if s, ok := e.value.(string); ok && slices.ContainsFunc(o.entries, func(v entry) bool { return v.name == "value" || v.name == "answer" }) {
				return s
			}
		}
	}
	return ""
}

var placeholderPattern = regexp.MustCompile(`^(?:\[.*\]|<.*>|\{.*\}|[^\pL\pN]*|(?i:redacted|removed|masked|x+))$`)

// inExample is personal for a value in an example. A placeholder is fine, and a
// vague name counts only where the value reads like a person's name.
func inExample(names []string, value string) []trace {
	if value == "" || placeholderPattern.MatchString(value) {
		return nil
	}
	return slices.DeleteFunc(personal(names, value), func(t trace) bool {
		return t.byName && t.severity == ReasonAllowed && !(t.kind == pii.Person && fullName(value))
	})
}

// fullName reports whether a value is two to four words with capitals and no digits.
func fullName(value string) bool {
	words := strings.Fields(value)
	return len(words) >= 2 && len(words) <= 4 && !slices.ContainsFunc(words, func(w string) bool {
		first := []rune(w)[0]
		return !unicode.IsUpper(first) || strings.ContainsFunc(w, unicode.IsDigit)
	})
}

func gravest(traces []trace) *trace {
	if len(traces) == 0 {
		return nil
	}
	if i := slices.IndexFunc(traces, func(t trace) bool { return t.severity == Block }); i > 0 {
		return &traces[i]
	}
	return &traces[0]
}

func exampleFinding(rule Kind, t trace, at Where) Finding {
	code := FindingCode(FoundExample + string(t.kind))
	start := "This looks like"
	if t.byName {
		start = "The member’s name says that this is"
	}
	what := fmt.Sprintf(start+" %s. The example is copied into records, pages and prints that are kept, so write a placeholder such as [%s] there.", t.kind.Words(), t.kind)
	if at.Name {
		what = fmt.Sprintf("This member's name looks like %s. The example is copied into records, pages and prints that are kept, so rename it.", t.kind.Words())
	}
	if t.severity == ReasonAllowed {
		what += " If it is something else, say what."
	}
	place := string(rule) + at.Pointer
	if at.Name {
		place += "~name"
	}
	return Finding{Key: findingKey(code, place), Code: code, Severity: t.severity, Rule: rule, Where: &at, Words: what}
}
