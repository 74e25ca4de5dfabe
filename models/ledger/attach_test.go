package ledger_test

import (
	"testing"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
)

func TestEvidenceOfAnAction(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	attach := func(by models.Actor) error {
		place, err := ledger.EvidencePlace(t.Context(), w.DB, by, a.Action)
		if err != nil {
			t.Fatal(err)
		}
		if (place.WhyNot == nil) != (ledger.MayAttach(by) == nil) || place.KeepDays == 0 {
			t.Errorf("%s: %+v", by.Name, place)
		}
		_, err = evidence.AttachLink(t.Context(), w.DB, by, evidence.AttachLinkCmd{Place: place, URL: "https://docs.example.test/log", Name: "Delivery log",
			Details: evidence.Details{Proves: "The task is there once.", KeepUntil: "2040-01-01", KeepBasis: "The sender's horizon."}})
		return err
	}
	for _, by := range []models.Actor{w.Viewer, w.Admin} {
		if err := attach(by); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	for _, by := range []models.Actor{w.Owner, w.Implementer, w.Reviewer, w.Approver} {
		if err := attach(by); err != nil {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	all, err := evidence.ByPath(w.DB.Query(t.Context()), ledger.ActionPath(a.Action))
	if err != nil || len(all) != 4 || w.Audited("evidence.attached") != 4 {
		t.Errorf("%d attached, %d audited, %v", len(all), w.Audited("evidence.attached"), err)
	}
	if _, err := ledger.EvidencePlace(t.Context(), w.DB, w.Owner, 999); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("no such action: %v", err)
	}
}
