package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/internal/strictjson"
	"countersign/models"
	"countersign/models/control"
)

const (
	// MostBytes is the longest record that is read in.
	MostBytes = 256 << 10

	deepest   = 16
	mostFlaws = 50
)

// ReadRecord reads a record that Record.JSON wrote, in this workspace or another.
// Invalid at record lists what is wrong with it, by line or member, and nothing
// is taken then.
func ReadRecord(text []byte) (control.Content, Revision, error) {
	var c models.Check
	bad := func(format string, args ...any) (control.Content, Revision, error) {
		c.Add("record", format, args...)
		return control.Content{}, Revision{}, c.Err()
	}
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\xef\xbb\xbf"))
	switch {
	case len(text) == 0:
		return bad("Paste the JSON of a control, or choose its file.")
	case len(text) > MostBytes:
		return bad("This is longer than %d KiB, which no record of a control is.", MostBytes>>10)
	}
	v, err := strictjson.Read(text, deepest)
	if err != nil {
		return bad("This cannot be read: %v.", err)
	}
	top, ok := v.(map[string]any)
	if !ok || top["schema"] == nil {
		return bad("This is no record of a control: its member “schema” is missing.")
	}
	if top["schema"] != any(Schema) {
		return bad("This is “%v”. Choose a file of the kind “%s”.", top["schema"], Schema)
	}
	var r struct {
		Revision Revision        `json:"revision"`
		Content  control.Content `json:"content"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return bad("A member is of the wrong kind: %s.", strings.TrimPrefix(err.Error(), "json: "))
	}
	flaws(&c, r.Content)
	return r.Content, r.Revision, c.Err()
}

// flaws notes each answer that cannot be one.
func flaws(c *models.Check, content control.Content) {
	n := 0
	note := func(i int, field, format string, args ...any) {
		if n++; n <= mostFlaws {
			c.Add("record", "content.answers[%d] “%s”: %s", i, field, fmt.Sprintf(format, args...))
		}
	}
	seen := map[string]bool{}
	for i, a := range content.Answers {
		f, known := control.FieldByKey(a.Field)
		name := strings.ToValidUTF8(firstRunes(a.Field, 80), "")
		switch {
		case !known:
			note(i, name, "there is no such field.")
			continue
		case seen[a.Field]:
			note(i, name, "the field has an answer before this one.")
		case a.State != control.Unresolved && a.State != control.Answered && a.State != control.NotApplicable:
			note(i, name, "the state is none of unresolved, answered and not_applicable.")
		case utf8.RuneCountInString(a.Value) > 10000 || utf8.RuneCountInString(a.Reason) > 4000:
			note(i, name, "the text is too long.")
		case strings.ContainsRune(a.Value+a.Reason+string(a.Data), 0) || bytes.Contains(a.Data, []byte(`\u0000`)):
			note(i, name, "it holds a character that cannot be saved.")
		case a.State == control.Answered && a.Value == "":
			note(i, name, "it is answered and has no value.")
		case a.State == control.NotApplicable && (f.Always || a.Reason == ""):
			note(i, name, "it cannot be “not applicable” without a reason, or at all.")
		}
		seen[a.Field] = true
	}
	if len(content.Answers) == 0 {
		c.Add("record", "It has no answers.")
	}
	if n > mostFlaws {
		c.Add("record", "%d more answers have a problem.", n-mostFlaws)
	}
}

func firstRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// Portable are the suggestions that a record of another workspace makes: ids of
// operations and versions of policies there mean nothing here.
func Portable(c control.Content, r Revision) []control.Suggestion {
	all := c.Suggestible(firstRunes(fmt.Sprintf("%s, revision %d, in another workspace", c.Control.Name, r.Number), 400))
	for i := range all {
		if f, _ := control.FieldByKey(all[i].Field); f.Kind == control.Operations || f.Kind == control.Policy {
			all[i].Data = nil
		}
	}
	return all
}
