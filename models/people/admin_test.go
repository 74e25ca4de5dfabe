package people_test

import (
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

func edit(p models.Actor, version int64, name string) people.EditPersonCmd {
	return people.EditPersonCmd{ID: p.ID, Version: version, Name: name, Email: p.Email, TimeZone: p.TimeZone}
}

func TestEditPerson(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, owner := quick(t, db, "admin", models.Admin), quick(t, db, "owner", models.BusinessOwner)
	errs := race(4, func(i int) error { return second(people.EditPerson(ctx, db, admin, edit(owner, 1, name(i)))) })
	if winners(errs) != 1 {
		t.Fatalf("%d edits of one version were saved: %v", winners(errs), errs)
	}
	for _, err := range errs {
		if err != nil {
			wantKind(t, err, models.KindConflict)
		}
	}
	action, before, after := audited(t, db)
	if action != "person.edited" || before != `{"name": "owner"}` || !strings.Contains(after, "person-") || strings.Contains(after, "email") {
		t.Errorf("audited %s %s %s", action, before, after)
	}
	cmd := edit(owner, 2, "owner")
	cmd.Email = "ADMIN@example.test"
	_, err := people.EditPerson(ctx, db, admin, cmd)
	wantField(t, err, "email")
	_, err = people.EditPerson(ctx, db, admin, edit(owner, 99, "owner"))
	wantKind(t, err, models.KindConflict)
	_, err = people.EditPerson(ctx, db, admin, edit(models.Actor{ID: 999, Email: "x@example.test", TimeZone: "UTC"}, 1, "x"))
	wantKind(t, err, models.KindNotFound)
	if version(t, db, owner.ID) != 2 {
		t.Error("a refused edit raised the version")
	}
}

func TestSetRolesKeepsWhoGrantedWhat(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, p := quick(t, db, "admin", models.Admin), quick(t, db, "p", models.Viewer, models.Reviewer)
	_, err := people.SetRoles(ctx, db, admin, people.SetRolesCmd{ID: p.ID, Version: 1, Roles: []models.Role{models.Approver, models.Reviewer, models.Approver}})
	ok(t, err)
	a, err := people.LoadActor(ctx, db, p.ID, 1)
	ok(t, err)
	if asJSON(a.Roles) != `["reviewer","approver"]` {
		t.Errorf("roles %v", a.Roles)
	}
	if count(t, db, "select count(*) from role_grants where person_id = ? and role = 'approver' and granted_by = ?", p.ID, admin.ID) != 1 ||
		count(t, db, "select count(*) from role_grants where person_id = ? and role = 'reviewer' and granted_by is null", p.ID) != 1 {
		t.Error("the rows do not say who granted what")
	}
	action, before, after := audited(t, db)
	if action != "person.roles_set" || before != `{"roles": ["reviewer", "viewer"]}` || after != `{"roles": ["reviewer", "approver"]}` {
		t.Errorf("audited %s %s %s", action, before, after)
	}
	_, err = people.SetRoles(ctx, db, admin, people.SetRolesCmd{ID: p.ID, Version: 1, Roles: []models.Role{models.Viewer}})
	wantKind(t, err, models.KindConflict)
	_, err = people.SetRoles(ctx, db, admin, people.SetRolesCmd{ID: p.ID, Version: 2})
	wantField(t, err, "roles")
}

func TestTheLastAdministratorStays(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin := quick(t, db, "admin", models.Admin)
	add(t, db, "invited admin", "", models.Admin) // cannot sign in yet
	demote := people.SetRolesCmd{ID: admin.ID, Version: 1, Roles: []models.Role{models.Viewer}}
	_, err := people.SetRoles(ctx, db, admin, demote)
	wantKind(t, err, models.KindConflict)
	other := quick(t, db, "other", models.Admin)
	exec(t, db, "update people set active = false where id = ?", other.ID)
	_, err = people.SetRoles(ctx, db, admin, demote)
	wantKind(t, err, models.KindConflict)
	exec(t, db, "update people set active = true where id = ?", other.ID)
	_, err = people.SetRoles(ctx, db, admin, demote)
	ok(t, err)
}

func TestTwoAdministratorsTakeEachOtherOut(t *testing.T) {
	for what, take := range map[string]func(*models.DB, models.Actor, models.Actor) error{
		"roles": func(db *models.DB, by, other models.Actor) error {
			return second(people.SetRoles(t.Context(), db, by, people.SetRolesCmd{ID: other.ID, Version: 1, Roles: []models.Role{models.Viewer}}))
		},
		"deactivate": func(db *models.DB, by, other models.Actor) error {
			return second(people.Deactivate(t.Context(), db, by, people.DeactivateCmd{ID: other.ID, Version: 1, Confirm: other.Name}))
		},
	} {
		db := testdb.New(t)
		two := []models.Actor{quick(t, db, "one", models.Admin), quick(t, db, "two", models.Admin)}
		errs := race(2, func(i int) error { return take(db, two[i], two[1-i]) })
		if winners(errs) != 1 {
			t.Errorf("%s: %v", what, errs)
		}
		for _, err := range errs {
			if err != nil {
				wantKind(t, err, models.KindForbidden)
			}
		}
		if n := count(t, db, "select count(*) from people p join role_grants g on g.person_id = p.id where p.active and g.role = 'admin'"); n != 1 {
			t.Errorf("%s: %d administrators are left", what, n)
		}
	}
}

func TestDeactivateAndReactivate(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, p, q := quick(t, db, "admin", models.Admin), quick(t, db, "p", models.Reviewer), quick(t, db, "q", models.Reviewer)
	link, err := people.NewInvite(ctx, db, admin, people.NewInviteCmd{ID: p.ID})
	ok(t, err)
	_, err = people.SetDelegate(ctx, db, q, people.SetDelegateCmd{PersonID: q.ID, DelegateID: p.ID, Until: today(t, db, 5)})
	ok(t, err)
	_, err = people.SetDelegate(ctx, db, p, people.SetDelegateCmd{PersonID: p.ID, DelegateID: q.ID, Until: today(t, db, 5)})
	ok(t, err)
	before := state(t, db)
	cmd := people.DeactivateCmd{ID: p.ID, Version: 1, Confirm: "P"}
	_, err = people.Deactivate(ctx, db, admin, cmd)
	wantField(t, err, "confirm")
	_, err = people.Deactivate(ctx, db, admin, people.DeactivateCmd{ID: p.ID, Version: 7, Confirm: "p"})
	wantKind(t, err, models.KindConflict)
	_, err = people.Deactivate(ctx, db, admin, people.DeactivateCmd{ID: admin.ID, Version: 1, Confirm: "admin"})
	wantKind(t, err, models.KindForbidden)
	if state(t, db) != before {
		t.Fatal("a refused command changed something")
	}
	cmd.Confirm = " p "
	_, err = people.Deactivate(ctx, db, admin, cmd)
	ok(t, err)
	_, err = people.LoadActor(ctx, db, p.ID, 1)
	wantKind(t, err, models.KindNotFound)
	_, err = people.OpenInvite(ctx, db, link.Token)
	wantKind(t, err, models.KindNotFound)
	if count(t, db, "select count(*) from delegations where ended_at is null") != 0 {
		t.Error("a delegation goes on")
	}
	if n := count(t, db, "select count(*) from audit_events where action in ('person.deactivated', 'person.delegation_ended')"); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
	_, err = people.Deactivate(ctx, db, admin, people.DeactivateCmd{ID: p.ID, Version: 2, Confirm: "p"})
	wantKind(t, err, models.KindConflict)
	_, err = people.Reactivate(ctx, db, admin, people.ReactivateCmd{ID: p.ID, Version: 1})
	wantKind(t, err, models.KindConflict)
	_, err = people.Reactivate(ctx, db, admin, people.ReactivateCmd{ID: p.ID, Version: 2})
	ok(t, err)
	if action, _, _ := audited(t, db); action != "person.reactivated" {
		t.Errorf("audited %s", action)
	}
	_, err = people.LoadActor(ctx, db, p.ID, 1)
	wantKind(t, err, models.KindNotFound) // the old session stays dead
	a, err := people.LoadActor(ctx, db, p.ID, 3)
	ok(t, err)
	if !a.Has(models.Reviewer) || len(a.StandsFor) != 0 {
		t.Errorf("came back as %+v", a)
	}
	_, err = people.Reactivate(ctx, db, admin, people.ReactivateCmd{ID: p.ID, Version: 3})
	wantKind(t, err, models.KindConflict)
}
