package browser

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"countersign/internal/testdb"
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
	return ServeDemo(t, c, testdb.New(t))
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
