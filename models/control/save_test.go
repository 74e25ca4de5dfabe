package control_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestSaveAnswerOfEveryKind(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Fill(slug)
	d := w.Show(slug)
	if d.Unresolved != 0 {
		t.Errorf("%d fields are unresolved", d.Unresolved)
	}
	for _, s := range d.Sections {
		for _, f := range s.Answers {
			if f.Answer.Value == "" || f.Answer.Version == 0 {
				t.Errorf("%s has no readable value", f.Field.Key)
			}
		}
	}
	for key, want := range map[string]string{"operation": "Production: Create task at CRM, crm-production\nSandbox: Create task at CRM, crm-sandbox",
		"environment": "Production, Sandbox", "sender": "Web form", "business_owner": "Owner", "workflow": "Service request intake"} {
		if f, _ := d.Find(key); f.Answer.Value != want {
			t.Errorf("%s reads %q", key, f.Answer.Value)
		}
	}
	if d.Accounts[0].Operation == nil || d.Accounts[0].Operation.Call != "POST /tasks" || d.Accounts[0].Operation.CheckedBy.Name != "Implementer" {
		t.Errorf("operation facts %+v", d.Accounts[0].Operation)
	}
	answered := control.RequiredFields() - 6
	if n := w.Audited("control.answered"); n != answered {
		t.Errorf("%d audit events for %d answers", n, answered)
	}
	if n := w.Count("select count(*) from audit_events where action = 'control.answered' and after->>'field' = 'exact_effect' and after->>'value' = 'Words about exact effect.' and before->>'state' = 'unresolved'"); n != 1 {
		t.Error("the audit log does not tell what was answered")
	}
}

func TestSaveAnswerOpensItAgain(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	before := w.Show(slug).Unresolved
	in := control.Input{State: control.NotApplicable, Reason: "A change is a new request."}
	if saved := w.Answer(w.Owner, slug, "late_update", in); saved.Version != 1 || saved.State != control.NotApplicable || saved.Revision != 1 || saved.Opened {
		t.Errorf("%+v", saved)
	}
	if n := w.Show(slug).Unresolved; n != before-1 {
		t.Errorf("%d unresolved, want %d", n, before-1)
	}
	w.Answer(w.Implementer, slug, "late_update", control.Input{State: control.Unresolved, Reason: "Asked the sender."})
	if n := w.Show(slug).Unresolved; n != before {
		t.Errorf("%d unresolved, want %d", n, before)
	}
	history, err := control.AnswerHistory(t.Context(), w.DB, slug, "late_update")
	if err != nil || len(history) != 2 || history[0].Version != 2 || history[0].Reason != "Asked the sender." || history[1].Reason != in.Reason || history[1].By.Name != "Owner" {
		t.Errorf("%+v, %v", history, err)
	}
}

func TestSaveAnswerRefusals(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	gone := w.Person("Gone", models.Implementer)
	w.Exec("update people set active = false where id = ?", gone.ID)
	before := w.State()
	answered := func(in control.Input) control.Input { in.State = control.Answered; return in }
	for name, c := range map[string]struct {
		by      models.Actor
		control string
		field   string
		version int
		in      control.Input
		kind    models.Kind
		blame   string
	}{
		"viewer":                {w.Viewer, slug, "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindForbidden, ""},
		"reviewer":              {w.Reviewer, slug, "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindForbidden, ""},
		"approver":              {w.Approver, slug, "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindForbidden, ""},
		"admin":                 {w.Admin, slug, "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindForbidden, ""},
		"no such control":       {w.Owner, "none", "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindNotFound, ""},
		"no text as a slug":     {w.Owner, "\x00\xff", "exact_effect", 0, answered(control.Input{Text: "x"}), models.KindNotFound, ""},
		"no such field":         {w.Owner, slug, "none", 0, answered(control.Input{Text: "x"}), models.KindNotFound, ""},
		"fixed":                 {w.Owner, slug, "workflow", 1, answered(control.Input{Text: "x"}), models.KindInvalid, "text"},
		"a version to come":     {w.Owner, slug, "exact_effect", 7, answered(control.Input{Text: "x"}), models.KindConflict, ""},
		"a negative version":    {w.Owner, slug, "exact_effect", -1, answered(control.Input{Text: "x"}), models.KindConflict, ""},
		"too long":              {w.Owner, slug, "exact_effect", 0, answered(control.Input{Text: strings.Repeat("x", 4001)}), models.KindInvalid, "text"},
		"control character":     {w.Owner, slug, "exact_effect", 0, answered(control.Input{Text: "a\x1bb"}), models.KindInvalid, "text"},
		"nobody":                {w.Owner, slug, "reviewer", 1, answered(control.Input{}), models.KindInvalid, "person"},
		"unknown person":        {w.Owner, slug, "reviewer", 1, answered(control.Input{Person: 999}), models.KindInvalid, "person"},
		"without the role":      {w.Owner, slug, "reviewer", 1, answered(control.Input{Person: w.Viewer.ID}), models.KindInvalid, "person"},
		"somebody who left":     {w.Owner, slug, "implementer", 1, answered(control.Input{Person: gone.ID}), models.KindInvalid, "person"},
		"no environment":        {w.Owner, slug, "environment", 1, answered(control.Input{}), models.KindInvalid, "environments"},
		"unknown environment":   {w.Owner, slug, "environment", 1, answered(control.Input{Environments: []string{"sandbox", "moon"}}), models.KindInvalid, "environments"},
		"environment, no text":  {w.Owner, slug, "environment", 1, answered(control.Input{Environments: []string{"\x00"}}), models.KindInvalid, "environments"},
		"unknown sender":        {w.Owner, slug, "sender", 0, answered(control.Input{Sender: "other"}), models.KindInvalid, "sender"},
		"no operation":          {w.Owner, slug, "operation", 0, answered(control.Input{Operations: map[string]int64{"sandbox": 0}}), models.KindInvalid, "operations"},
		"operation elsewhere":   {w.Owner, slug, "operation", 0, answered(control.Input{Operations: map[string]int64{"sandbox": w.ProductionCall}}), models.KindInvalid, "operations.sandbox"},
		"unknown operation":     {w.Owner, slug, "operation", 0, answered(control.Input{Operations: map[string]int64{"sandbox": 999}}), models.KindInvalid, "operations.sandbox"},
		"another account":       {w.Owner, slug, "operation", 0, answered(control.Input{Operations: map[string]int64{"sandbox": w.OtherCall}}), models.KindInvalid, "operations.sandbox"},
		"no environment at all": {w.Owner, slug, "operation", 0, answered(control.Input{Operations: map[string]int64{"moon": w.OtherCall}}), models.KindInvalid, "operations.moon"},
	} {
		_, err := control.SaveAnswer(t.Context(), w.DB, c.by, control.SaveAnswerCmd{Control: c.control, Field: c.field, Version: c.version, Input: c.in})
		if e := models.AsError(err); e == nil || e.Kind != c.kind || (c.blame != "" && e.Field(c.blame) == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
	if n := w.Count("select count(*) from audit_events where action = 'command.refused' and refused and reason <> '' and object_label = ?", slug); n != 4 {
		t.Errorf("%d refusals were recorded, want 4", n)
	}
}

func TestSentenceIsTheOwners(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	const field = "duplicate_in_plain_words"
	sentence := control.Input{State: control.Answered, Text: "The team sees one task."}
	saved := w.Answer(w.Implementer, slug, field, sentence)
	if !saved.Proposal || saved.State != control.Unresolved {
		t.Errorf("%+v", saved)
	}
	if f, _ := w.Show(slug).Find(field); !f.Answer.Proposal() || f.Resolved() {
		t.Errorf("%+v", f.Answer)
	}
	another := w.Person("Another owner", models.BusinessOwner)
	before := w.State()
	for _, by := range []models.Actor{w.Implementer, w.Reviewer, another, w.Viewer, w.Admin} {
		if _, err := control.ConfirmSentence(t.Context(), w.DB, by, control.ConfirmSentenceCmd{Control: slug, Version: saved.Version}); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	var conflict *control.AnswerConflict
	if _, err := control.ConfirmSentence(t.Context(), w.DB, w.Owner, control.ConfirmSentenceCmd{Control: slug, Version: 1}); !errors.As(err, &conflict) || conflict.Saved.Version != 2 || conflict.Base.Version != 1 {
		t.Errorf("confirmed another sentence than the one read: %v", err)
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
	confirmed, err := control.ConfirmSentence(t.Context(), w.DB, w.Owner, control.ConfirmSentenceCmd{Control: slug, Version: saved.Version})
	if err != nil || confirmed.State != control.Answered || confirmed.Proposal {
		t.Errorf("%+v, %v", confirmed, err)
	}
	f, _ := w.Show(slug).Find(field)
	if f.Answer.Value != sentence.Text || !f.Answer.WrittenBy(w.Owner.ID) || f.Answer.By.ID != w.Owner.ID {
		t.Errorf("%+v", f.Answer)
	}
	if _, err := control.ConfirmSentence(t.Context(), w.DB, w.Owner, control.ConfirmSentenceCmd{Control: slug, Version: confirmed.Version}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("confirmed twice: %v", err)
	}

	// Another owner takes over: the words are not theirs until they confirm them.
	w.Answer(w.Owner, slug, "business_owner", control.Input{State: control.Answered, Person: another.ID})
	deputy := w.StandIn(another, w.Person("Deputy", models.Viewer))
	if _, err := control.ConfirmSentence(t.Context(), w.DB, deputy, control.ConfirmSentenceCmd{Control: slug, Version: confirmed.Version}); err != nil {
		t.Error(err)
	}
	f, _ = w.Show(slug).Find(field)
	if !f.Answer.WrittenBy(another.ID) || f.Answer.WrittenBy(w.Owner.ID) || f.Answer.By.ID != deputy.ID || f.Answer.For.ID != another.ID {
		t.Errorf("%+v", f.Answer)
	}
	if n := w.Count("select count(*) from audit_events where action = 'control.answered' and person_id = ? and for_person_id = ?", deputy.ID, another.ID); n != 1 {
		t.Error("the audit log does not show both people")
	}
}

func TestFromEnforceToObserve(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	observe := control.Input{State: control.Answered, Mode: "observe", Reason: "The keys are not trusted yet."}
	w.Answer(w.Implementer, slug, "mode", observe) // nothing was enforced before
	w.Answer(w.Implementer, slug, "mode", control.Input{State: control.Answered, Mode: "enforce"})
	w.Answer(w.Implementer, slug, "mode", control.Input{State: control.Unresolved}) // no way around
	before := w.State()
	save := func(by models.Actor, in control.Input) error {
		_, err := control.SaveAnswer(t.Context(), w.DB, by, control.SaveAnswerCmd{Control: slug, Field: "mode", Version: 3, Input: in})
		return err
	}
	if err := save(w.Implementer, observe); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("implementer: %v", err)
	}
	if err := save(w.Person("Another owner", models.BusinessOwner), observe); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("another owner: %v", err)
	}
	if err := save(w.Owner, control.Input{State: control.Answered, Mode: "observe"}); models.AsError(err).Field("reason") == "" {
		t.Errorf("without a reason: %v", err)
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
	if err := save(w.Owner, observe); err != nil {
		t.Error(err)
	}
	if f, _ := w.Show(slug).Find("mode"); f.Answer.Value != "Observe" || f.Answer.Reason != observe.Reason {
		t.Errorf("%+v", f.Answer)
	}
}

func TestAnAccountBelongsToOneControl(t *testing.T) {
	w := controltest.New(t)
	make := func(name string) string {
		made, err := control.Create(t.Context(), w.DB, w.Owner, control.CreateCmd{Workflow: "service-request", Name: name, Effect: "create-task", Sentence: "Once."})
		if err != nil {
			t.Fatal(err)
		}
		return made.Slug
	}
	first, second := make("First"), make("Second")
	in := control.Input{State: control.Answered, Operations: map[string]int64{"sandbox": w.SandboxCall}}
	won := 0
	var refusal error
	for _, err := range controltest.AtOnce(2, func(i int) error {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: []string{first, second}[i], Field: "operation", Input: in})
		return err
	}) {
		if err == nil {
			won++
		} else {
			refusal = err
		}
	}
	if won != 1 || models.AsError(refusal).Field("operations.sandbox") == "" || !strings.Contains(refusal.Error(), "already owns the effect create-task") {
		t.Errorf("%d won; %v", won, refusal)
	}
	if n := w.Count("select count(*) from control_accounts"); n != 1 {
		t.Errorf("%d accounts", n)
	}
	if err := w.DB.Query(t.Context()).Exec("delete from control_accounts").Error; err == nil {
		t.Error("an account can be taken away")
	}
}

func TestTwoPeopleEditOneAnswer(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Implementer, slug, "exact_effect", control.Input{State: control.Answered, Text: "One task."})
	for round := range 5 {
		version := round + 1
		var won, lost int
		for i, err := range controltest.AtOnce(2, func(i int) error {
			by := []models.Actor{w.Owner, w.Implementer}[i]
			_, err := control.SaveAnswer(t.Context(), w.DB, by, control.SaveAnswerCmd{Control: slug, Field: "exact_effect", Version: version,
				Input: control.Input{State: control.Answered, Text: fmt.Sprintf("Round %d by %s", round, by.Name)}})
			return err
		}) {
			var conflict *control.AnswerConflict
			switch {
			case err == nil:
				won++
			case errors.As(err, &conflict) && models.IsKind(err, models.KindConflict):
				lost++
				name := []string{"Owner", "Implementer"}
				if conflict.Yours.Text != fmt.Sprintf("Round %d by %s", round, name[i]) || conflict.Saved.Value != fmt.Sprintf("Round %d by %s", round, name[1-i]) ||
					conflict.Saved.Version != version+1 || conflict.Base.Version != version || conflict.Field.Key != "exact_effect" {
					t.Errorf("%+v", conflict)
				}
			default:
				t.Errorf("round %d: %v", round, err)
			}
		}
		if won != 1 || lost != 1 {
			t.Fatalf("round %d: %d won, %d lost", round, won, lost)
		}
	}
	if n := w.Count("select count(*) from answers where field = 'exact_effect'"); n != 6 {
		t.Errorf("%d versions", n)
	}
}

func TestAnswersOfTwoFieldsAtOnceBothCount(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	before := w.Show(slug).Unresolved
	fields := []string{"exact_effect", "atomic_claim", "stalled_owner", "late_update"}
	for _, err := range controltest.AtOnce(len(fields), func(i int) error {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: slug, Field: fields[i], Input: control.Input{State: control.Answered, Text: "x"}})
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if n := w.Show(slug).Unresolved; n != before-len(fields) {
		t.Errorf("%d unresolved, want %d", n, before-len(fields))
	}
}

func TestAnswersOfAnotherControlStayApart(t *testing.T) {
	w := controltest.New(t)
	first, second := w.Create("First"), w.Create("Second")
	w.Answer(w.Owner, first, "exact_effect", control.Input{State: control.Answered, Text: "Mine."})
	if f, _ := w.Show(second).Find("exact_effect"); f.Answer.Version != 0 || f.Answer.Value != "" {
		t.Errorf("%+v", f.Answer)
	}
	if err := w.DB.Query(t.Context()).Exec("update answers set value = 'changed'").Error; err == nil {
		t.Error("an answer can be rewritten")
	}
}

func TestSaveAnswerWarns(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	saved := w.Answer(w.Implementer, slug, "atomic_claim", control.Input{State: control.Answered, Text: "Runs exactly once."})
	if len(saved.Warnings) != 1 || saved.State != control.Answered {
		t.Errorf("%+v", saved)
	}
}
