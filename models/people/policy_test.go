package people_test

import (
	"slices"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

func TestRoleByAction(t *testing.T) {
	const me, other = 1, 2
	may := map[string]func(models.Actor) error{
		"administer":               people.MayAdminister,
		"deactivate somebody":      func(a models.Actor) error { return people.MayDeactivate(a, other) },
		"deactivate oneself":       func(a models.Actor) error { return people.MayDeactivate(a, me) },
		"use the own account":      func(a models.Actor) error { return people.MayUseAccount(a, me) },
		"use another's account":    func(a models.Actor) error { return people.MayUseAccount(a, other) },
		"end the own delegation":   func(a models.Actor) error { return people.MayEndDelegation(a, me, other) },
		"stop standing in":         func(a models.Actor) error { return people.MayEndDelegation(a, other, me) },
		"end another's delegation": func(a models.Actor) error { return people.MayEndDelegation(a, other, 3) },
	}
	everybody := []string{"use the own account", "end the own delegation", "stop standing in"}
	adminToo := append(slices.Clone(everybody), "administer", "deactivate somebody", "end another's delegation")
	for _, role := range models.Roles {
		allowed := everybody
		if role == models.Admin {
			allowed = adminToo
		}
		for action, check := range may {
			err := check(models.Actor{ID: me, Roles: []models.Role{role}, StandsFor: map[int64][]models.Role{other: {models.BusinessOwner}}})
			if want := slices.Contains(allowed, action); (err == nil) != want {
				t.Errorf("%s, %s: %v", role, action, err)
			}
			if err != nil && (!models.IsKind(err, models.KindForbidden) || len(err.Error()) < 20) {
				t.Errorf("%s, %s: refused without a reason: %v", role, action, err)
			}
		}
	}
	for action, check := range may {
		if check(models.Actor{}) == nil {
			t.Errorf("nobody at all may %s", action)
		}
	}
}

func TestWhoMayStandIn(t *testing.T) {
	for _, role := range models.Roles {
		p := people.Person{Name: "X", Active: true, Roles: []models.Role{role}}
		if err := people.MayStandIn(p); (err == nil) != (role != models.Viewer) {
			t.Errorf("%s: %v", role, err)
		}
		p.Roles = append(p.Roles, models.Approver)
		if err := people.MayStandIn(p); err != nil {
			t.Errorf("%s and approver: %v", role, err)
		}
	}
	able := people.Person{Name: "X", Active: true, Roles: []models.Role{models.Approver}}
	for what, spoil := range map[string]func(*people.Person){
		"inactive": func(p *people.Person) { p.Active = false },
		"invited":  func(p *people.Person) { p.Invited = true },
		"no role":  func(p *people.Person) { p.Roles = nil },
	} {
		p := able
		spoil(&p)
		wantField(t, people.MayStandIn(p), "delegate")
		_ = what
	}
}

// Every command of an administrator, by everybody who is none: refused, nothing
// changed, and the refusal kept.
func TestOnlyAdministratorsChangePeople(t *testing.T) {
	db := testdb.New(t)
	quick(t, db, "admin", models.Admin)
	target := quick(t, db, "target", models.Reviewer)
	gone := quick(t, db, "gone", models.Reviewer)
	exec(t, db, "update people set active = false where id = ?", gone.ID)
	ctx := t.Context()
	commands := map[string]func(models.Actor) error{
		"add": func(by models.Actor) error {
			_, err := people.AddPerson(ctx, db, by, people.AddPersonCmd{Name: "N", Email: "n@example.test", Roles: []models.Role{models.Admin}})
			return err
		},
		"invite": func(by models.Actor) error {
			_, err := people.NewInvite(ctx, db, by, people.NewInviteCmd{ID: target.ID})
			return err
		},
		"edit": func(by models.Actor) error {
			_, err := people.EditPerson(ctx, db, by, people.EditPersonCmd{ID: target.ID, Version: 1, Name: "N", Email: "n@example.test", TimeZone: "UTC"})
			return err
		},
		"roles": func(by models.Actor) error {
			_, err := people.SetRoles(ctx, db, by, people.SetRolesCmd{ID: by.ID, Version: 1, Roles: []models.Role{models.Admin}})
			return err
		},
		"deactivate": func(by models.Actor) error {
			_, err := people.Deactivate(ctx, db, by, people.DeactivateCmd{ID: target.ID, Version: 1, Confirm: "target"})
			return err
		},
		"reactivate": func(by models.Actor) error {
			_, err := people.Reactivate(ctx, db, by, people.ReactivateCmd{ID: gone.ID, Version: 1})
			return err
		},
	}
	actors := []models.Actor{{}}
	for _, r := range models.Roles[:5] {
		actors = append(actors, quick(t, db, "a "+string(r), r))
	}
	// Somebody whose page still says administrator, and who is none any more.
	stale := quick(t, db, "stale", models.Viewer)
	stale.Roles = []models.Role{models.Admin}
	actors = append(actors, stale)
	before := state(t, db)
	for what, run := range commands {
		for _, by := range actors {
			refusals := count(t, db, "select count(*) from audit_events where refused")
			wantKind(t, run(by), models.KindForbidden)
			if n := count(t, db, "select count(*) from audit_events where refused"); n != refusals+1 {
				t.Errorf("%s by %s: %d refusals kept", what, by.Name, n-refusals)
			}
		}
	}
	if state(t, db) != before {
		t.Error("a refused command changed something")
	}
	if _, err := people.List(ctx, db, actors[1], people.Filter{}, ""); !models.IsKind(err, models.KindForbidden) {
		t.Error("a business owner may list people")
	}
	if _, err := people.Show(ctx, db, actors[1], target.ID); !models.IsKind(err, models.KindForbidden) {
		t.Error("a business owner may see a person")
	}
}

func TestTheOwnAccountIsNobodyElses(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, target, helper := quick(t, db, "admin", models.Admin), quick(t, db, "target", models.Reviewer), quick(t, db, "helper", models.Reviewer)
	admin.StandsFor = map[int64][]models.Role{target.ID: {models.Admin}} // nor a delegate's
	before := state(t, db)
	for what, err := range map[string]error{
		"password": second(people.ChangePassword(ctx, db, admin, people.ChangePasswordCmd{ID: target.ID, Current: password, New: password + "2"})),
		"zone":     second(people.SetTimeZone(ctx, db, admin, people.SetTimeZoneCmd{ID: target.ID, Version: 1, TimeZone: "Europe/Vienna"})),
		"sign out": second(people.SignOutEverywhere(ctx, db, admin, people.SignOutEverywhereCmd{ID: target.ID})),
		"delegate": second(people.SetDelegate(ctx, db, admin, people.SetDelegateCmd{PersonID: target.ID, DelegateID: helper.ID, Until: today(t, db, 1)})),
	} {
		if !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if state(t, db) != before {
		t.Error("a refused command changed something")
	}
	if n := count(t, db, "select count(*) from audit_events where refused and object_id = ?", target.ID); n != 4 {
		t.Errorf("%d refusals kept, want 4", n)
	}
}

func second[T any](_ T, err error) error { return err }
