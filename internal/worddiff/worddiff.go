// Package worddiff compares two texts by whole words.
package worddiff

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// What happened to a piece of text. Equal is in both.
const (
	Equal  = ""
	Insert = "ins"
	Delete = "del"
)

// Part is a piece of a comparison; Op is Equal, Insert or Delete.
type Part struct{ Op, Text string }

var word = regexp.MustCompile(`\s+|[\p{L}\p{Nd}\p{M}_]+|.`)

// Words is the difference of two texts by whole words. The equal and deleted
// parts together are before, the equal and inserted ones after.
func Words(before, after string) []Part {
	var tokens []string
	runeOf := map[string]rune{}
	encode := func(text string) []rune {
		var out []rune
		for _, w := range word.FindAllString(text, -1) {
			r, ok := runeOf[w]
			if !ok {
				r = tokenRune(len(tokens))
				runeOf[w] = r
				tokens = append(tokens, w)
			}
			out = append(out, r)
		}
		return out
	}
	a, b := encode(before), encode(after)
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0 // the answer must not depend on how busy the machine is
	var parts []Part
	for _, d := range differ.DiffMainRunes(a, b, false) {
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(tokens[tokenIndex(r)])
		}
		op := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffEqual: Equal, diffmatchpatch.DiffInsert: Insert, diffmatchpatch.DiffDelete: Delete}[d.Type]
		parts = append(parts, Part{op, text.String()})
	}
	return together(parts)
}

// Tokens become runes from 1 on, leaving out the surrogates, which are no text.
func tokenRune(i int) rune {
	if i+1 >= 0xd800 {
		return rune(i + 1 + 0x800)
	}
	return rune(i + 1)
}

func tokenIndex(r rune) int {
	if r >= 0xe000 {
		return int(r) - 0x800 - 1
	}
	return int(r) - 1
}

// together makes one change of neighbours that only spaces and signs keep apart,
// what is gone first: "from a mail" and "see the manual", not word against word.
func together(parts []Part) (out []Part) {
	for i := 0; i < len(parts); {
		if parts[i].Op == Equal {
			out = append(out, parts[i])
			i++
			continue
		}
		gone, added := "", ""
		for ; i < len(parts); i++ {
			p := parts[i]
			if p.Op == Equal && (i+1 == len(parts) || strings.ContainsFunc(p.Text, isWord)) {
				break
			}
			if p.Op != Insert {
				gone += p.Text
			}
			if p.Op != Delete {
				added += p.Text
			}
		}
		if gone != "" {
			out = append(out, Part{Delete, gone})
		}
		if added != "" {
			out = append(out, Part{Insert, added})
		}
	}
	return out
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}
