package workflow_test

import (
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

// destination makes an environment with a destination in it.
func (w *world) destination() {
	w.Helper()
	w.environment("sandbox", workflow.ReachCannot)
	w.ok(workflow.CreateDestination(ctx, w.db, w.admin, workflow.CreateDestinationCmd{Slug: "crm-demo", Environment: "sandbox",
		DestinationFacts: workflow.DestinationFacts{System: "CRM", Account: "Demo"}}))
}

func TestDestination(t *testing.T) {
	w := newWorld(t)
	w.destination()
	if e := w.lastEvent(); e.Action != "destination.created" || e.ObjectLabel != "CRM, Demo" || e.field(t, e.After, "environment") != "sandbox" {
		t.Errorf("audited as %+v", e)
	}
	edit := workflow.EditDestinationCmd{Slug: "crm-demo", Version: 1, DestinationFacts: workflow.DestinationFacts{System: "CRM", Account: "Demo EU", Notes: "One tenant."}}
	w.ok(workflow.EditDestination(ctx, w.db, w.implementer, edit))
	d, err := workflow.FindDestination(ctx, w.db, "crm-demo")
	if err != nil || d.Account != "Demo EU" || d.Environment.Slug != "sandbox" || d.Version != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if e := w.lastEvent(); e.field(t, e.Before, "account") != "Demo" || e.field(t, e.After, "system") != nil {
		t.Errorf("audited as %+v", e)
	}

	before := w.state()
	_, err = workflow.EditDestination(ctx, w.db, w.implementer, edit)
	w.refused(err, models.KindConflict, before)
	_, err = workflow.EditDestination(ctx, w.db, w.implementer, workflow.EditDestinationCmd{Slug: "crm-demo", Version: 2})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "system", "account")
	_, err = workflow.EditDestination(ctx, w.db, w.admin, workflow.EditDestinationCmd{Slug: "fax"})
	w.refused(err, models.KindNotFound, before)
	_, err = workflow.CreateDestination(ctx, w.db, w.admin, workflow.CreateDestinationCmd{Environment: "nowhere"})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "system", "account", "slug", "environment")
	_, err = workflow.CreateDestination(ctx, w.db, w.admin, workflow.CreateDestinationCmd{Slug: "crm-demo", Environment: "sandbox", DestinationFacts: edit.DestinationFacts})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "slug")
	for _, by := range []models.Actor{w.owner, w.reviewer, w.approver, w.viewer, w.nobody} {
		_, err := workflow.CreateDestination(ctx, w.db, by, workflow.CreateDestinationCmd{Slug: "x", Environment: "sandbox", DestinationFacts: edit.DestinationFacts})
		w.refused(err, models.KindForbidden, before)
		_, err = workflow.EditDestination(ctx, w.db, by, edit)
		w.refused(err, models.KindForbidden, before)
		_, err = workflow.ArchiveDestination(ctx, w.db, by, workflow.DestinationCmd{Slug: "crm-demo", Version: 2})
		w.refused(err, models.KindForbidden, before)
	}
	w.ok(workflow.ArchiveDestination(ctx, w.db, w.admin, workflow.DestinationCmd{Slug: "crm-demo", Version: 2}))
	before = w.state()
	_, err = workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", OperationFacts: taskFacts()})
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.RestoreDestination(ctx, w.db, w.admin, workflow.DestinationCmd{Slug: "crm-demo", Version: 3}))
	w.oneWon(race(6, func(i int) error {
		c := edit
		c.Version, c.Account = 4, string(rune('a'+i))
		_, err := workflow.EditDestination(ctx, w.db, w.admin, c)
		return err
	}))
}

// A new destination cannot go into an archived environment.
func TestDestinationInArchivedEnvironment(t *testing.T) {
	w := newWorld(t)
	w.environment("old", workflow.ReachCannot)
	w.ok(workflow.ArchiveEnvironment(ctx, w.db, w.admin, workflow.EnvironmentCmd{Slug: "old", Version: 1}))
	_, err := workflow.CreateDestination(ctx, w.db, w.admin, workflow.CreateDestinationCmd{Slug: "x", Environment: "old",
		DestinationFacts: workflow.DestinationFacts{System: "CRM", Account: "Demo"}})
	w.invalid(err, "environment")
}

func taskFacts() workflow.OperationFacts {
	return workflow.OperationFacts{Name: "Create task", Call: "POST /tasks", Mechanism: workflow.Documented, KeyField: "Idempotency-Key",
		KeyLifetimeHours: "24", RepeatReturns: "The first answer.", DocURL: "https://docs.example.test/tasks"}
}

func TestOperation(t *testing.T) {
	w := newWorld(t)
	w.destination()
	w.ok(workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", OperationFacts: taskFacts(), Checked: true}))
	find := func() workflow.OperationDetails {
		t.Helper()
		o, err := workflow.FindOperation(ctx, w.db, "crm-demo", "create-task")
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := find(); o.CheckedByName != "Implementer" || *o.KeyLifetimeHours != 24 || o.Environment.Slug != "sandbox" || o.Destination.Slug != "crm-demo" {
		t.Errorf("%+v", o)
	}
	if e := w.lastEvent(); e.Action != "operation.created" || e.field(t, e.After, "mechanism") != "documented" {
		t.Errorf("audited as %+v", e)
	}
	cmd := workflow.EditOperationCmd{Destination: "crm-demo", Slug: "create-task", Version: 1, OperationFacts: taskFacts()}
	cmd.Notes = "Ask support about the lifetime."
	w.ok(workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil))
	if find().CheckedOn == nil {
		t.Error("a note undid the check")
	}
	cmd.Version, cmd.Mechanism, cmd.KeyField, cmd.KeyLifetimeHours = 2, workflow.NoMechanism, "", ""
	w.ok(workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil))
	if o := find(); o.CheckedOn != nil || o.Mechanism != workflow.NoMechanism || o.KeyLifetimeHours != nil {
		t.Errorf("%+v", o)
	}
	if e := w.lastEvent(); e.field(t, e.Before, "mechanism") != "documented" || e.field(t, e.After, "checked_on") != "" || e.field(t, e.After, "notes") != nil {
		t.Errorf("audited as %+v", e)
	}
	before := w.state()
	_, err := workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil)
	w.refused(err, models.KindConflict, before)
	_, err = workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", OperationFacts: taskFacts()})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "slug")
	for _, by := range []models.Actor{w.owner, w.admin, w.reviewer, w.approver, w.viewer, w.nobody} {
		_, err := workflow.EditOperation(ctx, w.db, by, cmd, nil)
		w.refused(err, models.KindForbidden, before)
	}
	_, err = workflow.EditOperation(ctx, w.db, w.implementer, workflow.EditOperationCmd{Destination: "crm-demo", Slug: "fax"}, nil)
	w.refused(err, models.KindNotFound, before)
	w.ok(workflow.ArchiveOperation(ctx, w.db, w.implementer, workflow.OperationCmd{Destination: "crm-demo", Slug: "create-task", Version: 3}))
	before = w.state()
	cmd.Version = 4
	_, err = workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil)
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.RestoreOperation(ctx, w.db, w.implementer, workflow.OperationCmd{Destination: "crm-demo", Slug: "create-task", Version: 4}))
	w.oneWon(race(6, func(i int) error {
		c := cmd
		c.Version, c.Notes = 5, string(rune('a'+i))
		_, err := workflow.EditOperation(ctx, w.db, w.implementer, c, nil)
		return err
	}))
}

func TestOperationChecks(t *testing.T) {
	w := newWorld(t)
	w.destination()
	before := w.state()
	for name, c := range map[string]struct {
		checked bool
		edit    func(*workflow.OperationFacts)
		fields  []string
	}{
		"nothing":          {false, func(f *workflow.OperationFacts) { *f = workflow.OperationFacts{} }, []string{"name"}},
		"documented where": {false, func(f *workflow.OperationFacts) { f.DocURL, f.RepeatReturns = "", "" }, []string{"doc_url", "repeat_returns"}},
		"none, with a key": {false, func(f *workflow.OperationFacts) { f.Mechanism = workflow.NoMechanism }, []string{"key_field", "key_lifetime_hours"}},
		"checked, but not": {true, func(f *workflow.OperationFacts) { f.Mechanism = workflow.NotChecked }, []string{"mechanism"}},
		"checked where": {true, func(f *workflow.OperationFacts) {
			*f = workflow.OperationFacts{Name: "x", Mechanism: workflow.NoMechanism}
		}, []string{"doc_url"}},
		"no such mechanism":           {false, func(f *workflow.OperationFacts) { f.Mechanism = "magic" }, []string{"mechanism"}},
		"lifetime not in whole hours": {false, func(f *workflow.OperationFacts) { f.KeyLifetimeHours = "1.5" }, []string{"key_lifetime_hours"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := taskFacts()
			c.edit(&f)
			_, err := workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", OperationFacts: f, Checked: c.checked})
			in := *w
			in.T = t
			in.refused(err, models.KindInvalid, before)
			in.invalid(err, c.fields...)
		})
	}
}
