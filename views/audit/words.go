package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/views/ui"
)

// Words turns object.verb_noun into "Object verb noun".
func Words(action string) string {
	s := strings.NewReplacer(".", " ", "_", " ").Replace(action)
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// Compare lists the fields in which two JSON objects differ, by name. Text that
// is no JSON object gives nothing.
func Compare(before, after string) []ui.Change {
	was, is := object(before), object(after)
	names := map[string]bool{}
	for k := range was {
		names[k] = true
	}
	for k := range is {
		names[k] = true
	}
	var changes []ui.Change
	for k := range names {
		if a, b := text(was[k]), text(is[k]); a != b {
			changes = append(changes, ui.Changed(Words(k), a, b))
		}
	}
	slices.SortFunc(changes, func(a, b ui.Change) int { return strings.Compare(a.Label, b.Label) })
	return changes
}

func object(s string) map[string]any {
	m := map[string]any{}
	if s == "" {
		return m
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	_ = d.Decode(&m)
	return m
}

// text is a JSON value as a person reads it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case json.Number:
		return v.String()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}
