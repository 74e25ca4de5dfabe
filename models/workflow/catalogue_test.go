package workflow_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/models/workflow/catalogue"
)

func entries(t *testing.T) (operations []catalogue.Operation, senders []catalogue.Sender) {
	t.Helper()
	for _, at := range []string{"1", "2"} {
		p, _, err := catalogue.Operations(catalogue.Filter{Page: at})
		if err != nil {
			t.Fatal(err)
		}
		operations = append(operations, p.Items...)
	}
	p, _, err := catalogue.Senders(catalogue.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return operations, p.Items
}

// Every entry can be started from, and is saved without counting as checked. A
// form asks for no more than what the source does not say.
func TestEveryEntryCanBeSavedUnchecked(t *testing.T) {
	w := newWorld(t)
	w.destination()
	operations, senders := entries(t)
	for _, o := range operations {
		cmd := workflow.CreateOperationCmd{Destination: "crm-demo", Slug: o.ID, OperationFacts: o.Start()}
		_, err := workflow.CreateOperation(ctx, w.db, w.implementer, cmd)
		if e := models.AsError(err); e != nil && e.Kind == models.KindInvalid {
			for _, f := range e.Fields {
				switch {
				case f.Field == "doc_url" && cmd.DocURL == "":
					cmd.DocURL = "https://docs.example.test/"
				case f.Field == "repeat_returns" && cmd.RepeatReturns == "":
					cmd.RepeatReturns = "Asked the provider."
				default:
					t.Errorf("%s: %s: %s", o.ID, f.Field, f.Message)
				}
			}
			_, err = workflow.CreateOperation(ctx, w.db, w.implementer, cmd)
		}
		if err != nil {
			t.Fatalf("%s: %v", o.ID, err)
		}
	}
	for _, s := range senders {
		w.ok(workflow.CreateSender(ctx, w.db, w.implementer, workflow.CreateSenderCmd{Workflow: w.slug, Slug: s.ID, SenderFacts: s.Start()}))
	}
	for table, want := range map[string]int{"operations": len(operations), "senders": len(senders)} {
		var n int
		if err := w.db.Query(ctx).Raw("select count(*) from " + table + " where checked_on is null and checked_by is null and documented_at <> '' and notes <> ''").Row().Scan(&n); err != nil || n != want {
			t.Errorf("%d of %d %s are unchecked and say where they come from, %v", n, want, table, err)
		}
	}
}

func TestDocumentedAt(t *testing.T) {
	w := newWorld(t)
	w.destination()
	entry, err := catalogue.FindOperation("resend-send-an-e-mail-post-emails-post-emails-batch")
	if err != nil {
		t.Fatal(err)
	}
	w.ok(workflow.CreateOperation(ctx, w.db, w.implementer, workflow.CreateOperationCmd{Destination: "crm-demo", Slug: "send", OperationFacts: entry.Start()}))
	if e := w.lastEvent(); e.field(t, e.After, "documented_at") != entry.Text() || e.field(t, e.After, "checked_on") != "" {
		t.Errorf("audited as %+v", e)
	}
	find := func() workflow.OperationDetails {
		t.Helper()
		o, err := workflow.FindOperation(ctx, w.db, "crm-demo", "send")
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := find()
	if words := o.InWords(); !strings.HasPrefix(words.Repeat, "The source it was copied from says, and nobody has checked it,") ||
		!slices.ContainsFunc(words.Unknown, func(u string) bool { return strings.Contains(u, "Nobody has checked: the mechanism") }) {
		t.Errorf("%+v", words)
	}
	cmd := workflow.EditOperationCmd{Destination: "crm-demo", Slug: "send", Version: 1, Checked: true, OperationFacts: o.Facts()}
	w.ok(workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil))
	if o = find(); o.CheckedByName != "Implementer" || o.DocumentedAt != entry.Text() || !strings.HasPrefix(o.InWords().Repeat, "The documentation says that") {
		t.Errorf("%+v", o)
	}
	cmd.Version, cmd.Checked, cmd.DocumentedAt = 2, false, "Another page"
	w.ok(workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil))
	if o = find(); o.CheckedOn != nil || o.DocumentedAt != "Another page" {
		t.Errorf("another source is still checked: %+v", o)
	}
	before := w.state()
	cmd.Version, cmd.DocumentedAt = 3, strings.Repeat("x", 2001)
	_, err = workflow.EditOperation(ctx, w.db, w.implementer, cmd, nil)
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "documented_at")
	sender := workflow.SenderFacts{Name: "x", DocumentedAt: strings.Repeat("x", 2001), Notes: strings.Repeat("x", 4001)}
	_, err = workflow.CreateSender(ctx, w.db, w.implementer, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: sender})
	w.refused(err, models.KindInvalid, before)
	w.invalid(err, "documented_at", "notes")
}

// Notes of a sender are ours, not the documentation's.
func TestSenderNotesKeepTheCheck(t *testing.T) {
	w := newWorld(t)
	w.ok(workflow.CreateSender(ctx, w.db, w.implementer, workflow.CreateSenderCmd{Workflow: w.slug, SenderFacts: formFacts(), Checked: true}))
	cmd := workflow.EditSenderCmd{Workflow: w.slug, Slug: "web-form", Version: 1, SenderFacts: formFacts()}
	cmd.Notes = "Ask support."
	w.ok(workflow.EditSender(ctx, w.db, w.implementer, cmd, nil))
	if s, err := workflow.FindSender(ctx, w.db, w.slug, "web-form"); err != nil || s.CheckedOn == nil || s.Notes != "Ask support." {
		t.Errorf("%+v, %v", s, err)
	}
	cmd.Version, cmd.DocumentedAt = 2, "Docs"
	w.ok(workflow.EditSender(ctx, w.db, w.implementer, cmd, nil))
	if s, err := workflow.FindSender(ctx, w.db, w.slug, "web-form"); err != nil || s.CheckedOn != nil || s.DocumentedAt != "Docs" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestChoicesHoldTheWantedOneFirst(t *testing.T) {
	w := newWorld(t)
	w.destination()
	w.exec("insert into destinations (slug, system, account, environment_id) select 'aaa', 'AAA', 'Demo', environment_id from destinations")
	for wanted, first := range map[string]string{"": "aaa", "crm-demo": "crm-demo", "none": "aaa"} {
		if all, err := workflow.DestinationChoices(ctx, w.db, wanted); err != nil || len(all) != 2 || all[0].Slug != first || all[0].Environment == "" {
			t.Errorf("%q: %+v, %v", wanted, all, err)
		}
	}
	w.exec("update destinations set archived_at = now() where slug = 'aaa'")
	if all, err := workflow.DestinationChoices(ctx, w.db, "aaa"); err != nil || len(all) != 1 || all[0].Slug != "crm-demo" {
		t.Errorf("%+v, %v", all, err)
	}
	if all, err := workflow.Choices(ctx, w.db, "intake"); err != nil || len(all) != 1 || all[0].BusinessOwnerID != w.owner.ID {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestTheCatalogueHasNoDestinationAtItsAddress(t *testing.T) {
	w := newWorld(t)
	w.environment("sandbox", workflow.ReachCannot)
	_, err := workflow.CreateDestination(ctx, w.db, w.implementer, workflow.CreateDestinationCmd{Slug: "catalogue", Environment: "sandbox",
		DestinationFacts: workflow.DestinationFacts{System: "CRM", Account: "Demo"}})
	w.invalid(err, "slug")
}
