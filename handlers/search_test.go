package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestSearchPages(t *testing.T) {
	c := newCounter(t)
	viewer := c.who("viewer")
	empty := viewer.get("/search").want(http.StatusOK)
	if empty.Find(`main form[role=search][action="/search"] input[name=q]`).Length() != 1 || !strings.Contains(words(empty.Find("main").Text()), "What can be found") {
		t.Error("the page without a text does not say what can be found")
	}
	if viewer.get("/controls").Find(`.topbar form.topsearch[action="/search"] input[name=q]`).Length() != 1 {
		t.Error("no field in the bar of other pages")
	}
	found := viewer.get("/search?q=request-demo-01").want(http.StatusOK)
	if row := found.Find("main .row").First(); words(row.Find("a").Text()) != "request-demo-01" || row.Find(".effects li").Length() == 0 {
		t.Errorf("the request comes first, with its effects: %s", words(row.Text()))
	}
	for path, has := range map[string]string{
		"/search?q=x":                                    "Enter at least two characters",
		"/search?q=nothing-of-this-name":                 "Nothing was found.",
		"/search?q=confirmtaion":                         "This is called nearly so:",
		"/search?in=controls&q=create":                   "Everything that was found",
		"/search?in=requests&q=nothing-of-this":          "Nothing of this kind was found.",
		"/search?q=" + url.QueryEscape("<b>'%_\\\"</b>"): "Nothing was found.",
	} {
		if text := words(viewer.get(path).want(http.StatusOK).Find("main").Text()); !strings.Contains(text, has) {
			t.Errorf("%s: %s", path, text)
		}
	}
	viewer.get("/search?q=" + strings.Repeat("x", 601)).want(http.StatusUnprocessableEntity)
	viewer.get("/search?q=a%00b").want(http.StatusBadRequest)
	viewer.get("/search?q=a%0Ab").want(http.StatusUnprocessableEntity)
	viewer.get("/search?q=reviewer&in=people").want(http.StatusNotFound)
	viewer.get("/search?q=request&in=requests&at=x.y").want(http.StatusBadRequest)
	c.who("admin").get("/search?q=reviewer&in=people").want(http.StatusOK)
	if got := c.browser().get("/search?q=request").status; got != http.StatusSeeOther {
		t.Errorf("signed out: %d", got)
	}
}

// Every hit leads to a page that is there.
func TestHitsLeadSomewhere(t *testing.T) {
	c := newCounter(t)
	admin := c.who("admin")
	for _, q := range []string{"1", "2", "request-demo-01", "event-demo-01", "service", "crm", "owner", "visit"} {
		links := admin.get("/search?q=" + q).want(http.StatusOK).Find("main .row a")
		if links.Length() == 0 {
			t.Errorf("%s: nothing was found", q)
		}
		for i := range links.Length() {
			admin.get(links.Eq(i).AttrOr("href", "")).want(http.StatusOK)
		}
	}
}
