package reference

import "regexp"

// span is a piece of a text: plain, code between backticks, or a [link](to).
type span struct{ Text, Code, Href string }

var marked = regexp.MustCompile("`([^`]+)`|\\[([^\\]]+)\\]\\((/[^)]*)\\)")

// spans splits a text at its code and its links.
func spans(text string) (all []span) {
	at := 0
	for _, m := range marked.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			all = append(all, span{Text: text[at:m[0]]})
		}
		if m[2] >= 0 {
			all = append(all, span{Code: text[m[2]:m[3]]})
		} else {
			all = append(all, span{Text: text[m[4]:m[5]], Href: text[m[6]:m[7]]})
		}
		at = m[1]
	}
	if at < len(text) {
		all = append(all, span{Text: text[at:]})
	}
	return all
}
