package control

import (
	"fmt"
	"strings"

	"countersign/models"
	"countersign/views/ui"

	"github.com/a-h/templ"
)

// main is the input that holds the answer itself; the help above describes it.
func (e Edit) main(a Answer, name, value string, options []ui.Option) ui.Field {
	f := ui.Field{Name: name, ID: a.Field + "-" + name, Label: a.Label, Value: value, Options: options, Rows: 4}.With(e.Problems)
	described := a.Field + "-how"
	if f.Error != "" {
		described = f.ID + "-error " + described
	}
	if name != "mode" {
		f.Attrs = templ.Attributes{"aria-describedby": described, "autofocus": true}
	}
	return f
}

// boxes is main for any number of environments.
func (e Edit) boxes(a Answer) ui.Field {
	f := ui.Field{Name: "environments", ID: a.Field + "-environments", Label: a.Label, Options: e.Environments, Values: e.Chosen}
	if f.Values == nil {
		f.Values = []string{}
	}
	return f.With(e.Problems)
}

// field is an input next to the main one.
func (e Edit) field(a Answer, name, label, help string) ui.Field {
	value := e.Reason
	if name == "basis" {
		value = e.Basis
	}
	return ui.Field{Name: name, ID: a.Field + "-" + name, Label: label, Help: help, Value: value}.With(e.Problems)
}

// number is f as a short numeric input.
func number(f ui.Field) ui.Field {
	f.Type, f.Narrow = "number", true
	f.Attrs["min"], f.Attrs["inputmode"] = "0", "numeric"
	return f
}

// labelled is f with another label.
func labelled(f ui.Field, label string) ui.Field {
	f.Label = label
	return f
}

// summary leads each problem to its input, whose id starts with the field.
func (e Edit) summary(field string) []models.FieldError {
	var lines []models.FieldError
	for _, p := range e.Problems {
		id := field + "-" + p.Field
		switch {
		case p.Field == "operations":
			id = "f-" + field
		case strings.HasPrefix(p.Field, "components."):
			id = partID(field, p.Field)
		}
		lines = append(lines, models.FieldError{Field: id, Message: p.Message})
	}
	return lines
}

// earlier counts what a thread folds away.
func earlier(n int) string {
	if n == 1 {
		return "1 settled entry"
	}
	return fmt.Sprintf("%d settled entries", n)
}
