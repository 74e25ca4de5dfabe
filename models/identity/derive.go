package identity

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxValue is the longest text of one component, in bytes of the key. Something
// longer is not an identifier.
const maxValue = 8 << 10

// Result is what a rule makes of an input: a key with its parts, or the reasons
// why a person must look. Never both.
type Result struct {
	Key     string   `json:"key,omitempty"`
	Parts   []Part   `json:"parts,omitempty"`
	Reviews []Reason `json:"reviews,omitempty"`
}

// OK reports whether there is a key.
func (r Result) OK() bool { return len(r.Reviews) == 0 && r.Key != "" }

// Part is one component of a key.
type Part struct {
	Name        string `json:"name"`
	Value       string `json:"value"` // as it stands in the key: a JSON scalar
	FromDefault bool   `json:"from_default,omitempty"`
}

// ReasonCode is why a component gave no part of a key. Stored; never renamed.
type ReasonCode string

const (
	Missing         ReasonCode = "missing"
	Null            ReasonCode = "null"
	Empty           ReasonCode = "empty"
	NotScalar       ReasonCode = "not_scalar"
	DuplicateMember ReasonCode = "duplicate_member"
	TooLong         ReasonCode = "too_long"
	TooManyMarks    ReasonCode = "too_many_marks"
	NoScope         ReasonCode = "no_scope"
)

// Reason says in words why a person must look.
type Reason struct {
	Component string     `json:"component"`
	Path      string     `json:"path,omitempty"`
	Code      ReasonCode `json:"code"`
	Words     string     `json:"words"`
}

// Derive makes the key of an input, or says for each component why there is
// none. The same rule, scope and input always give the same answer.
func Derive(rule *Compiled, scope Scope, in Input) Result {
	var out Result
	if rule.Kind == IntendedEffect && !rule.scope {
		out.Reviews = append(out.Reviews, Reason{Code: NoScope,
			Words: "The rule does not start with environment, account and effect, so a key of one place could match another place."})
	}
	out.Parts = make([]Part, 0, len(rule.parts))
	for i := range rule.parts {
		p := &rule.parts[i]
		made, why := p.derive(scope, in)
		if why != nil {
			out.Reviews = append(out.Reviews, *why)
			continue
		}
		out.Parts = append(out.Parts, made)
	}
	if len(out.Reviews) > 0 {
		out.Parts = nil
		return out
	}
	out.Key = makeKey(rule.Kind, out.Parts)
	return out
}

func (p *part) derive(scope Scope, in Input) (Part, *Reason) {
	if p.Scope != "" {
		return p.deriveScope(scope)
	}
	made := Part{Name: p.Name}
	at := p.path.follow(in.root)
	value := at.value
	switch {
	case at.absent && p.hasStand:
		value, made.FromDefault = p.standby, true
	case at.repeated:
		return made, p.reason(DuplicateMember, "%s occurs twice in this input, and receivers differ in which one they take.", p.path.prefix(at.at))
	case !at.ok:
		return made, p.reason(Missing, "%s", p.missingWords(at))
	}
	if code := unusable(value); code != "" {
		return made, p.reason(code, "%s", p.unusableWords(code, value))
	}
	if text, ok := value.(string); ok {
		var plain bool
		if value, plain = nfc(text); !plain {
			return made, p.reason(TooManyMarks, "%s has more than 30 combining marks in a row, which no identifier has.", p.Path)
		}
	}
	if made.Value = literal(value); len(made.Value) > maxValue {
		return made, p.reason(TooLong, "%s is longer than %d KiB, which no identifier is.", p.Path, maxValue>>10)
	}
	return made, nil
}

func (p *part) deriveScope(scope Scope) (Part, *Reason) {
	text := p.fixed
	if p.Scope != ScopeFixed {
		text = scope.value(p.Scope)
	}
	if strings.TrimSpace(text) == "" {
		return Part{}, p.reason(Missing, "The claim does not say %s.", p.Scope.Words())
	}
	text, _ = nfc(text)
	return Part{Name: p.Name, Value: literal(text)}, nil
}

// nfc is text in Unicode NFC. It is not plain when more than 30 combining marks
// follow one another: the normalisation then puts a joiner between them, and two
// texts could become one.
func nfc(text string) (normal string, plain bool) {
	const joiner = "\u034f"
	normal = norm.NFC.String(text)
	return normal, strings.Count(normal, joiner) == strings.Count(text, joiner)
}

func (p *part) reason(code ReasonCode, format string, args ...any) *Reason {
	return &Reason{Component: p.Name, Path: p.Path, Code: code, Words: fmt.Sprintf(format, args...)}
}

// unusable says why a value cannot be part of a key, or "". Text of nothing but
// spaces is empty; other spaces are kept as they are.
func unusable(value any) ReasonCode {
	switch v := value.(type) {
	case nil:
		return Null
	case string:
		if strings.TrimSpace(v) == "" {
			return Empty
		}
		return ""
	case Number, bool:
		return ""
	case repeated:
		return DuplicateMember
	}
	return NotScalar
}

func (p *part) missingWords(at found) string {
	if p.hasStand {
		return fmt.Sprintf("%s is not in this input. The default stands in only where %s is an object without that member.",
			p.Path, p.path.prefix(len(p.path.selectors)-1))
	}
	if at.at == len(p.path.selectors)-1 {
		return p.Path + " is not in this input."
	}
	return fmt.Sprintf("%s is not in this input: there is no %s.", p.Path, p.path.prefix(at.at+1))
}

func (p *part) unusableWords(code ReasonCode, value any) string {
	switch code {
	case Null:
		return p.Path + " is null, which identifies nothing."
	case Empty:
		return p.Path + " is empty text, which identifies nothing."
	}
	if _, list := value.([]any); list {
		return p.Path + " is a list. A component is one text, number, true or false."
	}
	return p.Path + " is an object. A component is one text, number, true or false."
}

// VersionedResult is what one version of a rule makes of an input.
type VersionedResult struct {
	Version int    `json:"version"`
	Result  Result `json:"result"`
}

// DeriveAll makes the keys of one input under several rule versions, in their order.
func DeriveAll(rules []VersionedRule, scope Scope, in Input) []VersionedResult {
	out := make([]VersionedResult, 0, len(rules))
	for _, r := range rules {
		out = append(out, VersionedResult{r.Version, Derive(r.Rule, scope, in)})
	}
	return out
}
