package models_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"countersign/internal/testdb"
	"countersign/migrations"
	"countersign/models"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

type renameCmd struct {
	models.Once
	Name string
}

// insertPerson makes somebody to act as.
func insertPerson(t *testing.T, db *models.DB, name string) models.Actor {
	t.Helper()
	a := models.Actor{Name: name}
	if err := db.Query(t.Context()).Raw("insert into people (email, name) values (?, ?) returning id", name+"@example.test", name).Row().Scan(&a.ID); err != nil {
		t.Fatal(err)
	}
	return a
}

func add(ctx context.Context, db *models.DB, by models.Actor, cmd renameCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		var id int64
		if err := tx.Raw("insert into milestones (name) values (?) returning 1", cmd.Name).Row().Scan(&id); err != nil {
			return 0, err
		}
		tx.Audit("milestone.added", models.Object{Type: "milestone", ID: id, Label: cmd.Name}, nil, map[string]string{"name": cmd.Name})
		return id, nil
	})
}

func count(t *testing.T, db *models.DB, sql string, args ...any) (n int) {
	t.Helper()
	if err := db.Query(t.Context()).Raw(sql, args...).Row().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestASubmissionSentManyTimesAtOnceHappensOnce(t *testing.T) {
	db := testdb.New(t)
	by := insertPerson(t, db, "owner")
	cmd := renameCmd{Once: models.Once{Submission: "form-1"}, Name: "first"}
	var wg sync.WaitGroup
	answers := make([]int64, 12)
	for i := range answers {
		wg.Go(func() {
			id, err := add(t.Context(), db, by, cmd)
			if err != nil {
				t.Error(err)
			}
			answers[i] = id
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a != 1 {
			t.Errorf("answers differ: %v", answers)
			break
		}
	}
	if n := count(t, db, "select count(*) from audit_events"); n != 1 {
		t.Errorf("%d audit events, want 1", n)
	}
}

func TestTheSameFormWithOtherContentIsAnotherCommand(t *testing.T) {
	db := testdb.New(t)
	by := insertPerson(t, db, "owner")
	for _, name := range []string{"first", "second"} {
		if _, err := add(t.Context(), db, by, renameCmd{Once: models.Once{Submission: "form-1"}, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, db, "select count(*) from milestones"); n != 2 {
		t.Errorf("%d rows, want 2: edited text of a resent form must not be lost", n)
	}
}

func TestAFailedCommandKeepsNothingAndCanBeSentAgain(t *testing.T) {
	db := testdb.New(t)
	by := insertPerson(t, db, "owner")
	cmd := renameCmd{Once: models.Once{Submission: "form-1"}, Name: "x"}
	fail := func(reason error) error {
		_, err := models.Do(t.Context(), db, by, cmd, func(tx *models.Tx) (int, error) {
			tx.Exec("insert into milestones (name) values ('half')")
			tx.Audit("milestone.added", models.Object{Type: "milestone"}, nil, nil)
			return 0, reason
		})
		return err
	}
	if err := fail(errors.New("boom")); err == nil {
		t.Fatal("no error")
	}
	if n := count(t, db, "select (select count(*) from milestones) + (select count(*) from audit_events) + (select count(*) from submissions)"); n != 0 {
		t.Errorf("%d rows left behind", n)
	}
	if err := fail(models.Forbiddenf("Only the owner may do this.")); !models.IsKind(err, models.KindForbidden) {
		t.Fatal(err)
	}
	if n := count(t, db, "select count(*) from audit_events where refused and reason like 'Only the owner%' and person_id = ?", by.ID); n != 1 {
		t.Errorf("refusal recorded %d times, want 1", n)
	}
	if _, err := add(t.Context(), db, by, cmd); err != nil {
		t.Errorf("sending again after a failure: %v", err)
	}
}

func TestTheAuditLogRefusesEveryChange(t *testing.T) {
	db := testdb.New(t)
	by := insertPerson(t, db, "owner")
	if _, err := add(t.Context(), db, by, renameCmd{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"update audit_events set action = 'other'", "delete from audit_events", "truncate audit_events"} {
		if err := db.Query(t.Context()).Exec(sql).Error; err == nil {
			t.Errorf("%s was allowed", sql)
		}
	}
}

func TestTheAuditLogIsGaplessUnderLoadAndVerifies(t *testing.T) {
	db := testdb.New(t)
	by := insertPerson(t, db, "owner")
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, err := add(t.Context(), db, by, renameCmd{Name: fmt.Sprint("n", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	report, err := models.VerifyAudit(t.Context(), db)
	if err != nil || report.Problem != "" || report.Events != 40 {
		t.Fatalf("%+v %v", report, err)
	}
	tamper := func(sql string) models.AuditReport {
		t.Helper()
		for _, s := range []string{"alter table audit_events disable trigger user", sql, "alter table audit_events enable trigger user"} {
			if err := db.Query(t.Context()).Exec(s).Error; err != nil {
				t.Fatal(err)
			}
		}
		report, err := models.VerifyAudit(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if r := tamper(`update audit_events set after = '{"name":"forged"}' where id = 17`); r.Problem == "" {
		t.Error("a changed event was not found")
	}
	if r := tamper("delete from audit_events where id = 5"); r.Problem != "event 5 is missing" {
		t.Errorf("a removed event was not found: %q", r.Problem)
	}
}

type milestone struct{ Name string }

func TestKeysetWalksForwardsAndBackwards(t *testing.T) {
	db := testdb.New(t)
	for i := range 25 {
		if err := db.Query(t.Context()).Exec("insert into milestones (name) values (?)", fmt.Sprintf("m%02d", i)).Error; err != nil {
			t.Fatal(err)
		}
	}
	page := func(at string) models.Page[milestone] {
		t.Helper()
		p, err := models.Keyset(db.Query(t.Context()).Table("milestones"), at, 10, models.Order{Columns: []string{"name"}}, func(m milestone) []any { return []any{m.Name} })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := page("")
	second := page(first.Next)
	third := page(second.Next)
	if first.Prev != "" || len(third.Items) != 5 || third.Next != "" || third.Items[4].Name != "m24" {
		t.Fatalf("forwards: %+v", third)
	}
	back := page(third.Prev)
	if len(back.Items) != 10 || back.Items[0].Name != "m10" || back.Items[9].Name != "m19" {
		t.Fatalf("backwards: %+v", back)
	}
	start := page(back.Prev)
	if start.Prev != "" || start.Items[0].Name != "m00" || start.Next == "" {
		t.Fatalf("back at the start: %+v", start)
	}
	for _, bad := range []string{"nonsense", "eyJrIjpbXX0", "eyJrIjpbImEiLCJiIl19"} {
		_, err := models.Keyset(db.Query(t.Context()).Table("milestones"), bad, 10, models.Order{Columns: []string{"name"}}, func(m milestone) []any { return nil })
		if !models.IsKind(err, models.KindBadRequest) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
}

func TestCheckRefusesWhatCannotBeSeenOrSaved(t *testing.T) {
	for _, text := range []string{"a\x00b", "bell\x07", "right\u202eleft", string([]byte{0xff, 0xfe})} {
		var c models.Check
		c.Text("name", text, 100)
		if c.Err() == nil {
			t.Errorf("%q passed", text)
		}
	}
	var c models.Check
	c.Text("name", "two\nlines\tand ümläut", 100)
	if err := c.Err(); err != nil {
		t.Error(err)
	}
	if got := models.Slugify("  Book a Visit, Ümläut! "); got != "book-a-visit-ml-ut" {
		t.Error(got)
	}
}

func TestMigratingTwiceAtOnceIsFine(t *testing.T) {
	url := testdb.Empty(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := models.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if _, err := models.Migrate(t.Context(), db.Pool); err != nil {
				t.Error(err)
			}
			if ok, err := models.Migrated(t.Context(), db); !ok || err != nil {
				t.Error(ok, err)
			}
		})
	}
	wg.Wait()
}

// A workspace of the first release has controls without a test matrix.
func TestUpgradeGivesEveryControlItsCases(t *testing.T) {
	db, err := models.Open(t.Context(), testdb.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sqlDB := stdlib.OpenDBFromPool(db.Pool)
	defer sqlDB.Close()
	old, err := goose.NewProvider(goose.DialectPostgres, sqlDB, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.UpTo(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	_, err = db.Pool.Exec(t.Context(), `with p as (insert into people (email, name) values ('owner@example.test', 'Owner') returning id),
		w as (insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) select 'intake', 'Intake', id, id, id, id from p returning id)
		insert into controls (slug, name, workflow_id, effect, unresolved, created_by) select 'task', 'Task', w.id, 'task', 30, p.id from w, p`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := models.Migrate(t.Context(), db.Pool); err != nil {
		t.Fatal(err)
	}
	var cases, cells int
	err = db.Pool.QueryRow(t.Context(), `select (select count(*) from test_cases), (select count(*) from case_cells where state = 'no_expectation')`).Scan(&cases, &cells)
	if err != nil || cases != 6 || cells != 6 {
		t.Errorf("%d cases, %d cells, %v", cases, cells, err)
	}
	if ok, err := models.Migrated(t.Context(), db); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}
