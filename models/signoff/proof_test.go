package signoff_test

import (
	"errors"
	"slices"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

func (w world) tests() matrixtest.World { return matrixtest.World{World: w.World} }

// blockedBy are the keys of the conditions that an error names.
func blockedBy(t *testing.T, err error) (keys []string) {
	t.Helper()
	var b *signoff.Blocked
	if !errors.As(err, &b) || !models.IsKind(err, models.KindConflict) {
		t.Fatalf("not blocked: %v", err)
	}
	for _, c := range b.Conditions {
		keys = append(keys, c.Key)
	}
	return keys
}

func TestSubmissionNeedsEveryExpectation(t *testing.T) {
	w := newWorld(t)
	slug := w.Create("Create CRM task")
	w.FillQuickly(slug)
	submit := func() error {
		_, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
		return err
	}
	before := w.State()
	if keys := blockedBy(t, submit()); !slices.Equal(keys, []string{"expectations"}) {
		t.Errorf("%v", keys)
	}
	if w.State() != before {
		t.Error("a refused submission changed something")
	}
	if _, err := matrix.Ask(t.Context(), w.DB, w.Reviewer, matrix.AskCmd{Control: slug, Case: "partial-success", Body: "Which one fails?"}); err != nil {
		t.Fatal(err)
	}
	matrixtest.AgreeAll(w.T, w.DB, slug)
	if keys := blockedBy(t, submit()); !slices.Equal(keys, []string{"questions"}) {
		t.Errorf("%v", keys)
	}
	open := w.page(w.Reviewer, slug).ToClose
	if len(open) != 1 || open[0].Field != "case.partial-success" {
		t.Fatalf("%+v", open)
	}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: slug, Comment: open[0].ID}); err != nil {
		t.Fatal(err)
	}
	if err := submit(); err != nil {
		t.Fatal(err)
	}
}

func TestApprovalNeedsTheProof(t *testing.T) {
	w := newWorld(t)
	m := w.tests()
	slug := w.filled()
	if _, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version}); err != nil {
		t.Fatal(err)
	}
	approve := func() error {
		_, err := signoff.Sign(t.Context(), w.DB, w.Implementer, w.signs(slug, "approve"))
		return err
	}
	if keys := blockedBy(t, approve()); !slices.Equal(keys, []string{"matrix"}) {
		t.Errorf("nothing run: %v", keys)
	}
	started := m.Start(slug, matrixtest.Key)
	if keys := blockedBy(t, approve()); !slices.Equal(keys, []string{"matrix", "runs"}) {
		t.Errorf("started: %v", keys)
	}
	m.Record(started, matrix.Failed)
	if keys := blockedBy(t, approve()); !slices.Equal(keys, []string{"matrix", "discrepancies"}) {
		t.Errorf("failed: %v", keys)
	}
	m.Review(started, matrix.Accept)
	retest := m.Ran(slug, matrixtest.Key, matrix.Passed)
	matrixtest.PassAll(w.T, w.DB, slug)
	p := w.page(w.Owner, slug)
	if !p.Ready() || len(p.Cases) != 6 || p.Cases[0].Failures != 1 || len(p.Chains[p.Cases[0].ID]) != 1 || p.Chains[p.Cases[0].ID][0].ClosedByRun != retest || !slices.Equal(p.Tested, []string{"sandbox"}) {
		t.Errorf("%+v", p)
	}
	w.approve(slug)
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("%+v", g)
	}
}

// What was agreed while a discrepancy was open is frozen with the rest, for good.
func TestAnExceptionIsShownAtSignOff(t *testing.T) {
	w := newWorld(t)
	m := w.tests()
	slug := w.filled()
	m.Record(m.Start(slug, matrixtest.Key), matrix.Failed)
	change := m.Proposal(slug, matrixtest.Key)
	change.Changes = map[string]string{slug: "+2"}
	m.Propose(change)
	if d := m.Decide(slug, matrixtest.Key, matrix.Agree, "Two is what the team wants."); !d.Exception {
		t.Fatalf("%+v", d)
	}
	retest := m.Start(slug, matrixtest.Key)
	m.Attach(retest)
	if _, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, m.Recording(retest, matrix.Passed, "12")); err != nil {
		t.Fatal(err)
	}
	m.Review(retest, matrix.Accept)
	w.submit(slug)
	f := matrix.ParseFrozen(w.page(w.Owner, slug).Content.Expectations)
	if len(f) != 6 || len(f[0].Exceptions) != 1 || f[0].Exceptions[0].Note != "Two is what the team wants." || f[0].Exceptions[0].By.ID != w.Owner.ID || f[0].Version != 2 {
		t.Errorf("%+v", f)
	}
}

func TestTheGateFollowsTheMatrix(t *testing.T) {
	w := newWorld(t)
	m := w.tests()
	slug := w.submitted()
	w.approve(slug)
	reason := func() (key, path string) {
		t.Helper()
		g := w.gate(slug)
		if g.State != signoff.GateManual || len(g.Reasons) != 1 {
			t.Fatalf("%+v", g)
		}
		return g.Reasons[0].Key, g.Reasons[0].Path
	}
	want := func(what, key, path string) {
		t.Helper()
		if k, p := reason(); k != key || p != path {
			t.Errorf("%s: %s at %s, want %s at %s", what, k, p, key, path)
		}
	}
	fine := func(what string) {
		t.Helper()
		if g := w.gate(slug); g.State != signoff.GateAutomatic {
			t.Errorf("%s: %+v", what, g)
		}
	}
	fine("approved")

	failed := m.Start(slug, matrixtest.Key)
	fine("a run is started")
	m.Record(failed, matrix.Failed)
	want("failed", "discrepancy", matrix.RunPath(failed))
	m.Review(failed, matrix.Return)
	want("failed and returned", "discrepancy", matrix.RunPath(failed))
	retest := m.Start(slug, matrixtest.Key)
	m.Record(retest, matrix.Passed)
	want("retest not reviewed", "discrepancy", matrix.RunPath(failed))
	m.Review(retest, matrix.Accept)
	fine("retested")

	// What is proven on a later design says nothing about the approved one.
	w.edit(slug, "Another effect.")
	onDraft := m.Start(slug, matrixtest.Key)
	m.Record(onDraft, matrix.Failed)
	fine("the draft failed")
	m.Review(onDraft, matrix.Accept)
	m.Ran(slug, matrixtest.Key, matrix.Passed)
	cmd := m.Starting(slug, matrixtest.Key)
	cmd.Revision = 1
	s, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, cmd)
	if err != nil {
		t.Fatal(err)
	}
	m.Record(s.Run, matrix.Failed)
	want("the approved one failed again", "discrepancy", matrix.RunPath(s.Run))
	m.Review(s.Run, matrix.Accept)
	m.Ran(slug, matrixtest.Key, matrix.Passed)
	want("put right on the draft only", "discrepancy", matrix.RunPath(s.Run))
	again := m.Starting(slug, matrixtest.Key)
	again.Revision = 1
	if s, err = matrix.StartRun(t.Context(), w.DB, w.Implementer, again); err != nil {
		t.Fatal(err)
	}
	m.Record(s.Run, matrix.Passed)
	want("the approved one passed, and nobody looked yet", "discrepancy", matrix.RunPath(s.Run-2))
	m.Review(s.Run, matrix.Accept)
	fine("the approved one passed too")

	// What fails on the draft is not put right on the approved one, where ordinary runs go on.
	m.Record(m.Start(slug, matrixtest.Key), matrix.Failed)
	retest2 := m.Starting(slug, matrixtest.Key)
	retest2.Revision = 1
	if _, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, retest2); !models.IsKind(err, models.KindConflict) {
		t.Errorf("a retest on an earlier revision: %v", err)
	}
	retest2.RetestOf, retest2.Correction = 0, ""
	if s, err = matrix.StartRun(t.Context(), w.DB, w.Implementer, retest2); err != nil {
		t.Fatal(err)
	}
	m.Record(s.Run, matrix.Passed)
	if r := m.Review(s.Run, matrix.Accept); r.Closed != 0 {
		t.Errorf("%+v", r)
	}
	fine("the draft failed again")
}

func TestTheGateFollowsEvidenceAndWaivers(t *testing.T) {
	w := newWorld(t)
	m := w.tests()
	slug := w.submitted()
	w.approve(slug)
	w.Exec("alter table evidence disable trigger user")
	w.Exec("update evidence set keep_until = current_date - 1 where path = '/runs/3'")
	w.Exec("alter table evidence enable trigger user")
	keep := func() {
		t.Helper()
		_, err := models.Do(t.Context(), w.DB, w.Owner, nil, func(tx *models.Tx) (int, error) { return 0, matrix.KeepGate(tx, w.Show(slug).ID) })
		if err != nil {
			t.Fatal(err)
		}
	}
	keep()
	g := w.gate(slug)
	if g.State != signoff.GateManual || len(g.Reasons) != 1 || g.Reasons[0].Key != "evidence_expired" || g.Reasons[0].Path != "/runs/3" {
		t.Errorf("%+v", g)
	}
	m.Ran(slug, "timeout-after-success", matrix.Passed) // runs on the approved revision renew evidence
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("renewed: %+v", g)
	}

	w.edit(slug, "Another effect.")
	waiver := m.Waive(slug, "partial-success")
	matrixtest.PassAll(w.T, w.DB, slug)
	w.Exec("alter table runs disable trigger user")
	w.Exec("update runs set design_hash = repeat('0', 64) where case_id = (select id from test_cases where key = 'partial-success')")
	w.Exec("alter table runs enable trigger user")
	if _, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version}); err != nil {
		t.Fatal(err)
	}
	w.approve(slug)
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("waived: %+v", g)
	}
	if _, err := matrix.EndWaiver(t.Context(), w.DB, w.Owner, matrix.EndWaiverCmd{Waiver: waiver, Reason: "It can be run now."}); err != nil {
		t.Fatal(err)
	}
	if g := w.gate(slug); g.State != signoff.GateManual || g.Reasons[0].Key != "waiver_ended" || g.Reasons[0].Path != "/controls/create-crm-task/matrix#c-partial-success" {
		t.Errorf("ended: %+v", g)
	}
	m.Ran(slug, "partial-success", matrix.Passed)
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("run after all: %+v", g)
	}
}
