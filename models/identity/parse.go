package identity

import (
	"slices"
	"strconv"
	"strings"
)

// parser reads JSON strictly, keeping numbers as text and noticing names that
// occur twice.
type parser struct {
	text  string
	at    int
	depth int
	look  func(container) // nil: nobody looks
	trail []string        // names and positions down to here; kept only with look
}

// container is an object or a list as it stands in the text.
type container struct {
	trail   []string // where it is; do not keep
	object  bool
	entries []entry
}

// entry is one member or one item.
type entry struct {
	name     string // a position as text in a list
	nameSpan Span
	value    any
	span     Span
}

// Span is a stretch of the raw text, in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek is the current byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) value() (any, error) {
	switch b := p.peek(); {
	case b == '{':
		return p.nested(p.object)
	case b == '[':
		return p.nested(p.list)
	case b == '"':
		return p.str()
	case b == '-' || digit(b):
		return p.number()
	case b == 't':
		return true, p.word("true")
	case b == 'f':
		return false, p.word("false")
	case b == 'n':
		return nil, p.word("null")
	}
	return nil, p.expected("a value")
}

func (p *parser) word(w string) error {
	if !strings.HasPrefix(p.text[p.at:], w) {
		return p.expected("a value")
	}
	p.at += len(w)
	return nil
}

func (p *parser) nested(read func(*container) (any, error)) (any, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, p.fail(TooDeep, "Objects and lists are nested more than %d levels deep here.", MaxDepth)
	}
	p.at++
	var seen container
	v, err := read(&seen)
	p.depth--
	if err == nil && p.look != nil {
		seen.trail = p.trail
		p.look(seen)
	}
	return v, err
}

func (p *parser) object(seen *container) (any, error) {
	seen.object = true
	out := map[string]any{}
	if p.space(); p.peek() == '}' {
		p.at++
		return out, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.expected("a member name in double quotes")
		}
		start := p.at
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		e := entry{name: name, nameSpan: Span{start, p.at}}
		if p.space(); p.peek() != ':' {
			return nil, p.expected("a colon after the member name")
		}
		p.at++
		if err := p.entry(seen, &e); err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			out[name] = repeated{}
		} else {
			out[name] = e.value
		}
		if more, err := p.more('}', "a comma or the closing brace }"); err != nil || !more {
			return out, err
		}
	}
}

func (p *parser) list(seen *container) (any, error) {
	out := []any{}
	if p.space(); p.peek() == ']' {
		p.at++
		return out, nil
	}
	for {
		var e entry
		if p.look != nil {
			e.name = strconv.Itoa(len(out))
		}
		if err := p.entry(seen, &e); err != nil {
			return nil, err
		}
		out = append(out, e.value)
		if more, err := p.more(']', "a comma or the closing bracket ]"); err != nil || !more {
			return out, err
		}
	}
}

// entry reads the value of e.
func (p *parser) entry(seen *container, e *entry) (err error) {
	p.space()
	e.span.Start = p.at
	if p.look == nil {
		e.value, err = p.value()
		return err
	}
	p.trail = append(p.trail, e.name)
	e.value, err = p.value()
	p.trail = p.trail[:len(p.trail)-1]
	e.span.End = p.at
	seen.entries = append(seen.entries, *e)
	return err
}

// more reports whether a comma follows, or the end of the object or list.
func (p *parser) more(end byte, expected string) (bool, error) {
	p.space()
	switch p.peek() {
	case ',':
		p.at++
		p.space()
		return true, nil
	case end:
		p.at++
		return false, nil
	}
	return false, p.expected(expected)
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is the JSON pointer (RFC 6901) of the entry name below trail.
func pointer(trail []string, name ...string) string {
	var b strings.Builder
	for _, step := range slices.Concat(trail, name) {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(step))
	}
	return b.String()
}
