package signoff_test

import (
	"fmt"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/signoff"
)

func TestWithdrawVoidsSignatures(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.sign(w.Reviewer, slug, "approve")
	old := w.signs(slug, "approve")
	before := w.State()
	for name, c := range map[string]struct {
		by   models.Actor
		cmd  signoff.WithdrawCmd
		kind models.Kind
	}{
		"reviewer":         {w.Reviewer, signoff.WithdrawCmd{Control: slug, Revision: 1}, models.KindForbidden},
		"viewer":           {w.Viewer, signoff.WithdrawCmd{Control: slug, Revision: 1}, models.KindForbidden},
		"another revision": {w.Owner, signoff.WithdrawCmd{Control: slug, Revision: 2}, models.KindConflict},
		"no text":          {w.Owner, signoff.WithdrawCmd{Control: slug, Revision: 1, Reason: "a\x00"}, models.KindInvalid},
		"no such control":  {w.Owner, signoff.WithdrawCmd{Control: "none", Revision: 1}, models.KindNotFound},
	} {
		if _, err := signoff.Withdraw(t.Context(), w.DB, c.by, c.cmd); !models.IsKind(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
	got, err := signoff.Withdraw(t.Context(), w.DB, w.Owner, signoff.WithdrawCmd{Control: slug, Revision: 1, Reason: "The account was wrong."})
	if err != nil || got.Voided != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if w.Audited("revision.withdrawn") != 1 {
		t.Error("the audit log does not tell")
	}
	r := w.Show(slug).Latest
	if r.Number != 1 || r.State != control.Draft || r.FullHash != "" || r.SubmittedAt != nil {
		t.Errorf("%+v", r)
	}
	p := w.page(w.Owner, slug)
	if len(p.Voided) != 1 || p.Voided[0].VoidReason != "The revision was withdrawn from review: The account was wrong." || p.Voided[0].By.ID != w.Reviewer.ID {
		t.Errorf("%+v", p.Voided)
	}
	if _, err := signoff.Withdraw(t.Context(), w.DB, w.Owner, signoff.WithdrawCmd{Control: slug, Revision: 1}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("withdrawn twice: %v", err)
	}
	// The signature on the old fingerprint does not count for the next one.
	w.edit(slug, "Another effect.")
	w.submit(slug)
	if _, err := signoff.Sign(t.Context(), w.DB, w.Owner, old); !models.IsKind(err, models.KindConflict) {
		t.Errorf("signed what is no longer there: %v", err)
	}
	w.approve(slug) // the reviewer signs again
	if w.Show(slug).Latest.State != control.Approved {
		t.Error("not approved")
	}
}

// Either the signature came first and is void, or the revision was withdrawn
// first and nothing was signed.
func TestWithdrawWhileSomebodySigns(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	for round := range 6 {
		w.sign(w.Implementer, slug, "approve")
		w.sign(w.Owner, slug, "approve")
		cmd := w.signs(slug, "approve")
		errs := controltest.AtOnce(2, func(i int) error {
			if i == 0 {
				_, err := signoff.Sign(t.Context(), w.DB, w.Reviewer, cmd)
				return err
			}
			_, err := signoff.Withdraw(t.Context(), w.DB, w.Owner, signoff.WithdrawCmd{Control: slug, Revision: cmd.Revision})
			return err
		})
		state := w.Show(slug).Latest.State
		switch {
		case errs[0] == nil && models.IsKind(errs[1], models.KindConflict) && state == control.Approved:
			w.edit(slug, fmt.Sprintf("Next after round %d.", round))
		case errs[1] == nil && models.IsKind(errs[0], models.KindConflict) && state == control.Draft:
			if n := w.Count("select count(*) from signatures where voided_at is null and revision_id = (select latest_revision_id from controls)"); n != 0 {
				t.Errorf("round %d: %d signatures on a draft", round, n)
			}
		default:
			t.Fatalf("round %d: %v, %s", round, errs, state)
		}
		w.submit(slug)
	}
}
