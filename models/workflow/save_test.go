package workflow_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

func TestCreate(t *testing.T) {
	w := newWorld(t)
	ref, err := workflow.Create(ctx, w.db, w.owner, workflow.CreateCmd{Facts: func() workflow.Facts {
		f := w.facts()
		f.Name, f.VersionOrder = "  Über große Anfragen  ", ""
		return f
	}()})
	if err != nil || ref.Slug != "ber-gro-e-anfragen" || ref.ID == 0 {
		t.Fatalf("%+v, %v", ref, err)
	}
	got, err := workflow.Find(ctx, w.db, ref.Slug)
	if err != nil || got.Name != "Über große Anfragen" || got.VersionOrder != workflow.VersionsNone || got.Version != 1 || got.ReviewDate.Format("2006-01-02") != "2150-01-31" {
		t.Errorf("%+v, %v", got, err)
	}
	e := w.lastEvent()
	if e.Action != "workflow.created" || e.PersonID != w.owner.ID || e.Before != "" || e.field(t, e.After, "business_owner") != "Business owner, owner@example.test" {
		t.Errorf("audited as %+v", e)
	}
}

func TestCreateRefusals(t *testing.T) {
	w := newWorld(t)
	gone := w.person("Gone", "gone", models.Reviewer)
	w.exec("update people set active = false where id = ?", gone.ID)
	before := w.state()
	for name, c := range map[string]struct {
		by     models.Actor
		edit   func(*workflow.CreateCmd)
		fields []string
	}{
		"nothing typed":             {w.admin, func(c *workflow.CreateCmd) { *c = workflow.CreateCmd{} }, []string{"name", "business_owner", "implementer", "reviewer"}},
		"long name":                 {w.admin, func(c *workflow.CreateCmd) { c.Name = strings.Repeat("ä", 201) }, []string{"name"}},
		"control characters":        {w.admin, func(c *workflow.CreateCmd) { c.Description = "a\x00b" }, []string{"description"}},
		"two lines":                 {w.admin, func(c *workflow.CreateCmd) { c.Name = "a\nb" }, []string{"name"}},
		"no such date":              {w.admin, func(c *workflow.CreateCmd) { c.ReviewDate = "2150-02-30" }, []string{"review_date"}},
		"date gone by":              {w.admin, func(c *workflow.CreateCmd) { c.ReviewDate = "2020-01-01" }, []string{"review_date"}},
		"no web address":            {w.admin, func(c *workflow.CreateCmd) { c.IncidentPlanURL = "javascript:alert(1)" }, []string{"incident_plan"}},
		"unknown order":             {w.admin, func(c *workflow.CreateCmd) { c.VersionOrder = "alphabet" }, []string{"version_order"}},
		"no number of days":         {w.admin, func(c *workflow.CreateCmd) { c.PayloadDays = "a week" }, []string{"payload_days"}},
		"no days":                   {w.admin, func(c *workflow.CreateCmd) { c.PayloadDays = "0" }, []string{"payload_days"}},
		"too many days":             {w.admin, func(c *workflow.CreateCmd) { c.PayloadDays = "3651" }, []string{"payload_days"}},
		"slug taken":                {w.admin, func(c *workflow.CreateCmd) { c.Slug = w.slug }, []string{"slug"}},
		"slug of a page":            {w.admin, func(c *workflow.CreateCmd) { c.Slug = "new" }, []string{"slug"}},
		"nothing to make a slug of": {w.admin, func(c *workflow.CreateCmd) { c.Slug, c.Name = "", "申请" }, []string{"slug"}},
		"slug not a slug":           {w.admin, func(c *workflow.CreateCmd) { c.Slug = "A b" }, []string{"slug"}},
		"role not held":             {w.admin, func(c *workflow.CreateCmd) { c.BusinessOwnerID = w.viewer.ID }, []string{"business_owner"}},
		"no such person":            {w.admin, func(c *workflow.CreateCmd) { c.ImplementerID = 99999 }, []string{"implementer"}},
		"not active":                {w.admin, func(c *workflow.CreateCmd) { c.ReviewerID = gone.ID }, []string{"reviewer"}},
		"not their own":             {w.owner2, func(*workflow.CreateCmd) {}, []string{"business_owner"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := workflow.CreateCmd{Slug: "another", Facts: w.facts()}
			c.edit(&cmd)
			_, err := workflow.Create(ctx, w.db, c.by, cmd)
			in := *w
			in.T = t
			in.refused(err, models.KindInvalid, before)
			in.invalid(err, c.fields...)
		})
	}
	_, err := workflow.Create(ctx, w.db, w.viewer, workflow.CreateCmd{Facts: w.facts()})
	w.refused(err, models.KindForbidden, before)
	if e := w.lastEvent(); !e.Refused || e.PersonID != w.viewer.ID || e.Reason == "" {
		t.Errorf("the refusal is audited as %+v", e)
	}
}

func TestEdit(t *testing.T) {
	w := newWorld(t)
	cmd := workflow.EditCmd{Slug: w.slug, Version: 1, Facts: w.facts()}
	cmd.Name, cmd.ReviewDate, cmd.BusinessOwnerID = "Service request intake", "", w.owner2.ID
	w.ok(workflow.Edit(ctx, w.db, w.delegate, cmd, nil))
	got := w.find()
	if got.Name != cmd.Name || got.ReviewDate != nil || got.Version != 2 || got.Owner != "Other owner" {
		t.Errorf("%+v", got.Workflow)
	}
	e := w.lastEvent()
	if e.Action != "workflow.edited" || e.PersonID != w.delegate.ID || e.ForPersonID != w.owner.ID ||
		e.field(t, e.Before, "name") != "Intake" || e.field(t, e.After, "business_owner") != "Other owner, owner2@example.test" ||
		e.field(t, e.Before, "business_owner") != "Business owner, owner@example.test" || e.field(t, e.After, "implementer") != nil {
		t.Errorf("audited as %+v", e)
	}
	before, events := w.state(), len(w.events())
	cmd.Version = 2
	w.ok(workflow.Edit(ctx, w.db, w.implementer, cmd, nil)) // the same again
	if w.state() != before || len(w.events()) != events {
		t.Error("saving without a change wrote something")
	}
	cmd.Version, cmd.Name = 1, "Late"
	_, err := workflow.Edit(ctx, w.db, w.implementer, cmd, nil)
	w.refused(err, models.KindConflict, before)
	cmd.Version, cmd.Name = 2, ""
	_, err = workflow.Edit(ctx, w.db, w.implementer, cmd, nil)
	w.refused(err, models.KindInvalid, before)
	_, err = workflow.Edit(ctx, w.db, w.owner, cmd, nil) // no longer the owner
	w.refused(err, models.KindForbidden, before)
	if e := w.lastEvent(); !e.Refused || e.ObjectLabel != w.slug {
		t.Errorf("the refusal is audited as %+v", e)
	}
	_, err = workflow.Edit(ctx, w.db, w.admin, workflow.EditCmd{Slug: "nothing"}, nil)
	w.refused(err, models.KindNotFound, before)
}

// A date that passed meanwhile does not keep people from editing the rest.
func TestPayloadsAreKeptOnlyWhereSomebodySaysSo(t *testing.T) {
	w := newWorld(t)
	keeps := func(days string) (kept string) {
		t.Helper()
		now, err := workflow.Find(ctx, w.db, w.slug)
		if err != nil {
			t.Fatal(err)
		}
		f := now.Facts()
		f.PayloadDays = days
		if _, err := workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: now.Version, Facts: f}, nil); err != nil {
			t.Fatal(err)
		}
		if err := w.db.Query(ctx).Raw("select store_payloads || ' ' || coalesce(payload_days, 0) from workflows where slug = ?", w.slug).Row().Scan(&kept); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	if got := keeps(" 7 "); got != "true 7" {
		t.Errorf("kept: %s", got)
	}
	if e := w.lastEvent(); e.Action != "workflow.edited" || e.field(t, e.After, "payload_days") != "7" {
		t.Errorf("audited as %+v", e)
	}
	if got := keeps(""); got != "false 0" {
		t.Errorf("kept: %s", got)
	}
}

func TestEditKeepsPassedDate(t *testing.T) {
	w := newWorld(t)
	w.exec("update workflows set review_date = '2020-01-01'")
	cmd := workflow.EditCmd{Slug: w.slug, Version: 1, Facts: w.facts()}
	cmd.ReviewDate, cmd.Name = "2020-01-01", "New name"
	w.ok(workflow.Edit(ctx, w.db, w.implementer, cmd, nil))
}

func TestEditRace(t *testing.T) {
	w := newWorld(t)
	errs := race(8, func(i int) error {
		cmd := workflow.EditCmd{Slug: w.slug, Version: 1, Facts: w.facts()}
		cmd.Name = fmt.Sprintf("Name %d", i)
		_, err := workflow.Edit(ctx, w.db, w.implementer, cmd, nil)
		return err
	})
	w.oneWon(errs)
	if got := w.find(); got.Version != 2 {
		t.Errorf("version %d, want 2", got.Version)
	}
}

func TestArchiveAndRestore(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	_, err := workflow.Restore(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: w.slug, Version: 1})
	w.refused(err, models.KindConflict, before)
	_, err = workflow.Archive(ctx, w.db, w.reviewer, workflow.ArchiveCmd{Slug: w.slug, Version: 1})
	w.refused(err, models.KindForbidden, before)
	_, err = workflow.Archive(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: w.slug, Version: 9})
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.Archive(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: w.slug, Version: 1}))
	if w.find().ArchivedAt == nil || w.lastEvent().Action != "workflow.archived" {
		t.Error("not archived")
	}
	before = w.state()
	_, err = workflow.Archive(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: w.slug, Version: 2})
	w.refused(err, models.KindConflict, before)
	_, err = workflow.Edit(ctx, w.db, w.owner, workflow.EditCmd{Slug: w.slug, Version: 2, Facts: w.facts()}, nil)
	w.refused(err, models.KindConflict, before)
	_, err = workflow.CreateSender(ctx, w.db, w.owner, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: workflow.SenderFacts{Name: "Form"}})
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.Restore(ctx, w.db, w.owner, workflow.ArchiveCmd{Slug: w.slug, Version: 2}))
	if w.find().ArchivedAt != nil || w.lastEvent().Action != "workflow.restored" {
		t.Error("not restored")
	}
}

// race runs n calls of do that start together.
func race(n int, do func(int) error) []error {
	errs, start := make([]error, n), make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

// oneWon checks that one call went through and every other was a Conflict.
func (w *world) oneWon(errs []error) {
	w.Helper()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !models.IsKind(err, models.KindConflict):
			w.Errorf("lost with %v, want a conflict", err)
		}
	}
	if won != 1 {
		w.Errorf("%d calls went through, want 1", won)
	}
}
