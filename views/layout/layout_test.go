package layout

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
)

func render(t *testing.T, c templ.Component) *goquery.Document {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

var body = templ.Raw("<h1>Here</h1>")

func TestShell(t *testing.T) {
	p := Page{Title: "Book visit", Nav: "controls", Theme: "dark", User: &User{Name: "Implementer", Email: "implementer@example.test"},
		Crumbs: []Crumb{{"Controls", "/controls"}, {"Book visit", ""}}, Flash: &Flash{Tone: "ok", Strong: "Saved.", Text: "All of it.", Link: "Go on", Href: "/next"}, Counts: map[string]int{"controls": 3}, Width: "read"}
	doc := render(t, Shell(p, body))
	if doc.Find("title").Text() != "Book visit · Countersign" || doc.Find("main h1").Text() != "Here" {
		t.Error("title or body is missing")
	}
	for sel, n := range map[string]int{
		`html[data-theme=dark]`: 1, `.sidebar [aria-current=page]`: 1, `.sidebar a[href="/controls"][aria-current=page]`: 1,
		`.theme-switch [aria-pressed=true][value=dark]`: 1, `main[data-width=read]`: 1, `.breadcrumb a[href="/controls"]`: 1,
		`.breadcrumb [aria-current=page]`: 1, `main .banner[role=status]`: 1, `main .flash a[href="/next"]`: 1, `form[action="/logout"][method=post] button`: 1,
		`.who a[href="/account"]`: 1, `.skip-link[href="#main"]`: 1, `[style], style, script:not([src])`: 0, `a[href^="/admin"]`: 0, `.nav-count .sr-only`: 1,
	} {
		if got := doc.Find(sel).Length(); got != n {
			t.Errorf("%s: %d, want %d", sel, got, n)
		}
	}
}

func TestOnlyAdminsSeeAdmin(t *testing.T) {
	pages := 0
	for _, g := range Navigation {
		if g.Admin {
			pages += len(g.Items)
		}
	}
	for admin, n := range map[bool]int{true: pages, false: 0} {
		doc := render(t, Shell(Page{Title: "x", User: &User{Name: "x", Admin: admin}}, body))
		if got := doc.Find(`.sidebar a[href^="/admin"]`).Length(); got != n {
			t.Errorf("admin %v sees %d admin links", admin, got)
		}
	}
}

func TestSplitHasTwoPanes(t *testing.T) {
	doc := render(t, Shell(Page{Title: "Queue", Split: "detail"}, body))
	if doc.Find("main.split[data-view=detail]").Length() != 1 || doc.Find("main.page").Length() != 0 {
		t.Error("no split")
	}
}

func TestBareHasNoNavigation(t *testing.T) {
	doc := render(t, Bare(Page{Title: "Sign in", Theme: "nonsense", Flash: &Flash{Tone: "ok", Text: "You signed out."}}, body))
	if doc.Find(".sidebar, .topbar").Length() != 0 || doc.Find("aside .pitch").Length() != 1 || doc.Find("main .banner").Length() != 1 {
		t.Error("bare page")
	}
	if v, _ := doc.Find("html").Attr("data-theme"); v != "system" {
		t.Errorf("theme %q", v)
	}
	if render(t, Bare(Page{Title: "Nothing here", Width: "read"}, body)).Find("aside").Length() != 0 {
		t.Error("an error page with the pitch")
	}
}

func TestNavigationIsConsistent(t *testing.T) {
	sprite, err := os.ReadFile("../../static/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range Navigation {
		for _, i := range g.Items {
			if seen[i.Key] || seen["g "+i.Go] || len(i.Go) != 1 || !strings.Contains(string(sprite), `id="`+i.Icon+`"`) {
				t.Errorf("%+v: used twice, or no such icon", i)
			}
			seen[i.Key], seen["g "+i.Go] = true, true
		}
	}
}
