package ui

import (
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// DiffPart is a piece of a comparison. Op is "" (in both), "ins" (only in the
// new text) or "del" (only in the old one).
type DiffPart struct{ Op, Text string }

// DiffWords compares two texts word by word.
func DiffWords(old, new string) []DiffPart {
	a, b, words := wordsAsRunes(old, new)
	var parts []DiffPart
	for _, d := range diffmatchpatch.New().DiffMainRunes(a, b, false) {
		p := DiffPart{}
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			p.Op = "ins"
		case diffmatchpatch.DiffDelete:
			p.Op = "del"
		}
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(words[wordIndex(r)])
		}
		p.Text = text.String()
		parts = append(parts, p)
	}
	return together(parts)
}

// together makes one change of neighbours that only spaces and signs keep apart,
// what is gone first: "from a mail" and "see the manual", not word against word.
func together(parts []DiffPart) (out []DiffPart) {
	for i := 0; i < len(parts); {
		if parts[i].Op == "" {
			out = append(out, parts[i])
			i++
			continue
		}
		gone, new := "", ""
		for ; i < len(parts); i++ {
			p := parts[i]
			if p.Op == "" && (i+1 == len(parts) || strings.ContainsFunc(p.Text, isWord)) {
				break
			}
			if p.Op != "ins" {
				gone += p.Text
			}
			if p.Op != "del" {
				new += p.Text
			}
		}
		if gone != "" {
			out = append(out, DiffPart{"del", gone})
		}
		if new != "" {
			out = append(out, DiffPart{"ins", new})
		}
	}
	return out
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// wordsAsRunes gives every different word one rune, so that a comparison of
// runes is a comparison of words.
func wordsAsRunes(old, new string) (a, b []rune, words []string) {
	runes := map[string]rune{}
	encode := func(text string) (out []rune) {
		for _, w := range splitWords(text) {
			r, ok := runes[w]
			if !ok {
				r = wordRune(len(words))
				runes[w] = r
				words = append(words, w)
			}
			out = append(out, r)
		}
		return out
	}
	a, b = encode(old), encode(new)
	return a, b, words
}

// Runes 0xD800 to 0xDFFF are not valid in a string, so they are stepped over.
func wordRune(i int) rune {
	if i+1 >= 0xd800 {
		return rune(i + 1 + 0x800)
	}
	return rune(i + 1)
}

func wordIndex(r rune) int {
	if r >= 0xe000 {
		return int(r) - 1 - 0x800
	}
	return int(r) - 1
}

// splitWords cuts text into words, spaces and single signs; joined they are the text.
func splitWords(text string) (words []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 1
		case isWord(r):
			return 2
		default:
			return 0 // a sign stands alone
		}
	}
	start, last := 0, -1
	for i, r := range text {
		k := kind(r)
		if i > 0 && (k != last || k == 0) {
			words = append(words, text[start:i])
			start = i
		}
		last = k
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return words
}
