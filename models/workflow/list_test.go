package workflow_test

import (
	"fmt"
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

func TestListWorkflows(t *testing.T) {
	w := newWorld(t)
	for i := range models.PageSize + 5 {
		f := w.facts()
		f.Name = fmt.Sprintf("Flow %03d, 100%% of it", i)
		w.ok(workflow.Create(ctx, w.db, w.implementer, workflow.CreateCmd{Slug: fmt.Sprintf("flow-%d", i), Facts: f}))
	}
	if err := w.stop(w.reviewer); err != nil {
		t.Fatal(err)
	}
	w.ok(workflow.Archive(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: "flow-0", Version: 1}))
	list := func(f workflow.Filter) models.Page[workflow.Row] {
		t.Helper()
		p, err := workflow.List(ctx, w.db, f)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	seen := map[string]bool{}
	first := list(workflow.Filter{})
	for p := first; ; p = list(workflow.Filter{After: p.Next}) {
		for _, r := range p.Items {
			if seen[r.Slug] {
				t.Errorf("%s is listed twice", r.Slug)
			}
			seen[r.Slug] = true
			if r.Slug == w.slug && (r.StoppedBy != "Reviewer" || r.StoppedAt == nil || r.Owner != "Business owner") {
				t.Errorf("%+v", r)
			}
		}
		if p.Next == "" {
			break
		}
	}
	if len(seen) != models.PageSize+5 || seen["flow-0"] || !seen[w.slug] {
		t.Errorf("%d workflows listed", len(seen))
	}
	if got := list(workflow.Filter{Archived: true}).Items; len(got) != 1 || got[0].Slug != "flow-0" {
		t.Errorf("archived: %+v", got)
	}
	if got := list(workflow.Filter{Q: "INTAKE"}).Items; len(got) != 1 || got[0].Slug != w.slug {
		t.Errorf("by name: %+v", got)
	}
	if got := list(workflow.Filter{Q: "_0"}).Items; len(got) != 0 {
		t.Errorf("an underscore is taken as a wildcard: %d", len(got))
	}
	if got := list(workflow.Filter{Q: "100% of"}).Items; len(got) != models.PageSize {
		t.Errorf("a percent sign finds %d", len(got))
	}
	if _, err := workflow.List(ctx, w.db, workflow.Filter{After: "damaged"}); !models.IsKind(err, models.KindBadRequest) {
		t.Errorf("a damaged cursor: %v", err)
	}
}

func TestWhatUsesWhat(t *testing.T) {
	w := newWorld(t)
	w.destination()
	w.ok(workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", OperationFacts: taskFacts()}))
	w.exec(`insert into controls (slug, name, workflow_id, effect, unresolved, created_by)
		select 'create-crm-task', 'Create CRM task', id, 'create-task', 7, ? from workflows where slug = ?`, w.implementer.ID, w.slug)
	w.exec(`insert into control_accounts (control_id, environment_id, destination_id, effect)
		select c.id, e.id, d.id, c.effect from controls c, environments e, destinations d`)
	d := w.find()
	if len(d.Controls) != 1 || d.Controls[0].Slug != "create-crm-task" || d.Controls[0].Unresolved != 7 || d.Controls[0].Approved || len(d.Environments) != 1 {
		t.Errorf("workflow: %+v, %+v", d.Controls, d.Environments)
	}
	dest, err := workflow.FindDestination(ctx, w.db, "crm-demo")
	if err != nil || len(dest.Controls) != 1 || dest.Controls[0].Workflow != "Intake" || len(dest.Operations) != 1 {
		t.Errorf("destination: %+v, %v", dest, err)
	}
	rows, err := workflow.ListDestinations(ctx, w.db, workflow.Filter{Q: "demo"})
	if err != nil || len(rows.Items) != 1 || rows.Items[0].Operations != 1 || rows.Items[0].NotChecked != 1 || rows.Items[0].Controls != 1 || rows.Items[0].Environment != "sandbox" {
		t.Errorf("destinations: %+v, %v", rows, err)
	}
	envs, err := workflow.ListEnvironments(ctx, w.db, workflow.Filter{})
	if err != nil || len(envs.Items) != 1 || envs.Items[0].Destinations != 1 || envs.Items[0].Controls != 1 || envs.Items[0].SetBy != "Admin" {
		t.Errorf("environments: %+v, %v", envs, err)
	}
	flows, err := workflow.List(ctx, w.db, workflow.Filter{})
	if err != nil || flows.Items[0].Controls != 1 || flows.Items[0].Approved != 0 {
		t.Errorf("workflows: %+v, %v", flows, err)
	}
	people, err := workflow.PeopleWith(ctx, w.db, models.BusinessOwner)
	if err != nil || len(people) != 2 {
		t.Errorf("people: %+v, %v", people, err)
	}
	name, at, err := workflow.LastEdit(ctx, w.db, "workflow", d.ID)
	if err != nil || name != "Implementer" || at.IsZero() {
		t.Errorf("last edit: %q, %v, %v", name, at, err)
	}
}

func TestNotFound(t *testing.T) {
	w := newWorld(t)
	w.destination()
	for name, find := range map[string]func() error{
		"workflow":    func() error { _, err := workflow.FindDetails(ctx, w.db, "none"); return err },
		"sender":      func() error { _, err := workflow.FindSender(ctx, w.db, w.slug, "none"); return err },
		"environment": func() error { _, err := workflow.FindEnvironment(ctx, w.db, "none"); return err },
		"destination": func() error { _, err := workflow.FindDestination(ctx, w.db, "none"); return err },
		"operation":   func() error { _, err := workflow.FindOperation(ctx, w.db, "crm-demo", "none"); return err },
	} {
		if err := find(); !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
