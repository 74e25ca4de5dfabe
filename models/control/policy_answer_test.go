package control_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestAControlNamesAVersionOfAPolicy(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create task")
	for _, chosen := range []string{"", "replays", "replays@2", "none@1"} {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: slug, Field: "manual_approver", Input: control.Input{State: control.Answered, Policy: chosen}})
		if e := models.AsError(err); e == nil || e.Field("policy") == "" {
			t.Errorf("%q: %v", chosen, err)
		}
	}
	w.Answer(w.Implementer, slug, "manual_approver", control.Input{State: control.Answered, Policy: controltest.PolicyVersion})
	f, _ := w.Show(slug).Find("manual_approver")
	ref, ok := control.PolicyVersion(f.Answer.Data)
	if !ok || ref.String() != controltest.PolicyVersion || !strings.Contains(f.Answer.Value, "Level 1: Approver within 60 minutes.") {
		t.Errorf("%+v %+v", ref, f.Answer)
	}
	o, err := control.FormOptions(t.Context(), w.DB, slug)
	if err != nil || len(o.Policies) != 1 || !o.Policies[0].Chosen || o.Policies[0].Latest != 1 {
		t.Errorf("%+v %v", o.Policies, err)
	}
	w.Exec("update escalation_policies set archived_at = now()")
	if _, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: slug, Field: "manual_approver", Version: 1, Input: control.Input{State: control.Answered, Policy: controltest.PolicyVersion}}); !models.IsKind(err, models.KindInvalid) {
		t.Errorf("an archived policy: %v", err)
	}
}

// Before there were escalation policies this field was answered in words.
func TestAnApproverNamedInWordsStays(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create task")
	w.Exec(`insert into answers (control_id, revision_id, field, version, state, value, person_id)
		select id, latest_revision_id, 'manual_approver', 1, 'answered', 'The approver, then the lead.', ? from controls where slug = ?`, w.Implementer.ID, slug)
	f, _ := w.Show(slug).Find("manual_approver")
	if !f.Resolved() || f.Answer.Value != "The approver, then the lead." {
		t.Errorf("%+v", f.Answer)
	}
	if _, ok := control.PolicyVersion(f.Answer.Data); ok {
		t.Error("words name a version")
	}
}
