package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestHandOver(t *testing.T) {
	b := newBooking(t)
	reader := b.as(b.viewer)
	p := reader.get("/controls/book-visit/handoff").want(http.StatusOK).says("Hand over “Book visit”").says("Unresolved: Exact effect.").says("Who can approve what comes next")
	if md := p.Find("#markdown").Text(); !strings.HasPrefix(md, "# Book visit\n") || p.Find("button[data-copy='#markdown']").Length() != 1 {
		t.Errorf("the Markdown to copy begins %.40q", md)
	}
	links := map[string]bool{}
	for _, href := range p.Find(".rows a").Map(func(_ int, a *goquery.Selection) string { return a.AttrOr("href", "") }) {
		links[href] = true
	}
	for name, kind := range map[string]string{"record.md": "text/markdown; charset=utf-8", "record.json": "application/json", "record.csv": "text/csv; charset=utf-8; header=present", "bundle.zip": "application/zip"} {
		path := "/controls/book-visit/" + name + "?revision=1"
		file := reader.get(path).want(http.StatusOK)
		if !links[path] || file.header.Get("Content-Type") != kind || !strings.HasPrefix(file.header.Get("Content-Disposition"), `attachment; filename="book-visit-revision-1.`) || file.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: linked %v, %v", path, links[path], file.header)
		}
		reader.get("/controls/none/" + name).want(http.StatusNotFound)
		for _, n := range []string{"0", "2", "x", "99999999999"} {
			reader.get("/controls/book-visit/" + name + "?revision=" + n).want(http.StatusNotFound)
		}
		b.browser().get(path).goesTo("/login?next=" + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(path, "/", "%2F"), "?", "%3F"), "=", "%3D"))
	}
	sheet := reader.get("/controls/book-visit/print").want(http.StatusOK)
	if words(sheet.Find("thead").Text()) != "Book visit · revision 1, draft, not approved 38 unresolved" || sheet.Find("nav").Length() != 0 {
		t.Errorf("the sheet begins %q", words(sheet.Find("thead").Text()))
	}
	if marks := sheet.Find(".entry .mark-open").Length(); marks < 30 {
		t.Errorf("%d marks on a sheet where everything is open", marks)
	}
	b.complete("book-visit")
	reader.get("/controls/book-visit/print").want(http.StatusOK)
	if marks := reader.get("/controls/book-visit/handoff").says("Nothing is unresolved").Find("#markdown").Text(); !strings.Contains(marks, "No field is unresolved.") {
		t.Error("a complete record reads as open")
	}
	reader.get("/controls/book-visit").Find("a[href='/controls/book-visit/handoff']").Each(func(int, *goquery.Selection) { links["control"] = true })
	if !links["control"] {
		t.Error("the control does not lead to its hand-over")
	}
}
