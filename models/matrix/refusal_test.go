package matrix_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

// Every role and every command: whoever may not is told why, the refusal is
// kept, and nothing else changes.
func TestRefusedInWordsAndNothingChanges(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	ctx := t.Context()
	w.Propose(w.Proposal(slug, key))
	started, recorded := w.Start(slug, key), w.Start(slug, key)
	w.Record(recorded, matrix.Inconclusive)
	waiver, err := matrix.AskWaiver(ctx, w.DB, w.Owner, matrix.AskWaiverCmd{Control: slug, Case: "partial-success", Reason: "It cannot.", Until: inDays(10)})
	if err != nil {
		t.Fatal(err)
	}
	place, err := matrix.EvidencePlace(ctx, w.DB, w.Implementer, started)
	if err != nil {
		t.Fatal(err)
	}
	o, i, r := w.Owner, w.Implementer, w.Reviewer
	for name, c := range map[string]struct {
		do  func(by models.Actor) error
		may []models.Actor
	}{
		"add a scenario": {func(by models.Actor) error {
			_, err := matrix.AddCase(ctx, w.DB, by, matrix.AddCaseCmd{Control: slug, Title: "Cancelled", Needs: "The record."})
			return err
		}, []models.Actor{o, i, r}},
		"propose": {func(by models.Actor) error {
			_, err := matrix.Propose(ctx, w.DB, by, w.Proposal(slug, key))
			return err
		}, []models.Actor{i}},
		"decide": {func(by models.Actor) error {
			_, err := matrix.DecideExpectation(ctx, w.DB, by, matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 2, Decision: matrix.Agree})
			return err
		}, []models.Actor{o}},
		"start": {func(by models.Actor) error {
			_, err := matrix.StartRun(ctx, w.DB, by, w.Starting(slug, key))
			return err
		}, []models.Actor{i}},
		"record": {func(by models.Actor) error {
			_, err := matrix.RecordRun(ctx, w.DB, by, w.Recording(started, matrix.Failed, "12"))
			return err
		}, []models.Actor{i}},
		"abandon": {func(by models.Actor) error {
			_, err := matrix.AbandonRun(ctx, w.DB, by, matrix.AbandonRunCmd{Run: started, Reason: "No."})
			return err
		}, []models.Actor{i}},
		"review": {func(by models.Actor) error {
			_, err := matrix.ReviewRun(ctx, w.DB, by, matrix.ReviewRunCmd{Run: recorded, Decision: matrix.Accept})
			return err
		}, []models.Actor{r}},
		"attach": {func(by models.Actor) error {
			p := place
			p.WhyNot = nil // what the page says is decided again when it is written
			_, err := evidence.AttachText(ctx, w.DB, by, evidence.AttachTextCmd{Place: p, Details: evidence.Details{Slot: matrix.OtherSlot, Proves: "It."}, Text: "Text."})
			return err
		}, []models.Actor{o, i, r}},
		"ask for a waiver": {func(by models.Actor) error {
			_, err := matrix.AskWaiver(ctx, w.DB, by, matrix.AskWaiverCmd{Control: slug, Case: "out-of-order-update", Reason: "It cannot.", Until: inDays(10)})
			return err
		}, []models.Actor{o, i, r}},
		"sign a waiver": {func(by models.Actor) error {
			_, err := matrix.SignWaiver(ctx, w.DB, by, matrix.SignWaiverCmd{Waiver: waiver.Waiver})
			return err
		}, []models.Actor{o, r}},
		"end a waiver": {func(by models.Actor) error {
			_, err := matrix.EndWaiver(ctx, w.DB, by, matrix.EndWaiverCmd{Waiver: waiver.Waiver, Reason: "No."})
			return err
		}, []models.Actor{o, r}},
		"ask": {func(by models.Actor) error {
			_, err := matrix.Ask(ctx, w.DB, by, matrix.AskCmd{Control: slug, Case: key, Body: "Why?"})
			return err
		}, []models.Actor{o, i, r}},
		"comment": {func(by models.Actor) error {
			_, err := matrix.Comment(ctx, w.DB, by, matrix.CommentCmd{Control: slug, Case: key, Body: "So."})
			return err
		}, []models.Actor{o, i, r}},
	} {
		for _, by := range []models.Actor{w.Owner, w.Implementer, w.Reviewer, w.Approver, w.Viewer, w.Admin} {
			if isOneOf(by, c.may) {
				continue
			}
			before, refusals := w.State(), w.Count("select count(*) from audit_events where refused")
			err := c.do(by)
			if !models.IsKind(err, models.KindForbidden) || !strings.HasSuffix(models.AsError(err).Message, ".") {
				t.Errorf("%s may %s: %v", by.Name, name, err)
			}
			if w.State() != before {
				t.Errorf("%s, who may not %s, changed something", by.Name, name)
			}
			if w.Count("select count(*) from audit_events where refused") != refusals+1 {
				t.Errorf("%s, who may not %s: the refusal is not in the log", by.Name, name)
			}
		}
	}
}

func isOneOf(by models.Actor, all []models.Actor) bool {
	for _, a := range all {
		if a.ID == by.ID {
			return true
		}
	}
	return false
}

func inDays(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }

func TestNotThere(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	ctx := t.Context()
	for _, c := range [][2]string{{"none", key}, {slug, "none"}, {slug, "\x00"}, {"\xff", key}} {
		_, propose := matrix.Propose(ctx, w.DB, w.Implementer, matrix.ProposeCmd{Control: c[0], Case: c[1]})
		_, start := matrix.StartRun(ctx, w.DB, w.Implementer, matrix.StartRunCmd{Control: c[0], Case: c[1]})
		_, ask := matrix.Ask(ctx, w.DB, w.Implementer, matrix.AskCmd{Control: c[0], Case: c[1], Body: "Why?"})
		_, runs := matrix.Runs(ctx, w.DB, matrix.RunFilter{Control: c[0], Case: c[1]})
		for _, err := range []error{propose, start, ask, runs} {
			if !models.IsKind(err, models.KindNotFound) {
				t.Errorf("%q: %v", c, err)
			}
		}
	}
	_, show := matrix.Show(ctx, w.DB, w.Owner, "none")
	_, run := matrix.ShowRun(ctx, w.DB, w.Owner, 99)
	_, negative := matrix.ShowRun(ctx, w.DB, w.Owner, -1)
	_, record := matrix.RecordRun(ctx, w.DB, w.Implementer, matrix.RecordRunCmd{Run: 99})
	_, review := matrix.ReviewRun(ctx, w.DB, w.Reviewer, matrix.ReviewRunCmd{Run: 99})
	_, sign := matrix.SignWaiver(ctx, w.DB, w.Owner, matrix.SignWaiverCmd{Waiver: 99})
	_, place := matrix.EvidencePlace(ctx, w.DB, w.Owner, 99)
	for i, err := range []error{show, run, negative, record, review, sign, place} {
		if !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// What was recorded can not be changed or deleted, not even through SQL.
func TestTheDatabaseRefuses(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	w.Ran(slug, key, matrix.Failed)
	w.Ran(slug, key, matrix.Passed)
	q := w.DB.Query(t.Context())
	for _, table := range []string{"test_cases", "expectations", "expectation_effects", "expectation_decisions", "runs", "run_counts", "run_results", "run_after", "run_evidence", "run_reviews"} {
		if w.Count("select count(*) from "+table) == 0 {
			t.Errorf("%s is empty: the test shows nothing", table)
		}
		var column string
		if err := q.Raw("select column_name from information_schema.columns where table_name = ? order by ordinal_position desc limit 1", table).Row().Scan(&column); err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{"update " + table + " set " + column + " = " + column, "delete from " + table, "truncate " + table + " cascade"} {
			if err := q.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	failed := w.Ran(slug, key, matrix.Failed)
	w.Waive(slug, key)
	for sql, why := range map[string]string{
		fmt.Sprintf("update discrepancies set closed_by_run = %d, closed_at = now() where closed_at is null", failed): "closed once",
		"update discrepancies set closed_by_run = null, closed_at = null where closed_at is not null":                 "closed once",
		"delete from discrepancies": "closed once", "truncate discrepancies cascade": "append-only",
		"update waivers set until = until + 1": "keeps what was signed", "update waivers set owner_by = reviewer_by, reviewer_by = owner_by": "keeps what was signed",
		"delete from waivers": "keeps what was signed", "truncate waivers": "append-only",
	} {
		if err := q.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
