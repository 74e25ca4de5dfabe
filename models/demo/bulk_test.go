package demo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/ledger"
	"countersign/models/people"
)

func TestMadeUpHistoryIsWhatClaimsFind(t *testing.T) {
	db := testdb.New(t)
	if err := demo.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(os.Getenv("DEMO_ACTIONS"))
	if n == 0 {
		n = 1000
	}
	count := func(sql string) (c int) {
		t.Helper()
		if err := db.Query(t.Context()).Raw(sql).Row().Scan(&c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	before, told, began := count("select count(*) from actions"), 0, time.Now()
	if err := demo.AddActions(t.Context(), db, n, func(done int) { told = done }); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d actions in %s", n, time.Since(began))
	if got := count("select count(*) from actions") - before; got != n || told != n {
		t.Errorf("%d actions, told %d", got, told)
	}
	for _, table := range []string{"deliveries where disposition = 'duplicate'", "lookups", "suppressed_claims", "attempts where number = 2", "requests where state = 'rejected'", "actions where state = 'unknown'"} {
		if count("select count(*) from "+table) < n/1000 {
			t.Errorf("too few: %s", table)
		}
	}
	if bad := count(`select count(*) from actions a where record_id like 'request-load-%' and (not exists (select 1 from action_keys k where k.action_id = a.id)
		or not exists (select 1 from attempts t where t.id = a.attempt_id and t.action_id = a.id and t.outcome = a.state))`); bad != 0 {
		t.Errorf("%d actions do not hang together", bad)
	}
	var record, slug, environment string
	if err := db.Query(t.Context()).Raw(`select a.record_id, c.slug, e.slug from actions a join controls c on c.id = a.control_id join environments e on e.id = a.environment_id
		where record_id like 'request-load-%' order by a.id limit 1`).Row().Scan(&record, &slug, &environment); err != nil {
		t.Fatal(err)
	}
	by, err := people.ActorByEmail(t.Context(), db, "implementer@example.test")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ledger.NewDesk(db, false).Claim(t.Context(), ledger.Person(by), ledger.ClaimCmd{Control: slug, Environment: environment, Worker: "w", Input: json.RawMessage(fmt.Sprintf(`{"request_id": %q}`, record))})
	if r := (*ledger.Refusal)(nil); !errors.As(err, &r) || r.Code != ledger.CodeAlready {
		t.Errorf("a claim of a made-up record: %v", err)
	}
	if models.AsError(err) == nil {
		t.Error("no domain error")
	}
	t.Run("lists", func(t *testing.T) { filtersPage(t, db) })
}
