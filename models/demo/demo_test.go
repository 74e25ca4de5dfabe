package demo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/control"
	"countersign/models/demo"
)

type controlState struct {
	Slug       string
	Number     int
	State      string
	Approved   int
	Unresolved int
	Signatures int
}

func states(t *testing.T, db *models.DB) map[string]controlState {
	t.Helper()
	var rows []controlState
	if err := db.Query(t.Context()).Raw(`select c.slug, r.number, r.state, coalesce(a.number, 0) approved, c.unresolved,
		(select count(*) from signatures s where s.revision_id = r.id and s.voided_at is null) signatures
		from controls c join revisions r on r.id = c.latest_revision_id left join revisions a on a.id = c.approved_revision_id`).Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	all := map[string]controlState{}
	for _, r := range rows {
		all[r.Slug] = r
	}
	return all
}

func check(t *testing.T, db *models.DB) {
	t.Helper()
	for slug, want := range map[string]controlState{
		"create-crm-task":   {"create-crm-task", 2, string(control.InReview), 1, 0, 2},
		"send-confirmation": {"send-confirmation", 1, string(control.ChangesRequested), 0, 0, 1},
		"book-visit":        {"book-visit", 1, string(control.Draft), 0, 7, 0},
	} {
		if got := states(t, db)[slug]; got != want {
			t.Errorf("%s: %+v, want %+v", slug, got, want)
		}
	}
	for slug, want := range map[string]string{
		"create-crm-task":   "passed passed passed after 1 passed passed passed",
		"send-confirmation": "passed failed after 1 to_review not_applicable passed not_run",
		"book-visit":        "not_agreed not_agreed not_run no_expectation no_expectation no_expectation",
	} {
		var got string
		if err := db.Query(t.Context()).Raw(`select string_agg(state || case when failures > 0 then ' after ' || failures else '' end, ' ' order by position)
			from case_cells where control_id = (select id from controls where slug = ?)`, slug).Row().Scan(&got); err != nil || got != want {
			t.Errorf("%s: %s, want %s, %v", slug, got, want, err)
		}
	}
	report, err := models.VerifyAudit(t.Context(), db)
	if err != nil || report.Problem != "" || report.Events < 50 {
		t.Errorf("audit log: %+v %v", report, err)
	}
}

func TestLoadingTwiceIsLoadingOnce(t *testing.T) {
	db := testdb.New(t)
	for range 2 {
		if err := demo.Load(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		check(t, db)
	}
	report, _ := models.VerifyAudit(t.Context(), db)
	if err := demo.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if again, _ := models.VerifyAudit(t.Context(), db); again != report {
		t.Errorf("loading again wrote %d events", again.Events-report.Events)
	}
}

// A load is cut off after ever longer times until it gets through: what it did
// before must neither be repeated nor be in the way.
func TestAKilledLoadResumes(t *testing.T) {
	db := testdb.New(t)
	cut := 0
	for limit := 40 * time.Millisecond; ; limit += limit / 4 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		err := demo.Load(ctx, db)
		timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
		cancel()
		if err == nil {
			break
		}
		if cut++; !timedOut {
			t.Fatalf("after %d cuts: %v", cut, err)
		}
		if limit > time.Minute {
			t.Fatal("never gets through")
		}
	}
	if cut == 0 {
		t.Fatal("the first load was not cut off: the test shows nothing")
	}
	check(t, db)
}
