package ledger_test

import (
	"testing"

	"countersign/models"
	"countersign/models/ledger"
)

func TestFirstClaimOwnsEverybodyElseGetsItsState(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	if a.State != ledger.Pending || a.Number != 1 || a.ClaimToken == "" || a.LeaseUntil.IsZero() || len(a.DestinationKey) > 64 {
		t.Errorf("owner: %+v", a)
	}
	if want := `cs1:intended_effect:environment="sandbox"|account="crm-sandbox"|effect="create-crm-task"|request_id="r-1"`; a.IdentityKey != want {
		t.Errorf("key %s, want %s", a.IdentityKey, want)
	}
	r := w.refused(w.cmd("r-1"), ledger.CodeAlready)
	if r.Standing == nil || r.Standing.Action != a.Action || r.Standing.State != ledger.Pending || r.Suppressed == 0 || !models.IsKind(r, models.KindConflict) {
		t.Errorf("already: %+v %+v", r, r.Standing)
	}
	if b := w.claim("r-2"); b.Action == a.Action || b.DestinationKey == a.DestinationKey {
		t.Error("another request is another action")
	}
	if n := w.Count("select coalesce(sum(n), 0) from counters where kind = 'repeat'"); n != 1 {
		t.Errorf("%d repeats counted", n)
	}
}
