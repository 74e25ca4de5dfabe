package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/handlers"
)

// place is one page of the walk, as one person sees it.
type place struct {
	path   string
	status int64      // 200 when 0
	by     func(*Tab) // what is done there to see the page; nil for a plain visit
	name   string     // of by
	part   string     // what of the page axe looks at, when the rest is looked at elsewhere
}

func (p place) String() string { return strings.TrimSpace(p.path + " " + p.name) }

func TestEveryPageIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	for who, places := range walk(t, site) {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			tab := site.NewTab(t, Desk)
			tab.signInUnlessNobody(who)
			for _, p := range places {
				tab.visit(p)
				tab.examine(t, p.String(), p.part)
			}
		})
	}
}

func TestEveryEmptyPageIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	site := emptySite(t)
	tab := site.NewTab(t, Desk)
	tab.Open(site.setupLink(t))
	tab.examine(t, "set up", "")
	tab.Resize(Desk)
	tab.Press("Create administrator")
	tab.Answered(422)
	tab.examine(t, "set up, nothing filled in", "")
	site.addPerson(t, "admin@example.test", "Administrator")
	tab.SignIn("admin")
	for _, path := range []string{"/", "/controls", "/controls?q=nothing", "/workflows", "/destinations", "/identity-rules", "/identity-rules/lab", "/matrix", "/evidence", "/evidence?q=nothing", "/audit", "/admin/people", "/admin/environments", "/admin/policies", "/account", "/inbox", "/inbox?show=all", "/admin/mail", "/admin/webhooks"} {
		tab.visit(place{path: path})
		tab.examine(t, path, "")
	}
}

func (t *Tab) signInUnlessNobody(who string) {
	t.r.Helper()
	if account, _, _ := strings.Cut(who, ","); account != "nobody" {
		t.SignIn(account)
	}
}

// visit opens the page on the screen that was looked at last, unless something is
// done on it: that is done at a desk.
func (t *Tab) visit(p place) {
	t.r.Helper()
	if p.by != nil {
		t.Resize(Desk)
	}
	t.Open(p.path)
	if p.by != nil {
		p.by(t)
	}
	if p.status != 0 {
		t.Answered(p.status)
	}
}

// examine looks at the page on both screens, in both colour schemes.
func (tab *Tab) examine(t *testing.T, page, part string) {
	t.Helper()
	if s := tab.shape(); s.Lang != "en" || s.H1 != 1 || !strings.HasSuffix(s.Title, " · Countersign") || strings.HasPrefix(s.Title, " ·") {
		t.Errorf("%s: language %q, %d h1, title %q", page, s.Lang, s.H1, s.Title)
	}
	for _, v := range tab.nearest(Desk, Phone) {
		tab.Resize(v)
		tab.fits(t, page)
		for _, dark := range []bool{tab.view.Dark, !tab.view.Dark} {
			rules := allRules
			if dark {
				rules = colourRules
			}
			tab.Scheme(dark)
			for _, found := range tab.axe(part, rules) {
				t.Errorf("%s, %d wide, dark %v: %s", page, v.Width, dark, found)
			}
		}
	}
	for _, problem := range tab.watch.take() {
		t.Errorf("%s: %s", page, problem)
	}
}

// nearest gives the views from the one on the screen on, so that no page is laid
// out again only because another one comes next.
func (tab *Tab) nearest(views ...View) []View {
	if tab.view.Width == views[len(views)-1].Width {
		slices.Reverse(views)
	}
	return views
}

// fits says that nothing has to be scrolled sideways.
func (tab *Tab) fits(t *testing.T, page string) {
	t.Helper()
	if s := tab.shape(); s.Over != "" {
		t.Errorf("%s: %s", page, s.Over)
	}
}

// A page that is added has to join the walk.
func TestTheWalkKnowsEveryPage(t *testing.T) {
	notPages := []string{"/healthz", "/readyz", "/metrics", "/api/openapi.json", "/evidence/:id/file", "/queue/events", "/queue/live", "/queue/counts",
		"/controls/:slug/record.md", "/controls/:slug/record.json", "/controls/:slug/record.csv", "/controls/:slug/bundle.zip", "/audit.csv", "/ledger.csv", "/matrix.csv"}
	var visited []string
	for _, places := range walk(t, nil) {
		for _, p := range places {
			visited = append(visited, strings.SplitN(p.path, "?", 2)[0])
		}
	}
	for _, route := range handlers.Routes() {
		path, get := strings.CutPrefix(route, "GET ")
		if !get || slices.Contains(notPages, path) {
			continue
		}
		if !slices.ContainsFunc(visited, func(v string) bool { return matches(path, v) }) {
			t.Errorf("no one walks to %s: add it to places_test.go", path)
		}
	}
}

// matches reports whether a path belongs to a route such as /controls/:slug.
func matches(route, path string) bool {
	want, have := strings.Split(route, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && (!strings.HasPrefix(want[i], ":") || have[i] == "new") {
			return false
		}
	}
	return true
}

func TestLongNamesFitOnEveryPage(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	site.lengthen(t)
	narrow := View{Width: 320, Height: 640, Touch: true}
	for who, places := range walk(t, site) {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			tab := site.NewTab(t, Desk)
			tab.signInUnlessNobody(who)
			for _, p := range places {
				if p.by != nil || p.part != "" && !strings.HasSuffix(p.path, "edit=operation") {
					continue // fields are called otherwise here, and one open form is enough
				}
				tab.visit(p)
				for _, v := range tab.nearest(Desk, Phone, narrow) {
					tab.Resize(v)
					tab.fits(t, fmt.Sprintf("%s, %d wide", p, v.Width))
				}
			}
			if t.Failed() {
				tab.Resize(Phone)
			}
		})
	}
}
