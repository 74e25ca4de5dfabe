package notice_test

import (
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/notice"
)

type world struct {
	*testing.T
	db *models.DB
}

func newWorld(t *testing.T) world { return world{t, testdb.New(t)} }

// forget is the same world for a part of a test: nobody was told anything,
// nobody is away, everybody is active and may do more than read.
func (w world) forget(t *testing.T) world {
	w.T = t
	for _, sql := range []string{"delete from notices", "delete from mails", "delete from delegations", "update people set active = true", "update role_grants set role = 'reviewer'"} {
		w.exec(sql)
	}
	return w
}

func (w world) exec(sql string, args ...any) {
	w.Helper()
	if err := w.db.Query(w.Context()).Exec(sql, args...).Error; err != nil {
		w.Fatal(err)
	}
}

func (w world) text(sql string, args ...any) (s string) {
	w.Helper()
	if err := w.db.Query(w.Context()).Raw("select coalesce(("+sql+")::text, '')", args...).Row().Scan(&s); err != nil {
		w.Fatal(err)
	}
	return s
}

func (w world) person(name string, roles ...models.Role) models.Actor {
	w.Helper()
	a := models.Actor{Name: name, Email: strings.ToLower(name) + "@example.test", TimeZone: "UTC", Roles: roles}
	if err := w.db.Query(w.Context()).Raw("insert into people (email, name) values (?, ?) returning id", a.Email, name).Row().Scan(&a.ID); err != nil {
		w.Fatal(err)
	}
	for _, r := range roles {
		w.exec("insert into role_grants (person_id, role) values (?, ?)", a.ID, r)
	}
	return a
}

func (w world) standIn(away, delegate models.Actor, days int) {
	w.exec("insert into delegations (person_id, delegate_id, until, created_by) values (?, ?, (now() at time zone 'utc')::date + ?::int, ?)", away.ID, delegate.ID, days, away.ID)
}

type tellCmd struct{ models.Once }

// tell is a command of by whose only work is to tell.
func (w world) tell(by models.Actor, event notice.Event, words notice.Words, path, key string, people ...int64) error {
	_, err := models.Do(w.Context(), w.db, by, tellCmd{}, func(tx *models.Tx) (int, error) {
		return 0, notice.Tell(tx, event, people, words, path, key)
	})
	return err
}

func (w world) mustTell(by models.Actor, event notice.Event, key string, people ...int64) {
	w.Helper()
	if err := w.tell(by, event, notice.Words{Title: "Sign revision 3", Text: "It was submitted."}, "/controls/a/sign-off", key, people...); err != nil {
		w.Fatal(err)
	}
}

// told lists who has what in the inbox: "Owner, Delegate for Owner".
func (w world) told() string {
	w.Helper()
	return w.text(`select string_agg(p.name || case when n.standing_in_for <> '' then ' for ' || n.standing_in_for else '' end, ', ' order by n.id)
		from notices n join people p on p.id = n.person_id`)
}

func (w world) wants(got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("got %q, want %q", got, want)
	}
}
