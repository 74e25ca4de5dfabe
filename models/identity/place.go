package identity

import (
	"strings"
	"unicode/utf8"
)

// Place is where a byte of a text stands: line and column from 1, the column in
// characters.
func Place(text string, at int) (line, column int) {
	before := text[:max(0, min(at, len(text)))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// PersonalData looks for personal data in a JSON text that is going to be kept.
// Block is sure; ReasonAllowed only looks like it. A text that cannot be read
// gives one finding, FoundUnreadable.
func PersonalData(text string) []Finding {
	var c checker
	r := read(Rule{Example: text})
	c.checkExample(&r)
	return c.findings
}
