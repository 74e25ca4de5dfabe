package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/notice"
)

// tell tells somebody that they should sign.
func (a *app) tell(who models.Actor, title, key string) {
	a.t.Helper()
	if _, err := models.Do(a.t.Context(), a.db, models.Actor{}, notice.SendTestCmd{}, func(tx *models.Tx) (int, error) {
		return 0, notice.Tell(tx, notice.SignatureWanted, []int64{who.ID}, notice.Words{Title: title, Text: "Submitted by Implementer."}, "/controls/create-crm-task/sign-off", key)
	}); err != nil {
		a.t.Fatal(err)
	}
}

func TestTheInboxPage(t *testing.T) {
	a := newApp(t)
	owner, other := a.person("Owner", models.BusinessOwner), a.person("Other", models.Reviewer)
	b := a.as(owner)
	b.get("/inbox").want(200).says("Nothing unread")
	a.tell(owner, "Sign <revision> 3", "3")
	a.tell(owner, "Sign revision 4", "4")
	page := b.get("/inbox").want(200).says("Sign <revision> 3").says("Signature wanted. Submitted by Implementer.")
	if n := words(page.Find(".sidebar .nav-count").Text()); n != "2 waiting" {
		t.Errorf("the navigation says %q", n)
	}
	// Looking changes nothing, opening through the form does.
	b.get("/controls/create-crm-task/sign-off")
	if a.count("select count(*) from notices where read_at is not null") != 0 {
		t.Fatal("a page that was looked at marked a notice as read")
	}
	b.submit(page, "Sign revision 4", nil).goesTo("/controls/create-crm-task/sign-off")
	page = b.get("/inbox").says("Sign <revision> 3").saysNot("Sign revision 4")
	all := b.get("/inbox?show=all").says("Sign revision 4")
	if all.Find(".row a[href='/controls/create-crm-task/sign-off']").Length() != 1 {
		t.Error("a notice that was read is no link")
	}
	a.tell(owner, "Sign revision 5", "5") // arrives while the page is open
	b.submit(page, "Mark all as read", nil).goesTo("/inbox").follow().says("Marked as read.").says("Sign revision 5").saysNot("Sign <revision> 3")
	page = b.get("/inbox")
	action, form := page.filled("Mark as read", nil)
	a.as(other).post(action, form).want(403).says("somebody else’s inbox")
	b.post(action, form).want(303)
	b.post(action, form).want(303) // a double click
	b.get("/inbox").says("Nothing unread")
	b.post("/inbox/999/open", url.Values{}).want(404)
	b.get("/inbox?at=broken").want(400)
}

func TestTheInboxIsPaged(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	for i := range models.PageSize + 1 {
		a.tell(owner, fmt.Sprintf("Sign revision %d", i), fmt.Sprint(i))
	}
	b := a.as(owner)
	first := b.get("/inbox")
	if first.Find(".row").Length() != models.PageSize {
		t.Errorf("%d rows", first.Find(".row").Length())
	}
	next := b.get(first.Find("a[rel=next]").AttrOr("href", "")).want(200).says("Sign revision 0")
	if strings.Contains(words(next.Find("main").Text()), "Mark all as read") {
		t.Error("an older page offers to mark what it does not show")
	}
}

func TestEmailChoices(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Owner", models.BusinessOwner))
	stale := b.get("/account").want(200).says("No mail server is set")
	b.submit(b.get("/account"), "Save e-mail choices", url.Values{"mail_agree": {"hourly"}}).goesTo("/account").follow().says("E-mail choices saved.")
	if v := b.get("/account").Find("#mail_agree option[selected]").AttrOr("value", ""); v != "hourly" {
		t.Errorf("saved %q", v)
	}
	conflict := b.submit(stale, "Save e-mail choices", url.Values{"mail_agree": {"off"}}).want(409).says("One summary an hour").says("No e-mail")
	b.submit(conflict, "Save e-mail choices", nil).goesTo("/account") // having seen both
	b.submit(b.get("/account"), "Save e-mail choices", url.Values{"mail_agree": {"weekly"}}).errorAt("mail_agree")
	b.submit(b.get("/account"), "Save e-mail choices", url.Values{"mail_version": {"x"}}).want(400)
	if n := a.count("select count(*) from mail_choices where choices->>'agree' = 'off' and version = 2"); n != 1 {
		t.Error("not what was chosen last")
	}
}
