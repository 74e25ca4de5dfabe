package matrix_test

import (
	"testing"
	"time"

	"countersign/models"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

func TestWaiver(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	ask := func(reason, until string) (matrix.WaiverChanged, error) {
		return matrix.AskWaiver(t.Context(), w.DB, w.Implementer, matrix.AskWaiverCmd{Control: slug, Case: key, Reason: reason, Until: until})
	}
	for name, c := range map[string]struct{ reason, until, field string }{
		"no reason": {"", inDays(5), "reason"}, "no date": {"It cannot.", "", "until"}, "no such date": {"It cannot.", "2026-02-30", "until"},
		"yesterday": {"It cannot.", inDays(-1), "until"}, "too late": {"It cannot.", inDays(91), "until"},
	} {
		if _, err := ask(c.reason, c.until); models.AsError(err).Field(c.field) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	asked, err := ask("It cannot.", inDays(90))
	if err != nil {
		t.Fatal(err)
	}
	shown := func(want matrix.State) matrix.CaseView {
		t.Helper()
		c := w.CaseAs(w.Owner, slug, key)
		if c.Shown != want {
			t.Fatalf("%s, want %s", c.Shown, want)
		}
		return c
	}
	sign := func(by models.Actor) (matrix.WaiverChanged, error) {
		return matrix.SignWaiver(t.Context(), w.DB, by, matrix.SignWaiverCmd{Waiver: asked.Waiver})
	}
	shown(matrix.NotRun)
	if s, err := sign(w.Owner); err != nil || s.Signed || s.Case != key || s.Control != slug {
		t.Fatalf("%+v, %v", s, err)
	}
	if c := shown(matrix.NotRun); c.SignRefusal == nil || c.EndRefusal != nil || c.WaiveRefusal == nil || c.Waiver.Signed() {
		t.Errorf("%+v", c)
	}
	if s, err := sign(w.Reviewer); err != nil || !s.Signed {
		t.Fatalf("%+v, %v", s, err)
	}
	if c := shown(matrix.Waived); !c.Waiver.InForce(time.Now()) || c.Waiver.OwnerBy.ID != w.Owner.ID || c.Waiver.ReviewerBy.ID != w.Reviewer.ID {
		t.Errorf("%+v", c.Waiver)
	}
	if _, err := ask("Again.", inDays(5)); !models.IsKind(err, models.KindConflict) {
		t.Errorf("a second one: %v", err)
	}
	w.Record(w.Start(slug, key), matrix.Failed)
	if c := shown(matrix.Waived); c.Cell.State != matrix.HasFailed || c.Cell.Failures != 1 {
		t.Errorf("%+v", c.Cell)
	}
	if _, err := matrix.EndWaiver(t.Context(), w.DB, w.Reviewer, matrix.EndWaiverCmd{Waiver: asked.Waiver}); models.AsError(err).Field("reason") == "" {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := matrix.EndWaiver(t.Context(), w.DB, w.Reviewer, matrix.EndWaiverCmd{Waiver: asked.Waiver, Reason: "It can."}); err != nil {
		t.Fatal(err)
	}
	if c := shown(matrix.HasFailed); c.Waiver != nil || len(c.Waivers) != 1 || c.Waivers[0].EndReason != "It can." {
		t.Errorf("%+v", c)
	}
	if _, err := sign(w.Owner); !models.IsKind(err, models.KindConflict) {
		t.Errorf("signing what was ended: %v", err)
	}
	for action, n := range map[string]int{"waiver.asked": 1, "waiver.signed": 2, "waiver.ended": 1} {
		if got := w.Audited(action); got != n {
			t.Errorf("%s: %d, want %d", action, got, n)
		}
	}
}

// The end of a waiver and of evidence are read from the clock.
func TestByTheClock(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	waiver := w.Waive(slug, key)
	w.Exec("alter table waivers disable trigger user")
	for _, at := range []struct {
		days int
		want matrix.State
	}{{1, matrix.Waived}, {0, matrix.Waived}, {-1, matrix.NotRun}} {
		days, want := at.days, at.want
		w.Exec("update waivers set until = current_date + cast(? as int) where id = ?", days, waiver)
		w.Exec("select derive_cells(id) from controls")
		c := w.Case(slug, key)
		if c.Shown != want || c.Cell.WaiverEnded(time.Now()) != (want != matrix.Waived) {
			t.Errorf("%d days: %s", days, c.Shown)
		}
	}
	// One whose date has passed makes room for the next.
	if _, err := matrix.AskWaiver(t.Context(), w.DB, w.Owner, matrix.AskWaiverCmd{Control: slug, Case: key, Reason: "Still not.", Until: inDays(3)}); err != nil {
		t.Fatal(err)
	}
	if c := w.Case(slug, key); c.Waiver == nil || c.Waiver.Signed() || len(c.Waivers) != 1 || c.Waivers[0].EndedBy.ID != 0 {
		t.Errorf("%+v", c.Waivers)
	}
	run := w.Ran(slug, key, matrix.Passed)
	c := w.Case(slug, key)
	if c.Cell.ProvenUntil == nil || c.Cell.EvidenceExpired(time.Now()) || c.WaiveRefusal == nil {
		t.Fatalf("%+v", c.Cell)
	}
	w.Exec("alter table evidence disable trigger user")
	w.Exec("update evidence set keep_until = current_date - 1 where slot = 'receipts' and path = ?", matrix.RunPath(run))
	w.Exec("select derive_cells(id) from controls")
	if c := w.Case(slug, key); c.Shown != matrix.HasPassed || !c.Cell.EvidenceExpired(time.Now()) {
		t.Errorf("%+v", c.Cell)
	}
}
