package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/people"
)

func TestSignInAndOut(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b := a.browser()
	b.get("/account?x=1").goesTo("/login?next=%2Faccount%3Fx%3D1")
	login := b.get("/login?next=%2Faccount%3Fx%3D1").want(200)
	wrong := b.submit(login, "Sign in", url.Values{"email": {owner.Email}, "password": {"wrong-wrong-wrong"}}).errorAt("password")
	if v := wrong.Find("#email").AttrOr("value", ""); v != owner.Email {
		t.Errorf("the e-mail address typed is gone: %q", v)
	}
	if _, kept := wrong.Find("#password").Attr("value"); kept && wrong.Find("#password").AttrOr("value", "") != "" {
		t.Error("the page repeats the password")
	}
	b.submit(wrong, "Sign in", url.Values{"password": {password}}).goesTo("/account?x=1").follow().want(200).says("Your account")
	b.get("/login?next=/audit").goesTo("/audit")
	b.post("/logout", nil).goesTo("/login").follow().says("Signed out.")
	b.get("/account").goesTo("/login?next=%2Faccount")
}

func TestSignInLeadsOnlyToThisSite(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	for _, next := range []string{"https://evil.example.test/", "//evil.example.test", `/\evil.example.test`, `\\evil.example.test`, "javascript:alert(1)", "evil", "/a\r\nX: y", "http:/evil.example.test"} {
		login := a.browser().get("/login?next=" + url.QueryEscape(next)).want(200)
		if hidden := login.Find("input[name=next]"); hidden.Length() != 0 {
			t.Errorf("next=%q is kept as %q", next, hidden.AttrOr("value", ""))
		}
		a.browser().post("/login", url.Values{"email": {owner.Email}, "password": {password}, "next": {next}}).goesTo("/")
	}
}

func TestSignInGivesANewSession(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b := a.as(owner)
	first := b.cookie()
	b.post("/login", url.Values{"email": {owner.Email}, "password": {password}}).want(303)
	if b.cookie() == first || first == "" {
		t.Fatalf("the session id stayed %q", first)
	}
	thief := a.browser()
	u, _ := url.Parse(a.url)
	thief.client.Jar.SetCookies(u, []*http.Cookie{{Name: "countersign", Value: first}})
	thief.get("/account").goesTo("/login?next=%2Faccount")
	b.get("/account").want(200)
}

func TestSignInIsThrottled(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b := a.browser()
	for range 5 {
		b.post("/login", url.Values{"email": {owner.Email}, "password": {"wrong-wrong-wrong"}}).errorAt("password")
	}
	p := b.post("/login", url.Values{"email": {owner.Email}, "password": {password}}).want(429).says("Wait 15 minutes")
	if p.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestAFormSentSignedOutSaysSo(t *testing.T) {
	a := newApp(t)
	before := a.count("select count(*) from audit_events")
	p := a.browser().post("/account/time-zone", url.Values{"time_zone": {"Asia/Tokyo"}, "version": {"1"}}).want(401).says("You were signed out")
	if p.Find("a[href='/login']").Length() == 0 {
		t.Error("no way to sign in")
	}
	if a.count("select count(*) from audit_events") != before {
		t.Error("something happened")
	}
}

func TestSetupLink(t *testing.T) {
	a := newApp(t)
	token, _, err := people.EnsureSetupLink(t.Context(), a.db)
	if err != nil {
		t.Fatal(err)
	}
	b := a.browser()
	b.get("/login").says("Not set up yet").says("Open the link that the server printed when it started.")
	b.get("/setup/made-up").want(404)
	p := b.get("/setup/" + token).want(200)
	typed := url.Values{"name": {"First"}, "email": {"first@example.test"}, "password": {password}, "again": {"another-password"}, "roles": {"reviewer"}}
	p = b.submit(p, "Create administrator", typed).errorAt("again")
	if p.Find("#name").AttrOr("value", "") != "First" || p.Find("input[value=reviewer][checked]").Length() != 1 {
		t.Error("what was typed is gone")
	}
	_, form := p.filled("Create administrator", url.Values{"password": {password}, "again": {password}})
	b.post("/setup/"+token, form).goesTo("/")
	b.get("/admin/people").want(200).says("First")
	b.post("/setup/"+token, form).goesTo("/") // a double click gets the first answer
	form.Set("submission", "another-form-altogether")
	form.Set("email", "second@example.test")
	a.browser().post("/setup/"+token, form).want(404).says("used already")
	a.browser().get("/setup/" + token).want(404)
	a.browser().get("/login").saysNot("Not set up yet")
	if n := a.count("select count(*) from people"); n != 1 {
		t.Errorf("%d people", n)
	}
}

func TestDeactivationEndsTheSessionAtOnce(t *testing.T) {
	a := newApp(t)
	admin, owner := a.person("Admin", models.Admin), a.person("Owner", models.BusinessOwner)
	b := a.as(owner)
	b.get("/account").want(200)
	if _, err := people.Deactivate(t.Context(), a.db, admin, people.DeactivateCmd{ID: owner.ID, Version: 1, Confirm: "Owner"}); err != nil {
		t.Fatal(err)
	}
	b.get("/account").want(303)
	b.post("/account/time-zone", url.Values{"time_zone": {"Asia/Tokyo"}, "version": {"1"}}).want(401)
	b.submit(b.get("/login"), "Sign in", url.Values{"email": {owner.Email}, "password": {password}}).errorAt("email")
}

func TestCrossSiteSignInIsRefused(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	b := a.browser()
	r := b.request("POST", "/login", url.Values{"email": {owner.Email}, "password": {password}})
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.send(r).want(403)
	if strings.TrimSpace(b.cookie()) != "" {
		b.get("/account").want(303)
	}
}

// A request that was under way while its person signed out must not bring the
// session back.
func TestASlowRequestDoesNotUndoSigningOut(t *testing.T) {
	a := newApp(t)
	owner := a.as(a.person("Owner", models.BusinessOwner))
	other := &browser{a: a, client: owner.client}
	lock, err := a.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), "lock table people in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	saved := owner.cookie()
	slow := make(chan int)
	go func() {
		r := owner.request("GET", "/account", nil)
		r.Header.Set("Cookie", "countersign="+saved)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			slow <- 0
			return
		}
		res.Body.Close()
		slow <- res.StatusCode
	}()
	for a.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	// The sign-out waits for nobody: it is the store that ends the session.
	if _, err := a.db.Pool.Exec(t.Context(), "insert into ended_sessions (token) select token from sessions"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.db.Pool.Exec(t.Context(), "delete from sessions"); err != nil {
		t.Fatal(err)
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status := <-slow; status != http.StatusOK {
		t.Fatalf("the slow request answered %d", status)
	}
	if n := a.count("select count(*) from sessions"); n != 1 {
		t.Fatalf("%d sessions: the slow request did not save its session again, so this test shows nothing", n)
	}
	other.get("/account").goesTo("/login?next=%2Faccount")
}
