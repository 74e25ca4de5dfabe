package people_test

import (
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

func setupCmd(token string, i int) people.SetupCmd {
	return people.SetupCmd{Once: models.Once{Submission: "a-submission-" + name(i)}, Token: token, Name: "First " + name(i), Email: name(i) + "@example.test",
		Password: password, Roles: []models.Role{models.Implementer, models.Admin}}
}

func TestSetupLinkMakesOneFirstPerson(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	old, needed, err := people.EnsureSetupLink(ctx, db)
	ok(t, err)
	token, again, err := people.EnsureSetupLink(ctx, db)
	ok(t, err)
	if !needed || !again || old == token {
		t.Fatal("an empty workspace needs a fresh link")
	}
	wantKind(t, people.OpenSetup(ctx, db, old), models.KindNotFound) // replaced
	_, err = people.CompleteSetup(ctx, db, setupCmd(old, 0))
	wantKind(t, err, models.KindNotFound)
	_, err = people.CompleteSetup(ctx, db, setupCmd("made-up", 0))
	wantKind(t, err, models.KindNotFound)
	ok(t, people.OpenSetup(ctx, db, token))
	bad := setupCmd(token, 0)
	bad.Password = "short"
	_, err = people.CompleteSetup(ctx, db, bad)
	wantField(t, err, "password")
	ok(t, people.OpenSetup(ctx, db, token)) // still usable

	errs := race(6, func(i int) error { return second(people.CompleteSetup(ctx, db, setupCmd(token, i))) })
	if winners(errs) != 1 || count(t, db, "select count(*) from people") != 1 {
		t.Errorf("%d winners: %v", winners(errs), errs)
	}
	for i, err := range errs {
		if err != nil {
			wantKind(t, err, models.KindNotFound)
			continue
		}
		in, err := people.CompleteSetup(ctx, db, setupCmd(token, i)) // the same form sent again
		ok(t, err)
		a, err := people.LoadActor(ctx, db, in.PersonID, in.Epoch)
		ok(t, err)
		if !a.Has(models.Admin) || !a.Has(models.Implementer) || len(a.Roles) != 2 {
			t.Errorf("roles %v", a.Roles)
		}
	}
	if action, _, after := audited(t, db); action != "workspace.set_up" || strings.Contains(after, "argon2") || strings.Contains(after, password) {
		t.Errorf("audited %s %s", action, after)
	}
	if _, needed, _ := people.EnsureSetupLink(ctx, db); needed {
		t.Error("a workspace with people gave out a set-up link")
	}
	wantKind(t, people.OpenSetup(ctx, db, token), models.KindNotFound)
}

func TestSetupLinkRunsOut(t *testing.T) {
	db := testdb.New(t)
	token, _, err := people.EnsureSetupLink(t.Context(), db)
	ok(t, err)
	exec(t, db, "update access_links set expires_at = now()")
	_, err = people.CompleteSetup(t.Context(), db, setupCmd(token, 1))
	wantKind(t, err, models.KindNotFound)
	if count(t, db, "select count(*) from people") != 0 {
		t.Error("somebody came in")
	}
}

func TestInvitation(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin := quick(t, db, "admin", models.Admin)
	cmd := people.AddPersonCmd{Once: models.Once{Submission: "0123456789abcdef"}, Name: " Owner ", Email: "Owner@Example.test", Roles: []models.Role{models.Reviewer, models.BusinessOwner}}
	inv, err := people.AddPerson(ctx, db, admin, cmd)
	ok(t, err)
	again, err := people.AddPerson(ctx, db, admin, cmd)
	ok(t, err)
	if inv.Token == "" || asJSON(again) != asJSON(inv) || again.Token != inv.Token {
		t.Errorf("a form sent twice: %+v, then %+v", inv, again)
	}
	if count(t, db, "select count(*) from submissions where answer::text like '%'||?||'%'", inv.Token) != 0 || strings.Contains(state(t, db), inv.Token) {
		t.Error("the token is stored")
	}
	if action, _, after := audited(t, db); action != "person.added" || !strings.Contains(after, `"owner@example.test"`) || strings.Contains(after, inv.Token) {
		t.Errorf("audited %s %s", action, after)
	}
	p, err := people.OpenInvite(ctx, db, inv.Token)
	ok(t, err)
	if p.Name != "Owner" || !p.Invited || len(p.Roles) != 2 {
		t.Errorf("invited %+v", p)
	}
	_, err = people.AcceptInvite(ctx, db, people.AcceptInviteCmd{Token: inv.Token, Password: "owner@example.test"})
	wantField(t, err, "password")
	errs := race(5, func(i int) error {
		return second(people.AcceptInvite(ctx, db, people.AcceptInviteCmd{Token: inv.Token, Password: password + name(i)}))
	})
	if winners(errs) != 1 {
		t.Errorf("%d people used one link: %v", winners(errs), errs)
	}
	for i, err := range errs {
		_, signErr := signIn(ctx, db, "owner@example.test", password+name(i), "10.0.0.1")
		if (err == nil) != (signErr == nil) {
			t.Errorf("try %d: accepted %v, signs in %v", i, err, signErr)
		}
	}
	if count(t, db, "select count(*) from audit_events where action = 'person.password_chosen' and person_id = ?", inv.PersonID) != 1 {
		t.Error("choosing the password is not in the log once")
	}
	_, err = people.OpenInvite(ctx, db, inv.Token)
	wantKind(t, err, models.KindNotFound)
}

func TestANewLinkReplacesTheEarlierOne(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	admin, owner := quick(t, db, "admin", models.Admin), add(t, db, "owner", password, models.BusinessOwner)
	first, err := people.NewInvite(ctx, db, admin, people.NewInviteCmd{ID: owner.ID})
	ok(t, err)
	next, err := people.NewInvite(ctx, db, admin, people.NewInviteCmd{ID: owner.ID})
	ok(t, err)
	_, err = people.OpenInvite(ctx, db, first.Token)
	wantKind(t, err, models.KindNotFound)
	_, err = signIn(ctx, db, "owner@example.test", password, "10.0.0.1")
	ok(t, err) // the old password works until the link is used
	in, err := people.AcceptInvite(ctx, db, people.AcceptInviteCmd{Token: next.Token, Password: "a-new-password", Address: "10.0.0.7"})
	ok(t, err)
	if count(t, db, "select count(*) from sign_ins where email = 'owner@example.test' and address = '10.0.0.7' and succeeded") != 1 {
		t.Error("coming in by the link does not count as a sign-in")
	}
	_, err = people.LoadActor(ctx, db, owner.ID, 1)
	wantKind(t, err, models.KindNotFound) // old sessions ended
	_, err = people.LoadActor(ctx, db, owner.ID, in.Epoch)
	ok(t, err)

	for what, end := range map[string]string{
		"run out":  "update access_links set expires_at = now()",
		"inactive": "update people set active = false where id = 2",
	} {
		link, err := people.NewInvite(ctx, db, admin, people.NewInviteCmd{ID: owner.ID})
		ok(t, err)
		exec(t, db, end)
		_, err = people.AcceptInvite(ctx, db, people.AcceptInviteCmd{Token: link.Token, Password: "another-password"})
		if !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%s: %v", what, err)
		}
		exec(t, db, "update people set active = true")
	}
	_, err = people.NewInvite(ctx, db, admin, people.NewInviteCmd{ID: 999})
	wantKind(t, err, models.KindNotFound)
}
