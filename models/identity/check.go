package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Severity is what a finding does to a draft.
type Severity string

const (
	Block         Severity = "block"          // the rule must change before submission
	ReasonAllowed Severity = "reason_allowed" // the owner may keep it with a reason, shown at sign-off
	Warn          Severity = "warn"           // shown, and left to people
)

// FindingCode is what was found. Kept reasons refer to it, so it is never renamed.
type FindingCode string

const (
	FoundUnscoped     FindingCode = "unscoped_effect"
	FoundConstant     FindingCode = "constant"
	FoundAllDefault   FindingCode = "all_default"
	FoundEvent        FindingCode = "event_as_identity"
	FoundEventName    FindingCode = "event_by_name"
	FoundNoRepeat     FindingCode = "repeat_never_differs"
	FoundRepeatInside FindingCode = "repeat_inside_effect"
	FoundPosition     FindingCode = "list_position"
	FoundArrival      FindingCode = "arrival_time"
	FoundAttempt      FindingCode = "attempt"
	FoundRounded      FindingCode = "rounded_time"
	FoundTime         FindingCode = "time"
	FoundTimeNumber   FindingCode = "time_number"
	FoundUnreadable   FindingCode = "example_unreadable"
	FoundKeyWindow    FindingCode = "key_lifetime_short"
	FoundProofWindow  FindingCode = "evidence_short"
	FoundNoHorizon    FindingCode = "horizon_unknown"
	// Personal data: these and a pii.Kind, as in "personal_email".
	foundPersonal = "personal_"
	FoundExample  = "example_"
)

// Finding is one thing that a rule should not do.
type Finding struct {
	Key       string // stable while the rule, the component and its path stay; a kept reason refers to it
	Code      FindingCode
	Severity  Severity
	Rule      Kind   // "" when it is about the whole control
	Component string // "" when it is about the rule or its example
	Where     *Where // the place in the rule's example, when there is one
	Words     string // which boundary would break, and what to do
	Example   string // two made-up lines, or ""
}

// Where is a place in an example.
type Where struct {
	Pointer string // RFC 6901
	Span    Span   // in bytes of the example
	Name    bool   // the name of the member, and not its value
}

// CheckContext is what the checker knows beyond the rules. The zero value is a
// control whose senders and operations nobody has named yet.
type CheckContext struct {
	Senders      []SenderFacts
	Operations   []OperationFacts
	EvidenceDays *int   // how long evidence is kept
	VersionOrder string // of the workflow: integer, rfc3339 or none
}

// SenderFacts is what a sender documents. nil hours: not known.
type SenderFacts struct {
	Name                    string
	EventIDField            string // a path, or the name of a member or header
	VersionField            string // the same
	RetryHours, ResendHours *int
}

// OperationFacts is what a destination documents. nil hours: not known.
type OperationFacts struct {
	Name             string
	Documented       bool // it documents an idempotency mechanism
	KeyLifetimeHours *int
}

// Check looks at the rules of one control while they are designed. It never
// refuses a claim. Findings come in a stable order: by rule, then the window.
func Check(rules []Rule, about CheckContext) []Finding {
	c := checker{about: about}
	for _, r := range rules {
		c.rules = append(c.rules, read(r))
	}
	for i := range c.rules {
		r := &c.rules[i]
		c.checkRule(r)
		for j := range r.parts {
			c.checkComponent(r, &r.parts[j])
		}
		c.checkExample(r)
	}
	c.checkWindow()
	return c.findings
}

// Blocking reports whether some finding stops submission. kept tells whether
// the owner gave a reason to keep the finding with that key.
func Blocking(findings []Finding, kept func(key string) bool) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return f.Severity == Block || f.Severity == ReasonAllowed && (kept == nil || !kept(f.Key))
	})
}

type checker struct {
	about    CheckContext
	rules    []readRule
	findings []Finding
}

// readRule is a rule as far as it can be read: a draft may still hold mistakes.
type readRule struct {
	Rule
	parts   []readPart
	root    any         // of the example
	problem *InputError // why the example cannot be read
	has     bool        // there is an example to look at
}

type readPart struct {
	part
	ok    bool // the path could be read
	value any  // in the example
	found bool
	where *Where
}

// maxExample keeps looking at an example quick.
const maxExample = 64 << 10

func read(r Rule) readRule {
	out := readRule{Rule: r}
	if strings.TrimSpace(r.Example) != "" {
		in, err := ParseInput([]byte(r.Example))
		out.root, out.has = in.root, err == nil
		switch e, _ := err.(*InputError); {
		case e != nil:
			out.problem = e
		case len(r.Example) > maxExample:
			out.has, out.problem = false, &InputError{Code: TooLarge, Words: fmt.Sprintf("Shorten the example to %d KiB.", maxExample>>10)}
		}
	}
	for _, c := range r.Components[:min(len(r.Components), maxComponents)] {
		p := readPart{part: part{Component: c}}
		if c.Scope == "" {
			var problem string
			p.path, problem = parsePath(c.Path)
			if p.ok = problem == ""; p.ok && out.has {
				at := p.path.follow(out.root)
				p.value, p.found = at.value, at.ok
			}
		}
		out.parts = append(out.parts, p)
	}
	if out.has {
		out.locate()
	}
	return out
}

// locate finds where in the example the value of each component stands.
func (r *readRule) locate() {
	trails := make([][]string, len(r.parts))
	for i, p := range r.parts {
		if p.found {
			trails[i] = p.path.trail(r.root)
		}
	}
	_, _ = parse([]byte(r.Example), func(c container) {
		for _, e := range c.entries {
			for i, t := range trails {
				if n := len(t) - 1; n >= 0 && n == len(c.trail) && t[n] == e.name && slices.Equal(t[:n], c.trail) {
					r.parts[i].where = &Where{Pointer: pointer(t), Span: e.span}
				}
			}
		}
	})
}

// add notes a finding about a component (nil: about the rule).
func (c *checker) add(r *readRule, p *readPart, code FindingCode, severity Severity, words, example string) {
	f := Finding{Code: code, Severity: severity, Words: words, Example: example}
	place := ""
	if r != nil {
		f.Rule = r.Kind
		place = string(r.Kind)
	}
	if p != nil {
		f.Component, f.Where = p.Name, p.where
		place += "." + p.Name + "=" + p.Path
	}
	f.Key = findingKey(code, place)
	c.findings = append(c.findings, f)
}

func findingKey(code FindingCode, place string) string {
	if len(place) > 150 {
		sum := sha256.Sum256([]byte(place))
		place = hex.EncodeToString(sum[:16])
	}
	return string(code) + "@" + place
}
