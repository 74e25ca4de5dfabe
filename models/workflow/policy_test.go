package workflow

import (
	"testing"
	"time"

	"countersign/models"
)

var testNow = time.Date(2026, 5, 12, 23, 30, 0, 0, time.UTC)

// Every role against every action, and a delegate of the owner.
func TestPolicy(t *testing.T) {
	const owner, other = 7, 8
	w := Workflow{BusinessOwnerID: owner}
	env := Environment{ReachSetBy: other}
	actors := []struct {
		name string
		by   models.Actor
	}{
		{"the owner", models.Actor{ID: owner, Roles: []models.Role{models.BusinessOwner}}},
		{"another owner", models.Actor{ID: 9, Roles: []models.Role{models.BusinessOwner}}},
		{"who set the reach, also an owner", models.Actor{ID: other, Roles: []models.Role{models.BusinessOwner, models.Admin}}},
		{"an owner standing in for who set it", models.Actor{ID: 9, StandsFor: map[int64][]models.Role{other: {models.BusinessOwner}}, Roles: []models.Role{models.BusinessOwner}}},
		{"an approver standing in for the owner", models.Actor{ID: 9, StandsFor: map[int64][]models.Role{owner: {models.BusinessOwner}}, Roles: []models.Role{models.Approver}}},
		{"the named owner without the role", models.Actor{ID: owner, Roles: []models.Role{models.Viewer}}},
		{"implementer", models.Actor{ID: 1, Roles: []models.Role{models.Implementer}}},
		{"reviewer", models.Actor{ID: 1, Roles: []models.Role{models.Reviewer}}},
		{"approver", models.Actor{ID: 1, Roles: []models.Role{models.Approver}}},
		{"viewer", models.Actor{ID: 1, Roles: []models.Role{models.Viewer}}},
		{"admin", models.Actor{ID: 1, Roles: []models.Role{models.Admin}}},
		{"nobody", models.Actor{}},
	}
	actions := []struct {
		name string
		may  func(models.Actor) error
		want string // one letter per actor above: y or n
	}{
		{"create", MayCreate, "yyyynnynnnyn"},
		{"edit", func(a models.Actor) error { return MayEdit(a, w) }, "ynynynynnnyn"},
		{"stop", MayStop, "yyyyynyyynyn"},
		{"lift", func(a models.Actor) error { return MayLift(a, w) }, "ynnnynnnnnnn"},
		{"set environments", MaySetEnvironments, "nnynnnnnnnyn"},
		{"confirm reach", func(a models.Actor) error { return MayConfirmReach(a, env) }, "yynnnnnnnnnn"},
		{"set destinations", MaySetDestinations, "nnynnnynnnyn"},
		{"set operations", MaySetOperations, "nnnnnnynnnnn"},
	}
	for _, action := range actions {
		for i, actor := range actors {
			err := action.may(actor.by)
			if want := action.want[i] == 'y'; (err == nil) != want {
				t.Errorf("%s by %s: %v, want allowed %v", action.name, actor.name, err, want)
			}
			if err != nil && (!models.IsKind(err, models.KindForbidden) || models.AsError(err).Message == "") {
				t.Errorf("%s by %s: %v, want Forbidden with a reason", action.name, actor.name, err)
			}
		}
	}
}

func TestReachesCustomers(t *testing.T) {
	confirmer := int64(1)
	for _, c := range []struct {
		said  bool
		by    *int64
		want  bool
		words string
	}{
		{false, nil, true, "Said not to reach real customers, not yet confirmed. Counts as reaching them"},
		{false, &confirmer, false, "Cannot reach real customers"},
		{true, nil, true, "Can reach real customers, not yet confirmed"},
		{true, &confirmer, true, "Can reach real customers"},
	} {
		e := Environment{SaidToReach: c.said, ReachConfirmedBy: c.by}
		if e.ReachesCustomers() != c.want || e.ReachWords() != c.words {
			t.Errorf("said %v, confirmed %v: %v, %q", c.said, c.by != nil, e.ReachesCustomers(), e.ReachWords())
		}
	}
}

func TestSamePerson(t *testing.T) {
	for _, c := range []struct {
		o, i, r int64
		warns   bool
	}{{1, 2, 3, false}, {1, 1, 3, true}, {1, 2, 1, true}, {1, 2, 2, true}, {1, 1, 1, true}, {0, 0, 0, false}, {0, 1, 1, false}} {
		if got := (Facts{BusinessOwnerID: c.o, ImplementerID: c.i, ReviewerID: c.r}).SamePerson(); (got != "") != c.warns {
			t.Errorf("%v: %q, want a warning %v", c, got, c.warns)
		}
	}
}

func TestOperationInWords(t *testing.T) {
	hours, day := 72, today(testNow)
	for name, c := range map[string]struct {
		op      Operation
		repeat  string
		unknown int
	}{
		"everything known": {Operation{Mechanism: Documented, KeyField: "Idempotency-Key", KeyLifetimeHours: &hours,
			RepeatReturns: "the first answer.", SameKeyOtherData: "409", LookupMethod: "GET /tasks", CheckedOn: &day},
			"The documentation says that a repeat with the same key in Idempotency-Key within 3 days returns: the first answer.", 0},
		"documented, little known": {Operation{Mechanism: Documented, RepeatReturns: "409."},
			"It is written down here, and nobody has checked it, that a repeat with the same key returns: 409.", 5},
		"documented, copied": {Operation{Mechanism: Documented, KeyField: "Idempotency-Key", RepeatReturns: "409.", DocumentedAt: "Docs"},
			"The source it was copied from says, and nobody has checked it, that a repeat with the same key in Idempotency-Key returns: 409.", 4},
		"documented, copied and checked": {Operation{Mechanism: Documented, KeyField: "Idempotency-Key", RepeatReturns: "409.", DocumentedAt: "Docs", CheckedOn: &day},
			"The documentation says that a repeat with the same key in Idempotency-Key returns: 409.", 3},
		"none": {Operation{Mechanism: NoMechanism, LookupMethod: "GET", CheckedOn: &day},
			"The destination does not recognise a repeat. Each call can make another effect.", 0},
		"none, not checked": {Operation{Mechanism: NoMechanism, LookupMethod: "GET"},
			"The destination does not recognise a repeat. Each call can make another effect. Nobody has checked this.", 1},
		"none, copied": {Operation{Mechanism: NoMechanism, LookupMethod: "GET", DocumentedAt: "Docs"},
			"The source it was copied from names no way to recognise a repeat, and nobody has checked it. Treat each call as another effect.", 1},
		"not checked": {Operation{Mechanism: NotChecked},
			"Nobody has checked what a repeat does. Treat each call as another effect.", 3},
	} {
		got := c.op.InWords()
		if got.Repeat != c.repeat || len(got.Unknown) != c.unknown {
			t.Errorf("%s: %q and %d unknown %v, want %q and %d", name, got.Repeat, len(got.Unknown), got.Unknown, c.repeat, c.unknown)
		}
	}
}

func TestUncheckedFactsAreNamed(t *testing.T) {
	hours := 24
	o := Operation{Mechanism: Documented, KeyField: "key", KeyLifetimeHours: &hours, RepeatReturns: "409", SameKeyOtherData: "409", LookupMethod: "GET"}
	last := func() string { all := o.InWords().Unknown; return all[len(all)-1] }
	want := "Whether this matches the documentation as it is now. Nobody has checked: the mechanism, the key field, the key lifetime, what a repeat returns, what the same key with other data does, the lookup."
	if got := last(); got != want {
		t.Errorf("%q", got)
	}
	o = Operation{Mechanism: NotChecked}
	if got := last(); got != "Whether this matches the documentation as it is now." {
		t.Errorf("%q", got)
	}
}
