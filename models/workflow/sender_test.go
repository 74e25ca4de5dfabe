package workflow_test

import (
	"testing"
	"time"

	"countersign/models"
	"countersign/models/workflow"
)

func formFacts() workflow.SenderFacts {
	return workflow.SenderFacts{Name: "Web form", EventIDField: "$.event_id", Duplicates: workflow.DuplicatesPossible,
		Ordering: workflow.OrderNotGuaranteed, RetryHorizonHours: "72", DocURL: "https://docs.example.test/webhooks"}
}

func TestSender(t *testing.T) {
	w := newWorld(t)
	ref, err := workflow.CreateSender(ctx, w.db, w.implementer, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: formFacts(), Checked: true})
	if err != nil || ref.Slug != "web-form" {
		t.Fatalf("%+v, %v", ref, err)
	}
	find := func() workflow.SenderDetails {
		t.Helper()
		s, err := workflow.FindSender(ctx, w.db, w.slug, "web-form")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := find()
	if s.CheckedOn == nil || s.CheckedOn.Format(time.DateOnly) != time.Now().UTC().Format(time.DateOnly) || s.CheckedByName != "Implementer" || *s.RetryHorizonHours != 72 || s.ResendHorizonHours != nil {
		t.Errorf("%+v", s)
	}
	if e := w.lastEvent(); e.Action != "sender.created" || e.field(t, e.After, "checked_on") == "" {
		t.Errorf("audited as %+v", e)
	}

	cmd := workflow.EditSenderCmd{Workflow: w.slug, Slug: "web-form", Version: 1, SenderFacts: formFacts()}
	cmd.Name = "Web form, public"
	w.ok(workflow.EditSender(ctx, w.db, w.owner, cmd, nil))
	if s = find(); s.CheckedOn == nil {
		t.Error("a new name undid the check")
	}
	cmd.Version, cmd.RetryHorizonHours = 2, ""
	w.ok(workflow.EditSender(ctx, w.db, w.delegate, cmd, nil))
	if s = find(); s.CheckedOn != nil || s.CheckedBy != nil || s.RetryHorizonHours != nil {
		t.Errorf("a changed fact is still checked: %+v", s)
	}
	if e := w.lastEvent(); e.ForPersonID != w.owner.ID || e.field(t, e.Before, "retry_horizon_hours") != "72" || e.field(t, e.After, "checked_on") != "" {
		t.Errorf("audited as %+v", e)
	}
	cmd.Version, cmd.Checked = 3, true
	w.ok(workflow.EditSender(ctx, w.db, w.admin, cmd, nil)) // only the tick
	if s = find(); s.CheckedByName != "Admin" || s.Version != 4 {
		t.Errorf("%+v", s)
	}

	before := w.state()
	cmd.Version = 3
	_, err = workflow.EditSender(ctx, w.db, w.admin, cmd, nil)
	w.refused(err, models.KindConflict, before)
	_, err = workflow.EditSender(ctx, w.db, w.reviewer, cmd, nil)
	w.refused(err, models.KindForbidden, before)
	_, err = workflow.EditSender(ctx, w.db, w.admin, workflow.EditSenderCmd{Workflow: w.slug, Slug: "fax"}, nil)
	w.refused(err, models.KindNotFound, before)
	_, err = workflow.CreateSender(ctx, w.db, w.admin, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: formFacts()})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "slug")

	w.ok(workflow.ArchiveSender(ctx, w.db, w.owner, workflow.SenderCmd{Workflow: w.slug, Slug: "web-form", Version: 4}))
	before = w.state()
	cmd.Version = 5
	_, err = workflow.EditSender(ctx, w.db, w.admin, cmd, nil)
	w.refused(err, models.KindConflict, before)
	w.ok(workflow.RestoreSender(ctx, w.db, w.owner, workflow.SenderCmd{Workflow: w.slug, Slug: "web-form", Version: 5}))
	w.oneWon(race(6, func(i int) error {
		c := cmd
		c.Version, c.RetrySchedule = 6, string(rune('a'+i))
		_, err := workflow.EditSender(ctx, w.db, w.admin, c, nil)
		return err
	}))
}

func TestSenderChecks(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	for name, c := range map[string]struct {
		checked bool
		edit    func(*workflow.SenderFacts)
		fields  []string
	}{
		"nothing":               {false, func(f *workflow.SenderFacts) { *f = workflow.SenderFacts{} }, []string{"name"}},
		"no such choice":        {false, func(f *workflow.SenderFacts) { f.Duplicates, f.Ordering = "x", "y" }, []string{"duplicates", "ordering"}},
		"hours in words":        {false, func(f *workflow.SenderFacts) { f.RetryHorizonHours, f.ResendHorizonHours = "three", "-1" }, []string{"retry_horizon_hours", "resend_horizon_hours"}},
		"too many hours":        {false, func(f *workflow.SenderFacts) { f.RetryHorizonHours = "87601" }, []string{"retry_horizon_hours"}},
		"checked where":         {true, func(f *workflow.SenderFacts) { f.DocURL = "" }, []string{"doc_url"}},
		"checked, but nothing":  {true, func(f *workflow.SenderFacts) { f.Duplicates, f.Ordering = "", "" }, []string{"duplicates", "ordering"}},
		"an address of no page": {false, func(f *workflow.SenderFacts) { f.DocURL = "docs" }, []string{"doc_url"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := formFacts()
			c.edit(&f)
			_, err := workflow.CreateSender(ctx, w.db, w.implementer, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: f, Checked: c.checked})
			in := *w
			in.T = t
			in.refused(err, models.KindInvalid, before)
			in.invalid(err, c.fields...)
		})
	}
}
