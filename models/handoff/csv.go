package handoff

import (
	"io"
	"strconv"

	"countersign/internal/safecsv"
)

// csvHead are the columns of the CSV, one row per field and scenario.
var csvHead = []string{"control", "revision", "revision_state", "section", "section_title", "field", "label", "state", "value", "reason", "question", "answered_by"}

// CSV writes one row for each field and each scenario; an unresolved one says so
// in its state and repeats the question. Cells are safe to open in a spreadsheet.
func (r Record) CSV(w io.Writer) error {
	out := safecsv.New(w)
	if err := out.Row(csvHead...); err != nil {
		return err
	}
	s := r.Sheet()
	row := func(section SheetSection, field, label, state, value, reason, ask, by string) error {
		return out.Row(s.Slug, strconv.Itoa(s.Revision.Number), s.Revision.State, strconv.Itoa(section.Number), section.Title, field, label, state, value, reason, ask, by)
	}
	for _, section := range s.Sections {
		for _, e := range section.Entries {
			ask := ""
			if e.Why != "" || e.State == "unresolved" {
				ask = e.Ask
			}
			if err := row(section, e.Field, e.Label, string(e.State), e.Value, e.Reason, ask, e.By); err != nil {
				return err
			}
		}
		if section.Number != testSection {
			continue
		}
		for _, t := range s.Tests {
			state, ask := t.State, ""
			if t.Unresolved() {
				state, ask = "unresolved", "What must this scenario show?"
			}
			if err := row(section, "case."+t.Case, t.Title, state, t.Expected, t.Reason, ask, ""); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
