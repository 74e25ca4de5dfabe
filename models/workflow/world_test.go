package workflow_test

import (
	"context"
	"encoding/json"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/workflow"
)

// world is a database with one person per role and one workflow.
type world struct {
	*testing.T
	db                                             *models.DB
	owner, owner2, implementer, reviewer, approver models.Actor
	viewer, admin, nobody                          models.Actor
	delegate                                       models.Actor // a viewer who stands in for owner
	slug                                           string
}

var ctx = context.Background()

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, db: testdb.New(t), slug: "intake"}
	w.owner = w.person("Business owner", "owner", models.BusinessOwner)
	w.owner2 = w.person("Other owner", "owner2", models.BusinessOwner)
	w.implementer = w.person("Implementer", "implementer", models.Implementer)
	w.reviewer = w.person("Reviewer", "reviewer", models.Reviewer)
	w.approver = w.person("Approver", "approver", models.Approver)
	w.viewer = w.person("Viewer", "viewer", models.Viewer)
	w.admin = w.person("Admin", "admin", models.Admin)
	w.nobody = w.person("Nobody", "nobody")
	w.delegate = w.person("Delegate", "delegate", models.Approver)
	w.delegate.StandsFor = map[int64][]models.Role{w.owner.ID: w.owner.Roles}
	if _, err := workflow.Create(ctx, w.db, w.implementer, workflow.CreateCmd{Slug: w.slug, Facts: w.facts()}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) person(name, email string, roles ...models.Role) models.Actor {
	w.Helper()
	a := models.Actor{Name: name, Email: email + "@example.test", Roles: roles}
	if err := w.db.Query(ctx).Raw("insert into people (email, name) values (?, ?) returning id", a.Email, name).Scan(&a.ID).Error; err != nil {
		w.Fatal(err)
	}
	for _, r := range roles {
		w.exec("insert into role_grants (person_id, role) values (?, ?)", a.ID, string(r))
	}
	return a
}

func (w *world) facts() workflow.Facts {
	return workflow.Facts{Name: "Intake", BusinessOwnerID: w.owner.ID, ImplementerID: w.implementer.ID,
		ReviewerID: w.reviewer.ID, ReviewDate: "2150-01-31", VersionOrder: workflow.VersionsInteger}
}

func (w *world) exec(sql string, args ...any) {
	w.Helper()
	if err := w.db.Query(ctx).Exec(sql, args...).Error; err != nil {
		w.Fatal(err)
	}
}

// event is what a test compares of an audit event.
type event struct {
	Action      string
	PersonID    int64
	ForPersonID int64
	ObjectLabel string
	Refused     bool
	Reason      string
	Before      string
	After       string
}

// events returns the audit log, oldest first.
func (w *world) events() []event {
	w.Helper()
	var rows []event
	err := w.db.Query(ctx).Raw(`select action, coalesce(person_id, 0) as person_id, coalesce(for_person_id, 0) as for_person_id,
		object_label, refused, reason, coalesce(before::text, '') as before, coalesce(after::text, '') as after
		from audit_events order by id`).Scan(&rows).Error
	if err != nil {
		w.Fatal(err)
	}
	return rows
}

func (w *world) lastEvent() event {
	w.Helper()
	all := w.events()
	return all[len(all)-1]
}

func (e event) field(t *testing.T, doc, name string) any {
	t.Helper()
	fields := map[string]any{}
	if doc != "" {
		if err := json.Unmarshal([]byte(doc), &fields); err != nil {
			t.Fatal(err)
		}
	}
	return fields[name]
}

// state is everything in the tables of this package, to see that nothing changed.
func (w *world) state() string {
	w.Helper()
	var s string
	err := w.db.Query(ctx).Raw(`select concat(
		(select json_agg(x order by id) from workflows x), (select json_agg(x order by id) from stops x),
		(select json_agg(x order by id) from senders x), (select json_agg(x order by id) from environments x),
		(select json_agg(x order by id) from destinations x), (select json_agg(x order by id) from operations x))`).Scan(&s).Error
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// refused checks that err is of kind and that the command changed nothing.
func (w *world) refused(err error, kind models.Kind, before string) {
	w.Helper()
	if !models.IsKind(err, kind) {
		w.Fatalf("error %v, want %s", err, kind)
	}
	if after := w.state(); after != before {
		w.Errorf("a refused command changed something:\n%s\n%s", before, after)
	}
}

func (w *world) invalid(err error, fields ...string) {
	w.Helper()
	e := models.AsError(err)
	if e == nil || e.Kind != models.KindInvalid {
		w.Fatalf("error %v, want invalid", err)
	}
	got := map[string]bool{}
	for _, f := range e.Fields {
		if got[f.Field] {
			w.Errorf("%s has two messages: %v", f.Field, e.Fields)
		}
		got[f.Field] = true
	}
	for _, f := range fields {
		if !got[f] {
			w.Errorf("%s has no message in %v", f, e.Fields)
		}
	}
	if len(got) != len(fields) {
		w.Errorf("messages %v, want for %v only", e.Fields, fields)
	}
}

func (w *world) ok(_ workflow.Ref, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) find() workflow.Details {
	w.Helper()
	d, err := workflow.FindDetails(ctx, w.db, w.slug)
	if err != nil {
		w.Fatal(err)
	}
	return d
}
