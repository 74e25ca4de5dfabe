package handlers_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/demo"
)

// rows reads a download as CSV.
func (b *browser) rows(path string) [][]string {
	b.a.t.Helper()
	res, err := b.client.Do(b.request(http.MethodGet, path, nil))
	if err != nil {
		b.a.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment;") || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/csv") {
		b.a.t.Fatalf("%s: %d %v %v", path, res.StatusCode, res.Header, err)
	}
	all, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		b.a.t.Fatal(err)
	}
	return all
}

func TestListsAsCSV(t *testing.T) {
	a := newApp(t)
	if err := demo.Load(t.Context(), a.db); err != nil {
		t.Fatal(err)
	}
	a.exec("update controls set name = '=1+1' where slug = 'book-visit'")
	reader := a.as(models.Actor{Email: "viewer@example.test"})
	for _, c := range []struct{ page, path, count string }{
		{"/audit", "/audit.csv", "select count(*) + 1 from audit_events"},
		{"/audit?refused=yes", "/audit.csv?refused=yes", "select count(*) + 1 from audit_events where refused"},
		{"/audit?type=control", "/audit.csv?type=control", "select count(*) + 1 from audit_events where object_type = 'control'"},
		{"/ledger", "/ledger.csv", "select count(*) + 1 from actions"},
		{"/ledger?state=succeeded", "/ledger.csv?state=succeeded", "select count(*) + 1 from actions where state = 'succeeded'"},
		{"/ledger?show=deliveries", "/ledger.csv?show=deliveries", "select count(*) + 1 from deliveries"},
		{"/matrix", "/matrix.csv", "select count(*) + 1 from test_cases"},
		{"/matrix?workflow=none", "/matrix.csv?workflow=none", "select 1"},
	} {
		if href := reader.get(c.page).want(http.StatusOK).Find(".page-header a:contains('Download as CSV')").AttrOr("href", ""); href != c.path {
			t.Errorf("%s leads to %q", c.page, href)
		}
		rows := reader.rows(c.path)
		if want := a.count(c.count); len(rows) != want {
			t.Errorf("%s has %d rows, want %d", c.path, len(rows), want)
		}
	}
	if n := a.count("select count(*) from audit_events"); n <= models.PageSize {
		t.Errorf("%d events fit on one page: the test proves nothing about paging", n)
	}
	names := ""
	for _, row := range reader.rows("/matrix.csv") {
		names += row[1] + "\n"
	}
	if strings.Count(names, "'=1+1") != 6 || strings.Contains(names, "\n=1+1") {
		t.Errorf("a name that is a formula stands as %q", names)
	}
	reader.get("/audit.csv?from=x").want(http.StatusUnprocessableEntity)
	reader.get("/ledger.csv?day=x").want(http.StatusUnprocessableEntity)
	reader.get("/matrix.csv?owner=x").want(http.StatusBadRequest)
	for _, path := range []string{"/audit.csv", "/ledger.csv", "/matrix.csv"} {
		a.browser().get(path).goesTo("/login?next=%2F" + path[1:])
	}
}
