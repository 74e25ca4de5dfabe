package control_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
)

func ruleInput(field string, change func(*identity.Rule)) control.Input {
	f, _ := control.FieldByKey(field)
	in := control.Input{State: control.Answered, Rule: controltest.Rule(f)}
	if change != nil {
		change(&in.Rule)
	}
	return in
}

func answerOf(w *controltest.World, slug, field string) control.Answer {
	f, _ := w.Show(slug).Find(field)
	return f.Answer
}

func TestSaveRuleSaysWhatMustChange(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	before := w.State()
	for name, c := range map[string]struct {
		change       func(*identity.Rule)
		field, words string
	}{
		"no statement":     {func(r *identity.Rule) { r.Statement = " " }, "statement", "plain words"},
		"no components":    {func(r *identity.Rule) { r.Components = nil }, "components", "at least one"},
		"a bad path":       {func(r *identity.Rule) { r.Components[3].Path = "$..id" }, "components.3.path", "names and positions"},
		"a bad name":       {func(r *identity.Rule) { r.Components[3].Name = "Request" }, "components.3.name", "lower-case"},
		"a bad default":    {func(r *identity.Rule) { d := "{}"; r.Components[3].Default = &d }, "components.3.default", "one JSON value"},
		"no boundary":      {func(r *identity.Rule) { r.Boundary = "" }, "boundary", "never be mixed up"},
		"no example":       {func(r *identity.Rule) { r.Example = "" }, "example", "made-up"},
		"an example cut":   {func(r *identity.Rule) { r.Example = "{\n  \"request_id\": }" }, "example", "Line 2, column 17: Expected a value"},
		"personal data":    {func(r *identity.Rule) { r.Example = "{\n  \"mail\": \"somebody@example.test\"}" }, "example", "Line 2, column 11, /mail: This looks like an e-mail address."},
		"a statement long": {func(r *identity.Rule) { r.Statement = strings.Repeat("x", 1001) }, "statement", "Shorten"},
	} {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Owner, control.SaveAnswerCmd{Control: slug, Field: "action_identity", Input: ruleInput("action_identity", c.change)})
		if e := models.AsError(err); e == nil || e.Kind != models.KindInvalid || !strings.Contains(e.Field(c.field), c.words) {
			t.Errorf("%s: %+v", name, e)
		} else if c.field == "statement" && len(e.Fields) != 1 {
			t.Errorf("%s: asks for components as well: %v", name, e.Fields)
		}
	}
	if w.State() != before {
		t.Error("a refused rule changed something")
	}
}

func TestRuleIsItsAnswer(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	a := answerOf(w, slug, "action_identity")
	rule, ok := a.Rule()
	if !ok || a.State != control.Answered || a.Version != 1 || rule.Kind != identity.IntendedEffect || rule.Missing != identity.Review || len(rule.Components) != 4 {
		t.Fatalf("%+v %+v", a, rule)
	}
	if !strings.Contains(a.Value, "Components: environment (the environment), account (the destination account), effect (the effect), request_id ($.request_id).") {
		t.Error(a.Value)
	}
	design := func() string {
		f, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
		if err != nil {
			t.Fatal(err)
		}
		prints, err := f.Content.Fingerprints()
		if err != nil {
			t.Fatal(err)
		}
		return prints.Design
	}
	before := design()
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", func(r *identity.Rule) { r.Example = `{"request_id": "request-demo-09"}` }))
	if design() == before {
		t.Error("the design fingerprint does not cover the whole rule")
	}
	if n := w.Count("select count(*) from rule_states where field = 'action_identity' and state = 'answered' and version = 2 and findings = 0"); n != 1 {
		t.Error("the list does not know the rule")
	}
	if n := w.Count("select count(*) from controls where rules_checked_at is not null"); n != 1 {
		t.Error("the check left no time")
	}
}

func TestRuleInPlainTextIsUnresolved(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	before := w.Show(slug).Unresolved
	w.Exec(`insert into answers (control_id, revision_id, field, version, state, value, person_id)
		select id, latest_revision_id, 'business_record', 1, 'answered', 'The request ID.', ? from controls`, w.Owner.ID)
	w.Answer(w.Owner, slug, "exact_effect", control.Input{State: control.Answered, Text: "One task."})
	if d := w.Show(slug); d.Unresolved != before-1 || answerOf(w, slug, "business_record").State != control.Unresolved || answerOf(w, slug, "business_record").Proposal() {
		t.Error("words without components count as a rule")
	}
}

func TestFindingsHoldARuleBackUntilTheOwnerKeepsThem(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	const field = "legitimate_repeat"
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	before := w.Show(slug).Unresolved
	inside := func(r *identity.Rule) { r.Components = r.Components[:1] }
	saved := w.Answer(w.Implementer, slug, field, ruleInput(field, inside))
	if saved.State != control.Unresolved || saved.Findings != 1 || saved.Proposal || w.Show(slug).Unresolved != before || !answerOf(w, slug, field).Flagged() {
		t.Fatalf("%+v", saved)
	}
	lab, err := control.LoadLab(t.Context(), w.DB, slug)
	if err != nil {
		t.Fatal(err)
	}
	found := lab.Rules.Of(identity.LegitimateRepeat)
	if len(found) != 1 || found[0].Code != identity.FoundRepeatInside || !found[0].Keepable() || w.Count("select rule_findings from controls") != 1 {
		t.Fatal(found)
	}
	keep := control.KeepFindingCmd{Control: slug, Field: field, Finding: found[0].Key, Version: 1, Reason: "Each request is its own effect."}
	state := w.State()
	for name, c := range map[string]struct {
		by   models.Actor
		edit func(*control.KeepFindingCmd)
		kind models.Kind
	}{
		"implementer":     {w.Implementer, func(*control.KeepFindingCmd) {}, models.KindForbidden},
		"reviewer":        {w.Reviewer, func(*control.KeepFindingCmd) {}, models.KindForbidden},
		"admin":           {w.Admin, func(*control.KeepFindingCmd) {}, models.KindForbidden},
		"no reason":       {w.Owner, func(c *control.KeepFindingCmd) { c.Reason = " " }, models.KindInvalid},
		"another finding": {w.Owner, func(c *control.KeepFindingCmd) { c.Finding = "constant@x" }, models.KindConflict},
		"another version": {w.Owner, func(c *control.KeepFindingCmd) { c.Version = 0 }, models.KindConflict},
		"another field":   {w.Owner, func(c *control.KeepFindingCmd) { c.Field = "sender"; c.Version = 0 }, models.KindConflict},
	} {
		cmd := keep
		c.edit(&cmd)
		if _, err := control.KeepFinding(t.Context(), w.DB, c.by, cmd); !models.IsKind(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != state {
		t.Error("a refused reason changed something")
	}
	standIn := w.StandIn(w.Owner, w.Approver)
	kept, err := control.KeepFinding(t.Context(), w.DB, standIn, keep)
	if err != nil || kept.State != control.Answered || kept.Version != 2 || kept.Findings != 0 {
		t.Fatal(kept, err)
	}
	f, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
	if err != nil || len(f.Content.Kept) != 1 || f.Content.Kept[0].Reason != keep.Reason || f.Content.Kept[0].KeptFor == nil || f.Content.Kept[0].KeptFor.ID != w.Owner.ID {
		t.Errorf("signers do not see the reason: %+v %v", f.Content.Kept, err)
	}
	if w.Show(slug).Unresolved != before-1 || w.Audited("control.finding_kept") != 1 || w.Count("select count(*) from rule_reasons where for_person_id = ?", w.Owner.ID) != 1 {
		t.Error("the reason is not recorded")
	}
	if err := w.DB.Query(t.Context()).Exec("update rule_reasons set reason = 'changed'").Error; err == nil {
		t.Error("a reason can be rewritten")
	}
}

// A rule that another answer makes questionable is unresolved again, and answered
// once that is gone.
func TestAnotherAnswerSettlesARule(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	version := func(r *identity.Rule) {
		one := "1"
		r.Components = append(r.Components, identity.Component{Name: "approved_version", Path: "$.approved_version", Default: &one})
	}
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	w.Answer(w.Owner, slug, "legitimate_repeat", ruleInput("legitimate_repeat", nil))
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", version))
	if a := answerOf(w, slug, "legitimate_repeat"); a.State != control.Unresolved || a.Version != 2 || !a.Flagged() {
		t.Errorf("%+v", a)
	}
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	if a := answerOf(w, slug, "legitimate_repeat"); a.State != control.Answered || a.Version != 3 {
		t.Errorf("%+v", a)
	}
	if n := w.Audited("control.answered"); n != 6 {
		t.Errorf("%d audit events", n)
	}
	w.Exec("update senders set event_id_field = '$.request_id'")
	w.Answer(w.Implementer, slug, "sender", control.Input{State: control.Answered, Sender: "web-form"})
	if a := answerOf(w, slug, "action_identity"); a.State != control.Unresolved || !a.Flagged() {
		t.Errorf("the sender's event ID may be the identity of the action: %+v", a)
	}
}

func TestTwoPeopleEditOneRule(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	errs := controltest.AtOnce(4, func(i int) error {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Owner, control.SaveAnswerCmd{Control: slug, Field: "business_record",
			Input: ruleInput("business_record", func(r *identity.Rule) { r.Statement = strings.Repeat("x", i+1) })})
		return err
	})
	won := 0
	for _, err := range errs {
		var conflict *control.AnswerConflict
		switch {
		case err == nil:
			won++
		case !errors.As(err, &conflict) || conflict.Yours.Rule.Statement == "" || conflict.Saved.Version != 1:
			t.Error(err)
		}
	}
	if won != 1 || w.Count("select count(*) from answers where field = 'business_record'") != 1 {
		t.Errorf("%d of 4 were saved", won)
	}
}

func TestListRules(t *testing.T) {
	w := controltest.New(t)
	first, second := w.Create("First"), w.Create("Second")
	w.Answer(w.Owner, first, "action_identity", ruleInput("action_identity", nil))
	w.Answer(w.Owner, second, "business_record", ruleInput("business_record", func(r *identity.Rule) { r.Components[0].Path = "$.event_id" }))
	w.Answer(w.Owner, second, "transport_event", ruleInput("transport_event", nil))
	for name, c := range map[string]struct {
		filter control.RuleFilter
		want   string
	}{
		"all":      {control.RuleFilter{}, "first.transport_event first.business_record first.action_identity first.legitimate_repeat second.transport_event second.business_record second.action_identity second.legitimate_repeat"},
		"kind":     {control.RuleFilter{Kind: identity.IntendedEffect}, "first.action_identity second.action_identity"},
		"state":    {control.RuleFilter{State: "answered"}, "first.action_identity second.transport_event"},
		"flagged":  {control.RuleFilter{State: "flagged"}, "second.business_record"},
		"name":     {control.RuleFilter{Q: "SECO", Kind: identity.TransportEvent}, "second.transport_event"},
		"workflow": {control.RuleFilter{Workflow: "other"}, ""},
		"broken":   {control.RuleFilter{Broken: true}, ""},
	} {
		page, err := control.ListRules(t.Context(), w.DB, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range page.Items {
			got = append(got, r.ControlSlug+"."+r.Field)
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
