package identity

import (
	"regexp"
	"strings"

	"countersign/internal/pii"

	"golang.org/x/text/unicode/norm"
)

// checkComponent looks at one component: what it is called, and what stands
// there in the example.
func (c *checker) checkComponent(r *readRule, p *readPart) {
	if p.Scope != "" {
		if p.Scope == ScopeFixed {
			c.addPersonal(r, p, personal(nil, p.Value))
		}
		return
	}
	if !p.ok {
		return
	}
	c.checkEvent(r, p)
	if p.path.byPosition() {
		c.add(r, p, FoundPosition, Warn,
			"This counts places in a list. Where the sender orders the list differently, another "+r.Kind.one()+" is meant. Ask the sender whether the order is documented.",
			"items: request-demo-01, request-demo-02\nitems: request-demo-02, request-demo-01")
	}
	traces := personal(p.path.members(), text(p.value))
	if len(traces) == 0 && fullName(text(p.value)) {
		traces = append(traces, trace{pii.Person, ReasonAllowed, false})
	}
	c.addPersonal(r, p, traces)
	if p.Default != nil {
		if standby, err := readDefault(*p.Default); err == nil {
			c.addPersonal(r, p, personal(nil, text(standby)))
		}
	}
	c.checkTime(r, p)
}

// text is a scalar as people read it; "" for anything else.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case Number:
		return string(v)
	}
	return ""
}

// trace is personal data that a name or a value gives away.
type trace struct {
	kind     pii.Kind
	severity Severity
	byName   bool
}

// personal looks at the names on the way to a value and at the value. Digits
// that only look like a phone or a card number, and names that could mean
// something else, can be kept with a reason.
func personal(names []string, value string) []trace {
	var traces []trace
	kind, sure := pii.NameKind(names...)
	if kind != "" {
		t := trace{kind, ReasonAllowed, true}
		if sure && !((kind == pii.Person || kind == pii.Company) && identifier(value)) {
			t.severity = Block
		}
		traces = append(traces, t)
	}
	for _, h := range pii.Scan(plainly(value)) {
		t := trace{h.Kind, Block, false}
		if h.Kind == pii.Phone || h.Kind == pii.Card {
			t.severity = ReasonAllowed
		}
		traces = add(traces, t)
	}
	return traces
}

// plainly undoes the ways in which an @ or a digit is written otherwise: wide
// letters, and the %40 of an address.
func plainly(value string) string {
	return strings.ReplaceAll(norm.NFKC.String(value), "%40", "@")
}

// add keeps one trace of a kind: the graver one.
func add(traces []trace, t trace) []trace {
	for i, old := range traces {
		if old.kind == t.kind {
			if t.severity == Block {
				traces[i].severity = Block
			}
			traces[i].byName = old.byName && t.byName
			return traces
		}
	}
	return append(traces, t)
}

var identifierPattern = regexp.MustCompile(`^[\w:#./-]*\d[\w:#./-]*$`)

// identifier reports whether a value reads like an identifier: no spaces, and
// a digit. So company may hold one, although names rarely do.
func identifier(value string) bool { return identifierPattern.MatchString(value) }

func (c *checker) addPersonal(r *readRule, p *readPart, traces []trace) {
	for _, t := range traces {
		reason := ""
		if t.severity == ReasonAllowed {
			reason = " If it is something else, say what."
		}
		start := "The value in the example is "
		if t.kind == pii.Person {
			start = "The value in the example reads like "
		}
		if t.byName {
			start = "The name suggests "
		}
		words := start + t.kind.Words() + ". " + boundary(t.kind, r.Kind) + " Use an identifier that the system gives." + reason
		c.add(r, p, FindingCode(foundPersonal+string(t.kind)), t.severity, words, sample(t.kind, r.Kind))
	}
}

// boundary says what would be mixed up.
func boundary(k pii.Kind, rule Kind) string {
	one := rule.one()
	switch k {
	case pii.Person, pii.Birth:
		return "Two people can share it and one person can spell it in two ways, so two requests would be one " + one + ", or one would be two."
	case pii.Company:
		return "Companies share and change names, so two orders of one company would be one " + one + "."
	case pii.Address:
		return "Several people live at one address, and it can be written in many ways, so two requests would be one " + one + ", or one would be two."
	case pii.Card, pii.IBAN:
		return "One account pays for many things, so two payments would be one " + one + ", and the number would stay in every key."
	}
	return "One person sends several requests from it and may change it, so two requests would be one " + one + ", or one would be two."
}

// sample is two made-up lines that show it.
func sample(k pii.Kind, rule Kind) string {
	value, other := "person@example.test", "person.two@example.test"
	switch k {
	case pii.Phone:
		value, other = "+1 202 555 0147", "202-555-0147"
	case pii.Card:
		value, other = "card ending in 1111", "card ending in 4242"
	case pii.IBAN:
		value, other = "account ending in 3000", "account ending in 5432"
	case pii.Person:
		value, other = "Demo Person", "D. Person"
	case pii.Birth:
		value, other = "2000-01-01", "01.01.2000"
	case pii.Company:
		value, other = "Example Ltd", "Example Limited"
	case pii.Address:
		value, other = "1 Example Street", "1 Example St."
	}
	return strings.Join([]string{
		"request-demo-01 and request-demo-02, both with " + value + ": would be one " + rule.one(),
		"request-demo-01 with " + value + ", sent again with " + other + ": would be two"}, "\n")
}
