package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
)

func TestInviteSomebody(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	b.get("/admin/people").want(200).says("Admin").says("Administrator")
	form := b.get("/admin/people/new").want(200)
	again := b.submit(form, "Add person", url.Values{"name": {"Owner"}, "email": {"admin@example.test"}, "roles": {"business_owner"}}).errorAt("email")
	if again.Find("input[value=business_owner][checked]").Length() != 1 {
		t.Error("the role chosen is gone")
	}
	action, typed := again.filled("Add person", url.Values{"email": {"owner@example.test"}})
	first := b.post(action, typed).want(303)
	shown := b.post(action, typed).goesTo(first.header.Get("Location")).follow().want(200).says("Send this link to Owner")
	link := shown.Find("#invite-link").Text()
	if !strings.HasPrefix(link, a.url+"/invite/") {
		t.Fatalf("link %q", link)
	}
	if b.get(first.header.Get("Location")).Find("#invite-link").Length() != 0 {
		t.Error("the link is shown a second time")
	}
	if n := a.count("select count(*) from people"); n != 2 {
		t.Errorf("%d people", n)
	}

	guest := a.browser()
	path := strings.TrimPrefix(link, a.url)
	guest.submit(guest.get(path).want(200), "Save password", url.Values{"password": {"short"}, "again": {"short"}}).errorAt("password")
	guest.submit(guest.get(path), "Save password", url.Values{"password": {password}, "again": {password}}).goesTo("/")
	guest.get("/account").want(200).says("owner@example.test")
	a.browser().get(path).want(404).says("used already")
	guest.get("/admin/people").want(403).says("Only an administrator")
}

func TestNobodyElseSeesAdminPages(t *testing.T) {
	a := newApp(t)
	admin := a.person("Admin", models.Admin)
	viewer := a.as(a.person("Viewer", models.Viewer))
	path := fmt.Sprintf("/admin/people/%d", admin.ID)
	for _, p := range []string{"/admin/people", "/admin/people/new", path} {
		viewer.get(p).want(403).says("Only an administrator")
	}
	form := url.Values{"version": {"1"}, "name": {"Mine"}, "email": {"mine@example.test"}, "time_zone": {"UTC"}, "roles": {"admin"}, "confirm": {"Admin"}}
	for _, p := range []string{"/admin/people", path, path + "/roles", path + "/link", path + "/deactivation", path + "/reactivation"} {
		viewer.post(p, form).want(403)
	}
	if a.count("select count(*) from people where name = 'Mine' or not active") != 0 || a.count("select count(*) from access_links") != 0 {
		t.Error("a refused form changed something")
	}
	if viewer.get("/").Find("a[href='/admin/people']").Length() != 0 {
		t.Error("the navigation offers pages that are refused")
	}
}

func TestEditAPerson(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	owner := a.person("Owner", models.BusinessOwner)
	path := fmt.Sprintf("/admin/people/%d", owner.ID)
	stale := b.get(path).want(200)
	b.submit(b.get(path), "Save details", url.Values{"name": {"Owner of requests"}}).goesTo(path).follow().says("Details saved.").says("Owner of requests")
	conflict := b.submit(stale, "Save details", url.Values{"name": {"Somebody"}}).want(409).says("Owner of requests").says("Somebody")
	if conflict.Find("#name").AttrOr("value", "") != "Somebody" {
		t.Error("what was typed is gone")
	}
	b.submit(conflict, "Save details", nil).goesTo(path) // having seen both
	b.submit(b.get(path), "Save details", url.Values{"email": {"no address"}}).errorAt("email")
	b.submit(b.get(path), "Save roles", url.Values{"roles": {"reviewer", "approver"}}).follow().says("Roles saved.")
	b.submit(b.get(path), "Save roles", url.Values{"roles": nil}).errorAt("roles")
	b.submit(b.get(path), "Save roles", url.Values{"roles": {"emperor"}}).errorAt("roles")
	b.post(path, url.Values{"version": {"x"}}).want(400)
	b.get("/admin/people/999").want(404)
	b.get("/admin/people/x").want(404)
	b.get("/admin/people?at=broken").want(400)
	b.get("/admin/people?q=nobody-like-this").want(200).says("Nobody matches")
	b.get("/admin/people?role=reviewer").want(200).says("Somebody").saysNot("admin@example.test")
}

func TestDeactivateAPerson(t *testing.T) {
	a := newApp(t)
	admin := a.person("Admin", models.Admin)
	b := a.as(admin)
	owner := a.person("Owner", models.BusinessOwner)
	if err := a.db.Query(t.Context()).Exec(`insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by)
		values ('service-request', 'Service request', ?, ?, ?, ?)`, owner.ID, admin.ID, admin.ID, owner.ID).Error; err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/admin/people/%d", owner.ID)
	p := b.get(path).says("Service request as business owner")
	b.submit(p, "Deactivate person", url.Values{"confirm": {"Somebody"}}).errorAt("confirm")
	p.says("Other people need to take over first.").says("Name another business owner for Service request")
	left := b.submit(p, "Deactivate person", url.Values{"confirm": {"Owner"}}).follow().says("Person deactivated.").says("Deactivated").says("Owner is still named in workflows.")
	if left.Find("a[href='/workflows/service-request/edit']").Length() != 1 {
		t.Error("no link to where somebody else is named")
	}
	if facts := words(b.get("/workflows/service-request").Find(".fact-list").First().Text()); !strings.HasPrefix(facts, "Business ownerOwner DeactivatedImplementerAdmin Reviewer") {
		t.Errorf("the workflow names %s", facts)
	}
	b.get("/").says("Name a new business owner for Service request")
	b.submit(b.get(path), "Reactivate person", nil).follow().says("Person reactivated.")
	own := b.get(fmt.Sprintf("/admin/people/%d", admin.ID)).says("You cannot deactivate yourself")
	if _, off := own.Find("button[data-variant=destructive]").Attr("disabled"); !off {
		t.Error("the button to deactivate oneself can be pressed")
	}
	b.submit(own, "Save roles", url.Values{"roles": {"viewer"}}).want(409).says("last active administrator")
	b.submit(b.get(path), "Make new link", nil).follow().says("Send this link to Owner")
}

func TestLongNamesAndMarkupAreText(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	name := "<script>alert(1)</script>" + strings.Repeat("x", 175)
	b.submit(b.get("/admin/people/new"), "Add person", url.Values{"name": {name}, "email": {"x@example.test"}, "roles": {"viewer"}}).follow().want(200).says(name)
	if b.get("/admin/people").says(name).Find("main script").Length() != 0 {
		t.Error("a name became markup")
	}
}
