package handlers_test

import (
	"net/http"
	"net/url"
	"testing"

	"countersign/models"
)

func TestEndOneSession(t *testing.T) {
	a := newApp(t)
	owner, other := a.person("Owner", models.BusinessOwner), a.person("Other", models.Viewer)
	b, elsewhere, stranger := a.as(owner), a.as(owner), a.as(other)
	p := b.get("/account").want(http.StatusOK)
	rows := p.Find(`ul[aria-label="Where you are signed in"] > li`)
	if rows.Length() != 2 || rows.Eq(0).Find("form").Length() != 0 || rows.Eq(1).Find("form").Length() != 1 {
		t.Fatalf("two browsers, this one first: %s", words(rows.Text()))
	}
	form := url.Values{"submission": {"a-form-of-somebody-else"}}
	path := rows.Eq(1).Find("form").AttrOr("action", "")
	stranger.post(path, form).want(http.StatusNotFound)
	elsewhere.get("/account").want(http.StatusOK)

	b.submit(p, "End session", nil).goesTo("/account").follow().says("Session ended.")
	if got := elsewhere.get("/account").status; got != http.StatusSeeOther {
		t.Errorf("the other browser is still signed in: %d", got)
	}
	if n := b.get("/account").want(http.StatusOK).Find(`ul[aria-label="Where you are signed in"] > li`).Length(); n != 1 {
		t.Errorf("%d sessions are listed", n)
	}
	if n := a.count("select count(*) from audit_events where action = 'person.session_ended' and person_id = ?", owner.ID); n != 1 {
		t.Errorf("%d audit events", n)
	}
	b.post(path, url.Values{"submission": {"another-form"}}).want(http.StatusNotFound)
	stranger.get("/account").want(http.StatusOK)

	// After "sign out everywhere" older sessions are not listed.
	again := a.as(owner)
	again.submit(again.get("/account"), "Sign out everywhere", nil).follow()
	if n := a.as(owner).get("/account").Find(`ul[aria-label="Where you are signed in"] > li`).Length(); n != 1 {
		t.Errorf("%d sessions are listed after signing out everywhere", n)
	}
}
