package browser

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"countersign/internal/testdb"
	"countersign/models/demo"
	"countersign/models/people"
)

// chrome is the one browser of this test binary; it starts with the first test.
var (
	chrome  = sync.OnceValues(func() (*Chrome, error) { c, err := Launch(); running = c; return c, err })
	running *Chrome
)

func TestMain(m *testing.M) {
	code := m.Run()
	if running != nil {
		running.Close()
	}
	os.Exit(code)
}

// demoSite is the application with the demo data.
func demoSite(t *testing.T) *Site {
	t.Helper()
	c, err := chrome()
	if err != nil {
		t.Fatal(err)
	}
	return Serve(t, c, testdb.Loaded(t, "demo", demo.Load))
}

// emptySite is the application before anybody was added.
func emptySite(t *testing.T) *Site {
	t.Helper()
	c, err := chrome()
	if err != nil {
		t.Fatal(err)
	}
	return Serve(t, c, testdb.New(t))
}

// count is the number of audit events of a kind about an object.
func (s *Site) count(t *testing.T, where string, args ...any) int {
	t.Helper()
	var n int
	if err := s.DB.Pool.QueryRow(t.Context(), "select count(*) from audit_events where "+where, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// text is one value of the database as text.
func (s *Site) text(t *testing.T, query string, args ...any) string {
	t.Helper()
	var v any
	if err := s.DB.Pool.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return fmt.Sprint(v)
}

// events counts the audit log's entries of a kind that were not refused.
func (s *Site) events(t *testing.T, action string) int {
	t.Helper()
	return s.count(t, "action = $1 and not refused", action)
}

// revision is the state of a control's revision.
func (s *Site) revision(t *testing.T, slug string, number int) string {
	t.Helper()
	return s.text(t, "select r.state::text from revisions r join controls c on c.id = r.control_id where c.slug = $1 and r.number = $2", slug, number)
}

func (s *Site) setupLink(t *testing.T) string {
	t.Helper()
	token, needed, err := people.EnsureSetupLink(t.Context(), s.DB)
	if err != nil || !needed {
		t.Fatalf("no set-up link: %v", err)
	}
	return "/setup/" + token
}

// shows reports whether a hash is on the page, in groups or not.
func (t *Tab) shows(hash string) bool {
	return strings.Contains(strings.ReplaceAll(t.Text(), " ", ""), hash)
}

// mark leaves a mark that is gone once another page is loaded.
func (t *Tab) mark() { eval[any](t, "void (window.marked = true)") }

func (t *Tab) stillMarked() {
	t.r.Helper()
	if !eval[bool](t, "window.marked === true") {
		t.r.Fatalf("the whole page was loaded again")
	}
}

func (t *Tab) wantFocus(name string) {
	t.r.Helper()
	var at string
	t.until(func() bool { at = t.Focused(); return at == name }, func() string { return fmt.Sprintf("the focus is on %q, not on %q", at, name) })
}
