package signoff

import (
	"regexp"
	"strings"

	"countersign/models/control"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Op says what happened to a piece of text.
type Op string

const (
	Equal  Op = "equal"
	Insert Op = "insert"
	Delete Op = "delete"
)

// Part is a piece of text in a difference.
type Part struct {
	Op   Op
	Text string
}

// Change is one field or fact that differs.
type Change struct {
	Field string // key of the field, or of a fact such as operation.production
	Label string
	Kind  string // changed, added or removed
	Parts []Part
}

// Difference is what changed from one content to another.
type Difference struct {
	Changes []Change
	Total   int // how many fields and facts were compared
}

// Diff compares two contents field by field, word by word: every answer, and
// every fact of accounts, operations, sender and workflow that a signer sees.
func Diff(before, after control.Content) Difference {
	was, is := facts(before), facts(after)
	old := map[string]string{}
	for _, f := range was {
		old[f.Key] = f.Text
	}
	var d Difference
	for _, f := range is {
		d.Total++
		text, had := old[f.Key]
		delete(old, f.Key)
		switch {
		case !had:
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "added", []Part{{Insert, f.Text}}})
		case text != f.Text:
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "changed", Words(text, f.Text)})
		}
	}
	for _, f := range was {
		if text, gone := old[f.Key]; gone {
			d.Total++
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "removed", []Part{{Delete, text}}})
		}
	}
	return d
}

var word = regexp.MustCompile(`\s+|[\p{L}\p{N}_]+|.`)

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
		op := map[diffmatchpatch.Operation]Op{diffmatchpatch.DiffEqual: Equal, diffmatchpatch.DiffInsert: Insert, diffmatchpatch.DiffDelete: Delete}[d.Type]
		parts = append(parts, Part{op, text.String()})
	}
	return grouped(parts)
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

// grouped makes one deletion and one insertion of changes with nothing but
// space between them, so that a rewritten phrase reads as one.
func grouped(parts []Part) []Part {
	var out []Part
	var deleted, inserted string
	flush := func() {
		if deleted != "" {
			out = append(out, Part{Delete, deleted})
		}
		if inserted != "" {
			out = append(out, Part{Insert, inserted})
		}
		deleted, inserted = "", ""
	}
	for i, p := range parts {
		switch {
		case p.Op == Delete:
			deleted += p.Text
		case p.Op == Insert:
			inserted += p.Text
		case deleted != "" && inserted != "" && strings.TrimSpace(p.Text) == "" && i+1 < len(parts):
			deleted, inserted = deleted+p.Text, inserted+p.Text
		default:
			flush()
			out = append(out, p)
		}
	}
	flush()
	return out
}
