package workflow_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/workflow"
)

func (w *world) ownerOf(slug string) (id int64) {
	w.Helper()
	if err := w.db.Query(ctx).Raw("select business_owner_id from workflows where slug = ?", slug).Row().Scan(&id); err != nil {
		w.Fatal(err)
	}
	return id
}

func TestHandOver(t *testing.T) {
	w := newWorld(t)
	second := w.facts()
	second.Name = "Second"
	if _, err := workflow.Create(ctx, w.db, w.implementer, workflow.CreateCmd{Slug: "second", Facts: second}); err != nil {
		t.Fatal(err)
	}
	cmd := workflow.HandOverCmd{Person: w.owner.ID, To: w.owner2.ID, Role: models.BusinessOwner}
	before := len(w.events())
	for name, c := range map[string]struct {
		by   models.Actor
		cmd  workflow.HandOverCmd
		kind models.Kind
	}{
		"an owner":              {w.owner, cmd, models.KindForbidden},
		"an implementer":        {w.implementer, cmd, models.KindForbidden},
		"a viewer":              {w.viewer, cmd, models.KindForbidden},
		"to nobody":             {w.admin, workflow.HandOverCmd{Person: w.owner.ID, Role: models.BusinessOwner}, models.KindInvalid},
		"to the same":           {w.admin, workflow.HandOverCmd{Person: w.owner.ID, To: w.owner.ID, Role: models.BusinessOwner}, models.KindInvalid},
		"to another role":       {w.admin, workflow.HandOverCmd{Person: w.owner.ID, To: w.reviewer.ID, Role: models.BusinessOwner}, models.KindInvalid},
		"of somebody not named": {w.admin, workflow.HandOverCmd{Person: w.viewer.ID, To: w.owner2.ID, Role: models.BusinessOwner}, models.KindConflict},
		"of no role":            {w.admin, workflow.HandOverCmd{Person: w.owner.ID, To: w.owner2.ID, Role: models.Approver}, models.KindBadRequest},
	} {
		if _, err := workflow.HandOver(ctx, w.db, c.by, c.cmd); !models.IsKind(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.ownerOf("intake") != w.owner.ID || len(w.events()) != before+3 { // three were refused
		t.Error("a refused command changed something")
	}
	w.exec("update people set active = false where id = ?", w.owner2.ID)
	if _, err := workflow.HandOver(ctx, w.db, w.admin, cmd); !models.IsKind(err, models.KindInvalid) {
		t.Errorf("to somebody who left: %v", err)
	}
	w.exec("update people set active = true where id = ?", w.owner2.ID)
	w.exec("update workflows set archived_at = now() where slug = 'second'")

	before = len(w.events())
	if n, err := workflow.HandOver(ctx, w.db, w.admin, cmd); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if w.ownerOf("intake") != w.owner2.ID || w.ownerOf("second") != w.owner.ID {
		t.Error("the one in use changes, the archived one stays")
	}
	after := w.events()[before:]
	if len(after) != 1 || after[0].Action != "workflow.edited" || after[0].ObjectLabel != "Intake" || !strings.Contains(after[0].Before, "owner@example.test") || !strings.Contains(after[0].After, "owner2@example.test") {
		t.Errorf("%+v", after)
	}
}

func TestTwoAdminsHandOverAtOnce(t *testing.T) {
	w := newWorld(t)
	third := w.person("Third owner", "owner3", models.BusinessOwner)
	done := 0
	for _, err := range controltest.AtOnce(4, func(i int) error {
		_, err := workflow.HandOver(ctx, w.db, w.admin, workflow.HandOverCmd{Person: w.owner.ID, To: []int64{w.owner2.ID, third.ID}[i%2], Role: models.BusinessOwner})
		return err
	}) {
		switch {
		case err == nil:
			done++
		case !models.IsKind(err, models.KindConflict):
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("%d handed over", done)
	}
}
