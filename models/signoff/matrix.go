package signoff

import (
	"fmt"
	"strings"

	"countersign/models/control"
	"countersign/models/identity"
	"countersign/models/matrix"

	"gorm.io/gorm"
)

// snapshot is the content as a submission freezes it, agreed expectations
// included.
func snapshot(q *gorm.DB, controlID int64) (control.Content, error) {
	agreed, err := matrix.Freeze(q, controlID)
	if err != nil {
		return control.Content{}, err
	}
	return control.Snapshot(q, controlID, agreed)
}

// expectations holds when nothing about what the scenarios must show waits for
// anybody, or a waiver stands in.
func (f Facts) expectations() Condition {
	c := Condition{Key: "expectations", OK: true, Words: "What every scenario must show is agreed, or it is not applicable or waived."}
	for _, s := range f.Cases {
		why := ""
		switch {
		case s.Waived(f.Now):
			continue
		case s.Pending:
			why = "a proposal waits for the business owner"
		case s.Expectation == 0 && s.State(f.Now) == matrix.NoExpectation:
			why = "nothing is agreed"
		default:
			continue
		}
		c.Items = append(c.Items, Item{s.Title + ": " + why, f.casePath(s)})
	}
	return c.counted("scenario", " to agree")
}

// proven holds when the latest run of every applicable scenario on this design
// passed and was accepted, or a waiver stands in.
func (f Facts) proven() Condition {
	c := Condition{Key: "matrix", OK: true, Words: "Every applicable scenario passed on this design and was accepted, or is waived."}
	for _, s := range f.Cases {
		passed := s.Outcome == matrix.Passed && s.Decision == matrix.Accept
		if s.Expectation != 0 && !s.Applies || s.Waived(f.Now) || passed {
			continue
		}
		item := Item{s.Title + ": " + unproven(s), f.casePath(s)}
		if s.Run != 0 {
			item.Link = matrix.RunPath(s.Run)
		}
		c.Items = append(c.Items, item)
	}
	return c.counted("scenario", " not proven on this design")
}

func unproven(s matrix.Standing) string {
	switch {
	case s.Expectation == 0:
		return "nothing is agreed"
	case s.Run == 0:
		return "not run on this design"
	case s.Outcome == "":
		return fmt.Sprintf("run %d waits for its result", s.Run)
	case s.Decision == matrix.Return:
		return fmt.Sprintf("run %d was returned", s.Run)
	case s.Outcome == matrix.Passed:
		return fmt.Sprintf("run %d waits for its review", s.Run)
	}
	return fmt.Sprintf("run %d %s", s.Run, map[matrix.Outcome]string{matrix.Failed: "failed", matrix.Inconclusive: "was inconclusive"}[s.Outcome])
}

// discrepancies holds when a linked retest closed each, or a waiver covers it.
func (f Facts) discrepancies() Condition {
	c := Condition{Key: "discrepancies", OK: true, Words: "Every discrepancy is closed by a linked retest or covered by a waiver."}
	for _, s := range f.Cases {
		if s.DiscrepancyID != 0 && !s.Waived(f.Now) {
			c.Items = append(c.Items, Item{fmt.Sprintf("%s: run %d failed, and no accepted retest answers it", s.Title, s.Failure), matrix.RunPath(s.Failure)})
		}
	}
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, plurals(c.Count, "open discrepancy", "open discrepancies"), c.Items[0].Link
	}
	return c
}

// recorded holds when every started run was recorded or abandoned.
func (f Facts) recorded() Condition {
	c := Condition{Key: "runs", OK: true, Words: "Every started run was recorded or abandoned."}
	for _, id := range f.Unrecorded {
		c.Items = append(c.Items, Item{fmt.Sprintf("Run %d: record its result, or abandon it with a reason", id), matrix.RunPath(id)})
	}
	return c.counted("run", " started and never recorded")
}

// counted closes a condition that does not hold while it has items.
func (c Condition) counted(what, rest string) Condition {
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, plural(c.Count, what)+rest, c.Items[0].Link
	}
	return c
}

func (f Facts) casePath(s matrix.Standing) string { return matrix.Path(f.slug(), s.Key) }

// threadOf is what a question is about, and where.
func (f Facts) threadOf(field string) (label, link string) {
	label, link = field, control.ThreadPath(f.slug(), field)
	if known, ok := control.FieldByKey(field); ok {
		label = known.Label
	}
	for _, s := range f.Cases {
		if matrix.ThreadField(s.Key) == field {
			label = s.Title
		}
	}
	return label, link
}

// agreements lists what a content agreed about its scenarios, for comparison.
func agreements(c control.Content) []fact {
	var all []fact
	for _, f := range matrix.ParseFrozen(c.Expectations) {
		all = append(all, fact{matrix.ThreadField(f.Case), "Test: " + f.Title, agreementText(f)})
	}
	return all
}

func agreementText(f matrix.Frozen) string {
	var parts []string
	switch {
	case f.ExpectationID == 0:
		parts = append(parts, "Nothing is agreed")
	case !f.Applies:
		parts = append(parts, "Not applicable: "+f.Reason)
	default:
		parts = append(parts, f.Expected)
		for _, e := range f.Effects {
			parts = append(parts, fmt.Sprintf("Change of %s: %+d", e.Control, e.Change))
		}
	}
	if len(f.Needs) > 0 {
		parts = append(parts, "Evidence: "+strings.Join(f.Needs, ", "))
	}
	for _, x := range f.Exceptions {
		parts = append(parts, fmt.Sprintf("Version %d was agreed while a discrepancy was open: %s", x.Version, x.Note))
	}
	return strings.Join(parts, "\n")
}

// ChangedRules are the identity rules that differ from the approved revision.
// How many stored keys that affects is for the ledger to say, which stands
// above sign-off: whoever draws the page asks it about these.
func (p Page) ChangedRules() []identity.Kind {
	var kinds []identity.Kind
	if p.Difference == nil {
		return nil
	}
	for _, c := range p.Difference.Changes {
		if f, ok := control.FieldByKey(c.Field); ok && f.Recognises() != "" {
			kinds = append(kinds, f.Recognises())
		}
	}
	return kinds
}

func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
