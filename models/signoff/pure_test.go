package signoff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
)

func TestNext(t *testing.T) {
	states := []control.RevisionState{control.Draft, control.InReview, control.ChangesRequested, control.Approved, control.Superseded, control.Expired, "", "else"}
	decisions := []Decision{ToReview, Withdrawal, Approval, ChangesWanted, Supersede, "", "else"}
	legal := map[string]control.RevisionState{
		"draft submit": control.InReview, "in_review withdraw": control.Draft, "in_review approve": control.Approved,
		"in_review request_changes": control.ChangesRequested, "approved supersede": control.Superseded,
	}
	for _, s := range states {
		for _, d := range decisions {
			want, ok := legal[fmt.Sprintf("%s %s", s, d)]
			got, err := Next(s, d)
			if ok && (err != nil || got != want) {
				t.Errorf("%s, %s: %s, %v", s, d, got, err)
			}
			if !ok && (!models.IsKind(err, models.KindConflict) || got != s) {
				t.Errorf("%s, %s: %s, %v", s, d, got, err)
			}
		}
	}
}

var parties = control.Parties{Owner: control.Ref{ID: 1, Name: "Owner"}, Implementer: control.Ref{ID: 2, Name: "Implementer"}, Reviewer: control.Ref{ID: 3, Name: "Reviewer"}}

func actor(id int64, role models.Role, standsFor ...int64) models.Actor {
	a := models.Actor{ID: id, Name: fmt.Sprint("person ", id), Roles: []models.Role{role}, StandsFor: map[int64][]models.Role{}}
	for _, person := range standsFor {
		a.StandsFor[person] = map[int64][]models.Role{1: {models.BusinessOwner}, 2: {models.Implementer}, 3: {models.Reviewer}}[person]
	}
	return a
}

func TestMaySubmitAndWithdraw(t *testing.T) {
	people := map[string]models.Actor{
		"owner": actor(1, models.BusinessOwner), "implementer": actor(2, models.Implementer), "reviewer": actor(3, models.Reviewer),
		"owner's delegate": actor(11, models.Approver, 1), "implementer's delegate": actor(12, models.Approver, 2), "reviewer's delegate": actor(13, models.Approver, 3),
		"another owner": actor(21, models.BusinessOwner), "another implementer": actor(22, models.Implementer), "another reviewer": actor(23, models.Reviewer),
		"approver": actor(24, models.Approver), "viewer": actor(25, models.Viewer), "admin": actor(26, models.Admin), "submitter": actor(31, models.BusinessOwner), "submitter who only reads now": actor(31, models.Viewer), "owner who only reads now": actor(1, models.Viewer), "the system": {},
	}
	for action, c := range map[string]struct {
		may     func(models.Actor) error
		allowed string
	}{
		"submit":   {func(by models.Actor) error { return MaySubmit(by, parties) }, "owner, implementer, owner's delegate, implementer's delegate"},
		"withdraw": {func(by models.Actor) error { return MayWithdraw(by, parties, 31) }, "owner, implementer, owner's delegate, implementer's delegate, submitter, another implementer"},
		"sign": {func(by models.Actor) error { _, _, err := ChooseSlot(by, parties, nil); return err },
			"owner, implementer, reviewer, owner's delegate, implementer's delegate, reviewer's delegate"},
		"submit what names nobody": {func(by models.Actor) error { return MaySubmit(by, control.Parties{}) }, ""},
	} {
		allowed := ", " + c.allowed + ","
		for name, by := range people {
			err := c.may(by)
			if strings.Contains(allowed, ", "+name+",") {
				if err != nil {
					t.Errorf("%s may not %s: %v", name, action, err)
				}
			} else if !models.IsKind(err, models.KindForbidden) {
				t.Errorf("%s may %s: %v", name, action, err)
			}
		}
	}
}

func TestChooseSlot(t *testing.T) {
	signed := func(slot Slot, by, forPerson int64) Signature {
		return Signature{Slot: slot, By: control.Ref{ID: by, Name: fmt.Sprint("person ", by)}, For: control.Ref{ID: forPerson}}
	}
	owner, implementer, reviewer := actor(1, models.BusinessOwner), actor(2, models.Implementer), actor(3, models.Reviewer)
	for name, c := range map[string]struct {
		by     models.Actor
		before []Signature
		slot   Slot
		whom   int64
		kind   models.Kind
	}{
		"owner":                                   {by: owner, slot: OwnerSlot},
		"implementer":                             {by: implementer, slot: ImplementerSlot},
		"reviewer, last":                          {by: reviewer, before: []Signature{signed(OwnerSlot, 1, 0), signed(ImplementerSlot, 2, 0)}, slot: ReviewerSlot},
		"delegate":                                {by: actor(11, models.Approver, 1), slot: OwnerSlot, whom: 1},
		"delegate of two, first":                  {by: actor(11, models.Viewer, 1, 2), slot: ImplementerSlot, whom: 2},
		"delegate of two, one signed":             {by: actor(11, models.Viewer, 1, 2), before: []Signature{signed(ImplementerSlot, 2, 0)}, slot: OwnerSlot, whom: 1},
		"delegate of two, second":                 {by: actor(11, models.Viewer, 1, 2), before: []Signature{signed(ImplementerSlot, 11, 2)}, kind: models.KindConflict},
		"again":                                   {by: owner, before: []Signature{signed(OwnerSlot, 1, 0)}, kind: models.KindConflict},
		"after one's delegate":                    {by: owner, before: []Signature{signed(OwnerSlot, 11, 1)}, kind: models.KindConflict},
		"delegate after the owner":                {by: actor(11, models.Approver, 1), before: []Signature{signed(OwnerSlot, 1, 0)}, kind: models.KindConflict},
		"own slot before another's":               {by: actor(3, models.Reviewer, 1), slot: ReviewerSlot},
		"own signed, then another's":              {by: actor(3, models.Reviewer, 1), before: []Signature{signed(ReviewerSlot, 3, 0)}, kind: models.KindConflict},
		"signed for another, then own":            {by: actor(3, models.Reviewer), before: []Signature{signed(OwnerSlot, 3, 1)}, kind: models.KindConflict},
		"own signed by delegate, then another's":  {by: actor(3, models.Reviewer, 1), before: []Signature{signed(ReviewerSlot, 13, 3)}, kind: models.KindConflict},
		"for somebody who signed elsewhere":       {by: actor(11, models.Approver, 1), before: []Signature{signed(ReviewerSlot, 1, 3)}, kind: models.KindForbidden},
		"somebody a delegate signed for, for own": {by: owner, before: []Signature{signed(ImplementerSlot, 11, 1)}, kind: models.KindForbidden},
		"named, without the role":                 {by: actor(1, models.Viewer), kind: models.KindForbidden},
		"named, without the role, but a delegate": {by: actor(1, models.Viewer, 2), kind: models.KindForbidden},
		"stranger":                                {by: actor(9, models.BusinessOwner), kind: models.KindForbidden},
		"stranger's delegate":                     {by: actor(9, models.BusinessOwner, 8), kind: models.KindForbidden},
	} {
		slot, whom, err := ChooseSlot(c.by, parties, c.before)
		if c.kind != "" {
			if !models.IsKind(err, c.kind) || slot != "" {
				t.Errorf("%s: %s, %v", name, slot, err)
			}
		} else if err != nil || slot != c.slot || whom != c.whom {
			t.Errorf("%s: %s for %d, %v", name, slot, whom, err)
		}
	}
}

// everyGate calls do with every combination of what the gate is decided from,
// and what it must come to.
func everyGate(do func(f GateFacts, stopped, approved bool, lapsed []string)) {
	now := time.Date(2026, 6, 1, 23, 59, 59, 0, time.UTC)
	day := func(offset int) *time.Time { d := time.Date(2026, 6, 1+offset, 0, 0, 0, 0, time.UTC); return &d }
	dates := []*time.Time{day(1), day(0), day(-1), nil}
	for i := range 2 * 2 * 2 * 2 * 4 * 4 * 4 * 3 {
		next := func(n int) int { v := i % n; i /= n; return v }
		f := GateFacts{ControlPath: "/controls/x", WorkflowPath: "/workflows/y", Stopped: next(2) == 1, StopReason: "Too many tasks.", Approved: 3 * next(2),
			Mode: []string{"enforce", "observe"}[next(2)], Retries: 2 * next(2), Now: now}
		var lapsed []string
		for _, date := range []struct {
			at  **time.Time
			key string
		}{{&f.ReviewDate, "review_date"}, {&f.WaivedUntil, "waiver_ended"}, {&f.ProvenUntil, "evidence_expired"}} {
			n := next(4)
			if *date.at = dates[n]; n == 2 {
				lapsed = append(lapsed, date.key)
			}
		}
		if f.Discrepancies = next(3); f.Discrepancies > 0 {
			lapsed = append(lapsed, "discrepancy")
		}
		do(f, f.Stopped, f.Approved != 0, lapsed)
	}
}

func keysOf(t *testing.T, f GateFacts, reasons []Reason) (keys []string) {
	t.Helper()
	for _, r := range reasons {
		keys = append(keys, r.Key)
		if r.Words == "" || !strings.HasPrefix(r.Path, "/") {
			t.Errorf("%+v: reason %+v", f, r)
		}
	}
	return keys
}

func TestDecide(t *testing.T) {
	everyGate(func(f GateFacts, stopped, approved bool, lapsed []string) {
		var want GateState
		var keys []string
		add := func(holds bool, key string) {
			if holds {
				keys = append(keys, key)
			}
		}
		switch {
		case stopped || !approved:
			want = GateBlocked
			add(stopped, "stopped")
			add(!approved, "never_approved")
		default:
			want = GateAutomatic
			if f.Retries == 0 || len(lapsed) > 0 {
				want = GateManual
			}
			if f.Mode == "observe" {
				want = GateObserving
			}
			add(f.Mode == "observe", "observe")
			add(f.Retries == 0, "no_retries")
			keys = append(keys, lapsed...)
			add(want == GateAutomatic, "approved")
		}
		g := Decide(f)
		if got := keysOf(t, f, g.Reasons); g.State != want || !slices.Equal(got, keys) || (g.N != 0) != (want == GateAutomatic) {
			t.Errorf("%+v: %+v, want %s because of %v", f, g, want, keys)
		}
	})
}

func TestDecideIn(t *testing.T) {
	everyGate(func(f GateFacts, stopped, approved bool, lapsed []string) {
		reached, warnings := DecideIn(f, true, Serving{})
		if want := Decide(f); fmt.Sprint(reached) != fmt.Sprint(want) || warnings != nil {
			t.Errorf("%+v: %+v with %v where customers are reached, want %+v", f, reached, warnings, want)
		}
		for _, s := range []Serving{{}, {1, 4, control.Draft, "", 0}, {1, 4, control.Draft, "observe", 2}, {1, 4, control.InReview, "enforce", 2},
			{1, 4, control.ChangesRequested, "enforce", 0}, {1, 3, control.Approved, "enforce", 2}, {1, 3, control.Approved, "observe", 0}} {
			var want GateState
			var warns []string
			switch {
			case stopped:
				want = GateBlocked
			case s.Number == 0:
				want = GateManual
			default:
				if warns = []string{"not_approved"}; s.State == control.Approved {
					warns = lapsed
				}
				want = map[bool]GateState{true: GateObserving, false: GateAutomatic}[s.Mode == "observe"]
				if want == GateAutomatic && s.Retries == 0 {
					want = GateManual
				}
			}
			g, warnings := DecideIn(f, false, s)
			if got := keysOf(t, f, warnings); g.State != want || !slices.Equal(got, warns) || len(keysOf(t, f, g.Reasons)) != 1 || (g.N != 0) != (want == GateAutomatic) {
				t.Errorf("%+v, %+v: %+v with %v, want %s with %v", f, s, g, got, want, warns)
			}
		}
	})
}

func TestReviewDateHoldsThroughItsDay(t *testing.T) {
	date := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	r := control.Revision{State: control.Approved, ReviewDate: &date}
	for at, want := range map[time.Time]control.RevisionState{
		time.Date(2026, 6, 1, 23, 59, 59, 999, time.UTC):                     control.Approved,
		time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC):                          control.Expired,
		time.Date(2026, 6, 2, 1, 0, 0, 0, time.FixedZone("east", 2*60*60)):   control.Approved,
		time.Date(2026, 6, 1, 20, 0, 0, 0, time.FixedZone("west", -5*60*60)): control.Expired,
	} {
		if got := r.Shown(at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	r.State = control.Superseded
	if r.Shown(date.AddDate(1, 0, 0)) != control.Superseded {
		t.Error("a superseded revision does not expire")
	}
}
