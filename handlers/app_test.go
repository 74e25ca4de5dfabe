package handlers_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"countersign/handlers"
	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/people"

	"github.com/PuerkitoBio/goquery"
)

const password = "countersign-demo"

// app is the whole web application on a database of its own.
type app struct {
	t   *testing.T
	db  *models.DB
	srv *handlers.Server
	url string
}

func newApp(t *testing.T) *app {
	t.Helper()
	return serve(t, testdb.New(t))
}

// newDemo is newApp with the demo data.
func newDemo(t *testing.T) *app {
	t.Helper()
	return serve(t, testdb.Loaded(t, "demo", demo.Load))
}

func serve(t *testing.T, db *models.DB) *app {
	t.Helper()
	srv := handlers.New(db, slog.New(slog.DiscardHandler), handlers.Config{})
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(func() { web.Close(); srv.Close() })
	srv.Ready()
	return &app{t: t, db: db, srv: srv, url: web.URL}
}

// person adds somebody with the password above; the address is the name's
// words joined by hyphens at example.test.
func (a *app) person(name string, roles ...models.Role) models.Actor {
	a.t.Helper()
	email := strings.ReplaceAll(strings.ToLower(name), " ", "-") + "@example.test"
	if _, err := people.AddPersonByCommand(a.t.Context(), a.db, people.AddPersonByCommandCmd{Name: name, Email: email, Password: password, Roles: roles}); err != nil {
		a.t.Fatal(err)
	}
	by, err := people.ActorByEmail(a.t.Context(), a.db, email)
	if err != nil {
		a.t.Fatal(err)
	}
	return by
}

// count runs a query for one number.
func (a *app) count(sql string, args ...any) (n int) {
	a.t.Helper()
	if err := a.db.Query(a.t.Context()).Raw(sql, args...).Row().Scan(&n); err != nil {
		a.t.Fatal(err)
	}
	return n
}

// browser keeps cookies and does not follow redirects by itself.
type browser struct {
	a      *app
	client *http.Client
}

func (a *app) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{a: a, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// as signs a person in through the form.
func (a *app) as(who models.Actor) *browser {
	a.t.Helper()
	b := a.browser()
	b.submit(b.get("/login"), "Sign in", url.Values{"email": {who.Email}, "password": {password}}).want(http.StatusSeeOther)
	return b
}

// page is an answer.
type page struct {
	*goquery.Document
	b      *browser
	status int
	header http.Header
}

func (b *browser) send(r *http.Request) *page {
	b.a.t.Helper()
	res, err := b.client.Do(r)
	if err != nil {
		b.a.t.Fatal(err)
	}
	defer res.Body.Close()
	doc, err := goquery.NewDocumentFromReader(res.Body)
	if err != nil {
		b.a.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return &page{Document: doc, b: b, status: res.StatusCode, header: res.Header}
}

func (b *browser) request(method, path string, form url.Values) *http.Request {
	b.a.t.Helper()
	r, err := http.NewRequestWithContext(b.a.t.Context(), method, b.a.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.a.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return r
}

func (b *browser) get(path string) *page {
	b.a.t.Helper()
	return b.send(b.request(http.MethodGet, path, nil))
}

func (b *browser) post(path string, form url.Values) *page {
	b.a.t.Helper()
	return b.send(b.request(http.MethodPost, path, form))
}

// filled finds the form that has the button and returns where it goes and what
// a browser would send: what stands in it, with values put over that.
func (p *page) filled(button string, values url.Values) (action string, form url.Values) {
	p.b.a.t.Helper()
	found := p.Find("main form").FilterFunction(func(_ int, f *goquery.Selection) bool {
		return f.Find("button").FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.HasPrefix(words(s.Text()), button) }).Length() > 0
	}).First()
	if found.Length() == 0 {
		p.b.a.t.Fatalf("no form with a button %q on this page:\n%s", button, words(p.Find("main").Text()))
	}
	form = url.Values{}
	found.Find("input[name], textarea[name], select[name]").Each(func(_ int, s *goquery.Selection) {
		name, kind := s.AttrOr("name", ""), s.AttrOr("type", "")
		_, checked := s.Attr("checked")
		switch {
		case goquery.NodeName(s) == "select":
			form.Add(name, s.Find("option[selected]").AttrOr("value", s.Find("option").First().AttrOr("value", "")))
		case goquery.NodeName(s) == "textarea":
			form.Add(name, s.Text())
		case kind != "checkbox" && kind != "radio" || checked:
			form.Add(name, s.AttrOr("value", ""))
		}
	})
	for name, v := range values {
		form[name] = v
	}
	return found.AttrOr("action", ""), form
}

// submit presses a button of the page.
func (b *browser) submit(p *page, button string, values url.Values) *page {
	b.a.t.Helper()
	action, form := p.filled(button, values)
	return b.post(action, form)
}

// want checks the status.
func (p *page) want(status int) *page {
	p.b.a.t.Helper()
	if p.status != status {
		p.b.a.t.Fatalf("status %d, want %d: %s", p.status, status, words(p.Find("body").Text()))
	}
	return p
}

// goesTo checks that the answer is a redirect after a change.
func (p *page) goesTo(path string) *page {
	p.b.a.t.Helper()
	p.want(http.StatusSeeOther)
	if to := p.header.Get("Location"); to != path {
		p.b.a.t.Fatalf("leads to %q, want %q", to, path)
	}
	return p
}

// follow opens where the redirect leads.
func (p *page) follow() *page {
	p.b.a.t.Helper()
	p.want(http.StatusSeeOther)
	return p.b.get(p.header.Get("Location"))
}

// says checks that the page has text somewhere in its main part.
func (p *page) says(text string) *page {
	p.b.a.t.Helper()
	if !strings.Contains(words(p.Find("main").Text()), text) {
		p.b.a.t.Fatalf("the page does not say %q:\n%s", text, words(p.Find("main").Text()))
	}
	return p
}

// saysNot is the opposite of says.
func (p *page) saysNot(text string) *page {
	p.b.a.t.Helper()
	if strings.Contains(words(p.Find("main").Text()), text) {
		p.b.a.t.Fatalf("the page says %q", text)
	}
	return p
}

// errorAt checks that a field has a message, and that the summary leads to it.
func (p *page) errorAt(field string) *page {
	p.b.a.t.Helper()
	p.want(http.StatusUnprocessableEntity)
	if p.Find("[id='"+field+"-error']").Length() == 0 || p.Find(".error-summary a[href='#"+field+"']").Length() == 0 || p.Find("[id='"+field+"']").Length() == 0 {
		p.b.a.t.Fatalf("no message at %s: %s", field, words(p.Find("main").Text()))
	}
	return p
}

func (b *browser) cookie() string {
	u, _ := url.Parse(b.a.url)
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == "countersign" {
			return c.Value
		}
	}
	return ""
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }
