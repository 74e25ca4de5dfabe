package signoff_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/signoff"
)

func TestThreeApprovalsApprove(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	for i, by := range []models.Actor{w.Implementer, w.Reviewer, w.Owner} {
		want := control.InReview
		if i == 2 {
			want = control.Approved
		}
		if s := w.sign(by, slug, "approve"); s.State != want || s.Revision != 1 {
			t.Errorf("%s: %+v", by.Name, s)
		}
		if r := w.Show(slug).Latest; r.State != want {
			t.Errorf("after %s: %s", by.Name, r.State)
		}
	}
	d := w.Show(slug)
	if d.Approved == nil || d.Approved.Number != 1 || d.Latest.DecidedAt == nil {
		t.Errorf("%+v", d.Approved)
	}
	if g := w.gate(slug); g.State != signoff.GateAutomatic || g.N != 2 {
		t.Errorf("%+v", g)
	}
	if w.Audited("revision.signed") != 3 || w.Audited("revision.approved") != 1 || w.Audited("revision.superseded") != 0 {
		t.Error("audit events are missing")
	}
	if n := w.Count("select count(*) from audit_events where action = 'revision.signed' and after->>'slot' = 'business_owner' and after->>'full_hash' = ? and person_id = ?", d.Latest.FullHash, w.Owner.ID); n != 1 {
		t.Error("the audit log does not tell who signed what")
	}
}

func TestTheNextApprovalSupersedes(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	saved := w.edit(slug, "Another effect.")
	if !saved.Opened || saved.Revision != 2 {
		t.Errorf("%+v", saved)
	}
	d := w.Show(slug)
	if d.Latest.Number != 2 || d.Latest.State != control.Draft || d.Approved == nil || d.Approved.Number != 1 || d.Approved.State != control.Approved {
		t.Errorf("editing touched what is approved: %+v", d.Revisions)
	}
	frozen, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
	if a, _ := frozen.Content.Answer("exact_effect"); err != nil || a.Value == "Another effect." {
		t.Errorf("the approved revision changed: %v", err)
	}
	w.submit(slug)
	w.approve(slug)
	d = w.Show(slug)
	if d.Revisions[0].State != control.Approved || d.Revisions[1].State != control.Superseded || d.Approved.Number != 2 {
		t.Errorf("%+v", d.Revisions)
	}
	if w.Audited("revision.superseded") != 1 || w.Audited("revision.opened") != 1 {
		t.Error("audit events are missing")
	}
	p := w.page(w.Viewer, slug)
	if p.Previous == nil || p.Previous.Number != 1 || len(p.Difference.Changes) != 1 || p.Difference.Changes[0].Field != "exact_effect" {
		t.Errorf("%+v", p.Difference)
	}
}

func TestRequestingChangesEndsTheReview(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.sign(w.Implementer, slug, "approve")
	without := w.signs(slug, "changes")
	without.Note = " "
	if _, err := signoff.Sign(t.Context(), w.DB, w.Owner, without); models.AsError(err).Field("note") == "" {
		t.Errorf("without a note: %v", err)
	}
	if s := w.sign(w.Owner, slug, "changes"); s.State != control.ChangesRequested {
		t.Errorf("%+v", s)
	}
	if w.Audited("revision.changes_requested") != 1 {
		t.Error("the audit log does not tell")
	}
	if _, err := signoff.Sign(t.Context(), w.DB, w.Reviewer, w.signs(slug, "approve")); !models.IsKind(err, models.KindConflict) {
		t.Errorf("signed afterwards: %v", err)
	}
	if g := w.gate(slug); g.State != signoff.GateBlocked {
		t.Errorf("%+v", g)
	}
	opened, err := control.OpenDraft(t.Context(), w.DB, w.Owner, control.OpenDraftCmd{Control: slug})
	if err != nil || opened.Revision != 2 {
		t.Errorf("%+v, %v", opened, err)
	}
	if _, err := control.OpenDraft(t.Context(), w.DB, w.Owner, control.OpenDraftCmd{Control: slug}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("opened twice: %v", err)
	}
	if w.Show(slug).Unresolved != 0 {
		t.Error("the next draft lost answers")
	}
}

func TestSignRefusals(t *testing.T) {
	w := newWorld(t)
	slug, draft := w.submitted(), w.Create("Other")
	good := w.signs(slug, "approve")
	with := func(change func(*signoff.SignCmd)) signoff.SignCmd { c := good; change(&c); return c }
	before := w.State()
	for name, c := range map[string]struct {
		by   models.Actor
		cmd  signoff.SignCmd
		kind models.Kind
	}{
		"viewer":           {w.Viewer, good, models.KindForbidden},
		"approver":         {w.Approver, good, models.KindForbidden},
		"admin":            {w.Admin, good, models.KindForbidden},
		"another owner":    {w.Person("Another", models.BusinessOwner), good, models.KindForbidden},
		"another hash":     {w.Owner, with(func(c *signoff.SignCmd) { c.FullHash = strings.Repeat("0", 64) }), models.KindConflict},
		"no hash":          {w.Owner, with(func(c *signoff.SignCmd) { c.FullHash = "" }), models.KindConflict},
		"another revision": {w.Owner, with(func(c *signoff.SignCmd) { c.Revision = 2 }), models.KindConflict},
		"no decision":      {w.Owner, with(func(c *signoff.SignCmd) { c.Decision = "" }), models.KindInvalid},
		"a forged one":     {w.Owner, with(func(c *signoff.SignCmd) { c.Decision = "approved" }), models.KindInvalid},
		"a long note":      {w.Owner, with(func(c *signoff.SignCmd) { c.Note = strings.Repeat("x", 4001) }), models.KindInvalid},
		"no text":          {w.Owner, with(func(c *signoff.SignCmd) { c.Note = "a\x00" }), models.KindInvalid},
		"a draft":          {w.Owner, with(func(c *signoff.SignCmd) { c.Control = draft }), models.KindConflict},
		"no such control":  {w.Owner, with(func(c *signoff.SignCmd) { c.Control = "none" }), models.KindNotFound},
	} {
		if _, err := signoff.Sign(t.Context(), w.DB, c.by, c.cmd); !models.IsKind(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != before || w.Audited("revision.signed") != 0 {
		t.Error("a refused command changed something")
	}
	if n := w.Audited("command.refused"); n != 4 {
		t.Errorf("%d refusals were recorded", n)
	}
}

func TestAnOpenQuestionBlocksApproval(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	q, err := control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "mode", Body: "Why enforce?"})
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := w.Show(slug).Find("mode"); !f.Thread[0].InReview {
		t.Error("the question was not opened in review")
	}
	_, err = signoff.Sign(t.Context(), w.DB, w.Implementer, w.signs(slug, "approve"))
	var blocked *signoff.Blocked
	if !errors.As(err, &blocked) || blocked.Conditions[0].Key != "questions" || blocked.Conditions[0].Link != "/controls/create-crm-task#f-mode" {
		t.Errorf("%v", err)
	}
	if p := w.page(w.Implementer, slug); p.Ready() || len(p.OpenQuestions) != 1 {
		t.Error("the page does not say so")
	}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: slug, Comment: q.ID}); err != nil {
		t.Fatal(err)
	}
	w.sign(w.Implementer, slug, "approve")
}

func TestDelegateSigns(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	deputy := w.StandIn(w.Owner, w.Person("Deputy", models.Viewer))
	if p := w.page(deputy, slug); p.SignsAs != signoff.OwnerSlot || p.SignsFor.ID != w.Owner.ID {
		t.Errorf("signs as %q for %+v", p.SignsAs, p.SignsFor)
	}
	w.sign(deputy, slug, "approve")
	for _, by := range []models.Actor{deputy, w.Owner} {
		if _, err := signoff.Sign(t.Context(), w.DB, by, w.signs(slug, "approve")); !models.IsKind(err, models.KindConflict) {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	// Whoever signed their own slot does not sign another one.
	reviewer := w.StandIn(w.Implementer, w.Reviewer)
	for by, aside := range map[*models.Actor]bool{&reviewer: true, &w.Viewer: false} {
		for _, s := range w.page(*by, slug).Slots {
			if s.Slot == signoff.ImplementerSlot && (s.Taken != signoff.ReviewerSlot || s.Aside != aside) || s.Slot == signoff.OwnerSlot && s.Taken != "" {
				t.Errorf("for %s: %+v", by.Name, s)
			}
		}
	}
	w.sign(reviewer, slug, "approve")
	if _, err := signoff.Sign(t.Context(), w.DB, reviewer, w.signs(slug, "approve")); !models.IsKind(err, models.KindConflict) {
		t.Errorf("signed two slots: %v", err)
	}
	p := w.page(w.Viewer, slug)
	for _, s := range p.Slots {
		if s.Slot == signoff.OwnerSlot && (s.Signature == nil || s.Signature.By.ID != deputy.ID || s.Signature.For.ID != w.Owner.ID || s.Delegate.ID != deputy.ID) {
			t.Errorf("%+v", s)
		}
	}
	if n := w.Count("select count(*) from audit_events where action = 'revision.signed' and person_id = ? and for_person_id = ?", deputy.ID, w.Owner.ID); n != 1 {
		t.Error("the audit log does not show both people")
	}
}

// The last two approvals at the same instant end in approved, never stuck.
func TestLastTwoApprovalsAtOnce(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	for round := range 20 {
		w.sign(w.Implementer, slug, "approve")
		cmd := w.signs(slug, "approve")
		for _, err := range controltest.AtOnce(2, func(i int) error {
			_, err := signoff.Sign(t.Context(), w.DB, []models.Actor{w.Owner, w.Reviewer}[i], cmd)
			return err
		}) {
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		d := w.Show(slug)
		if d.Latest.State != control.Approved || d.Approved == nil || d.Approved.Number != round+1 {
			t.Fatalf("round %d: %s", round, d.Latest.State)
		}
		w.edit(slug, fmt.Sprint("Round ", round))
		w.submit(slug)
	}
	if n := w.Count("select count(*) from revisions where state = 'superseded'"); n != 19 {
		t.Errorf("%d superseded", n)
	}
	if w.Audited("revision.approved") != 20 {
		t.Errorf("%d approvals in the audit log", w.Audited("revision.approved"))
	}
}

func TestDoubleSignature(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	double := w.signs(slug, "approve")
	double.Submission = "form"
	for _, err := range controltest.AtOnce(4, func(int) error {
		s, err := signoff.Sign(t.Context(), w.DB, w.Owner, double)
		if err == nil && (s.Slot != signoff.OwnerSlot || s.State != control.InReview) {
			err = fmt.Errorf("another answer: %+v", s)
		}
		return err
	}) {
		if err != nil {
			t.Errorf("the same form: %v", err)
		}
	}
	won := 0
	for _, err := range controltest.AtOnce(4, func(i int) error {
		cmd := w.signs(slug, "approve")
		cmd.Submission = fmt.Sprint("form ", i)
		_, err := signoff.Sign(t.Context(), w.DB, w.Reviewer, cmd)
		return err
	}) {
		if err == nil {
			won++
		} else if !models.IsKind(err, models.KindConflict) || !strings.Contains(err.Error(), "You already signed") {
			t.Errorf("another form: %v", err)
		}
	}
	if won != 1 || w.Count("select count(*) from signatures") != 2 || w.Audited("revision.signed") != 2 {
		t.Errorf("%d won, %d signatures", won, w.Count("select count(*) from signatures"))
	}
}
