package matrix_test

import (
	"testing"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

// one counts who got through, and checks that everybody else was told.
func one(t *testing.T, what string, errs []error) {
	t.Helper()
	through := 0
	for _, err := range errs {
		if err == nil {
			through++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if through != 1 {
		t.Errorf("%s: %d got through: %v", what, through, errs)
	}
}

func TestTwoReviewersAtOnce(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	delegate := w.StandIn(w.Reviewer, w.Person("Deputy", models.Viewer))
	for range 3 {
		run := w.Start(slug, key)
		w.Record(run, matrix.Inconclusive)
		errs := controltest.AtOnce(2, func(i int) error {
			by, decision := w.Reviewer, matrix.Accept
			if i == 1 {
				by, decision = delegate, matrix.Return
			}
			_, err := matrix.ReviewRun(t.Context(), w.DB, by, matrix.ReviewRunCmd{Run: run, Decision: decision, Reason: "As I see it."})
			return err
		})
		one(t, "review", errs)
		p := w.Run(w.Viewer, run)
		want, loser := matrix.Accept, errs[1]
		if errs[1] == nil {
			want, loser = matrix.Return, errs[0]
		}
		if p.Decision != want || loser == nil || loser.Error() != p.ReviewedBy.Name+" "+want+" this run already. That decision stands." {
			t.Errorf("%s stands, the other reads: %v", p.Decision, loser)
		}
	}
	if n := w.Audited("run.accepted") + w.Audited("run.returned"); n != 3 {
		t.Errorf("%d decisions in the audit log", n)
	}
}

func TestTwoFailuresAtOnceAreOneDiscrepancy(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	var runs []int64
	for range 4 {
		runs = append(runs, w.Start(slug, key))
	}
	opened := make([]int64, len(runs))
	cmds := make([]matrix.RecordRunCmd, len(runs))
	for i, run := range runs {
		cmds[i] = w.Recording(run, matrix.Failed, "12")
	}
	for _, err := range controltest.AtOnce(len(runs), func(i int) error {
		r, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, cmds[i])
		opened[i] = r.DiscrepancyID
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range opened {
		if id == 0 || id != opened[0] {
			t.Errorf("%v", opened)
		}
	}
	if n := w.Count("select count(*) from discrepancies"); n != 1 || w.Audited("discrepancy.opened") != 1 {
		t.Errorf("%d discrepancies", n)
	}
	c := w.Case(slug, key)
	if c.Cell.Failures != 4 || len(c.Chains[0].Runs) != 4 || c.Chains[0].Left != 0 {
		t.Errorf("%d failures, %d in the chain, %d left out", c.Cell.Failures, len(c.Chains[0].Runs), c.Chains[0].Left)
	}
	// The retest answers the failure that was recorded last.
	if last := int64(w.Count("select run_id from run_results order by number desc limit 1")); c.LatestFailure != last {
		t.Errorf("run %d is the latest failure, want %d", c.LatestFailure, last)
	}
}

func TestOneOfEachAtOnce(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	run := w.Start(slug, key)
	abandon := matrix.AbandonRunCmd{Run: run, Reason: "The sandbox went away."}
	record := w.Recording(run, matrix.Failed, "12")
	one(t, "record and abandon", controltest.AtOnce(2, func(i int) error {
		if i == 0 {
			_, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, record)
			return err
		}
		_, err := matrix.AbandonRun(t.Context(), w.DB, w.Implementer, abandon)
		return err
	}))
	proposal := w.Proposal(slug, "timeout-after-success")
	one(t, "propose", controltest.AtOnce(3, func(i int) error {
		cmd := proposal
		cmd.Expected += string(rune('a' + i))
		_, err := matrix.Propose(t.Context(), w.DB, w.Implementer, cmd)
		return err
	}))
	one(t, "decide", controltest.AtOnce(2, func(i int) error {
		_, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, matrix.DecideExpectationCmd{Control: slug, Case: "timeout-after-success", Version: 1,
			Decision: []string{matrix.Agree, matrix.Decline}[i], Note: "My word."})
		return err
	}))
	one(t, "ask for a waiver", controltest.AtOnce(3, func(int) error {
		_, err := matrix.AskWaiver(t.Context(), w.DB, w.Implementer, matrix.AskWaiverCmd{Control: slug, Case: "partial-success", Reason: "It cannot.", Until: inDays(5)})
		return err
	}))
	waiver := int64(w.Count("select max(id) from waivers"))
	one(t, "sign", controltest.AtOnce(3, func(int) error {
		_, err := matrix.SignWaiver(t.Context(), w.DB, w.Owner, matrix.SignWaiverCmd{Waiver: waiver})
		return err
	}))
	one(t, "end", controltest.AtOnce(3, func(int) error {
		_, err := matrix.EndWaiver(t.Context(), w.DB, w.Owner, matrix.EndWaiverCmd{Waiver: waiver, Reason: "It can."})
		return err
	}))
}

// A form sent twice gets the first answer.
func TestSentTwiceIsOnce(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	cmd := w.Starting(slug, key)
	cmd.Submission = "once"
	runs := make([]int64, 3)
	for _, err := range controltest.AtOnce(3, func(i int) error {
		s, err := matrix.StartRun(t.Context(), w.DB, w.Implementer, cmd)
		runs[i] = s.Run
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if runs[0] != runs[1] || runs[1] != runs[2] || w.Count("select count(*) from runs") != 1 {
		t.Errorf("%v", runs)
	}
	record := w.Recording(runs[0], matrix.Failed, "12")
	record.Submission = "once"
	for range 2 {
		if r, err := matrix.RecordRun(t.Context(), w.DB, w.Implementer, record); err != nil || r.Outcome != matrix.Failed {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
