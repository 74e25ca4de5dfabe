package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/models"
)

func TestOwnAccount(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Owner", models.BusinessOwner))
	stale := b.get("/account").want(200).says("Business owner")
	b.submit(stale, "Save time zone", url.Values{"time_zone": {"Asia/Tokyo"}}).goesTo("/account").follow().says("Time zone saved.")
	b.submit(stale, "Save time zone", url.Values{"time_zone": {"Europe/Vienna"}}).want(409).says("Asia/Tokyo").says("Europe/Vienna")
	b.submit(b.get("/account"), "Save time zone", url.Values{"time_zone": {"Mars/Olympus"}}).errorAt("time_zone")
}

func TestChangeOwnPassword(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b, elsewhere := a.as(owner), a.as(owner)
	before := b.cookie()
	change := func(current, next, again string) *page {
		return b.submit(b.get("/account"), "Change password", url.Values{"current": {current}, "password": {next}, "again": {again}})
	}
	change("wrong-wrong-wrong", "a-new-password", "a-new-password").errorAt("current")
	change(password, "a-new-password", "a-newer-password").errorAt("again")
	change(password, "short", "short").errorAt("password")
	change(password, "a-new-password", "a-new-password").goesTo("/account").follow().says("Password changed.")
	if b.cookie() == before {
		t.Error("the session id stayed")
	}
	elsewhere.get("/account").want(303)
	a.browser().post("/login", url.Values{"email": {owner.Email}, "password": {"a-new-password"}}).goesTo("/")
}

func TestSignOutEverywhere(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b, elsewhere := a.as(owner), a.as(owner)
	b.submit(b.get("/account"), "Sign out everywhere", nil).goesTo("/login").follow().says("Signed out everywhere.")
	b.get("/account").want(303)
	elsewhere.get("/account").want(303)
}

func TestNameADelegate(t *testing.T) {
	a := newApp(t)
	owner, helper, viewer := a.person("Owner", models.BusinessOwner), a.person("Helper", models.Reviewer), a.person("Viewer", models.Viewer)
	b := a.as(owner)
	p := b.get("/account").says("Nobody stands in for you.")
	if p.Find(fmt.Sprintf("#delegate option[value='%d']", viewer.ID)).Length() != 0 || p.Find(fmt.Sprintf("#delegate option[value='%d']", helper.ID)).Length() != 1 {
		t.Error("the wrong people can be chosen")
	}
	day := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	typed := url.Values{"delegate": {fmt.Sprint(helper.ID)}, "until": {"2020-01-01"}, "reason": {"On leave"}}
	p = b.submit(p, "Name delegate", typed).errorAt("until")
	if p.Find("#reason").Text() != "On leave" {
		t.Errorf("what was typed is gone: %q", p.Find("#reason").Text())
	}
	b.submit(p, "Name delegate", url.Values{"until": {day}}).goesTo("/account").follow().says("Helper stands in for you")
	b.submit(p, "Name delegate", url.Values{"until": {day}, "submission": {"another tab"}}).want(409).says("was changed since you opened this page")
	b.post("/account/delegate", url.Values{"delegate": {fmt.Sprint(viewer.ID)}, "until": {day}, "seen": {"1"}}).errorAt("delegate")

	h := a.as(helper)
	end := h.get("/account").says("You stand in for Owner")
	action, form := end.filled("Stop standing in", nil)
	a.as(viewer).post(action, form).want(403).says("Only the person who is away")
	h.post(action, form).want(303)
	h.get("/account").saysNot("You stand in for Owner")
	b.get("/account").says("Nobody stands in for you.")
	b.post("/delegations/999/end", nil).want(404)
}

func TestWhoDecidesNothingNamesNoDelegate(t *testing.T) {
	a := newApp(t)
	helper := a.person("Helper", models.Reviewer)
	day := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	for _, who := range []models.Actor{a.person("Admin", models.Admin), a.person("Viewer", models.Viewer)} {
		b := a.as(who)
		if b.get("/account").says("Your roles decide nothing that a delegate could decide for you.").Find("#delegate").Length() != 0 {
			t.Errorf("%s is offered a delegate", who.Name)
		}
		b.post("/account/delegate", url.Values{"delegate": {fmt.Sprint(helper.ID)}, "until": {day}}).want(403)
	}
}

func TestADelegateWithASlotOfTheirOwnIsWarnedAbout(t *testing.T) {
	a := newDemo(t)
	b := a.as(models.Actor{Email: "owner@example.test"})
	day := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	name := func(email string) *page {
		id := a.count("select id from people where email = ?", email)
		p := b.get("/account")
		button := "Name delegate"
		if !strings.Contains(p.Find("main").Text(), button) {
			button = "Change delegate"
		}
		return b.submit(p, button, url.Values{"delegate": {fmt.Sprint(id)}, "until": {day}}).follow()
	}
	name("reviewer@example.test").says("cannot sign for you there").says("Create CRM task")
	name("approver@example.test").saysNot("cannot sign for you there")
}
