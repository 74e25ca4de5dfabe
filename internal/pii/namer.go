package pii

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxValue = 256 // bytes: longer values are not looked at by their name
	maxDepth = 64
)

// namer finds values whose name says what they are, byte by byte.
type namer struct {
	found  func(Found)
	offset int64
	at     position
	kinds  map[string]Kind // of names seen before, by name and the name around it

	// JSON, and name=value
	text    []byte // of the string or word that is being read
	start   Found  // where it begins
	quoted  bool
	escaped bool
	word    bool
	name    string // before a colon or an equals sign
	around  []string

	// CSV
	begun   bool
	head    []byte // the first line
	columns []Kind // by number; nil: not CSV
	comma   byte
	column  int
}

func newNamer(found func(Found)) namer {
	return namer{found: found, at: position{1, 1}, kinds: map[string]Kind{}}
}

func (n *namer) read(text []byte) {
	for _, b := range text {
		if n.columns != nil {
			n.cell(b)
		} else {
			n.pair(b)
		}
		if !n.begun {
			n.first(b)
		}
		n.offset++
		switch {
		case b == '\n':
			n.at.line, n.at.column = n.at.line+1, 1
		case utf8.RuneStart(b):
			n.at.column++
		}
	}
}

// end is the end of the stream.
func (n *namer) end() {
	if n.columns != nil {
		n.cell('\n')
	} else {
		n.pair('\n')
	}
}

// first looks whether the first line is the head of a table.
func (n *namer) first(b byte) {
	if b != '\n' && len(n.head) < 8<<10 {
		n.head = append(n.head, b)
		return
	}
	n.begun = true
	line := strings.TrimPrefix(strings.TrimSpace(string(n.head)), "\ufeff")
	n.head = nil
	if b != '\n' || line == "" || strings.ContainsAny(line[:1], "{[<") {
		return
	}
	for _, comma := range []string{",", ";", "\t"} {
		names := strings.Split(line, comma)
		if len(names) < 2 {
			continue
		}
		kinds, any := make([]Kind, len(names)), false
		for i, name := range names {
			if kind, sure := NameKind(strings.Trim(name, "\" ")); sure {
				kinds[i], any = kind, true
			}
		}
		if any {
			n.columns, n.comma = kinds, comma[0]
			n.reset()
			return
		}
	}
}

func (n *namer) reset() {
	n.text, n.quoted, n.escaped, n.word, n.name, n.column = n.text[:0], false, false, false, "", 0
}

func (n *namer) begin() {
	n.text = n.text[:0]
	n.start = Found{Offset: n.offset, Line: n.at.line, Column: n.at.column}
}

func (n *namer) add(b byte) {
	if len(n.text) <= maxValue {
		n.text = append(n.text, b)
	}
}

// cell reads one byte of a table. A quote that is doubled inside a quoted cell
// ends and begins it again, which changes nothing here.
func (n *namer) cell(b byte) {
	switch {
	case b == '"':
		n.quoted = !n.quoted
		if n.quoted && len(n.text) == 0 {
			return
		}
	case b == n.comma && !n.quoted, b == '\n' && !n.quoted:
		if n.column < len(n.columns) {
			n.value(n.columns[n.column])
		}
		n.text = n.text[:0]
		n.column++
		if b == '\n' {
			n.column = 0
		}
		return
	}
	if len(n.text) == 0 {
		n.begin()
	}
	n.add(b)
}

// pair reads one byte of JSON or of anything else.
func (n *namer) pair(b byte) {
	switch {
	case n.quoted:
		n.inQuotes(b)
	case b == '"':
		n.endWord()
		n.quoted = true
		n.text = n.text[:0]
		n.start = Found{Offset: n.offset + 1, Line: n.at.line, Column: n.at.column + 1}
	case b == ':' && !n.word && len(n.text) > 0: // the string before it was a name
		n.name, n.text = n.lastText(), n.text[:0]
	case b == '=' && (n.word || len(n.text) > 0):
		n.name, n.text, n.word = n.lastText(), n.text[:0], false
	case b == '{' || b == '[':
		n.endWord()
		if len(n.around) < maxDepth {
			n.around = append(n.around, n.name)
		}
		n.name = ""
	case b == '}' || b == ']':
		n.endWord()
		n.around = n.around[:max(len(n.around)-1, 0)]
		n.name = ""
	case b == ',' || b == '&' || b == ';':
		n.endWord()
		n.name = ""
	case b == ' ' || b == '\t' || b == '\r' || b == '\n':
		n.endWord()
	default:
		if !n.word {
			n.word = true
			n.begin()
		}
		n.add(b)
	}
}

func (n *namer) inQuotes(b byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case b == '\\':
		n.escaped = true
	case b == '"' || b == '\n': // an apostrophe of a log, or a string that nobody closed
		n.quoted = false
		if n.name != "" {
			n.value(n.kind())
			n.name, n.text = "", n.text[:0]
		}
		return
	}
	n.add(b)
}

// endWord is the end of an unquoted word; it is a value when a name and an
// equals sign or a colon stood before it.
func (n *namer) endWord() {
	if !n.word {
		return
	}
	n.word = false
	if n.name != "" {
		n.value(n.kind())
		n.name = ""
	}
	n.text = n.text[:0]
}

func (n *namer) lastText() string {
	if len(n.text) > maxName {
		return ""
	}
	return strings.Trim(string(n.text), `"':`)
}

// kind is what the name says, together with the name of what it is inside of.
func (n *namer) kind() Kind {
	around := ""
	for i := len(n.around) - 1; i >= 0 && around == ""; i-- {
		around = n.around[i]
	}
	key := around + "\x00" + n.name
	kind, known := n.kinds[key]
	if !known {
		var sure bool
		if kind, sure = NameKind(around, n.name); !sure {
			kind = ""
		}
		if len(n.kinds) < 4096 {
			n.kinds[key] = kind
		}
	}
	return kind
}

var (
	namePattern  = regexp.MustCompile(`^\pL[\pL\pM .,'’&-]*\pL\.?$`)
	digitPattern = regexp.MustCompile(`\d`)
)

// value tells a value of the kind that its name suggests, unless it clearly is
// something else: an identifier, a yes or no, a mark of what was removed.
func (n *namer) value(k Kind) {
	if k == "" || len(n.text) > maxValue {
		return
	}
	lead := len(n.text) - len(bytes.TrimLeft(n.text, " \"'"))
	v := strings.Trim(string(n.text), " \"'\r")
	if v == "" || strings.HasPrefix(v, "[removed") {
		return
	}
	digits := len(digitPattern.FindAllString(v, -1))
	switch k {
	case Person, Company:
		switch strings.ToLower(v) {
		case "null", "none", "true", "false", "unknown", "undefined", "test", "demo":
			return
		}
		if !namePattern.MatchString(v) {
			return
		}
	case Email:
		if !strings.Contains(v, "@") {
			return
		}
	case Phone, Birth:
		if digits < 6 {
			return
		}
	case Card, IBAN:
		if digits < 10 {
			return
		}
	case Address:
		if digits == 0 && !strings.Contains(v, " ") || strings.ContainsAny(v, ":_/@") {
			return
		}
	}
	f := n.start
	f.Kind, f.Offset, f.Column, f.Length, f.Sure = k, f.Offset+int64(lead), f.Column+lead, len(v), true
	n.found(f)
}
