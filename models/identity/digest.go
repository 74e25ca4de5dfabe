package identity

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/theory/jsonpath/spec"
)

// Changing are the places of a body that a sender documents as changing between
// two deliveries of one notification.
type Changing struct {
	names map[string]bool // members at the top, and of headers and body
	paths []path
}

// ParseChanging reads what a person wrote about a sender: names and paths, apart
// by commas, semicolons or spaces. Words that are neither are ignored.
func ParseChanging(text string) Changing {
	c := Changing{names: map[string]bool{}}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\n\r", r) }) {
		word = strings.TrimSuffix(word, ".")
		if !strings.HasPrefix(word, "$") {
			c.names[word] = true
		} else if p, problem := parsePath(word); problem == "" && len(p.selectors) > 0 {
			c.paths = append(c.paths, p)
		}
	}
	return c
}

func (c Changing) covers(trail []spec.Selector) bool {
	last, named := trail[len(trail)-1].(spec.Name)
	if named && c.names[string(last)] && (len(trail) == 1 || len(trail) == 2 && envelope(trail[0])) {
		return true
	}
	for _, p := range c.paths {
		if slices.Equal(p.selectors, trail) {
			return true
		}
	}
	return false
}

// envelope reports whether a top member is one of the two parts of a webhook.
func envelope(s spec.Selector) bool {
	name, ok := s.(spec.Name)
	return ok && (name == "body" || name == "headers")
}

// BodyDigest is the SHA-256 of a JSON document without what changes between
// redeliveries. Order of members and space between them do not count; numbers
// count as they are written. What cannot be read counts byte by byte.
func BodyDigest(text []byte, without Changing) [32]byte {
	in, err := ParseInput(text)
	if err != nil {
		return sha256.Sum256(text)
	}
	w := digestWriter{without: without}
	w.write(in.root, nil)
	if w.ambiguous { // a member named twice: what a receiver takes cannot be known
		w.out.Write(text)
	}
	return sha256.Sum256(w.out.Bytes())
}

// InputDigest is BodyDigest with nothing left out.
func InputDigest(text []byte) [32]byte { return BodyDigest(text, Changing{}) }

type digestWriter struct {
	out       bytes.Buffer
	without   Changing
	ambiguous bool
}

func (w *digestWriter) write(node any, trail []spec.Selector) {
	switch v := node.(type) {
	case map[string]any:
		w.out.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			here := append(slices.Clip(trail), spec.Name(name))
			if w.without.covers(here) {
				continue
			}
			w.text(name)
			w.out.WriteByte(':')
			w.write(v[name], here)
			w.out.WriteByte(',')
		}
		w.out.WriteByte('}')
	case []any:
		w.out.WriteByte('[')
		for i, item := range v {
			here := append(slices.Clip(trail), spec.Index(i))
			if w.without.covers(here) {
				continue
			}
			w.write(item, here)
			w.out.WriteByte(',')
		}
		w.out.WriteByte(']')
	case string:
		w.text(v)
	case Number:
		w.out.WriteString(string(v))
	case bool:
		w.out.WriteString(literal(v))
	case nil:
		w.out.WriteString("null")
	default:
		w.ambiguous = true
	}
}

func (w *digestWriter) text(s string) {
	quoted, _ := json.Marshal(s)
	w.out.Write(quoted)
}

// KeyDigestOfRule is the SHA-256 of what decides the keys of a rule: its kind and
// components. Two rules that say the same in other words have the same.
func KeyDigestOfRule(r Rule) [32]byte {
	type component struct {
		Name, Path, Scope, Value string
		Default                  *string
	}
	parts := []component{}
	for _, c := range r.Components {
		if p, problem := parsePath(c.Path); c.Scope == "" && problem == "" {
			c.Path = p.normalized
		}
		parts = append(parts, component{c.Name, c.Path, string(c.Scope), c.Value, c.Default})
	}
	plain, _ := json.Marshal(map[string]any{"kind": r.Kind, "components": parts})
	return sha256.Sum256(plain)
}

// RepeatKey is the key of an approved second action: the first one's, and the
// approval that makes it another. No component can be named with a hyphen.
func RepeatKey(key, approval string) string { return key + "|legitimate-repeat=" + literal(approval) }

// Bare is the value of a rule's only component that is read from the input, as
// the input has it: text without its quotes. ok is false when there are several,
// or there is no key.
func Bare(rule *Compiled, r Result) (value string, ok bool) {
	if !r.OK() {
		return "", false
	}
	for i, p := range rule.parts {
		if p.Scope != "" {
			continue
		}
		if ok {
			return "", false
		}
		value, ok = r.Parts[i].Value, true
	}
	if strings.HasPrefix(value, `"`) {
		ok = json.Unmarshal([]byte(value), &value) == nil && ok
	}
	return value, ok
}

// TextAt is the scalar at a path of an input: text, or a number as it is written.
// ok is false when nothing such is there, or path cannot be read.
func TextAt(in Input, at string) (text string, ok bool) {
	p, problem := parsePath(at)
	if problem != "" {
		return "", false
	}
	switch v := p.follow(in.root).value.(type) {
	case string:
		return v, v != ""
	case Number:
		return string(v), true
	}
	return "", false
}
