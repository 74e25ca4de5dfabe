package demo

import (
	"fmt"
	"strconv"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"
)

// agree proposes what a control's scenarios must show, and agrees what the
// owner agreed.
func (l *loader) agree(slug string) error {
	for _, e := range expectations[slug] {
		_, err := matrix.Propose(l.ctx, l.db, l.implementer, matrix.ProposeCmd{Once: once("expectation"), Control: slug, Case: e.key,
			NotApplicable: e.notApplicable != "", Expected: e.expected, Changes: e.changes, Reason: e.notApplicable})
		if err == nil && !e.waits {
			_, err = matrix.DecideExpectation(l.ctx, l.db, l.owner, matrix.DecideExpectationCmd{Once: once("agreement"), Control: slug, Case: e.key, Version: 1, Decision: matrix.Agree})
		}
		if err != nil {
			return fmt.Errorf("expectation of %s: %w", e.key, err)
		}
	}
	return nil
}

// test is one run as the demo tells it.
type test struct {
	slug, key string
	round     int            // tells runs of one scenario apart
	outcome   matrix.Outcome // "": only started
	off       int64          // how many more were counted than agreed
	observed  string
	retestOf  int64
	corrected string
	waits     bool // recorded, and not reviewed
	keepDays  int  // until its evidence expires; 0: as the control says
}

// run takes a test as far as its story goes and returns its run. What a load
// that was killed did before is not done again.
func (l *loader) run(t test) (int64, error) {
	e := expectations[t.slug][0]
	for _, other := range expectations[t.slug] {
		if other.key == t.key {
			e = other
		}
	}
	cmd := matrix.StartRunCmd{Once: once("run %d", t.round), Control: t.slug, Case: t.key, Version: 1, Environment: "sandbox", Before: map[string]string{},
		StartingState: "The sandbox account holds what the run before it left. Nothing is there yet for this request.", RetestOf: t.retestOf, Correction: t.corrected}
	for slug := range e.changes {
		cmd.Before[slug] = "412"
	}
	started, err := matrix.StartRun(l.ctx, l.db, l.implementer, cmd)
	if err != nil || t.outcome == "" {
		return started.Run, err
	}
	r, err := matrix.ShowRun(l.ctx, l.db, l.implementer, started.Run)
	if err == nil && r.Outcome == "" {
		err = l.record(t, r)
	}
	if err == nil && r.Decision == "" && !t.waits {
		_, err = matrix.ReviewRun(l.ctx, l.db, l.reviewer, matrix.ReviewRunCmd{Once: once("review"), Run: started.Run, Decision: matrix.Accept})
	}
	return started.Run, err
}

func (l *loader) record(t test, r matrix.RunPage) error {
	place, err := matrix.EvidencePlace(l.ctx, l.db, l.implementer, r.ID)
	if err != nil {
		return err
	}
	until := ""
	if t.keepDays != 0 {
		until = l.day(t.keepDays)
	}
	for _, s := range r.Slots {
		_, err := evidence.AttachText(l.ctx, l.db, l.implementer, evidence.AttachTextCmd{Once: once("evidence"), Place: place, Name: s.Key + ".txt", Text: proofs[s.Key],
			Details: evidence.Details{Slot: s.Key, Proves: s.Label + " of this run.", KeepUntil: until}})
		if err != nil {
			return fmt.Errorf("evidence %s: %w", s.Key, err)
		}
	}
	cmd := matrix.RecordRunCmd{Once: once("result"), Run: r.ID, Claimed: t.outcome, Observed: t.observed, Inspected: true, InspectedWhat: "The account of the sandbox, by request ID",
		LogReference: fmt.Sprintf("run-log-demo-%d", r.ID), After: map[string]string{}}
	for _, n := range r.Counts {
		after := n.Before + int64(n.Change)
		if n.Own {
			after += t.off
		}
		cmd.After[n.Slug] = strconv.FormatInt(after, 10)
	}
	recorded, err := matrix.RecordRun(l.ctx, l.db, l.implementer, cmd)
	if err == nil && recorded.Outcome != t.outcome {
		err = models.Conflictf("run %d is %s", r.ID, recorded.Outcome)
	}
	return err
}

// proveTask runs every scenario of the first control on the design as it
// stands. In round 2 one fails first and passes on the retest.
func (l *loader) proveTask(round int) error {
	const slug = "create-crm-task"
	observed := map[string]string{
		"repeated-delivery":         "The second delivery was recorded as a duplicate. The CRM shows the one task.",
		"simultaneous-workers":      "worker-a created the task. worker-b was told that worker-a has the action.",
		"timeout-after-success":     "The existing task was found by its request ID and recorded.",
		"out-of-order-update":       "Version 1 was kept out. The task shows the time slot of version 2.",
		"partial-success":           "The task was created, the confirmation failed. Only the confirmation was tried again.",
		"legitimate-second-request": "Two requests, two tasks.",
	}
	for _, e := range expectations[slug] {
		t := test{slug: slug, key: e.key, round: round, outcome: matrix.Passed, observed: observed[e.key]}
		if round == 2 && e.key == "timeout-after-success" {
			failed, err := l.run(test{slug: slug, key: e.key, round: 2, outcome: matrix.Failed, off: 1, observed: "Two tasks instead of one: the hidden success was created again."})
			if err != nil {
				return err
			}
			t.round, t.retestOf, t.corrected = 3, failed, "The automation now searches the CRM by request ID before it tries again."
		}
		if _, err := l.run(t); err != nil {
			return fmt.Errorf("run %s: %w", e.key, err)
		}
	}
	return nil
}

// proveConfirmation leaves one discrepancy open, one run to review, a retest
// started and a scenario not run.
func (l *loader) proveConfirmation() error {
	const slug = "send-confirmation"
	failed := int64(0)
	for _, t := range []test{
		{key: "repeated-delivery", outcome: matrix.Passed, observed: "The second delivery was recorded as a duplicate. The message log shows one message.", keepDays: 9},
		{key: "simultaneous-workers", outcome: matrix.Failed, off: 1, observed: "Both workers sent it. The second claimed only after its message had left."},
		{key: "simultaneous-workers", round: 1, corrected: "The automation claims first and sends after the claim succeeds."},
		{key: "timeout-after-success", outcome: matrix.Passed, observed: "The message was found by its key and recorded.", waits: true},
		{key: "partial-success", outcome: matrix.Passed, observed: "The message was sent, the task failed. Only the task was tried again."},
	} {
		t.slug = slug
		if t.corrected != "" {
			t.retestOf = failed
		}
		run, err := l.run(t)
		if err != nil {
			return fmt.Errorf("run %s: %w", t.key, err)
		}
		if t.outcome == matrix.Failed {
			failed = run
		}
	}
	return nil
}
