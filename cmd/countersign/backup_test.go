package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
)

// A backup made and restored as the README says is the same database: every table
// has the same rows, and the audit log verifies to the same last hash.
func TestABackupRestoresWhole(t *testing.T) {
	from := testdb.Loaded(t, "demo", demo.Load).Pool.Config().ConnString()
	to := testdb.URL(t) // a server was started on it, as the README says
	file := filepath.Join(t.TempDir(), "countersign.sql")
	run(t, "pg_dump", "--no-owner", "--clean", "--if-exists", "-f", file, from)
	run(t, "psql", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", file, to)
	before, after := verified(t, from), verified(t, to)
	if before != after {
		t.Errorf("the audit log before:\n%s\nafter:\n%s", before, after)
	}
	was, is := tables(t, from), tables(t, to)
	if len(was) < 50 || was["audit_events"] == was["people"] {
		t.Fatalf("only %d tables compared", len(was))
	}
	for name, rows := range was {
		if is[name] != rows {
			t.Errorf("table %s: %s before, %s after", name, rows, is[name])
		}
	}
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func verified(t *testing.T, url string) string {
	t.Helper()
	var out bytes.Buffer
	if err := (verifyCmd{}).Run(t.Context(), &globals{DatabaseURL: url, LogFormat: "text", out: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// tables is the number of rows and a hash of them for each table.
func tables(t *testing.T, url string) map[string]string {
	t.Helper()
	db, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var names []string
	if err := db.Query(t.Context()).Raw("select tablename from pg_tables where schemaname = 'public'").Scan(&names).Error; err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		all[name] = digest(t.Context(), t, db, name)
	}
	return all
}

func digest(ctx context.Context, t *testing.T, db *models.DB, table string) (found string) {
	t.Helper()
	query := fmt.Sprintf("select count(*) || ' rows, ' || coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from %q r", table)
	if err := db.Query(ctx).Raw(query).Scan(&found).Error; err != nil {
		t.Fatal(err)
	}
	return found
}
