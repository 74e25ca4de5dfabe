package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/demo"
	"countersign/models/people"
	"countersign/models/search"

	"github.com/jackc/pgx/v5/pgxpool"
)

func workspace(t *testing.T) *models.DB {
	t.Helper()
	db := testdb.New(t)
	if err := demo.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

func who(t *testing.T, db *models.DB, name string) models.Actor {
	t.Helper()
	by, err := people.ActorByEmail(t.Context(), db, name+"@example.test")
	if err != nil {
		t.Fatal(err)
	}
	return by
}

func text(t *testing.T, db *models.DB, sql string) (s string) {
	t.Helper()
	if err := db.Query(t.Context()).Raw(sql).Row().Scan(&s); err != nil {
		t.Fatal(sql, err)
	}
	return s
}

// lines are what was found, as "group: ref title (path)".
func lines(r search.Results) (all []string) {
	add := func(group string, hits []search.Hit) {
		for _, h := range hits {
			all = append(all, fmt.Sprintf("%s: %s (%s)", group, strings.TrimSpace(h.Ref+" "+h.Title), h.Path))
		}
	}
	add("exact", r.Exact)
	for _, g := range r.Groups {
		add(string(g.Kind), g.Hits)
	}
	return all
}

func TestWhatIsFound(t *testing.T) {
	db := workspace(t)
	viewer, admin := who(t, db, "viewer"), who(t, db, "admin")
	key := text(t, db, "select identity_key from actions order by id limit 1")
	action := text(t, db, "select id::text from actions order by id limit 1")
	full := text(t, db, "select full_hash from revisions where full_hash is not null order by id limit 1")
	for name, c := range map[string]struct {
		by    models.Actor
		text  string
		first string // begins with
		has   string
		not   string
	}{
		"a whole name":             {viewer, "create crm task", "controls: Create CRM task (/controls/create-crm-task)", "", "exact:"},
		"words in another order":   {viewer, "task create", "", "controls: Create CRM task", "send-confirmation)"},
		"a part of a word":         {viewer, "onfirmat", "", "controls: Send confirmation (/controls/send-confirmation)", ""},
		"two letters":              {viewer, "bo", "", "controls: Book visit (/controls/book-visit)", ""},
		"a slip":                   {viewer, "confirmtaion", "controls: Send confirmation", "", "exact:"},
		"a workflow":               {viewer, "service-request", "workflows: Service request intake (/workflows/service-request)", "", ""},
		"what a rule says":         {viewer, "request", "", "rules: Identity of the action of Create CRM task (/controls/create-crm-task#f-action_identity)", ""},
		"a destination":            {viewer, "crm-demo-01", "", "(/destinations/crm-demo-01)", ""},
		"a whole record":           {viewer, "request-demo-01", "exact: request-demo-01 (/ledger/requests?environment=", "", "requests: request-demo-01 "},
		"the beginning":            {viewer, "request-demo-", "", "requests: request-demo-01 (/ledger/requests?environment=", "exact:"},
		"a whole event":            {viewer, "event-demo-01", "exact: event-demo-01 (/ledger?q=event-demo-01&show=deliveries)", "", ""},
		"a key":                    {viewer, key, "exact: A-" + action, "", ""},
		"a number":                 {viewer, "rr-1", "exact: RR-1 ", "(/queue/RR-1)", "exact: A-1"},
		"a number alone":           {viewer, "1", "exact: A-1 ", "exact: Run 1 ", ""},
		"a run":                    {viewer, "run 2", "exact: Run 2 ", "(/runs/2)", "exact: A-2"},
		"a fingerprint":            {viewer, full[:8], "exact: Revision ", "/revisions/", ""},
		"people, by an admin":      {admin, "reviewer@example", "", "people: Reviewer (/admin/people/", ""},
		"people, by anybody else":  {viewer, "reviewer@example", "", "", "people:"},
		"wildcards are letters":    {viewer, "%%%", "", "", ":"},
		"and underscores":          {viewer, "re_uest-demo", "", "", "requests:"},
		"and quotes and backslash": {viewer, `\' or 1=1 --`, "", "", "exact:"},
	} {
		r, err := search.Find(t.Context(), db, c.by, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := lines(r)
		joined := strings.Join(all, "\n")
		if c.first != "" && (len(all) == 0 || !strings.HasPrefix(all[0], c.first)) || !strings.Contains(joined, c.has) || c.not != "" && strings.Contains(joined, c.not) {
			t.Errorf("%s, %q: first %q, with %q, without %q; got:\n%s", name, c.text, c.first, c.has, c.not, joined)
		}
	}
}

func TestWhatIsNotLookedFor(t *testing.T) {
	db := workspace(t)
	viewer := who(t, db, "viewer")
	for _, text := range []string{strings.Repeat("x", 601), "a\x00b", "a\nb", "\xff\xfe"} {
		if _, err := search.Find(t.Context(), db, viewer, text); !models.IsKind(err, models.KindInvalid) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	for _, text := range []string{"x", "-", "é"} {
		if r, err := search.Find(t.Context(), db, viewer, text); err != nil || !r.Short || r.Any() {
			t.Errorf("%q: %+v %v", text, r, err)
		}
	}
	if _, err := search.In(t.Context(), db, viewer, search.Person, "reviewer", ""); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("a viewer lists people: %v", err)
	}
	for _, kind := range []search.Kind{search.Control, search.Record} {
		if _, err := search.In(t.Context(), db, viewer, kind, "request", "no cursor of ours"); !models.IsKind(err, models.KindBadRequest) {
			t.Errorf("%s, a damaged link: %v", kind, err)
		}
	}
}

func TestAKindIsPagedToItsEnd(t *testing.T) {
	db := workspace(t)
	if err := demo.AddActions(t.Context(), db, 400, func(int) {}); err != nil {
		t.Fatal(err)
	}
	viewer := who(t, db, "viewer")
	r, err := search.Find(t.Context(), db, viewer, "request-load")
	if err != nil || len(r.Groups) != 1 || !r.Groups[0].More || len(r.Groups[0].Hits) != 6 {
		t.Fatalf("%+v %v", r.Groups, err)
	}
	seen, at := map[string]bool{}, ""
	for range 20 {
		page, err := search.In(t.Context(), db, viewer, search.Record, "request-load", at)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range page.Items {
			if seen[h.Path] || len(h.Effects) != 1 {
				t.Fatalf("again, or without what became of it: %+v", h)
			}
			seen[h.Path] = true
		}
		if at = page.Next; at == "" {
			break
		}
	}
	if len(seen) != 400 {
		t.Errorf("%d of 400 records were seen", len(seen))
	}
}

// Every statement that looks at what grows without end reads along an index,
// also when its plan is made without knowing the text.
func TestSearchReadsAlongIndexes(t *testing.T) {
	url := testdb.URL(t)
	full, err := models.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if err := demo.Load(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	if err := demo.AddActions(t.Context(), full, 5000, func(int) {}); err != nil {
		t.Fatal(err)
	}
	key := text(t, full, "select identity_key from actions order by id desc limit 1")
	viewer := who(t, full, "viewer")
	full.Close()
	// One connection, so that what is counted is what this test did.
	db, err := models.Open(t.Context(), url, func(c *pgxpool.Config) { c.MaxConns = 1 })
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	number := func(sql string) (n int64) {
		if err := db.Query(t.Context()).Raw(sql).Row().Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for number("select count(*) from pg_stat_activity where datname = current_database()") > 1 {
		time.Sleep(10 * time.Millisecond)
	}
	scans := func() int64 {
		text(t, db, "select pg_stat_force_next_flush()::text")
		return number("select sum(seq_scan) from pg_stat_user_tables where relname in ('actions','deliveries','attempts','suppressed_claims')")
	}
	before := scans()
	for range 8 {
		for _, text := range []string{"request-load", "request-load-900", "event-load-12", "event-demo-01", "A-77", "77", "abcdef01", "nothing at all", key} {
			if _, err := search.Find(t.Context(), db, viewer, text); err != nil {
				t.Fatal(text, err)
			}
		}
		if _, err := search.In(t.Context(), db, viewer, search.Record, "request-load", ""); err != nil {
			t.Fatal(err)
		}
	}
	if after := scans(); after != before {
		t.Errorf("%d scans of whole tables", after-before)
	}
	number("select count(*) from (select 1 from actions offset 0) t")
	if scans() == before {
		t.Error("a scan of a whole table is not counted, so this test cannot fail")
	}
}
