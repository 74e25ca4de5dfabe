package people_test

import (
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/people"
)

// A delegate who only reads now stands in for nobody, and nobody stands in with
// a role that its holder lost.
func TestRolesLostSinceTheDelegateWasNamed(t *testing.T) {
	db := testdb.New(t)
	ctx := t.Context()
	run := func(sql string, args ...any) {
		t.Helper()
		if err := db.Query(ctx).Exec(sql, args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	run("insert into people (email, name) values ('away@example.test', 'Away'), ('standin@example.test', 'Stand-in')")
	run("insert into role_grants (person_id, role) select id, r from people, unnest(array['reviewer', 'implementer']) r where email like 'away%'")
	run("insert into role_grants (person_id, role) select id, 'approver' from people where email like 'standin%'")
	run("insert into delegations (person_id, delegate_id, until, created_by) select a.id, s.id, now() + interval '3 days', a.id from people a, people s where a.email like 'away%' and s.email like 'standin%'")
	away, err := people.ActorByEmail(ctx, db, "away@example.test")
	if err != nil {
		t.Fatal(err)
	}
	actsAs := func(role models.Role) bool {
		t.Helper()
		a, err := people.ActorByEmail(ctx, db, "standin@example.test")
		if err != nil {
			t.Fatal(err)
		}
		return a.ActsAs(away.ID, role)
	}
	if !actsAs(models.Reviewer) || !actsAs(models.Implementer) || actsAs(models.BusinessOwner) {
		t.Error("a delegate acts in the roles of whom they stand in for, and in no other")
	}
	run("delete from role_grants where person_id = ? and role = 'reviewer'", away.ID)
	if actsAs(models.Reviewer) || !actsAs(models.Implementer) {
		t.Error("a delegate acts in a role that its holder lost")
	}
	run("update role_grants set role = 'viewer' where person_id <> ?", away.ID)
	if actsAs(models.Implementer) {
		t.Error("a delegate who only reads acts for somebody")
	}
}
