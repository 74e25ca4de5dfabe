package evidence

import (
	"fmt"
	"strings"

	"countersign/internal/pii"
	"countersign/models"
)

// Finding is one place in a text or a file's name that looks like personal data.
type Finding struct {
	Kind   pii.Kind `json:"kind"`
	Line   int      `json:"line"`              // from 1
	Column int      `json:"column"`            // from 1, in characters
	Offset int64    `json:"offset"`            // in bytes, of the text
	Length int      `json:"length"`            // in bytes
	Sure   bool     `json:"sure"`              // false: digits that could as well be an identifier
	InName bool     `json:"in_name,omitempty"` // in the file's name instead of in the file
}

// Where says in words where the finding is.
func (f Finding) Where() string {
	if f.InName {
		return "in the file's name"
	}
	return fmt.Sprintf("line %d, column %d", f.Line, f.Column)
}

// Mark is what stands in place of what was taken out.
func Mark(k pii.Kind) string {
	what := k.Words()
	for _, article := range []string{"a ", "an "} {
		what = strings.TrimPrefix(what, article)
	}
	return "[removed: " + what + "]"
}

// Flagged is an Invalid at text: personal data that a person decides about.
type Flagged struct {
	invalid  error
	Findings []Finding
}

func (e *Flagged) Error() string { return e.invalid.Error() }

// Unwrap lets errors.As find the domain error.
func (e *Flagged) Unwrap() error { return e.invalid }

// flagged says where the first places are.
func flagged(text string, found []Finding) error {
	first := found[0]
	message := fmt.Sprintf("Remove %s in %s.", first.Kind.Words(), first.Where())
	if len(found) > 1 {
		message = fmt.Sprintf("Remove personal data in %d places, the first is %s in %s.", len(found), first.Kind.Words(), first.Where())
	}
	return &Flagged{invalid: models.Invalid("text", "%s", message), Findings: found}
}

func scanText(text string) []Finding {
	var all []Finding
	stream := pii.NewStream(func(f pii.Found) {
		all = append(all, Finding{Kind: f.Kind, Line: f.Line, Column: f.Column, Offset: f.Offset, Length: f.Length, Sure: f.Sure})
	})
	_, _ = stream.Write([]byte(text))
	_ = stream.Close()
	return all
}

func redactText(text string, found []Finding) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Offset])
		b.WriteString(Mark(f.Kind))
		at = int(f.Offset) + f.Length
	}
	b.WriteString(text[at:])
	return b.String()
}

// counts is how often each kind was found, in the order of the first of each.
func counts(found []Finding) Array[Count] {
	var all Array[Count]
	for _, f := range found {
		all = count(all, f.Kind)
	}
	return all
}

func count(all []Count, k pii.Kind) []Count {
	for i := range all {
		if all[i].Kind == string(k) {
			all[i].N++
			return all
		}
	}
	return append(all, Count{string(k), 1})
}

// words lists counts in words: "an e-mail address, a phone number (3)".
func words(all []Count) string {
	var parts []string
	for _, c := range all {
		part := pii.Kind(c.Kind).Words()
		if c.N > 1 {
			part = fmt.Sprintf("%s (%d)", part, c.N)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// longestShort is more than any field of a form may hold, in bytes.
const longestShort = 16 << 10

// noPersonalData refuses a short text that names somebody; digits that could be
// an identifier are left alone. A longer text is refused for its length.
func noPersonalData(check *models.Check, field, text string) {
	if len(text) > longestShort {
		return
	}
	for _, h := range pii.Scan(text) {
		if h.Sure {
			check.Add(field, "Remove %s.", h.Kind.Words())
			return
		}
	}
}
