package signoff

import (
	"countersign/internal/worddiff"
	"countersign/models/control"
)

// Change is one field or fact that differs.
type Change struct {
	Field string // key of the field, or of a fact such as operation.production
	Label string
	Kind  string // changed, added or removed
	Parts []worddiff.Part
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
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "added", []worddiff.Part{{Op: worddiff.Insert, Text: f.Text}}})
		case text != f.Text:
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "changed", worddiff.Words(text, f.Text)})
		}
	}
	for _, f := range was {
		if text, gone := old[f.Key]; gone {
			d.Total++
			d.Changes = append(d.Changes, Change{f.Key, f.Label, "removed", []worddiff.Part{{Op: worddiff.Delete, Text: text}}})
		}
	}
	return d
}
