package matrix_test

import (
	"slices"
	"testing"

	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

const key = matrixtest.Key

// A failure, its correction and the retest: the chain can be read, and the
// failure is never forgotten.
func TestFailureCorrectionRetest(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	cell := func(want matrix.State, failures int) matrix.CaseView {
		t.Helper()
		c := w.Case(slug, key)
		if c.Cell.State != want || c.Cell.Failures != failures {
			t.Fatalf("%s after %d failures, want %s after %d", c.Cell.State, c.Cell.Failures, want, failures)
		}
		return c
	}
	cell(matrix.NotRun, 0)
	failed := w.Start(slug, key)
	cell(matrix.Started, 0)
	recorded := w.Record(failed, matrix.Failed)
	if c := cell(matrix.HasFailed, 1); c.Cell.DiscrepancyID != recorded.DiscrepancyID || c.LatestFailure != failed {
		t.Errorf("%+v", c.Cell)
	}
	w.Review(failed, matrix.Accept)
	retest := w.Start(slug, key)
	if c := cell(matrix.HasFailed, 1); c.Cell.RetestID != retest || c.Retest == nil {
		t.Errorf("%+v", c.Cell)
	}
	w.Record(retest, matrix.Passed)
	cell(matrix.HasFailed, 1)
	if r := w.Review(retest, matrix.Accept); r.Closed != recorded.DiscrepancyID {
		t.Errorf("%+v", r)
	}
	c := cell(matrix.HasPassed, 1)
	if c.Cell.DiscrepancyID != 0 || c.Cell.ProvenUntil == nil || c.Run.ID != retest {
		t.Errorf("%+v", c.Cell)
	}
	if len(c.Chains) != 1 || c.Chains[0].Open() || c.Chains[0].ClosedByRun != retest || c.Chains[0].Left != 0 {
		t.Fatalf("%+v", c.Chains)
	}
	var ids []int64
	for _, r := range c.Chains[0].Runs {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(ids, []int64{failed, retest}) || c.Chains[0].Runs[1].Correction != "It claims first." || c.Chains[0].Runs[1].RetestOf != failed {
		t.Errorf("%+v", c.Chains[0].Runs)
	}
	p := w.Run(w.Viewer, failed)
	if p.RetestedBy != retest || p.Chain == nil || len(p.Chain.Runs) != 2 || p.Next != retest || p.Prev != 0 || p.State() != matrix.HasFailed || !p.Current {
		t.Errorf("%+v", p)
	}
	if change, ok := p.Counts[0].Observed(); !ok || change != 2 || p.Counts[0].Equal() || p.Counts[0].Destination.Slug != "crm-sandbox" {
		t.Errorf("%+v", p.Counts)
	}
	for action, n := range map[string]int{"run.started": 2, "run.recorded": 2, "run.accepted": 2, "discrepancy.opened": 1, "discrepancy.closed": 1, "evidence.attached": 4} {
		if got := w.Audited(action); got != n {
			t.Errorf("%s: %d in the audit log, want %d", action, got, n)
		}
	}
	if n := w.Count("select count(*) from evidence_holds"); n != 0 {
		t.Errorf("%d pieces of evidence are held although nothing is open", n)
	}
}
