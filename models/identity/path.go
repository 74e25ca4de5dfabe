package identity

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

const maxPath = 500 // characters

// path is a JSONPath that leads to one value at most: names and positions only.
// Following it takes as many steps as it has selectors, whatever the input is.
type path struct {
	selectors  []spec.Selector
	normalized string // RFC 9535 normalized form: equal for two spellings of one path
}

// parsePath reads a singular query. problem says in a sentence what the person
// who typed the path must change, and is "" when there is nothing.
func parsePath(text string) (p path, problem string) {
	switch {
	case strings.TrimSpace(text) == "":
		return path{}, "Enter a path, such as $.request_id."
	case !utf8.ValidString(text):
		return path{}, "Remove the characters that are not valid text."
	case utf8.RuneCountInString(text) > maxPath:
		return path{}, "Shorten the path to 500 characters."
	case !strings.HasPrefix(text, "$"):
		return path{}, "Start the path with $, such as $.request_id."
	}
	parsed, err := jsonpath.Parse(text)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "jsonpath: ")
		return path{}, "Enter a valid path, such as $.request_id or $.headers['webhook-id']: " + why + "."
	}
	if parsed.Query().Singular() == nil {
		return path{}, "Use names and positions only, such as $.items[0].id. Wildcards, filters, slices and .. can find several values."
	}
	var normal spec.NormalizedPath
	for _, segment := range parsed.Query().Segments() {
		s := segment.Selectors()[0]
		p.selectors = append(p.selectors, s)
		normal = append(normal, s.(spec.NormalSelector))
	}
	p.normalized = normal.String()
	return p, ""
}

// prefix is the path of the first n steps.
func (p path) prefix(n int) string {
	var normal spec.NormalizedPath
	for _, s := range p.selectors[:n] {
		normal = append(normal, s.(spec.NormalSelector))
	}
	return normal.String()
}

// members are the names on the path, without positions.
func (p path) members() []string {
	var names []string
	for _, s := range p.selectors {
		if n, ok := s.(spec.Name); ok {
			names = append(names, string(n))
		}
	}
	return names
}

// endsInMember reports whether the last step is a name: only a member can be absent.
func (p path) endsInMember() bool {
	if len(p.selectors) == 0 {
		return false
	}
	_, ok := p.selectors[len(p.selectors)-1].(spec.Name)
	return ok
}

// byPosition reports whether some step counts places in a list.
func (p path) byPosition() bool { return len(p.members()) < len(p.selectors) }

// found is where following a path ended.
type found struct {
	value    any
	ok       bool
	absent   bool // the object is there and has no such member
	repeated bool // a member on the way is named twice
	at       int  // steps taken; where it stopped when not ok
}

func (p path) follow(root any) found {
	node := root
	for i, s := range p.selectors {
		next := s.Select(node, root)
		if len(next) == 0 {
			_, object := node.(map[string]any)
			_, name := s.(spec.Name)
			return found{absent: object && name && i == len(p.selectors)-1, at: i}
		}
		if _, twice := next[0].(repeated); twice {
			return found{repeated: true, at: i + 1}
		}
		node = next[0]
	}
	return found{value: node, ok: true, at: len(p.selectors)}
}

// trail is the path in names and positions from the beginning, for a path that
// leads somewhere in root.
func (p path) trail(root any) []string {
	var out []string
	node := root
	for _, s := range p.selectors {
		switch s := s.(type) {
		case spec.Name:
			out = append(out, string(s))
		case spec.Index:
			i := int(s)
			if items, ok := node.([]any); ok && i < 0 {
				i += len(items)
			}
			out = append(out, strconv.Itoa(i))
		}
		if next := s.Select(node, root); len(next) == 1 {
			node = next[0]
		}
	}
	return out
}
