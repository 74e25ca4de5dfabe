package identity

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	MaxInput = 1 << 20 // bytes
	MaxDepth = 64      // objects and lists inside each other
)

// Number is a JSON number as it was written. It is never turned into a floating
// point number, so 9007199254740993 stays what it is, and 1, 1.0 and 1e0 are
// three different texts.
type Number string

// repeated stands for a member whose name occurs twice in one object: what a
// receiver takes from it cannot be predicted (RFC 8259, section 4).
type repeated struct{}

// Input is one JSON document, read strictly. The zero value is the document null.
type Input struct{ root any }

// Why an input could not be read.
const (
	NotJSON  = "not_json"
	NotText  = "not_text" // not UTF-8, or half of a surrogate pair
	TooLarge = "too_large"
	TooDeep  = "too_deep"
)

// InputError says where an input cannot be read, and what was expected there.
type InputError struct {
	Code   string
	Line   int // from 1
	Column int // from 1, in characters
	Offset int // in bytes
	Words  string
}

func (e *InputError) Error() string {
	if e.Code == TooLarge {
		return e.Words
	}
	return fmt.Sprintf("Line %d, column %d: %s", e.Line, e.Column, e.Words)
}

// ParseInput reads one JSON document (RFC 8259) of at most MaxInput bytes and
// MaxDepth levels. Its error is an *InputError. An object may name a member
// twice; a component that depends on such a member goes to review.
func ParseInput(text []byte) (Input, error) {
	root, err := parse(text, nil)
	return Input{root}, err
}

// parse reads raw; look, unless nil, sees every object and list when it is read.
func parse(raw []byte, look func(container)) (any, error) {
	if len(raw) > MaxInput {
		return nil, &InputError{Code: TooLarge, Words: fmt.Sprintf("Shorten the input to %d KiB. It has %d.", MaxInput>>10, (len(raw)+1023)>>10)}
	}
	p := &parser{text: string(raw), look: look}
	if !utf8.ValidString(p.text) {
		for i, r := range p.text {
			if r == utf8.RuneError && !strings.HasPrefix(p.text[i:], "\uFFFD") {
				p.at = i
				return nil, p.fail(NotText, "This byte is not UTF-8 text. Save the input as UTF-8.")
			}
		}
	}
	if strings.HasPrefix(p.text, "\uFEFF") {
		return nil, p.fail(NotJSON, "Remove the byte order mark before the JSON.")
	}
	p.space()
	if p.at == len(p.text) {
		return nil, p.fail(NotJSON, "Enter a JSON document. There is nothing here.")
	}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.expected("the end of the document")
	}
	return root, nil
}

// fail reports an error at the current place.
func (p *parser) fail(code, format string, args ...any) error {
	line, column := Place(p.text, p.at)
	return &InputError{Code: code, Offset: p.at, Words: fmt.Sprintf(format, args...), Line: line, Column: column}
}

// expected reports what should have stood at the current place, and what does.
func (p *parser) expected(what string) error {
	if p.at >= len(p.text) {
		return p.fail(NotJSON, "Expected %s, found the end of the input.", what)
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	switch {
	case r == '\n' || r == '\r':
		return p.fail(NotJSON, "Expected %s, found the end of the line.", what)
	case r == '\'':
		return p.fail(NotJSON, "Expected %s, found a single quote. JSON uses double quotes.", what)
	case r < ' ' || r == 0x7f:
		return p.fail(NotJSON, "Expected %s, found a control character (U+%04X).", what, r)
	}
	return p.fail(NotJSON, "Expected %s, found %c.", what, r)
}
