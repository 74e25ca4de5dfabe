package signoff

import (
	"countersign/models/control"
	"countersign/views/ui"
)

// Warnings is what stands in the record and stops neither submission nor a
// signature, but should not be signed unread.
func Warnings(c control.Content) []ui.CheckItem {
	var list []ui.CheckItem
	warn := func(strong, text string) {
		list = append(list, ui.CheckItem{Tone: "warn", Icon: "triangle-alert", Strong: strong, Text: text})
	}
	if a, _ := c.Answer("mode"); a.State == control.Answered && a.Value == "Observe" {
		warn("Mode observe refuses nothing.", "Repeats are counted and go through.")
	}
	for _, o := range c.Operations {
		if o.Mechanism == "not_checked" {
			warn(o.Name+" at "+o.Destination+":", "nobody has checked yet what its documentation says about a repeat.")
		}
	}
	if c.Sender != nil && c.Sender.CheckedOn == "" {
		warn(c.Sender.Name+":", "nobody has checked yet what this sender’s documentation says about duplicates and order.")
	}
	for _, f := range c.Window() {
		warn("How long it is remembered.", f.Words)
	}
	for _, k := range c.Kept {
		field, _ := control.FieldByKey(k.Field)
		by := "The business owner"
		if k.KeptBy != nil {
			by = k.KeptBy.Name
		}
		if k.KeptFor != nil {
			by += " for " + k.KeptFor.Name
		}
		warn(field.Label+": a finding is kept.", k.Words+" "+by+" keeps it: "+k.Reason)
	}
	for _, a := range c.Answers {
		rule, _ := a.Rule()
		for _, part := range rule.Components {
			if field, ok := control.FieldByKey(a.Field); ok && part.Default != nil && a.State == control.Answered {
				warn(field.Label+":", "where "+part.Path+" is absent, "+*part.Default+" stands in for it. A null or an empty value still goes to review.")
			}
		}
	}
	for _, a := range c.Answers {
		if field, ok := control.FieldByKey(a.Field); ok && (control.Overclaims(a.Value) || control.Overclaims(a.Reason)) {
			warn(field.Label+":", "the answer claims more than can be promised.")
		}
	}
	return list
}
