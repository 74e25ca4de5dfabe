package matrix_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

func TestEveryControlHasTheSixScenarios(t *testing.T) {
	w := matrixtest.New(t)
	p := w.Page(w.Viewer, w.Create("Create CRM task"))
	if len(p.Cases) != len(matrix.Scenarios) {
		t.Fatalf("%d cases", len(p.Cases))
	}
	for i, s := range matrix.Scenarios {
		c := p.Cases[i]
		if c.Key != s.Key || c.Title != s.Title || len(c.Needs) != len(s.Needs) || c.Cell.State != matrix.NoExpectation || c.Shown != matrix.NoExpectation {
			t.Errorf("%+v", c.Case)
		}
		if title := w.Count("select count(*) from test_cases where key = ? and title = ? and position = ?", s.Key, s.Title, i+1); title != 1 {
			t.Errorf("%s has another title or place in the database", s.Key)
		}
	}
	if len(p.Places) != 2 || p.Places[0].Environment.Slug != "sandbox" || p.Places[0].Refusal != nil || p.Places[0].Accounts[p.ControlID].Slug != "crm-sandbox" || p.Places[1].Refusal == nil {
		t.Errorf("%+v", p.Places)
	}
}

func TestProposeRefusesBadInput(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	other := w.Create("Send confirmation")
	elsewhere := w.ID("insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) values ('else', 'Else', ?, ?, ?, ?) returning id", w.Owner.ID, w.Implementer.ID, w.Reviewer.ID, w.Admin.ID)
	w.Exec("insert into controls (slug, name, workflow_id, effect, unresolved, created_by) values ('stranger', 'Stranger', ?, 'e', 0, ?)", elsewhere, w.Admin.ID)
	for name, c := range map[string]struct {
		key   string
		spoil func(*matrix.ProposeCmd)
		field string
	}{
		"fine":                          {key, func(*matrix.ProposeCmd) {}, ""},
		"nothing expected":              {key, func(c *matrix.ProposeCmd) { c.Expected = " " }, "expected"},
		"own effect not watched":        {key, func(c *matrix.ProposeCmd) { c.Changes = map[string]string{other: "0"} }, "changes." + slug},
		"no number":                     {key, func(c *matrix.ProposeCmd) { c.Changes[slug] = "one" }, "changes." + slug},
		"too much":                      {key, func(c *matrix.ProposeCmd) { c.Changes[slug] = "1000001" }, "changes." + slug},
		"a control of another workflow": {key, func(c *matrix.ProposeCmd) { c.Changes["stranger"] = "0" }, "changes"},
		"not applicable without reason": {key, func(c *matrix.ProposeCmd) { c.NotApplicable, c.Reason = true, "" }, "reason"},
		"partial success of one":        {"partial-success", func(*matrix.ProposeCmd) {}, "changes"},
		"partial success of two":        {"partial-success", func(c *matrix.ProposeCmd) { c.Changes[other] = "−1" }, ""},
		"an empty change is not watched": {key, func(c *matrix.ProposeCmd) {
			c.Changes[other], c.Version = " ", 1
		}, ""},
	} {
		cmd := w.Proposal(slug, c.key)
		c.spoil(&cmd)
		cmd.Version = 0
		if e := w.Case(slug, c.key).Newest; e != nil {
			cmd.Version = e.Version
		}
		before := w.State()
		_, err := matrix.Propose(t.Context(), w.DB, w.Implementer, cmd)
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if e := models.AsError(err); !models.IsKind(err, models.KindInvalid) || e.Field(c.field) == "" {
			t.Errorf("%s: %v", name, err)
		} else if w.State() != before {
			t.Errorf("%s: something changed", name)
		}
	}
	effects := w.Case(slug, "partial-success").Newest.Effects
	if len(effects) != 2 || !effects[0].Own || effects[0].Change != 1 || effects[1].Slug != other || effects[1].Change != -1 {
		t.Errorf("%+v", effects)
	}
}

func TestAgreeDeclineAndProposeAgain(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	w.FillQuickly(slug)
	state := func(want matrix.State, pending bool) matrix.CaseView {
		t.Helper()
		c := w.CaseAs(w.Owner, slug, key)
		if c.Cell.State != want || c.Cell.Pending != pending || (c.DecideRefusal == nil) != pending {
			t.Fatalf("%s, pending %v, %v; want %s", c.Cell.State, c.Cell.Pending, c.DecideRefusal, want)
		}
		return c
	}
	state(matrix.NoExpectation, false)
	w.Propose(w.Proposal(slug, key))
	state(matrix.NotAgreed, true)
	_, silent := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 1, Decision: matrix.Decline})
	_, neither := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 1, Decision: "perhaps"})
	if e := models.AsError(silent); e.Field("note") == "" || models.AsError(neither).Field("decision") == "" {
		t.Errorf("%v, %v", silent, neither)
	}
	w.Decide(slug, key, matrix.Decline, "Say which count.")
	state(matrix.NotAgreed, false)
	w.Propose(w.Proposal(slug, key))
	_, old := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 1, Decision: matrix.Agree})
	if !models.IsKind(old, models.KindConflict) {
		t.Errorf("an older version: %v", old)
	}
	w.Decide(slug, key, matrix.Agree, "")
	state(matrix.NotRun, false)
	cmd := w.Proposal(slug, key)
	cmd.Reason = ""
	if _, err := matrix.Propose(t.Context(), w.DB, w.Implementer, cmd); models.AsError(err).Field("reason") == "" {
		t.Errorf("a change without a reason: %v", err)
	}
	w.Ran(slug, key, matrix.Passed)
	w.Propose(w.Proposal(slug, key))
	state(matrix.HasPassed, true) // what was agreed stays in force
	w.Decide(slug, key, matrix.Agree, "")
	c := state(matrix.EarlierDesign, false)
	if len(c.All) != 3 || c.Agreed.Version != 3 || c.All[2].Note != "Say which count." || c.All[2].DecidedBy.ID != w.Owner.ID || len(c.Exceptions) != 0 {
		t.Errorf("%+v", c.All)
	}
	cmd = w.Proposal(slug, key)
	cmd.NotApplicable = true
	w.Propose(cmd)
	w.Decide(slug, key, matrix.Agree, "")
	state(matrix.NotApplicable, false)
	if _, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, w.Starting(slug, key)); !models.IsKind(err, models.KindConflict) {
		t.Errorf("a run of what is not applicable: %v", err)
	}
	for action, n := range map[string]int{"scenario.expectation_proposed": 4, "scenario.expectation_agreed": 3, "scenario.expectation_declined": 1} {
		if got := w.Audited(action); got != n {
			t.Errorf("%s: %d, want %d", action, got, n)
		}
	}
}

func TestAnOpenDiscrepancyHoldsTheExpectation(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	w.Record(w.Start(slug, key), matrix.Failed)
	away := w.Proposal(slug, key)
	away.NotApplicable = true
	if _, err := matrix.Propose(t.Context(), w.DB, w.Implementer, away); !models.IsKind(err, models.KindConflict) || !strings.Contains(err.Error(), "discrepancy is open") {
		t.Errorf("not applicable: %v", err)
	}
	w.Propose(w.Proposal(slug, key))
	agree := matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 2, Decision: matrix.Agree}
	if _, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, agree); models.AsError(err).Field("note") == "" {
		t.Errorf("agreed without a reason: %v", err)
	}
	if d := w.Decide(slug, key, matrix.Agree, "It was wrong from the start."); !d.Exception {
		t.Error("no exception")
	}
	c := w.Case(slug, key)
	if c.Cell.State != matrix.HasFailed || len(c.Exceptions) != 1 || c.Exceptions[0].Note != "It was wrong from the start." {
		t.Errorf("%+v", c.Exceptions)
	}

	// Proposed before the failure, it cannot be agreed after it.
	other := w.Agreed("Send confirmation")
	run := w.Start(other, key)
	away = w.Proposal(other, key)
	away.NotApplicable = true
	w.Propose(away)
	w.Record(run, matrix.Failed)
	agree = matrix.DecideExpectationCmd{Control: other, Case: key, Version: 2, Decision: matrix.Agree, Note: "So be it."}
	if _, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, agree); !models.IsKind(err, models.KindConflict) {
		t.Errorf("not applicable after the failure: %v", err)
	}
}

func TestWhatIsInReviewStands(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	w.FillQuickly(slug)
	matrixtest.Prove(t, w.DB, slug)
	d := w.Show(slug)
	if _, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: d.Latest.Version}); err != nil {
		t.Fatal(err)
	}
	_, propose := matrix.Propose(t.Context(), w.DB, w.Implementer, w.Proposal(slug, key))
	_, add := matrix.AddCase(t.Context(), w.DB, w.Implementer, matrix.AddCaseCmd{Control: slug, Title: "Cancelled", Needs: "The record."})
	for _, err := range []error{propose, add} {
		if !models.IsKind(err, models.KindConflict) || !strings.Contains(err.Error(), "in review") {
			t.Error(err)
		}
	}
	p := w.Page(w.Implementer, slug)
	if p.AddRefusal == nil || p.Cases[0].ProposeRefusal == nil || p.Cases[0].RunRefusal != nil {
		t.Errorf("%v, %v, %v", p.AddRefusal, p.Cases[0].ProposeRefusal, p.Cases[0].RunRefusal)
	}
	w.Ran(slug, key, matrix.Passed) // in review, runs go on
	for _, by := range []models.Actor{w.Implementer, w.Reviewer, w.Owner} {
		if _, err := signoff.Sign(t.Context(), w.DB, by, signoff.SignCmd{Control: slug, Revision: 1, Decision: "approve", FullHash: w.Show(slug).Latest.FullHash}); err != nil {
			t.Fatal(err)
		}
	}
	w.Propose(w.Proposal(slug, key))
	if latest := w.Show(slug).Latest; latest.Number != 2 || latest.State != control.Draft {
		t.Errorf("%+v", latest)
	}
}

func TestAddCase(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	for name, c := range map[string]struct{ title, needs, field string }{
		"no title": {"", "One.", "title"}, "no evidence": {"Cancelled", " \n ", "needs"}, "too much evidence": {"Cancelled", strings.Repeat("One.\n", 11), "needs"},
		"two lines": {"Cancelled\nlate", "One.", "title"},
	} {
		if _, err := matrix.AddCase(t.Context(), w.DB, w.Owner, matrix.AddCaseCmd{Control: slug, Title: c.title, Needs: c.needs}); models.AsError(err).Field(c.field) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	var keys []string
	for _, title := range []string{"Cancelled while waiting", "Cancelled while waiting", "Repeated delivery", "Ω", strings.Repeat("very long ", 19)} {
		a, err := matrix.AddCase(t.Context(), w.DB, w.Owner, matrix.AddCaseCmd{Control: slug, Title: title, Needs: "The record.\r\n\r\n The calendar. "})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, a.Key)
	}
	if got := strings.Join(keys[:4], " "); got != "cancelled-while-waiting cancelled-while-waiting-2 repeated-delivery-2 scenario" {
		t.Error(got)
	}
	c := w.Case(slug, keys[0])
	if !c.Custom || c.Position != 7 || len(c.Needs) != 2 || c.Needs[1].Label != "The calendar." || c.By.ID != w.Owner.ID {
		t.Errorf("%+v", c.Case)
	}
	w.Propose(w.Proposal(slug, keys[0]))
	w.Decide(slug, keys[0], matrix.Agree, "")
	w.FillQuickly(slug)
	w.Ran(slug, keys[0], matrix.Passed)
	if c := w.Case(slug, keys[0]); c.Cell.State != matrix.HasPassed {
		t.Errorf("%+v", c.Cell)
	}
}

func TestTheThreadOfACase(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	said, err := matrix.Ask(t.Context(), w.DB, w.Reviewer, matrix.AskCmd{Control: slug, Case: key, Body: "Which count?"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Reply(t.Context(), w.DB, w.Implementer, control.ReplyCmd{Control: slug, Comment: said.ID, Body: "Of the account."}); err != nil {
		t.Fatal(err)
	}
	if _, err := matrix.Comment(t.Context(), w.DB, w.Owner, matrix.CommentCmd{Control: slug, Case: key, Body: "I see."}); err != nil {
		t.Fatal(err)
	}
	thread := w.Case(slug, key).Thread
	if len(thread) != 2 || !thread[0].Open() || len(thread[0].Replies) != 1 || thread[1].Body != "I see." || len(w.Case(slug, "partial-success").Thread) != 0 {
		t.Errorf("%+v", thread)
	}
	if n := w.Show(slug).OpenQuestions; n != 1 {
		t.Errorf("%d open questions", n)
	}
}
