package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/models"

	"github.com/PuerkitoBio/goquery"
)

func TestEveryPageForbidsInlineCodeAndFraming(t *testing.T) {
	a := newApp(t)
	h := a.browser().get("/login").want(http.StatusOK).header
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("Content-Security-Policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("Content-Security-Policy %q allows something unsafe", policy)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" || h.Get("X-Request-Id") == "" {
		t.Errorf("headers: %v", h)
	}
}

func TestHealthAndMetricsNeedNobodySignedIn(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		a.browser().get(path).want(http.StatusOK)
	}
}

func TestAPageAsksToSignInAndComesBack(t *testing.T) {
	a := newApp(t)
	a.browser().get("/audit?type=control").goesTo("/login?next=" + url.QueryEscape("/audit?type=control"))
	a.browser().post("/controls/book-visit/submit", url.Values{}).want(http.StatusUnauthorized).says("You were signed out before this was saved")
}

func TestAFormFromAnotherSiteIsRefused(t *testing.T) {
	a := newApp(t)
	owner := a.as(a.person("Owner", models.BusinessOwner))
	for name, header := range map[string][2]string{"fetch metadata": {"Sec-Fetch-Site", "cross-site"}, "origin": {"Origin", "https://elsewhere.example"}} {
		r := owner.request(http.MethodPost, "/theme", url.Values{"theme": {"dark"}})
		r.Header.Del("Sec-Fetch-Site")
		r.Header.Set(header[0], header[1])
		if p := owner.send(r).want(http.StatusForbidden).says("from another site"); strings.Contains(strings.Join(p.header.Values("Set-Cookie"), " "), "theme=") {
			t.Errorf("%s: the refused form changed the theme", name)
		}
	}
}

func TestUnreadableAndTooLargeRequestsGetAClearPage(t *testing.T) {
	a := newApp(t)
	owner := a.as(a.person("Owner", models.BusinessOwner))
	owner.get("/no/such/page").want(http.StatusNotFound).says("There is no page at this address")
	owner.get("/controls?at=damaged").want(http.StatusBadRequest).says("This page link is damaged")
	owner.get("/audit?from=31.12.2026&to=yesterday").want(http.StatusUnprocessableEntity).says("Enter a date as year-month-day")
	owner.post("/theme", url.Values{"theme": {strings.Repeat("x", 2<<20)}}).want(http.StatusRequestEntityTooLarge).says("larger than this form takes")
	owner.post("/theme", url.Values{"theme": {"purple"}}).want(http.StatusBadRequest).says("Choose light, dark or as the system")
	r := owner.request(http.MethodGet, "/no/such/page", nil)
	r.Header.Set("Accept", "application/json")
	if p := owner.send(r).want(http.StatusNotFound); p.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a program got %s", p.header.Get("Content-Type"))
	}
}

func TestTheThemeComesWithTheFirstHTML(t *testing.T) {
	a := newApp(t)
	b := a.browser()
	b.post("/theme", url.Values{"theme": {"dark"}}).goesTo("/")
	if got := b.get("/login").Find("html").AttrOr("data-theme", ""); got != "dark" {
		t.Errorf("data-theme %q", got)
	}
}

func TestHomeShowsEachRoleWhatWaitsForIt(t *testing.T) {
	a := newDemo(t)
	for role, want := range map[string][]string{
		"owner":       {"Sign revision 2 of Create CRM task", "Two of three signatures are in. Yours is the last."},
		"implementer": {"Answer a question about Book visit", "Change revision 1 of Send confirmation"},
		"reviewer":    {"Answer a question about Book visit"},
		"viewer":      {"Nothing waits for you", "Control health"},
	} {
		p := a.as(models.Actor{Email: role + "@example.test"}).get("/").want(http.StatusOK)
		for _, text := range want {
			p.says(text)
		}
		if role != "owner" {
			p.saysNot("Sign revision 2")
		}
	}
	owner := a.as(models.Actor{Email: "owner@example.test"})
	owner.get("/audit?label=book&person=reviewer").says("Commented on “Operation”").saysNot("Create CRM task")
	owner.get("/audit?type=workflow").says("Service request intake").saysNot("Book visit")
	asked := owner.get("/audit?action=control.asked").says("Asked about “").saysNot("Answered “")
	if asked.Find("select[name=action] option[selected]").AttrOr("value", "") != "control.asked" {
		t.Error("the choice of what was done is forgotten")
	}
	if change := owner.get("/audit?action=person.added").Find("tr.under > td[colspan='4'] details .diff"); change.Length() == 0 {
		t.Error("no change stands below its event, as wide as the table")
	}
	owner.get("/audit?from=2099-01-01").says("No event matches")
}

func TestAnEmptyWorkspaceSaysHowToBegin(t *testing.T) {
	a := newApp(t)
	links := func(p *page) (hrefs []string) {
		p.Find("main .checks a").Each(func(_ int, s *goquery.Selection) { hrefs = append(hrefs, s.AttrOr("href", "")) })
		return hrefs
	}
	admin := a.as(a.person("First", models.Admin))
	p := admin.get("/").says("First steps").says("Invite people: at least three").says("Set up environments:").says("A business owner, an implementer or a reviewer does this.")
	if got := fmt.Sprint(links(p)); got != "[/admin/people/new /admin/environments/new /workflows/new /destinations/new /admin/tokens/new]" {
		t.Errorf("an administrator's steps lead to %s", got)
	}
	viewer := a.as(a.person("Second", models.Viewer)).get("/").says("First steps").says("Set up environments: such as a sandbox and production, and say which can reach real customers. An administrator does this.")
	if got := fmt.Sprint(links(viewer)); got != "[/api/guide]" {
		t.Errorf("a viewer's steps lead to %s", got)
	}
	for _, href := range links(p) {
		admin.get(href).want(http.StatusOK)
	}
	b := newDemo(t)
	b.as(models.Actor{Email: "viewer@example.test"}).get("/").saysNot("First steps")
}

// Everything that the filter offers is something that the commands write.
func TestTheAuditFilterOffersWhatIsWritten(t *testing.T) {
	a := newApp(t)
	source := ""
	for _, pattern := range []string{"../models/*.go", "../models/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source += string(text)
		}
	}
	options := a.as(a.person("Owner", models.BusinessOwner)).get("/audit").Find("select[name=action] option[value!='']")
	options.Each(func(_ int, o *goquery.Selection) {
		if action := o.AttrOr("value", ""); !strings.Contains(source, `"`+action+`"`) {
			t.Errorf("nothing writes %s", action)
		}
	})
	if options.Length() < 10 {
		t.Errorf("only %d actions are offered", options.Length())
	}
}

func TestTheAuditLogPagesBackAndForth(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	for i := range 120 {
		a.person(fmt.Sprintf("Person %d", i), models.Viewer)
	}
	b := a.as(owner)
	seen := map[string]bool{}
	p := b.get("/audit?type=person")
	for pages := 1; ; pages++ {
		p.Find("tbody tr:not(.under)").Each(func(_ int, s *goquery.Selection) { seen[words(s.Find("td").Eq(2).Text())] = true })
		next, more := p.Find(".pager a[rel=next]").Attr("href")
		if !more {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
		p = b.get(next).want(http.StatusOK)
	}
	if len(seen) != 121 {
		t.Errorf("%d different events seen, want 121", len(seen))
	}
}

func TestBytesThatAreNoTextGetAClearPage(t *testing.T) {
	a := newApp(t)
	owner := a.as(a.person("Owner", models.BusinessOwner))
	for _, path := range []string{"/workflows/%00", "/workflows/%FF", "/destinations/x%00", "/audit?type=%ff", "/workflows?q=%00", "/admin/environments/%FF"} {
		owner.get(path).want(http.StatusBadRequest).says("characters that are not text")
	}
	owner.post("/controls", url.Values{"accounts.a\x00": {""}}).want(http.StatusBadRequest)
	r := owner.request(http.MethodPost, "/theme", nil)
	r.Header.Set("Content-Type", "application/json")
	r.Body, r.ContentLength = http.NoBody, 0
	owner.send(r).want(http.StatusUnsupportedMediaType)
}

func TestHeadAnswersLikeGet(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/login", "/healthz", "/readyz"} {
		a.browser().send(a.browser().request(http.MethodHead, path, nil)).want(http.StatusOK)
	}
}

// Whatever a client calls its request and however long its names are, its
// refusals are recorded.
func TestRefusalsCannotBeKeptOutOfTheLog(t *testing.T) {
	a := newApp(t)
	viewer := a.as(a.person("Viewer", models.Viewer))
	for i, id := range []string{"\xff\xfe", `"><script>`, strings.Repeat("x", 5000), "fine-request-1"} {
		r := viewer.request(http.MethodPost, "/controls", url.Values{"name": {strings.Repeat("long ", 2000)}, "submission": {fmt.Sprint(i)}})
		r.Header.Set("X-Request-ID", id)
		viewer.send(r).want(http.StatusForbidden)
		if n := a.count("select count(*) from audit_events where refused"); n != i+1 {
			t.Fatalf("after %q: %d refusals recorded, want %d", id, n, i+1)
		}
	}
	if n := a.count("select count(*) from audit_events where request_id = 'fine-request-1'"); n != 1 {
		t.Error("a proxy's request id was not kept")
	}
}

func TestAResentFormSaysThatItDidNothingAgain(t *testing.T) {
	a := newDemo(t)
	owner := a.as(models.Actor{Email: "owner@example.test"})
	action, form := owner.get("/workflows/service-request/stop").filled("Stop workflow", url.Values{"reason": {"A test."}})
	owner.post(action, form).follow().says("Workflow stopped")
	lift := owner.get("/workflows/service-request")
	if lift.Find("form").Length() == 0 {
		t.Fatal("nothing to lift")
	}
	owner.post(action, form).follow().says("This form was sent before, so nothing was done again.")
	if n := a.count("select count(*) from stops"); n != 1 {
		t.Errorf("%d stops", n)
	}
}
