package signoff

import (
	"testing"
	"time"

	"countersign/models/control"
	"countersign/models/matrix"
)

// proven is a case that nothing stands against.
func proven() matrix.Standing {
	return matrix.Standing{Case: matrix.Case{ID: 1, Key: "repeated-delivery", Title: "Repeated delivery"}, Expectation: 5, Applies: true, Run: 7, Outcome: matrix.Passed, Decision: matrix.Accept}
}

func TestConditionsOfTheMatrix(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	today, yesterday := now.Truncate(24*time.Hour), now.AddDate(0, 0, -1).Truncate(24*time.Hour)
	const card, run = "/controls/x/matrix#c-repeated-delivery", "/runs/7"
	for name, c := range map[string]struct {
		spoil func(*matrix.Standing)
		open  map[string]string // condition to the link of its item
	}{
		"passed and accepted":    {func(*matrix.Standing) {}, nil},
		"passed after a failure": {func(s *matrix.Standing) { s.Failures = 1 }, nil},
		"nothing proposed":       {func(s *matrix.Standing) { *s = matrix.Standing{Case: s.Case, Applies: true} }, map[string]string{"expectations": card, "matrix": card}},
		"proposed":               {func(s *matrix.Standing) { *s = matrix.Standing{Case: s.Case, Applies: true, Pending: true} }, map[string]string{"expectations": card, "matrix": card}},
		"a change proposed":      {func(s *matrix.Standing) { s.Pending = true }, map[string]string{"expectations": card}},
		"not applicable":         {func(s *matrix.Standing) { *s = matrix.Standing{Case: s.Case, Expectation: 5} }, nil},
		"not run":                {func(s *matrix.Standing) { s.Run, s.Outcome, s.Decision = 0, "", "" }, map[string]string{"matrix": card}},
		"started":                {func(s *matrix.Standing) { s.Outcome, s.Decision = "", "" }, map[string]string{"matrix": run}},
		"to review":              {func(s *matrix.Standing) { s.Decision = "" }, map[string]string{"matrix": run}},
		"returned":               {func(s *matrix.Standing) { s.Decision = matrix.Return }, map[string]string{"matrix": run}},
		"inconclusive":           {func(s *matrix.Standing) { s.Outcome = matrix.Inconclusive }, map[string]string{"matrix": run}},
		"failed":                 {func(s *matrix.Standing) { s.Outcome, s.DiscrepancyID, s.Failure = matrix.Failed, 3, 7 }, map[string]string{"matrix": run, "discrepancies": run}},
		"passed, not a retest":   {func(s *matrix.Standing) { s.DiscrepancyID, s.Failure = 3, 6 }, map[string]string{"discrepancies": "/runs/6"}},
		"failed, waived": {func(s *matrix.Standing) {
			s.Outcome, s.DiscrepancyID, s.Failure, s.WaivedUntil = matrix.Failed, 3, 7, &today
		}, nil},
		"nothing proposed, waived": {func(s *matrix.Standing) { *s = matrix.Standing{Case: s.Case, Applies: true, WaivedUntil: &today} }, nil},
		"not run, a waiver ended": {func(s *matrix.Standing) {
			s.Run, s.Outcome, s.Decision, s.WaivedUntil = 0, "", "", &yesterday
		}, map[string]string{"matrix": card}},
	} {
		f := ready()
		f.Now = now
		s := proven()
		c.spoil(&s)
		f.Cases = []matrix.Standing{s}
		for _, got := range []Condition{f.expectations(), f.proven(), f.discrepancies(), f.recorded()} {
			link, open := c.open[got.Key]
			if got.OK == open || got.Words == "" || open && (got.Count != 1 || got.Link != link || got.Items[0].Link != link || got.Items[0].Words == "") {
				t.Errorf("%s: %+v, want %q", name, got, link)
			}
		}
	}
	f := ready()
	f.Unrecorded = []int64{4, 9}
	if c := f.recorded(); c.OK || c.Count != 2 || c.Link != "/runs/4" || c.Items[1].Link != "/runs/9" {
		t.Errorf("%+v", c)
	}
	f.Cases = []matrix.Standing{proven()}
	f.Questions = []control.Comment{{Field: "case.repeated-delivery", Body: "Which count?"}}
	if c := f.questions("submission"); c.OK || c.Link != card || c.Items[0].Words != "Repeated delivery: Which count?" {
		t.Errorf("%+v", c)
	}
}
