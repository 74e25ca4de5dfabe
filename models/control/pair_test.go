package control_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
)

func pairCmd(slug string) control.SavePairCmd {
	return control.SavePairCmd{Control: slug, Name: "Sent again by hand", Note: "Seen in March.", Expected: string(identity.SameAction),
		InputA:       `{"event_id": "event-demo-01", "request_id": "request-demo-01"}`,
		InputB:       `{"event_id": "event-demo-02", "request_id": "request-demo-01"}`,
		EnvironmentA: "sandbox", AccountA: "crm-sandbox", EnvironmentB: "sandbox", AccountB: "crm-sandbox"}
}

func TestSavePairRefusals(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	state := w.State()
	for name, c := range map[string]struct {
		change       func(*control.SavePairCmd)
		field, words string
	}{
		"no name":       {func(c *control.SavePairCmd) { c.Name = "" }, "name", "what the pair shows"},
		"no verdict":    {func(c *control.SavePairCmd) { c.Expected = "fine" }, "expected", "Choose"},
		"not JSON":      {func(c *control.SavePairCmd) { c.InputB = "{\n\"a\" 1}" }, "input_b", "Line 2, column 5"},
		"empty":         {func(c *control.SavePairCmd) { c.InputA = "" }, "input_a", "nothing here"},
		"an address":    {func(c *control.SavePairCmd) { c.InputA = `{"mail": "somebody@example.test"}` }, "input_a", "Line 1, column 10, /mail"},
		"a phone":       {func(c *control.SavePairCmd) { c.InputA = `{"x": "+1 202 555 0147"}` }, "input_a", "/x"},
		"a long one":    {func(c *control.SavePairCmd) { c.InputA = `"` + strings.Repeat("x", 65<<10) + `"` }, "input_a", "Shorten"},
		"no account":    {func(c *control.SavePairCmd) { c.AccountB = "" }, "account_b", "Enter"},
		"a long reason": {func(c *control.SavePairCmd) { c.Note = strings.Repeat("x", 2001) }, "note", "Shorten"},
	} {
		cmd := pairCmd(slug)
		c.change(&cmd)
		_, err := control.SavePair(t.Context(), w.DB, w.Reviewer, cmd)
		if e := models.AsError(err); e == nil || e.Kind != models.KindInvalid || !strings.Contains(e.Field(c.field), c.words) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for _, by := range []models.Actor{w.Viewer, w.Approver, w.Admin} {
		if _, err := control.SavePair(t.Context(), w.DB, by, pairCmd(slug)); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	if w.State() != state {
		t.Error("a refused pair changed something")
	}
}

func TestAnAccountBelongsToItsEnvironment(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	places := w.Count("select count(*) from control_accounts")
	w.Answer(w.Implementer, slug, "operation", control.Input{State: control.Answered, Operations: map[string]int64{"sandbox": w.SandboxCall, "production": w.ProductionCall}})
	if n := w.Count("select count(*) from control_accounts"); n != 2 || places > 2 {
		t.Fatalf("%d accounts", n)
	}
	for name, c := range map[string]struct {
		environment, account string
		words                string
	}{
		"its own":              {"production", "crm-production", ""},
		"made up":              {"another-environment", "crm-sandbox", ""},
		"another account":      {"sandbox", "another-account", ""},
		"the other one":        {"production", "crm-sandbox", "is the account in Sandbox"},
		"the other way around": {"sandbox", "crm-production", "Choose CRM, crm-sandbox, which is the account in Sandbox"},
	} {
		cmd := pairCmd(slug)
		cmd.Name, cmd.EnvironmentB, cmd.AccountB = name, c.environment, c.account
		_, err := control.SavePair(t.Context(), w.DB, w.Reviewer, cmd)
		switch e := models.AsError(err); {
		case c.words == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.words != "" && (e == nil || !strings.Contains(e.Field("account_b"), c.words) || e.Field("account_a") != ""):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPairsAreCheckedOnEveryRuleChange(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	for _, f := range []string{"transport_event", "business_record", "action_identity"} {
		w.Answer(w.Owner, slug, f, ruleInput(f, nil))
	}
	saved, err := control.SavePair(t.Context(), w.DB, w.Reviewer, pairCmd(slug))
	if err != nil || saved.Broken {
		t.Fatal(saved, err)
	}
	if _, err := control.SavePair(t.Context(), w.DB, w.Owner, pairCmd(slug)); models.AsError(err).Field("name") == "" {
		t.Error("two pairs of one name", err)
	}
	broken := func() int { return w.Count("select broken_pairs from controls") }
	event := func(r *identity.Rule) {
		r.Components = append(r.Components, identity.Component{Name: "event_id", Path: "$.event_id"})
	}
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", event))
	pairs, err := control.BrokenPairs(w.DB.Query(t.Context()), w.Show(slug).ID)
	if err != nil || broken() != 1 || len(pairs) != 1 || pairs[0].Verdict != identity.OtherAction || pairs[0].CreatedBy.Name != "Reviewer" {
		t.Fatal(broken(), pairs, err)
	}
	archive := control.ArchivePairCmd{Control: slug, Pair: saved.ID}
	if _, err := control.ArchivePair(t.Context(), w.DB, w.Viewer, archive); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	errs := controltest.AtOnce(3, func(int) error { _, err := control.ArchivePair(t.Context(), w.DB, w.Owner, archive); return err })
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Error(err)
		}
	}
	if done != 1 || broken() != 0 || w.Audited("pair.archived") != 1 {
		t.Error(done, broken())
	}
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	if lab, _ := control.LoadLab(t.Context(), w.DB, slug); lab.Pairs[0].Verdict != identity.OtherAction || lab.Pairs[0].Broken() {
		t.Error("an archived pair is checked")
	}
	archive.Restore = true
	back, err := control.ArchivePair(t.Context(), w.DB, w.Owner, archive)
	if err != nil || back.Broken || broken() != 0 || w.Audited("pair.restored") != 1 || w.Audited("pair.saved") != 1 {
		t.Error(back, err)
	}
	if _, err := control.ArchivePair(t.Context(), w.DB, w.Owner, archive); !models.IsKind(err, models.KindConflict) {
		t.Error("restored twice", err)
	}
	archive.Pair++
	if _, err := control.ArchivePair(t.Context(), w.DB, w.Owner, archive); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
	second := w.Create("Second")
	archive = control.ArchivePairCmd{Control: second, Pair: saved.ID}
	if _, err := control.ArchivePair(t.Context(), w.DB, w.Owner, archive); !models.IsKind(err, models.KindNotFound) {
		t.Error("a pair of another control", err)
	}
}

func TestABrokenPairCanBeSaved(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	saved, err := control.SavePair(t.Context(), w.DB, w.Owner, pairCmd(slug))
	if err != nil || !saved.Broken || w.Count("select broken_pairs from controls") != 1 {
		t.Fatal(saved, err)
	}
	w.Answer(w.Owner, slug, "action_identity", ruleInput("action_identity", nil))
	if n := w.Count("select broken_pairs from controls"); n != 0 {
		t.Error("the rule came and the pair is still broken")
	}
}
