package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

const password = "countersign-demo"

// add makes an active person and returns them as an actor. An empty secret
// leaves them invited.
func add(t *testing.T, db *models.DB, name, secret string, roles ...models.Role) models.Actor {
	t.Helper()
	inv, err := people.AddPersonByCommand(t.Context(), db, people.AddPersonByCommandCmd{
		Name: name, Email: strings.ReplaceAll(strings.ToLower(name), " ", "-") + "@example.test", Password: secret, Roles: roles})
	if err != nil {
		t.Fatal(err)
	}
	a, err := people.LoadActor(t.Context(), db, inv.PersonID, 1)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// quick makes a person with a password that nobody can enter: no hashing.
func quick(t *testing.T, db *models.DB, name string, roles ...models.Role) models.Actor {
	t.Helper()
	a := add(t, db, name, "", roles...)
	exec(t, db, "update people set password_hash = 'none' where id = ?", a.ID)
	return a
}

func exec(t *testing.T, db *models.DB, sql string, args ...any) {
	t.Helper()
	if err := db.Query(t.Context()).Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *models.DB, sql string, args ...any) (n int) {
	t.Helper()
	if err := db.Query(t.Context()).Raw(sql, args...).Row().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// audited returns the newest event's action and its after as text.
func audited(t *testing.T, db *models.DB) (action, before, after string) {
	t.Helper()
	if err := db.Query(t.Context()).Raw("select action, coalesce(before::text, ''), coalesce(after::text, '') from audit_events order by id desc limit 1").Row().Scan(&action, &before, &after); err != nil {
		t.Fatal(err)
	}
	return action, before, after
}

func wantKind(t *testing.T, err error, k models.Kind) *models.Error {
	t.Helper()
	if !models.IsKind(err, k) {
		t.Fatalf("error %v, want %s", err, k)
	}
	return models.AsError(err)
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	if wantKind(t, err, models.KindInvalid).Field(field) == "" {
		t.Fatalf("no message at %s: %+v", field, models.AsError(err).Fields)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func version(t *testing.T, db *models.DB, id int64) int64 {
	t.Helper()
	return int64(count(t, db, "select version from people where id = ?", id))
}

// state is everything about people, to show that a refused command changed nothing.
func state(t *testing.T, db *models.DB) string {
	t.Helper()
	var s string
	if err := db.Query(t.Context()).Raw(`select concat(
		(select json_agg(p order by id) from people p), (select json_agg(g order by person_id, role) from role_grants g),
		(select json_agg(d order by id) from delegations d), (select json_agg(l order by id) from access_links l))`).Row().Scan(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// race runs fn n times at the same instant and returns the errors.
func race(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { <-start; errs[i] = fn(i) })
	}
	close(start)
	wg.Wait()
	return errs
}

func winners(errs []error) (n int) {
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

func TestBadInputIsRefusedAtItsField(t *testing.T) {
	db := testdb.New(t)
	admin := quick(t, db, "admin", models.Admin)
	before := state(t, db)
	good := people.AddPersonCmd{Name: "New", Email: "new@example.test", TimeZone: "UTC", Roles: []models.Role{models.Viewer}}
	for _, c := range []struct {
		field string
		spoil func(*people.AddPersonCmd)
	}{
		{"name", func(c *people.AddPersonCmd) { c.Name = " \n " }},
		{"name", func(c *people.AddPersonCmd) { c.Name = strings.Repeat("é", 201) }},
		{"name", func(c *people.AddPersonCmd) { c.Name = "two\nlines" }},
		{"name", func(c *people.AddPersonCmd) { c.Name = "bell\a" }},
		{"name", func(c *people.AddPersonCmd) { c.Name = "turned\u202Eround" }},
		{"name", func(c *people.AddPersonCmd) { c.Name = "broken\xff" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "nobody" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "A <a@example.test>" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "a@example.test\nb@example.test" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "a\x00@example.test" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = strings.Repeat("a", 250) + "@example.test" }},
		{"email", func(c *people.AddPersonCmd) { c.Email = "ADMIN@example.test" }},
		{"time_zone", func(c *people.AddPersonCmd) { c.TimeZone = "Mars/Olympus" }},
		{"time_zone", func(c *people.AddPersonCmd) { c.TimeZone = "../etc/passwd" }},
		{"time_zone", func(c *people.AddPersonCmd) { c.TimeZone = "Local" }},
		{"roles", func(c *people.AddPersonCmd) { c.Roles = nil }},
		{"roles", func(c *people.AddPersonCmd) { c.Roles = []models.Role{models.Viewer, "emperor"} }},
	} {
		cmd := good
		c.spoil(&cmd)
		_, err := people.AddPerson(t.Context(), db, admin, cmd)
		wantField(t, err, c.field)
	}
	if state(t, db) != before {
		t.Error("a refused person left something behind")
	}
	for _, secret := range []string{"short", "new@example.test", strings.Repeat("x", 201), "not\xffvalid text"} {
		_, err := people.AddPersonByCommand(t.Context(), db, people.AddPersonByCommandCmd{Name: "New", Email: "new@example.test", Password: secret, Roles: []models.Role{models.Viewer}})
		wantField(t, err, "password")
	}
}

func TestEveryTimeZoneOfTheListIsKnown(t *testing.T) {
	db := testdb.New(t)
	me := quick(t, db, "me", models.Viewer)
	zones := people.TimeZones()
	if len(zones) < 300 || zones[0] != "UTC" {
		t.Fatalf("%d zones", len(zones))
	}
	for _, z := range []string{zones[1], zones[len(zones)-1], "Europe/Vienna"} {
		_, err := people.SetTimeZone(t.Context(), db, me, people.SetTimeZoneCmd{ID: me.ID, Version: version(t, db, me.ID), TimeZone: z})
		ok(t, err)
	}
	a, err := people.LoadActor(t.Context(), db, me.ID, 1)
	ok(t, err)
	if a.TimeZone != "Europe/Vienna" {
		t.Errorf("time zone %q", a.TimeZone)
	}
}

func TestListFiltersAndPages(t *testing.T) {
	db := testdb.New(t)
	admin := quick(t, db, "zz admin", models.Admin)
	exec(t, db, `insert into people (email, name, password_hash, active) select 'p'||i||'@example.test', 'Person '||lpad(i::text, 3, '0'),
		case when i <= 3 then '' else 'x' end, i <> 5 from generate_series(1, 120) i`)
	exec(t, db, "insert into role_grants (person_id, role) select id, 'approver' from people where email in ('p7@example.test', 'p8@example.test')")
	exec(t, db, "update people set name = '100% sure' where email = 'p120@example.test'")
	seen := map[int64]bool{}
	for at, pages := "", 0; ; pages++ {
		p, err := people.List(t.Context(), db, admin, people.Filter{}, at)
		ok(t, err)
		for _, r := range p.Items {
			if seen[r.ID] {
				t.Errorf("%s is listed twice", r.Name)
			}
			seen[r.ID] = true
		}
		if at = p.Next; at == "" || pages > 5 {
			break
		}
	}
	if len(seen) != 121 {
		t.Errorf("%d people listed, want 121", len(seen))
	}
	for _, c := range []struct {
		f    people.Filter
		want int
	}{
		{people.Filter{Query: "person 01"}, 10},
		{people.Filter{Query: "P11@EXAMPLE"}, 1},
		{people.Filter{Query: "%"}, 1},
		{people.Filter{Query: "_"}, 0},
		{people.Filter{Role: models.Approver}, 2},
		{people.Filter{State: "invited"}, 3},
		{people.Filter{State: "inactive"}, 1},
		{people.Filter{State: "active", Role: models.Admin}, 1},
	} {
		p, err := people.List(t.Context(), db, admin, c.f, "")
		ok(t, err)
		if len(p.Items) != c.want {
			t.Errorf("%+v: %d people, want %d", c.f, len(p.Items), c.want)
		}
	}
	options, err := people.Options(t.Context(), db)
	ok(t, err)
	if len(options) != 120 { // all but the inactive one
		t.Errorf("%d options", len(options))
	}
}

func TestShowListsDutiesAndDelegations(t *testing.T) {
	db := testdb.New(t)
	admin, owner, other := quick(t, db, "admin", models.Admin), quick(t, db, "owner", models.BusinessOwner), quick(t, db, "other", models.Reviewer)
	exec(t, db, `insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by)
		values ('service-request', 'Service request', ?, ?, ?, ?)`, owner.ID, owner.ID, other.ID, owner.ID)
	exec(t, db, "insert into sign_ins (email, address, succeeded) values (?, '10.0.0.1', true)", owner.Email)
	_, err := people.SetDelegate(t.Context(), db, owner, people.SetDelegateCmd{PersonID: owner.ID, DelegateID: other.ID, Until: today(t, db, 3)})
	ok(t, err)
	d, err := people.Show(t.Context(), db, admin, owner.ID)
	ok(t, err)
	if len(d.Duties) != 1 || d.Duties[0].Roles != "business owner, implementer" || d.LastIn == nil || d.Open() == nil || d.Open().DelegateName != "other" {
		t.Errorf("detail %+v", d)
	}
	d, err = people.Show(t.Context(), db, admin, other.ID)
	ok(t, err)
	if d.Open() != nil || len(d.Delegations) != 1 || len(d.Roles) != 1 || d.Invited {
		t.Errorf("the delegate's detail %+v", d)
	}
	_, err = people.Show(t.Context(), db, admin, 999)
	wantKind(t, err, models.KindNotFound)
}

func today(t *testing.T, db *models.DB, plusDays int) string {
	t.Helper()
	now, err := db.Now(t.Context())
	ok(t, err)
	return now.AddDate(0, 0, plusDays).Format("2006-01-02")
}

func asJSON(v any) string { b, _ := json.Marshal(v); return string(b) }

func name(i int) string { return fmt.Sprintf("person-%d", i) }

func signIn(ctx context.Context, db *models.DB, email, secret, address string) (people.SignedIn, error) {
	return people.SignIn(ctx, db, people.SignInCmd{Email: email, Password: secret, Address: address})
}
