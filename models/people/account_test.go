package people_test

import (
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

func TestChangePassword(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	me := add(t, db, "me", password, models.Viewer)
	change := func(current, next, submission string) (people.SignedIn, error) {
		return people.ChangePassword(ctx, db, me, people.ChangePasswordCmd{Once: models.Once{Submission: submission}, ID: me.ID, Current: current, New: next, Address: "10.0.0.1"})
	}
	before := state(t, db)
	for field, try := range map[string][2]string{
		"current":  {"wrong-wrong-wrong", "a-new-password"},
		"password": {password, password},
	} {
		_, err := change(try[0], try[1], "")
		wantField(t, err, field)
	}
	_, err := change("", "short", "")
	wantField(t, err, "current")
	wantField(t, err, "password")
	if state(t, db) != before {
		t.Fatal("a refused change changed something")
	}
	in, err := change(password, "a-new-password", "form-1")
	ok(t, err)
	again, err := change(password, "a-new-password", "form-1")
	ok(t, err)
	if in != again || in.Epoch != 2 {
		t.Errorf("first %+v, sent again %+v", in, again)
	}
	_, err = people.LoadActor(ctx, db, me.ID, 1)
	wantKind(t, err, models.KindNotFound)
	_, err = signIn(ctx, db, "me@example.test", "a-new-password", "10.0.0.2")
	ok(t, err)
	if action, before, after := audited(t, db); action != "person.password_changed" || before+after != "" {
		t.Errorf("audited %s %s %s", action, before, after)
	}
	errs := race(3, func(i int) error { return second(change("a-new-password", password+name(i), "")) })
	if winners(errs) != 1 {
		t.Errorf("%d passwords were set from one: %v", winners(errs), errs)
	}
}

func TestGuessingTheCurrentPasswordIsThrottled(t *testing.T) {
	db := testdb.New(t)
	me := add(t, db, "me", password, models.Viewer)
	for i := range 6 {
		_, err := people.ChangePassword(t.Context(), db, me, people.ChangePasswordCmd{ID: me.ID, Current: "wrong-wrong-wrong", New: "a-new-password", Address: "10.0.0.1"})
		if i < 5 {
			wantField(t, err, "current")
		} else {
			wantKind(t, err, models.KindTooMany)
		}
	}
}

func TestSignOutEverywhere(t *testing.T) {
	db := testdb.New(t)
	me := quick(t, db, "me", models.Viewer)
	cmd := people.SignOutEverywhereCmd{Once: models.Once{Submission: "form-1"}, ID: me.ID}
	for range 2 {
		_, err := people.SignOutEverywhere(t.Context(), db, me, cmd)
		ok(t, err)
	}
	_, err := people.LoadActor(t.Context(), db, me.ID, 1)
	wantKind(t, err, models.KindNotFound)
	_, err = people.LoadActor(t.Context(), db, me.ID, 2)
	ok(t, err)
	if action, _, _ := audited(t, db); action != "person.signed_out_everywhere" {
		t.Errorf("audited %s", action)
	}
}

func TestSetTimeZone(t *testing.T) {
	db := testdb.New(t)
	me := quick(t, db, "me", models.Viewer)
	set := func(version int64, zone string) error {
		return second(people.SetTimeZone(t.Context(), db, me, people.SetTimeZoneCmd{ID: me.ID, Version: version, TimeZone: zone}))
	}
	wantField(t, set(1, "Nowhere/Land"), "time_zone")
	wantField(t, set(1, ""), "time_zone")
	ok(t, set(1, "Asia/Tokyo"))
	wantKind(t, set(1, "UTC"), models.KindConflict)
	if action, before, after := audited(t, db); action != "person.edited" || before != `{"time_zone": "UTC"}` || after != `{"time_zone": "Asia/Tokyo"}` {
		t.Errorf("audited %s %s %s", action, before, after)
	}
}

func TestDelegation(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	me, helper, next := quick(t, db, "me", models.BusinessOwner), quick(t, db, "helper", models.Reviewer), quick(t, db, "next", models.Approver)
	reader, invited := quick(t, db, "reader", models.Viewer), add(t, db, "invited", "", models.Reviewer)
	cmd := people.SetDelegateCmd{PersonID: me.ID, DelegateID: helper.ID, Until: today(t, db, 0), Reason: "On leave"}
	before := state(t, db)
	for _, c := range []struct {
		field string
		spoil func(*people.SetDelegateCmd)
	}{
		{"delegate", func(c *people.SetDelegateCmd) { c.DelegateID = 0 }},
		{"delegate", func(c *people.SetDelegateCmd) { c.DelegateID = 999 }},
		{"delegate", func(c *people.SetDelegateCmd) { c.DelegateID = me.ID }},
		{"delegate", func(c *people.SetDelegateCmd) { c.DelegateID = reader.ID }},
		{"delegate", func(c *people.SetDelegateCmd) { c.DelegateID = invited.ID }},
		{"until", func(c *people.SetDelegateCmd) { c.Until = "" }},
		{"until", func(c *people.SetDelegateCmd) { c.Until = "2026-02-31" }},
		{"until", func(c *people.SetDelegateCmd) { c.Until = today(t, db, -1) }},
		{"until", func(c *people.SetDelegateCmd) { c.Until = today(t, db, 367) }},
		{"reason", func(c *people.SetDelegateCmd) { c.Reason = strings.Repeat("x", 2001) }},
	} {
		bad := cmd
		c.spoil(&bad)
		_, err := people.SetDelegate(ctx, db, me, bad)
		wantField(t, err, c.field)
	}
	if state(t, db) != before {
		t.Fatal("a refused delegation left something behind")
	}
	first, err := people.SetDelegate(ctx, db, me, cmd)
	ok(t, err)
	if first == 0 {
		t.Fatal("no id")
	}
	if action, _, after := audited(t, db); action != "person.delegate_named" || !strings.Contains(after, `"helper"`) || !strings.Contains(after, "On leave") {
		t.Errorf("audited %s %s", action, after)
	}
	stands := func(a models.Actor, want bool) {
		t.Helper()
		got, err := people.LoadActor(ctx, db, a.ID, 1)
		ok(t, err)
		if got.Is(me.ID) != want {
			t.Errorf("%s stands in: %v, want %v", a.Name, !want, want)
		}
	}
	stands(helper, true) // through the end of the last day
	exec(t, db, "update delegations set until = until - 1")
	stands(helper, false)
	exec(t, db, "update delegations set until = until + 2")
	exec(t, db, "update people set active = false where id = ?", me.ID)
	stands(helper, false)
	exec(t, db, "update people set active = true where id = ?", me.ID)
	stands(helper, true)

	cmd.DelegateID = next.ID
	_, err = people.SetDelegate(ctx, db, me, cmd) // the page did not show the first
	wantKind(t, err, models.KindConflict)
	cmd.Seen = first
	errs := race(4, func(int) error { return second(people.SetDelegate(ctx, db, me, cmd)) })
	if winners(errs) != 1 {
		t.Errorf("%d of one page were saved: %v", winners(errs), errs)
	}
	stands(helper, false)
	stands(next, true)
	if n := count(t, db, "select count(*) from audit_events where action = 'person.delegation_ended'"); n != 1 {
		t.Errorf("%d endings in the log", n)
	}
}

func TestTwoPeopleNameEachOther(t *testing.T) {
	db := testdb.New(t)
	two := []models.Actor{quick(t, db, "one", models.Reviewer), quick(t, db, "two", models.Reviewer)}
	errs := race(2, func(i int) error {
		return second(people.SetDelegate(t.Context(), db, two[i], people.SetDelegateCmd{PersonID: two[i].ID, DelegateID: two[1-i].ID, Until: today(t, db, 1)}))
	})
	if winners(errs) != 2 {
		t.Error(errs)
	}
}

func TestEndDelegation(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	me, helper, admin, other := quick(t, db, "me", models.Reviewer), quick(t, db, "helper", models.Reviewer), quick(t, db, "admin", models.Admin), quick(t, db, "other", models.Reviewer)
	for _, by := range []models.Actor{me, helper, admin} {
		id, err := people.SetDelegate(ctx, db, me, people.SetDelegateCmd{PersonID: me.ID, DelegateID: helper.ID, Until: today(t, db, 1)})
		ok(t, err)
		_, err = people.EndDelegation(ctx, db, other, people.EndDelegationCmd{ID: id})
		wantKind(t, err, models.KindForbidden)
		_, err = people.EndDelegation(ctx, db, by, people.EndDelegationCmd{ID: id})
		ok(t, err)
		if action, before, _ := audited(t, db); action != "person.delegation_ended" || !strings.Contains(before, `"helper"`) {
			t.Errorf("audited %s %s", action, before)
		}
		_, err = people.EndDelegation(ctx, db, by, people.EndDelegationCmd{ID: id})
		wantKind(t, err, models.KindConflict)
		if count(t, db, "select count(*) from delegations where id = ? and ended_by = ?", id, by.ID) != 1 {
			t.Errorf("%s: not ended in their name", by.Name)
		}
	}
	_, err := people.EndDelegation(ctx, db, me, people.EndDelegationCmd{ID: 999})
	wantKind(t, err, models.KindNotFound)
}
