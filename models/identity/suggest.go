package identity

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"

	"github.com/theory/jsonpath/spec"
)

// Suggestion is a pair that a careful reviewer would try, made from the rules'
// own example, with what it should come to.
type Suggestion struct {
	Code             string
	Name             string
	Why              string // what it shows
	A, B             string // JSON text
	OtherEnvironment bool   // B is claimed in another environment
	OtherAccount     bool   // B is claimed at another account
	Expected         VerdictCode
}

// Suggest makes the pairs for the rules of one control. versionField is what the
// sender documents, a path or a name; "" when nothing does. None without a rule
// of the intended effect and an example that can be read.
func Suggest(rules []Rule, versionField string) []Suggestion {
	s := suggester{rules: map[Kind]readRule{}}
	for _, r := range rules {
		s.rules[r.Kind] = read(r)
	}
	if _, written := s.rules[IntendedEffect]; !written || !s.begin() {
		return nil
	}
	s.findPaths(versionField)
	return s.all()
}

type suggester struct {
	rules   map[Kind]readRule
	base    any
	events  []path // what names the notification
	records []path // what names the business record
	version *path
}

// begin takes the first example that can be read and is an object.
func (s *suggester) begin() bool {
	for _, k := range []Kind{IntendedEffect, BusinessRecord, TransportEvent, LegitimateRepeat} {
		if r := s.rules[k]; r.has {
			if object, ok := r.root.(map[string]any); ok {
				s.base = copied(object)
				return true
			}
		}
	}
	return false
}

func (s *suggester) findPaths(versionField string) {
	for _, p := range s.parts(TransportEvent) {
		s.events = append(s.events, p.path)
	}
	isEvent := func(p path) bool {
		for _, e := range s.events {
			if e.normalized == p.normalized {
				return true
			}
		}
		return false
	}
	for _, kind := range []Kind{BusinessRecord, IntendedEffect} {
		for _, p := range s.parts(kind) {
			if namesField(versionField, p.path) || p.path.readsVersion() {
				s.version = &p.path
			} else if p.Default == nil && (kind == BusinessRecord || len(s.records) == 0) && (!isEvent(p.path) || len(s.events) > 1) {
				s.records = append(s.records, p.path)
			}
		}
	}
	if s.version == nil {
		for _, p := range s.parts(LegitimateRepeat) {
			if namesField(versionField, p.path) || p.path.readsVersion() {
				s.version = &p.path
			}
		}
	}
	if read, problem := parsePath(versionField); s.version == nil && problem == "" {
		s.version = &read
	}
	for _, p := range s.records { // what the event shares with the record stays
		for i := 0; i < len(s.events); i++ {
			if s.events[i].normalized == p.normalized {
				s.events = append(s.events[:i], s.events[i+1:]...)
				i--
			}
		}
	}
	for _, p := range append(append([]path{}, s.events...), s.records...) {
		if at := p.follow(s.base); !at.ok || unusable(at.value) != "" {
			s.base = put(s.base, p, "demo-01")
		}
	}
}

func (s *suggester) parts(k Kind) []readPart {
	var parts []readPart
	for _, p := range s.rules[k].parts {
		if p.ok && p.Scope == "" {
			parts = append(parts, p)
		}
	}
	return parts
}

func (p path) readsVersion() bool {
	names := p.members()
	return len(names) > 0 && strings.Contains(strings.ToLower(names[len(names)-1]), "version")
}

func (s *suggester) reads(k Kind, wanted path) bool {
	r := s.rules[k]
	return r.readsPath(wanted)
}

func (s *suggester) all() []Suggestion {
	var all []Suggestion
	add := func(code, name, why string, a, b any, expected VerdictCode) *Suggestion {
		all = append(all, Suggestion{Code: code, Name: name, Why: why, A: written(a), B: written(b), Expected: expected})
		return &all[len(all)-1]
	}
	again := s.next(s.base, s.events)
	add("same_event", "The same event twice", "The sender sends one notification again.", s.base, s.base, SameDelivery)
	if len(s.records) > 0 {
		record := s.records[0]
		apart := OtherAction
		if s.reads(LegitimateRepeat, record) {
			apart = RepeatVerdict
		}
		add("new_request", "The same customer with a new request", "A second request is a second action.", s.base, s.next(again, s.records), apart)
		if s.version != nil {
			s.addVersion(add, again)
		}
		add("missing", "No request ID", "Nothing is guessed from what is left.", s.base, remove(again, record), ToReview)
		add("null", "A null request ID", "Null identifies nothing.", s.base, put(again, record, nil), ToReview)
		add("number_text", "A number against a text", "17 and \"17\" are two values.", put(s.base, record, Number("17")), put(again, record, "17"), apart)
		add("renamed", "A renamed field", "The sender changed its format.", s.base, rename(again, record), ToReview)
	}
	add("account", "Another account", "The same input at another account.", s.base, s.base, KeysNeverCross).OtherAccount = true
	add("environment", "Another environment", "The same input in another environment.", s.base, s.base, KeysNeverCross).OtherEnvironment = true
	return all
}

// addVersion adds the pair of an approved change of one request.
func (s *suggester) addVersion(add func(code, name, why string, a, b any, expected VerdictCode) *Suggestion, again any) {
	expected := SameAction
	switch {
	case s.reads(LegitimateRepeat, *s.version):
		expected = RepeatVerdict
	case s.reads(IntendedEffect, *s.version):
		expected = OtherAction
	}
	first := s.base
	if at := s.version.follow(first); !at.ok || unusable(at.value) != "" {
		first, again = put(first, *s.version, Number("1")), put(again, *s.version, Number("1"))
	}
	add("version", "An approved change", "A new version of one request.", first, s.next(again, []path{*s.version}), expected)
}

// next changes what stands at the paths to the value after it.
func (s *suggester) next(root any, paths []path) any {
	for _, p := range paths {
		root = put(root, p, following(p.follow(root).value))
	}
	return root
}

var digitsPattern = regexp.MustCompile(`^(.*?)(\d{1,18})$`)

// following is request-demo-02 for request-demo-01, and 2 for 1.
func following(value any) any {
	switch v := value.(type) {
	case Number:
		if n, ok := new(big.Int).SetString(string(v), 10); ok {
			return Number(n.Add(n, big.NewInt(1)).String())
		}
		return Number("2")
	case string:
		if m := digitsPattern.FindStringSubmatch(v); m != nil {
			n, _ := new(big.Int).SetString(m[2], 10)
			digits := n.Add(n, big.NewInt(1)).String()
			return m[1] + strings.Repeat("0", max(0, len(m[2])-len(digits))) + digits
		}
		return v + "-2"
	case bool:
		return !v
	}
	return "demo-02"
}

// put returns root with value at the path, making objects on the way. A path
// through a list that is too short changes nothing.
func put(root any, p path, value any) any {
	return change(root, p.selectors, func(object map[string]any, name string) { object[name] = value },
		func(items []any, i int) { items[i] = value })
}

func remove(root any, p path) any {
	return change(root, p.selectors, func(object map[string]any, name string) { delete(object, name) },
		func(items []any, i int) { items[i] = nil })
}

func rename(root any, p path) any {
	return change(root, p.selectors, func(object map[string]any, name string) {
		object[name+"_new"] = object[name]
		delete(object, name)
	}, func(items []any, i int) { items[i] = nil })
}

func change(root any, steps []spec.Selector, member func(map[string]any, string), item func([]any, int)) any {
	root = copied(root)
	node := root
	for i, step := range steps {
		last := i == len(steps)-1
		switch step := step.(type) {
		case spec.Name:
			object, ok := node.(map[string]any)
			if !ok {
				return root
			}
			if last {
				member(object, string(step))
				return root
			}
			if object[string(step)] == nil {
				object[string(step)] = map[string]any{}
			}
			node = object[string(step)]
		case spec.Index:
			items, ok := node.([]any)
			at := int(step)
			if at < 0 {
				at += len(items)
			}
			if !ok || at < 0 || at >= len(items) {
				return root
			}
			if last {
				item(items, at)
				return root
			}
			node = items[at]
		}
	}
	return root
}

// copied is a deep copy; a member named twice becomes null.
func copied(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = copied(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copied(e)
		}
		return out
	case repeated:
		return nil
	}
	return value
}

// written is a value as indented JSON text, numbers as they were.
func written(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(numbered(copied(value))) // maps, lists and scalars only
	return strings.TrimSuffix(b.String(), "\n")
}

func numbered(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = numbered(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbered(e)
		}
	case Number:
		return json.Number(v)
	}
	return value
}
