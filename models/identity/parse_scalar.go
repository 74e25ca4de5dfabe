package identity

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// number reads a number and keeps its text.
func (p *parser) number() (any, error) {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		if p.at++; digit(p.peek()) {
			return nil, p.fail(NotJSON, "Remove the leading zero of this number, or put it in double quotes.")
		}
	} else if err := p.digits(); err != nil {
		return nil, err
	}
	if p.peek() == '.' {
		p.at++
		if err := p.digits(); err != nil {
			return nil, err
		}
	}
	if b := p.peek(); b == 'e' || b == 'E' {
		p.at++
		if b := p.peek(); b == '+' || b == '-' {
			p.at++
		}
		if err := p.digits(); err != nil {
			return nil, err
		}
	}
	return Number(p.text[start:p.at]), nil
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

func (p *parser) digits() error {
	if !digit(p.peek()) {
		return p.expected("a digit")
	}
	for digit(p.peek()) {
		p.at++
	}
	return nil
}

// str reads a string; text without escapes is not copied.
func (p *parser) str() (string, error) {
	p.at++
	start := p.at
	var b strings.Builder
	escaped := false
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			if escaped {
				b.WriteString(s)
				return b.String(), nil
			}
			return s, nil
		case c == '\\':
			b.WriteString(p.text[start:p.at])
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			start, escaped = p.at, true
		case c == '\n' || c == '\r':
			return "", p.fail(NotJSON, "Close the text with a double quote before the line ends, or write the line break as \\n.")
		case c < ' ':
			return "", p.fail(NotJSON, "Write the control character U+%04X as \\u%04x.", c, c)
		default:
			p.at++
		}
	}
	return "", p.expected("a closing double quote")
}

var short = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape; a surrogate must be half of a pair.
func (p *parser) escape() (rune, error) {
	begin := p.at
	p.at++
	if r, ok := short[p.peek()]; ok {
		p.at++
		return r, nil
	}
	if p.peek() != 'u' {
		return 0, p.expected("one of \" \\ / b f n r t u after the backslash")
	}
	r, err := p.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if p.peek() == '\\' && strings.HasPrefix(p.text[p.at:], `\u`) {
		p.at++
		low, err := p.unit()
		if err != nil {
			return 0, err
		}
		if full := utf16.DecodeRune(r, low); full != '\uFFFD' {
			return full, nil
		}
	}
	p.at = begin
	return 0, p.fail(NotText, "Complete the character: \\u%04x is half of a surrogate pair.", r)
}

// unit reads u and four hexadecimal digits.
func (p *parser) unit() (rune, error) {
	p.at++
	for i := range 4 {
		if p.at+i >= len(p.text) || !strings.ContainsRune("0123456789abcdefABCDEF", rune(p.text[p.at+i])) {
			p.at += i
			return 0, p.expected("four hexadecimal digits after \\u")
		}
	}
	n, _ := strconv.ParseUint(p.text[p.at:p.at+4], 16, 32)
	p.at += 4
	return rune(n), nil
}
