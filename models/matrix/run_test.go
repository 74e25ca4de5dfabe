package matrix_test

import (
	"slices"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

const key = matrixtest.Key

// A failure, its correction and the retest: the chain can be read, and the
// failure is never forgotten.
func TestFailureCorrectionRetest(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	cell := func(want matrix.State, failures int) matrix.CaseView {
		t.Helper()
		c := w.Case(slug, key)
		if c.Cell.State != want || c.Cell.Failures != failures {
			t.Fatalf("%s after %d failures, want %s after %d", c.Cell.State, c.Cell.Failures, want, failures)
		}
		return c
	}
	cell(matrix.NotRun, 0)
	failed := w.Start(slug, key)
	cell(matrix.Started, 0)
	recorded := w.Record(failed, matrix.Failed)
	if c := cell(matrix.HasFailed, 1); c.Cell.DiscrepancyID != recorded.DiscrepancyID || c.LatestFailure != failed {
		t.Errorf("%+v", c.Cell)
	}
	w.Review(failed, matrix.Accept)
	retest := w.Start(slug, key)
	if c := cell(matrix.HasFailed, 1); c.Cell.RetestID != retest || c.Retest == nil {
		t.Errorf("%+v", c.Cell)
	}
	w.Record(retest, matrix.Passed)
	cell(matrix.HasFailed, 1)
	if r := w.Review(retest, matrix.Accept); r.Closed != recorded.DiscrepancyID {
		t.Errorf("%+v", r)
	}
	c := cell(matrix.HasPassed, 1)
	if c.Cell.DiscrepancyID != 0 || c.Cell.ProvenUntil == nil || c.Run.ID != retest {
		t.Errorf("%+v", c.Cell)
	}
	if len(c.Chains) != 1 || c.Chains[0].Open() || c.Chains[0].ClosedByRun != retest || c.Chains[0].Left != 0 {
		t.Fatalf("%+v", c.Chains)
	}
	var ids []int64
	for _, r := range c.Chains[0].Runs {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(ids, []int64{failed, retest}) || c.Chains[0].Runs[1].Correction != "It claims first." || c.Chains[0].Runs[1].RetestOf != failed {
		t.Errorf("%+v", c.Chains[0].Runs)
	}
	p := w.Run(w.Viewer, failed)
	if p.RetestedBy != retest || p.Chain == nil || len(p.Chain.Runs) != 2 || p.Next != retest || p.Prev != 0 || p.State() != matrix.HasFailed || !p.Current {
		t.Errorf("%+v", p)
	}
	if change, ok := p.Counts[0].Observed(); !ok || change != 2 || p.Counts[0].Equal() || p.Counts[0].Destination.Slug != "crm-sandbox" {
		t.Errorf("%+v", p.Counts)
	}
	for action, n := range map[string]int{"run.started": 2, "run.recorded": 2, "run.accepted": 2, "discrepancy.opened": 1, "discrepancy.closed": 1, "evidence.attached": 4} {
		if got := w.Audited(action); got != n {
			t.Errorf("%s: %d in the audit log, want %d", action, got, n)
		}
	}
	if n := w.Count("select count(*) from evidence_holds"); n != 0 {
		t.Errorf("%d pieces of evidence are held although nothing is open", n)
	}
}

func TestStartRefusesBadInput(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	away := w.Create("Send confirmation") // acts in the sandbox at another account
	w.Exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('open', 'Open', 'test', false, ?)", w.Admin.ID)
	w.Exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by, reach_confirmed_by, reach_confirmed_at) values ('empty', 'Empty', 'test', false, ?, ?, now())", w.Admin.ID, w.Owner.ID)
	w.Exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by, reach_confirmed_by, reach_confirmed_at, archived_at) values ('gone', 'Gone', 'test', false, ?, ?, now(), now())", w.Admin.ID, w.Owner.ID)
	for name, c := range map[string]struct {
		spoil func(*matrix.StartRunCmd)
		field string // "": a conflict
	}{
		"reaches customers":     {func(c *matrix.StartRunCmd) { c.Environment = "production" }, "environment"},
		"not confirmed":         {func(c *matrix.StartRunCmd) { c.Environment = "open" }, "environment"},
		"archived":              {func(c *matrix.StartRunCmd) { c.Environment = "gone" }, "environment"},
		"no account there":      {func(c *matrix.StartRunCmd) { c.Environment = "empty" }, "environment"},
		"no environment":        {func(c *matrix.StartRunCmd) { c.Environment = "\x00" }, "environment"},
		"no starting state":     {func(c *matrix.StartRunCmd) { c.StartingState = " " }, "starting_state"},
		"no count":              {func(c *matrix.StartRunCmd) { c.Before = nil }, "before." + slug},
		"below zero":            {func(c *matrix.StartRunCmd) { c.Before[slug] = "-1" }, "before." + slug},
		"another agreement":     {func(c *matrix.StartRunCmd) { c.Version = 2 }, ""},
		"no agreement seen":     {func(c *matrix.StartRunCmd) { c.Version = 0 }, ""},
		"another revision":      {func(c *matrix.StartRunCmd) { c.Revision = 7 }, ""},
		"not agreed":            {func(c *matrix.StartRunCmd) { c.Case = "partial-success" }, ""},
		"retest of nothing":     {func(c *matrix.StartRunCmd) { c.RetestOf = 1 }, ""},
		"a control without any": {func(c *matrix.StartRunCmd) { c.Control = away }, ""},
	} {
		cmd := w.Starting(slug, key)
		c.spoil(&cmd)
		before := w.State()
		_, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, cmd)
		if c.field == "" && !models.IsKind(err, models.KindConflict) || c.field != "" && models.AsError(err).Field(c.field) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if w.State() != before {
			t.Errorf("%s: something changed", name)
		}
	}
	cmd := w.Starting(slug, key)
	cmd.Before[slug] = "1,204"
	s, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, cmd)
	if err != nil || w.Run(w.Viewer, s.Run).Counts[0].Before != 1204 {
		t.Errorf("%v", err)
	}
}

func TestARetestAnswersTheLatestFailure(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	early, failed := w.Start(slug, key), w.Start(slug, key)
	w.Record(failed, matrix.Failed)
	plain := w.Starting(slug, key)
	plain.RetestOf = 0
	if _, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, plain); models.AsError(err).Field("retest_of") == "" {
		t.Errorf("no retest: %v", err)
	}
	silent := w.Starting(slug, key)
	silent.Correction = ""
	if _, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, silent); models.AsError(err).Field("correction") == "" {
		t.Errorf("no correction: %v", err)
	}
	retest := w.Start(slug, key)
	w.Record(retest, matrix.Passed)
	stale := w.Starting(slug, key)
	w.Record(early, matrix.Failed) // it joins, and is the latest failure now
	if r := w.Review(retest, matrix.Accept); r.Closed != 0 {
		t.Error("a retest of an earlier failure closed the discrepancy")
	}
	if _, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, stale); !models.IsKind(err, models.KindConflict) {
		t.Errorf("a retest of an earlier failure: %v", err)
	}
	if c := w.Case(slug, key); c.Cell.State != matrix.HasFailed || c.LatestFailure != early || c.Cell.Failures != 2 {
		t.Errorf("%+v", c.Cell)
	}
	again := w.Start(slug, key)
	w.Record(again, matrix.Inconclusive)
	if r := w.Review(again, matrix.Accept); r.Closed != 0 {
		t.Error("an inconclusive retest closed the discrepancy")
	}
	passed := w.Start(slug, key)
	w.Record(passed, matrix.Passed)
	if r := w.Review(passed, matrix.Return); r.Closed != 0 {
		t.Error("a returned retest closed the discrepancy")
	}
	if n := w.Count("select count(*) from evidence_holds"); n == 0 {
		t.Error("evidence of an open discrepancy is not held")
	}
	w.Ran(slug, key, matrix.Passed)
	if c := w.Case(slug, key); c.Cell.State != matrix.HasPassed || c.Cell.Failures != 2 || len(c.Chains[0].Runs) != 6 {
		t.Errorf("%+v with %d runs", c.Cell, len(c.Chains[0].Runs))
	}
	if n := w.Count("select count(*) from evidence_holds where path <> ?", matrix.RunPath(early)); n != 0 {
		t.Errorf("%d pieces of evidence are held although nothing is open", n)
	}
}

func TestWhatARunMayBeRecordedAs(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	run := w.Start(slug, key)
	cmd := w.Recording(run, matrix.Passed, "11")
	before := w.State()
	_, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, cmd)
	if e := models.AsError(err); e.Field("evidence") != "Attach what is missing before the run is recorded as passed: Event ID, Both receipts, Original destination ID and Destination count before and after." {
		t.Errorf("without evidence: %v", err)
	}
	for name, spoil := range map[string]func(*matrix.RecordRunCmd){
		"claimed":        func(c *matrix.RecordRunCmd) { c.Claimed = "abandoned" },
		"observed":       func(c *matrix.RecordRunCmd) { c.Observed = "" },
		"after." + slug:  func(c *matrix.RecordRunCmd) { c.After = nil },
		"inspected_what": func(c *matrix.RecordRunCmd) { c.InspectedWhat = "" },
		"log_reference":  func(c *matrix.RecordRunCmd) { c.LogReference = "a\nb" },
	} {
		bad := cmd
		spoil(&bad)
		if _, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, bad); models.AsError(err).Field(name) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != before {
		t.Error("a refused result changed something")
	}
	w.AttachTo(w.Reviewer, run, "event-id")
	if missing := w.Run(w.Implementer, run).Missing(); len(missing) != 3 || missing[0] != "Both receipts" {
		t.Errorf("%v", missing)
	}
	blind := cmd
	blind.Inspected, blind.After = false, nil
	r, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, blind) // a green log alone never passes
	if err != nil || r.Outcome != matrix.Inconclusive {
		t.Fatalf("%+v, %v", r, err)
	}
	p := w.Run(w.Reviewer, run)
	if p.Claimed != matrix.Passed || p.Inspected || p.InspectedWhat != "" || p.Counts[0].After != nil || p.RecordRefusal == nil || p.ReviewRefusal != nil || p.AttachRefusal != nil {
		t.Errorf("%+v", p)
	}
	w.AttachTo(w.Reviewer, run, matrix.OtherSlot) // until it is reviewed
	w.Review(run, matrix.Return)
	if c := w.Case(slug, key); c.Cell.State != matrix.Returned {
		t.Errorf("%+v", c.Cell)
	}
	if p := w.Run(w.Reviewer, run); !models.IsKind(p.AttachRefusal, models.KindConflict) || len(p.Slots) != 5 || p.Slots[4].Required {
		t.Errorf("%v, %+v", p.AttachRefusal, p.Slots)
	}

	wrong := w.Start(slug, key)
	w.Attach(wrong)
	r, err = matrix.RecordRun(t.Context(), w.DB, w.Implementer, w.Recording(wrong, matrix.Passed, "12")) // whichever button was pressed
	if err != nil || r.Outcome != matrix.Failed || r.DiscrepancyID == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAbandon(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	run := w.Start(slug, key)
	w.AttachTo(w.Implementer, run, "event-id")
	if _, err := matrix.AbandonRun(t.Context(), w.DB, w.Implementer, matrix.AbandonRunCmd{Run: run}); models.AsError(err).Field("reason") == "" {
		t.Error(err)
	}
	if _, err := matrix.AbandonRun(t.Context(), w.DB, w.Implementer, matrix.AbandonRunCmd{Run: run, Reason: "The sandbox went away."}); err != nil {
		t.Fatal(err)
	}
	_, review := matrix.ReviewRun(t.Context(), w.DB, w.Reviewer, matrix.ReviewRunCmd{Run: run, Decision: matrix.Accept})
	_, record := matrix.RecordRun(t.Context(), w.DB, w.Implementer, w.Recording(run, matrix.Passed, "11"))
	if !models.IsKind(review, models.KindConflict) || !models.IsKind(record, models.KindConflict) {
		t.Errorf("%v, %v", review, record)
	}
	if c := w.Case(slug, key); c.Cell.State != matrix.NotRun || w.Count("select count(*) from open_runs") != 0 || w.Count("select count(*) from evidence_holds") != 0 {
		t.Errorf("%+v", c.Cell)
	}
	list, err := matrix.Runs(t.Context(), w.DB, matrix.RunFilter{Control: slug, Case: key})
	if err != nil || len(list.Items) != 1 || list.Items[0].Reason != "The sandbox went away." || list.Items[0].Outcome != matrix.Abandoned {
		t.Errorf("an abandoned run is not listed: %+v, %v", list, err)
	}
}

// A run counts while the design and its own case's agreement are unchanged, and
// again once the design is what it was.
func TestRunsOfAnEarlierDesign(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	run := w.Ran(slug, key, matrix.Passed)
	is := func(want matrix.State) {
		t.Helper()
		if c := w.Case(slug, key); c.Cell.State != want || c.Run.ID != run || c.Run.Current != (want == matrix.HasPassed) {
			t.Errorf("%+v", c.Cell)
		}
	}
	is(matrix.HasPassed)
	was, _ := w.Show(slug).Find("exact_effect")
	text := func(value string) control.Input { return control.Input{State: control.Answered, Text: value} }
	w.Answer(w.Implementer, slug, "monitoring", text("Somebody else looks."))
	is(matrix.HasPassed)
	w.Answer(w.Implementer, slug, "exact_effect", text("Something else."))
	is(matrix.EarlierDesign)
	w.Answer(w.Implementer, slug, "exact_effect", text(was.Answer.Value))
	is(matrix.HasPassed)
	w.Answer(w.Implementer, slug, "exact_effect", text("Something else."))
	failed := w.Ran(slug, key, matrix.Failed)
	w.Answer(w.Implementer, slug, "exact_effect", text(was.Answer.Value))
	if c := w.Case(slug, key); c.Cell.State != matrix.HasFailed || c.Run.ID != failed {
		t.Errorf("an open discrepancy of another design is out of sight: %+v", c.Cell)
	}
}

// What a started run is measured against does not move while it has no result,
// and a retest whose agreement changed meanwhile closes nothing.
func TestTheAgreementWaitsForTheResult(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	run := w.Start(slug, key)
	change := w.Proposal(slug, key)
	change.Changes = map[string]string{slug: "+2"}
	w.Propose(change)
	agree := matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 2, Decision: matrix.Agree, Note: "Two."}
	if _, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, agree); !models.IsKind(err, models.KindConflict) {
		t.Fatalf("agreed while a run has no result: %v", err)
	}
	w.Record(run, matrix.Failed)
	retest := w.Start(slug, key)
	w.Record(retest, matrix.Passed)
	if d, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, agree); err != nil || !d.Exception {
		t.Fatalf("%+v %v", d, err)
	}
	if r := w.Review(retest, matrix.Accept); r.Closed != 0 {
		t.Errorf("a retest of an earlier agreement closed discrepancy %d", r.Closed)
	}
	if c := w.Case(slug, key); c.Cell.State != matrix.HasFailed || c.LatestFailure != run {
		t.Errorf("%+v", c.Cell)
	}
}

func TestCountsAreReadAsWritten(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	for typed, want := range map[string]int64{"0": 0, "1204": 1204, " 7 ": 7, "1,204": 1204, "1 204": 1204, "1\u00a0204\u202f333": 1204333,
		"1,5": -1, "1 2": -1, "1,2,3": -1, "1.204": -1, "+3": -1, "-3": -1, "1e3": -1, "": -1, "١": -1, "1000000000001": -1} {
		cmd := w.Starting(slug, key)
		cmd.Before[slug] = typed
		s, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, cmd)
		got := int64(-1)
		if err == nil {
			got = w.Run(w.Implementer, s.Run).Counts[0].Before
		} else if models.AsError(err).Field("before."+slug) == "" {
			t.Errorf("%q: %v", typed, err)
		}
		if got != want {
			t.Errorf("%q is read as %d, want %d", typed, got, want)
		}
	}
}
