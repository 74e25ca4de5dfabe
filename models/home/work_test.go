package home_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/home"
	"countersign/models/people"
)

func loaded(t *testing.T) *models.DB { return testdb.Loaded(t, "demo", demo.Load) }

func exec(t *testing.T, db *models.DB, sql string, args ...any) {
	t.Helper()
	if err := db.Query(context.Background()).Exec(sql, args...).Error; err != nil {
		t.Fatal(sql, err)
	}
}

// titles are the needs of the kinds, one a line.
func titles(t *testing.T, db *models.DB, name string, kinds ...string) string {
	t.Helper()
	by, err := people.ActorByEmail(t.Context(), db, name+"@example.test")
	if err != nil {
		t.Fatal(err)
	}
	all, err := home.Needs(t.Context(), db, by)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range all {
		for _, k := range kinds {
			if n.Kind == k {
				lines = append(lines, n.Verb+": "+n.Title+" ("+n.Path+")")
			}
		}
	}
	return strings.Join(lines, "\n")
}

func TestWhatWaitsInTheQueueIsOnTheHomePage(t *testing.T) {
	db := loaded(t)
	if got := titles(t, db, "approver", "queue"); !strings.Contains(got, "Decide RR-1: Try Create CRM task for request-demo-01 again? (/queue/RR-1)") {
		t.Errorf("approver:\n%s", got)
	}
	if got := titles(t, db, "implementer", "queue"); !strings.Contains(got, "Look up: Find out what became of ") {
		t.Errorf("implementer:\n%s", got)
	}
	if got := titles(t, db, "reviewer", "queue"); !strings.Contains(got, "Settle: Settle ") {
		t.Errorf("reviewer:\n%s", got)
	}
	for _, name := range []string{"viewer", "admin"} {
		if got := titles(t, db, name, "queue", "upload", "prove", "renew"); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestEvidenceAndScenariosThatWait(t *testing.T) {
	db := loaded(t)
	if got := titles(t, db, "implementer", "prove", "renew"); got != "" {
		t.Errorf("nothing is open yet:\n%s", got)
	}
	exec(t, db, "update controls set proven_until = (now() at time zone 'utc')::date + 3 where slug = 'create-crm-task'")
	exec(t, db, "update case_cells set state = 'not_run' where control_id = (select id from controls where slug = 'create-crm-task') and position <= 2")
	if got := titles(t, db, "implementer", "prove", "renew"); got != "Open the matrix: Run 2 scenarios of Create CRM task (/controls/create-crm-task/matrix)\nOpen the matrix: Renew the evidence of Create CRM task (/controls/create-crm-task/matrix)" {
		t.Errorf("implementer:\n%s", got)
	}
	for _, name := range []string{"owner", "reviewer", "approver", "viewer", "admin"} {
		if got := titles(t, db, name, "prove", "renew"); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}

	exec(t, db, "insert into blobs (sha256, size) values (repeat('a', 64), 3)")
	exec(t, db, `insert into uploads (blob_id, person_id, path, name, media_type, scanned, details, findings, found, expires_at)
		select b.id, p.id, '/runs/1', 'log.txt', 'text/plain', true, '{}', '[]', 2, now() + interval '1 hour' from blobs b, people p where b.sha256 = repeat('a', 64) and p.email = 'implementer@example.test'`)
	for name, waits := range map[string]bool{"implementer": true, "reviewer": true, "owner": false, "viewer": false, "admin": false} {
		if got := titles(t, db, name, "upload"); waits != strings.HasPrefix(got, "Look at it: Decide about log.txt (/evidence/uploads/") {
			t.Errorf("%s: %s", name, got)
		}
	}
	exec(t, db, "update uploads set expires_at = now() - interval '1 second'")
	if got := titles(t, db, "reviewer", "upload"); got != "" {
		t.Errorf("its hour is over: %s", got)
	}
}

func TestFiguresAreKeptByDay(t *testing.T) {
	db := testdb.New(t)
	count := func(day int, kind string, n int) {
		exec(t, db, "insert into counters (control_id, environment_id, day, kind, slot, n) values (1, 1, (now() at time zone 'UTC')::date - ?::int, ?, 0, ?) on conflict (control_id, environment_id, day, kind, slot) do update set n = excluded.n", day, kind, n)
	}
	refresh := func() []home.Day {
		t.Helper()
		if err := home.RefreshFigures(t.Context(), db, 1); err != nil {
			t.Fatal(err)
		}
		days, err := home.Trends(t.Context(), db)
		if err != nil || len(days) != home.TrendDays {
			t.Fatal(len(days), err)
		}
		return days
	}
	today := func(days []home.Day, ago int) home.Day { return days[len(days)-1-ago] }
	if d := today(refresh(), 0); d.Repeats != 0 || d.Date.Format(time.DateOnly) != time.Now().UTC().Format(time.DateOnly) {
		t.Errorf("nothing happened: %+v", d)
	}
	count(0, "repeat", 3)
	count(0, "unknown", 1)
	count(0, "would_have", 9)
	count(20, "repeat", 5)
	days := refresh()
	if a, b := today(days, 0), today(days, 20); a.Repeats != 3 || a.Unknown != 1 || b.Repeats != 5 {
		t.Errorf("the first time reads all days: %+v %+v", a, b)
	}
	count(0, "repeat", 4)
	count(1, "repeat", 2)
	count(20, "repeat", 50)
	days = refresh()
	if a, b, c := today(days, 0), today(days, 1), today(days, 20); a.Repeats != 4 || b.Repeats != 2 || c.Repeats != 5 {
		t.Errorf("afterwards yesterday and today: %+v %+v %+v", a, b, c)
	}
	// A job that did not run for days goes on where it ended.
	exec(t, db, "delete from daily_figures where day > (now() at time zone 'UTC')::date - 20")
	if b := today(refresh(), 1); b.Repeats != 2 {
		t.Errorf("after a pause: %+v", b)
	}
}

func TestFiguresOfTheDemo(t *testing.T) {
	db := loaded(t)
	days, err := home.Trends(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var sum home.Day
	for _, d := range days {
		sum.Repeats, sum.Failures, sum.Retested, sum.Decided = sum.Repeats+d.Repeats, sum.Failures+d.Failures, sum.Retested+d.Retested, sum.Decided+d.Decided
	}
	if sum.Repeats == 0 || sum.Failures == 0 || sum.Retested == 0 || sum.Retested > sum.Failures {
		t.Errorf("%+v", sum)
	}
}
