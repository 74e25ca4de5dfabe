package ui

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"countersign/models"

	"github.com/a-h/templ"
)

// Field is one question of a form: its label, help, what was typed and what
// must change. The zero value of everything but Name and Label is fine.
type Field struct {
	Name, Label string
	ID          string // default Name; the error summary links to it
	Help        string
	Error       string // "" when fine; otherwise what to do: "Enter ..."
	Value       string
	Values      []string // the chosen ones of CheckBoxes
	Type        string   // of an input; default text
	Options     []Option // of Select, Radios and CheckBoxes
	Required    bool
	Optional    bool // says "(optional)" after the label
	Checked     bool // of a CheckBox
	Disabled    bool
	Narrow      bool // for short values such as a number or date
	Code        bool // monospace, no spell-checking
	Rows        int  // of a TextArea; default 3
	Max         int  // characters; a count appears near it
	Autocomplete,
	Placeholder string
	Attrs templ.Attributes
}

// Option is one choice of a Select, Radios or CheckBoxes.
type Option struct {
	Value, Label string
	Hint         string // one line under the label; not in a Select
	Disabled     bool
}

// FieldProblem says what must change in one field.
type FieldProblem = models.FieldError

// With returns the field with its error taken from problems.
func (f Field) With(problems []FieldProblem) Field {
	for _, p := range problems {
		if p.Field == f.Name && f.Error == "" {
			f.Error = p.Message
		}
	}
	return f
}

// Hinted returns the field with what hints say about it after its help.
func (f Field) Hinted(hints map[string]string) Field {
	if hint := hints[f.Name]; hint != "" {
		f.Help = strings.TrimSpace(f.Help + " " + hint)
	}
	return f
}

func (f Field) id() string { return or(f.ID, f.Name) }

func (f Field) optionID(i int) string {
	if i == 0 {
		return f.id() // where the error summary leads
	}
	return f.id() + "-" + strconv.Itoa(i+1)
}

func (f Field) chosen(value string) bool {
	return value == f.Value && f.Values == nil || slices.Contains(f.Values, value)
}

// describedBy names the error first, then the help.
func (f Field) describedBy() string {
	var ids []string
	if f.Error != "" {
		ids = append(ids, f.id()+"-error")
	}
	if f.Help != "" {
		ids = append(ids, f.id()+"-help")
	}
	return strings.Join(ids, " ")
}

// boxAttrs are for the element around a field.
func (f Field) boxAttrs() templ.Attributes {
	a := templ.Attributes{"class": "field"}
	if f.Narrow {
		a["class"] = "field narrow"
	}
	if f.Error != "" {
		a["data-invalid"] = "true"
	}
	return a
}

// groupAttrs are boxAttrs for a fieldset, which also carries the description.
func (f Field) groupAttrs(role string) templ.Attributes {
	a := f.boxAttrs()
	a["role"] = role
	if d := f.describedBy(); d != "" {
		a["aria-describedby"] = d
	}
	if role == "radiogroup" {
		if f.Error != "" {
			a["aria-invalid"] = "true"
		}
		if f.Required {
			a["aria-required"] = "true"
		}
	}
	return a
}

// controlAttrs are for the input, select or textarea itself.
func (f Field) controlAttrs() templ.Attributes {
	a := templ.Attributes{"id": f.id(), "name": f.Name}
	set := func(name, value string, when bool) {
		if when {
			a[name] = value
		}
	}
	set("aria-describedby", f.describedBy(), f.describedBy() != "")
	set("aria-invalid", "true", f.Error != "")
	set("autocomplete", f.Autocomplete, f.Autocomplete != "")
	set("placeholder", f.Placeholder, f.Placeholder != "")
	set("data-max", strconv.Itoa(f.Max), f.Max > 0)
	set("spellcheck", "false", f.Code)
	if f.Required {
		a["required"] = true
	}
	if f.Disabled {
		a["disabled"] = true
	}
	for name, value := range f.Attrs {
		a[name] = value
	}
	return a
}

// newSubmission is a random UUID (version 4).
func newSubmission() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// attention is the heading of the error summary.
func attention(n int) string {
	if n == 1 {
		return "1 answer needs your attention"
	}
	return fmt.Sprintf("%d answers need your attention", n)
}
