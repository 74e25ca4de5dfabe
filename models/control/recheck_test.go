package control_test

import (
	"testing"

	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
	"countersign/models/workflow"
)

func editSender(w *controltest.World, change func(*workflow.SenderFacts)) {
	w.T.Helper()
	d, err := workflow.FindSender(w.T.Context(), w.DB, "service-request", "web-form")
	if err != nil {
		w.T.Fatal(err)
	}
	cmd := workflow.EditSenderCmd{Workflow: "service-request", Slug: "web-form", Version: d.Version, SenderFacts: d.Facts()}
	change(&cmd.SenderFacts)
	if _, err := workflow.EditSender(w.T.Context(), w.DB, w.Implementer, cmd, control.RecheckSender); err != nil {
		w.T.Fatal(err)
	}
}

func ruleState(w *controltest.World, field string) (state string, findings, warnings int) {
	w.T.Helper()
	if err := w.DB.Query(w.T.Context()).Raw("select state, findings, warnings from rule_states where field = ?", field).Row().Scan(&state, &findings, &warnings); err != nil {
		w.T.Fatal(err)
	}
	return state, findings, warnings
}

func TestAnEditedSenderSettlesTheRulesOfItsControls(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	revision := w.Count("select version from revisions")

	editSender(w, func(f *workflow.SenderFacts) { f.EventIDField = "$.request_id" })
	if state, _, _ := ruleState(w, "action_identity"); state != "answered" || w.Count("select version from revisions") != revision {
		t.Errorf("a sender that the control does not name changed it: %s", state)
	}
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	if state, findings, _ := ruleState(w, "action_identity"); state != "flagged" || findings != 1 {
		t.Fatalf("%s %d", state, findings)
	}
	unresolved, audited := w.Show(slug).Unresolved, w.Audited("control.answered")
	revision = w.Count("select version from revisions")

	editSender(w, func(f *workflow.SenderFacts) { f.EventIDField = "$.event_id" })
	state, findings, _ := ruleState(w, "action_identity")
	if a := answerOf(w, slug, "action_identity"); state != "answered" || findings != 0 || a.State != control.Answered || w.Count("select rule_findings from controls") != 0 {
		t.Errorf("the list keeps an old check: %s %d %+v", state, findings, a)
	}
	if w.Show(slug).Unresolved != unresolved-1 || w.Audited("control.answered") != audited+1 || w.Count("select version from revisions") != revision+1 {
		t.Error("the change of the answer is not counted, recorded or noticed by who submits")
	}
	editSender(w, func(f *workflow.SenderFacts) { f.Notes = "Asked again." })
	if w.Audited("control.answered") != audited+1 || w.Count("select version from revisions") != revision+1 {
		t.Error("a note changed an answer")
	}
}

func TestAnEditedOperationIsCheckedAgainstTheWindow(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Owner, slug, "transport_event", ruleInput("transport_event", nil))
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	w.Answer(w.Implementer, slug, "operation", control.Input{State: control.Answered, Operations: map[string]int64{"sandbox": w.SandboxCall, "production": w.ProductionCall}})
	editSender(w, func(f *workflow.SenderFacts) { f.RetryHorizonHours, f.ResendHorizonHours = "48", "720" })
	_, _, before := ruleState(w, "transport_event")
	o, err := workflow.FindOperation(t.Context(), w.DB, "crm-sandbox", "create-task")
	if err != nil {
		t.Fatal(err)
	}
	cmd := workflow.EditOperationCmd{Destination: "crm-sandbox", Slug: "create-task", Version: o.Version, OperationFacts: o.Facts()}
	cmd.Mechanism, cmd.KeyField, cmd.KeyLifetimeHours, cmd.RepeatReturns, cmd.DocURL = workflow.Documented, "Idempotency-Key", "24", "The first task.", "https://docs.example.test/"
	if _, err := workflow.EditOperation(t.Context(), w.DB, w.Implementer, cmd, control.RecheckOperation); err != nil {
		t.Fatal(err)
	}
	if _, _, after := ruleState(w, "transport_event"); after != before+1 {
		t.Errorf("%d findings are noted, %d before a key lifetime of 24 hours was written down", after, before)
	}
}

func TestAnEditedWorkflowOrdersVersionsAnew(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	editSender(w, func(f *workflow.SenderFacts) { f.VersionField = "$.changed_at" })
	w.Answer(w.Owner, slug, "business_record", ruleInput("business_record", func(r *identity.Rule) {
		r.Components = append(r.Components, identity.Component{Name: "version", Path: "$.changed_at"})
		r.Example = `{"request_id": "request-demo-01", "changed_at": "2026-05-01T10:00:00.123Z"}`
	}))
	if state, _, _ := ruleState(w, "business_record"); state != "answered" {
		t.Fatal(state)
	}
	found, err := workflow.Find(t.Context(), w.DB, "service-request")
	if err != nil {
		t.Fatal(err)
	}
	facts := found.Facts()
	facts.VersionOrder = "none"
	if _, err := workflow.Edit(t.Context(), w.DB, w.Implementer, workflow.EditCmd{Slug: "service-request", Version: found.Version, Facts: facts}, control.RecheckWorkflow); err != nil {
		t.Fatal(err)
	}
	if state, findings, _ := ruleState(w, "business_record"); state != "flagged" || findings != 1 {
		t.Errorf("%s %d", state, findings)
	}
}

// What is in review keeps its answers; the list shows what is found, and the
// next draft starts from it.
func TestADecidedControlKeepsItsAnswers(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	w.Exec(`update revisions set state = 'changes_requested', content = '{}', design_hash = repeat('0', 64), full_hash = repeat('0', 64),
		submitted_by = ?, submitted_at = now(), decided_at = now()`, w.Implementer.ID)
	version := answerOf(w, slug, "action_identity").Version
	editSender(w, func(f *workflow.SenderFacts) { f.EventIDField = "$.request_id" })
	if state, findings, _ := ruleState(w, "action_identity"); state != "answered" || findings != 1 || answerOf(w, slug, "action_identity").Version != version {
		t.Errorf("%s %d", state, findings)
	}
	if _, err := control.OpenDraft(t.Context(), w.DB, w.Implementer, control.OpenDraftCmd{Control: slug}); err != nil {
		t.Fatal(err)
	}
	if state, findings, _ := ruleState(w, "action_identity"); state != "flagged" || findings != 1 || answerOf(w, slug, "action_identity").State != control.Unresolved {
		t.Errorf("the draft starts with %s %d", state, findings)
	}
}

func TestASenderAndAnAnswerAtOnce(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	d, err := workflow.FindSender(t.Context(), w.DB, "service-request", "web-form")
	if err != nil {
		t.Fatal(err)
	}
	cmd := workflow.EditSenderCmd{Workflow: "service-request", Slug: "web-form", Version: d.Version, SenderFacts: d.Facts()}
	cmd.EventIDField = "$.request_id"
	errs := controltest.AtOnce(2, func(i int) error {
		if i == 0 {
			_, err := workflow.EditSender(t.Context(), w.DB, w.Implementer, cmd, control.RecheckSender)
			return err
		}
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Owner, control.SaveAnswerCmd{Control: slug, Field: "action_identity", Input: ruleInput("action_identity", nil)})
		return err
	})
	for i, err := range errs {
		if err != nil {
			t.Error(i, err)
		}
	}
	if state, findings, _ := ruleState(w, "action_identity"); state != "flagged" || findings != 1 {
		t.Errorf("whoever came second did not see the first: %s %d", state, findings)
	}
}
