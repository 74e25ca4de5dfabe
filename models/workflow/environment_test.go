package workflow_test

import (
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

func (w *world) environment(slug, reach string) workflow.Ref {
	w.Helper()
	ref, err := workflow.CreateEnvironment(ctx, w.db, w.admin, workflow.CreateEnvironmentCmd{Slug: slug,
		EnvironmentFacts: workflow.EnvironmentFacts{Name: slug, Kind: workflow.KindTest, Reach: reach}})
	if err != nil {
		w.Fatal(err)
	}
	return ref
}

func (w *world) env(slug string) workflow.EnvironmentRow {
	w.Helper()
	e, err := workflow.FindEnvironment(ctx, w.db, slug)
	if err != nil {
		w.Fatal(err)
	}
	return e
}

func TestEnvironmentReach(t *testing.T) {
	w := newWorld(t)
	w.environment("sandbox", workflow.ReachCannot)
	e := w.env("sandbox")
	if !e.ReachesCustomers() || e.Confirmed() || e.SetBy != "Admin" {
		t.Fatalf("before the confirmation: %+v", e)
	}
	if a := w.lastEvent(); a.Action != "environment.created" || a.field(t, a.After, "reach") != "cannot" {
		t.Errorf("audited as %+v", a)
	}

	before := w.state()
	for _, by := range []models.Actor{w.admin, w.implementer, w.reviewer, w.approver, w.viewer, w.nobody} {
		_, err := workflow.ConfirmReach(ctx, w.db, by, workflow.EnvironmentCmd{Slug: "sandbox", Version: 1})
		w.refused(err, models.KindForbidden, before)
	}
	_, err := workflow.ConfirmReach(ctx, w.db, w.owner, workflow.EnvironmentCmd{Slug: "sandbox", Version: 2})
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.ConfirmReach(ctx, w.db, w.owner, workflow.EnvironmentCmd{Slug: "sandbox", Version: 1}))
	if e = w.env("sandbox"); e.ReachesCustomers() || e.ConfirmedBy != "Business owner" {
		t.Fatalf("after the confirmation: %+v", e)
	}
	if a := w.lastEvent(); a.Action != "environment.reach_confirmed" || a.PersonID != w.owner.ID {
		t.Errorf("audited as %+v", a)
	}
	before = w.state()
	_, err = workflow.ConfirmReach(ctx, w.db, w.owner2, workflow.EnvironmentCmd{Slug: "sandbox", Version: 2})
	w.refused(err, models.KindConflict, before)

	edit := workflow.EditEnvironmentCmd{Slug: "sandbox", Version: 2, EnvironmentFacts: e.Facts()}
	edit.Name = "Sandbox"
	w.ok(workflow.EditEnvironment(ctx, w.db, w.admin, edit)) // a new name keeps the confirmation
	if e = w.env("sandbox"); !e.Confirmed() || e.Name != "Sandbox" {
		t.Fatalf("after a new name: %+v", e)
	}
	edit.Version, edit.Reach = 3, workflow.ReachCan
	w.ok(workflow.EditEnvironment(ctx, w.db, w.admin, edit))
	if e = w.env("sandbox"); !e.ReachesCustomers() || e.Confirmed() || !e.SaidToReach {
		t.Fatalf("after it can reach customers: %+v", e)
	}
	if a := w.lastEvent(); a.field(t, a.Before, "confirmed") != true || a.field(t, a.After, "reach") != "can" || a.field(t, a.After, "name") != nil {
		t.Errorf("audited as %+v", a)
	}
	before = w.state()
	edit.Version, edit.Reach = 4, workflow.ReachCannot
	_, err = workflow.EditEnvironment(ctx, w.db, w.admin, edit)
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "reach")
	if err := w.db.Query(ctx).Exec("update environments set reaches_customers = false").Error; !models.Violates(err, "environments_reach_one_way") {
		t.Errorf("the database let it: %v", err)
	}
}

// Whoever said it cannot confirm it, even as a business owner; the database agrees.
func TestEnvironmentConfirmedBySomebodyElse(t *testing.T) {
	w := newWorld(t)
	both := w.person("Both", "both", models.Admin, models.BusinessOwner)
	if _, err := workflow.CreateEnvironment(ctx, w.db, both, workflow.CreateEnvironmentCmd{Slug: "sandbox",
		EnvironmentFacts: workflow.EnvironmentFacts{Name: "Sandbox", Kind: workflow.KindTest, Reach: workflow.ReachCannot}}); err != nil {
		t.Fatal(err)
	}
	before := w.state()
	_, err := workflow.ConfirmReach(ctx, w.db, both, workflow.EnvironmentCmd{Slug: "sandbox", Version: 1})
	w.refused(err, models.KindForbidden, before)
	if err := w.db.Query(ctx).Exec("update environments set reach_confirmed_by = reach_set_by, reach_confirmed_at = now()").Error; err == nil {
		t.Error("the database let it")
	}
}

func TestEnvironmentRefusals(t *testing.T) {
	w := newWorld(t)
	w.environment("sandbox", workflow.ReachCannot)
	before := w.state()
	facts := workflow.EnvironmentFacts{Name: "Other", Kind: workflow.KindTest, Reach: workflow.ReachCan}
	_, err := workflow.CreateEnvironment(ctx, w.db, w.admin, workflow.CreateEnvironmentCmd{})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "name", "kind", "reach")
	_, err = workflow.CreateEnvironment(ctx, w.db, w.admin, workflow.CreateEnvironmentCmd{EnvironmentFacts: workflow.EnvironmentFacts{Name: "試験", Kind: workflow.KindTest, Reach: workflow.ReachCan}})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "slug") // nothing can be made from the name
	_, err = workflow.CreateEnvironment(ctx, w.db, w.admin, workflow.CreateEnvironmentCmd{Slug: "sandbox", EnvironmentFacts: facts})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "slug")
	for _, by := range []models.Actor{w.owner, w.implementer, w.reviewer, w.approver, w.viewer, w.nobody} {
		_, err := workflow.CreateEnvironment(ctx, w.db, by, workflow.CreateEnvironmentCmd{Slug: "x", EnvironmentFacts: facts})
		w.refused(err, models.KindForbidden, before)
		_, err = workflow.EditEnvironment(ctx, w.db, by, workflow.EditEnvironmentCmd{Slug: "sandbox", Version: 1, EnvironmentFacts: facts})
		w.refused(err, models.KindForbidden, before)
		_, err = workflow.ArchiveEnvironment(ctx, w.db, by, workflow.EnvironmentCmd{Slug: "sandbox", Version: 1})
		w.refused(err, models.KindForbidden, before)
	}
	_, err = workflow.EditEnvironment(ctx, w.db, w.admin, workflow.EditEnvironmentCmd{Slug: "sandbox", Version: 7, EnvironmentFacts: facts})
	w.refused(err, models.KindConflict, before)
	_, err = workflow.EditEnvironment(ctx, w.db, w.admin, workflow.EditEnvironmentCmd{Slug: "none", EnvironmentFacts: facts})
	w.refused(err, models.KindNotFound, before)
}

func TestEnvironmentArchive(t *testing.T) {
	w := newWorld(t)
	w.environment("sandbox", workflow.ReachCannot)
	w.ok(workflow.ArchiveEnvironment(ctx, w.db, w.admin, workflow.EnvironmentCmd{Slug: "sandbox", Version: 1}))
	before := w.state()
	_, err := workflow.ConfirmReach(ctx, w.db, w.owner, workflow.EnvironmentCmd{Slug: "sandbox", Version: 2})
	w.refused(err, models.KindConflict, before)
	if choices, err := workflow.EnvironmentChoices(ctx, w.db); err != nil || len(choices) != 0 {
		t.Errorf("an archived environment is offered: %v, %v", choices, err)
	}
	w.ok(workflow.RestoreEnvironment(ctx, w.db, w.admin, workflow.EnvironmentCmd{Slug: "sandbox", Version: 2}))
	if choices, _ := workflow.EnvironmentChoices(ctx, w.db); len(choices) != 1 {
		t.Errorf("a restored environment is not offered: %v", choices)
	}
}

func TestConfirmRace(t *testing.T) {
	w := newWorld(t)
	w.environment("sandbox", workflow.ReachCannot)
	owners := []models.Actor{w.owner, w.owner2}
	w.oneWon(race(6, func(i int) error {
		_, err := workflow.ConfirmReach(ctx, w.db, owners[i%2], workflow.EnvironmentCmd{Slug: "sandbox", Version: 1})
		return err
	}))
}
