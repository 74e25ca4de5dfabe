package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/people"
)

func TestATokenIsShownOnceAndRevoked(t *testing.T) {
	a := newApp(t)
	admin := a.person("Admin", models.Admin)
	a.exec("insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) values ('intake', 'Intake', ?, ?, ?, ?)", admin.ID, admin.ID, admin.ID, admin.ID)
	a.exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('sandbox', 'Sandbox', 'test', false, ?)", admin.ID)
	b := a.as(admin)
	b.get("/admin/tokens").want(http.StatusOK).says("No token yet")

	form := b.get("/admin/tokens/new").want(http.StatusOK)
	action, values := form.filled("Make token", url.Values{"name": {"Intake flow"}, "workflow": {"intake"}, "environment": {"sandbox"}, "scopes": {"claims", "read"}, "rate": {"90"}})
	made := b.post(action, values).want(http.StatusOK)
	token := made.Find("#new-token").Text()
	if _, err := people.Authenticate(t.Context(), a.db, token); err != nil {
		t.Fatalf("%q: %v", token, err)
	}
	if again := b.post(action, values).want(http.StatusOK).says("This form was sent before"); again.Find("#new-token").Text() != token {
		t.Error("the same form shows another token")
	}
	list := b.get("/admin/tokens").says("Intake flow").says("Claims, read").says("90 calls in a minute")
	if html, _ := list.Html(); strings.Contains(html, token) {
		t.Error("the list shows the token")
	}
	if n := a.count("select count(*) from sessions where position(? in encode(data, 'escape')) > 0", token[10:]); n != 0 {
		t.Error("the session keeps the token")
	}

	ask := b.get("/admin/tokens/1/revoke").want(http.StatusOK).says("Revoke “Intake flow”?")
	b.submit(ask, "Revoke token", nil).goesTo("/admin/tokens").follow().says("Revoked")
	if _, err := people.Authenticate(t.Context(), a.db, token); err == nil {
		t.Error("a revoked token is let in")
	}
	b.get("/admin/tokens/1/revoke").want(http.StatusConflict)
	b.get("/admin/tokens/2/revoke").want(http.StatusNotFound)
	b.get("/admin/tokens/x/revoke").want(http.StatusNotFound)
}

func TestATokenFormSaysWhatIsMissing(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	form := b.get("/admin/tokens/new")
	for _, field := range []string{"name", "workflow", "environment"} {
		b.submit(form, "Make token", nil).errorAt(field)
	}
	b.submit(form, "Make token", url.Values{"rate": {"many"}}).errorAt("rate")
	b.submit(form, "Make token", url.Values{"expires": {"2020-01-01"}}).errorAt("expires")
	other := a.as(a.person("Owner", models.BusinessOwner))
	for _, path := range []string{"/admin/tokens", "/admin/tokens/new", "/admin/tokens/1/revoke"} {
		other.get(path).want(http.StatusForbidden)
	}
	other.post("/admin/tokens", url.Values{"name": {"x"}}).want(http.StatusForbidden)
	other.post("/admin/tokens/1/revoke", url.Values{}).want(http.StatusForbidden)
}
