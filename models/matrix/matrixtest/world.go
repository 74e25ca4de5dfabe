package matrixtest

import (
	"fmt"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/evidence"
	"countersign/models/matrix"
)

// World is controltest's with the steps of the matrix.
type World struct{ *controltest.World }

// New makes the world.
func New(t testing.TB) World { return World{controltest.New(t)} }

// Key is the scenario that helpers use.
const Key = "repeated-delivery"

// Case is the card of a case as the implementer sees it.
func (w World) Case(slug, key string) matrix.CaseView { return w.CaseAs(w.Implementer, slug, key) }

// CaseAs is the card of a case as a reader sees it.
func (w World) CaseAs(by models.Actor, slug, key string) matrix.CaseView {
	w.T.Helper()
	p := w.Page(by, slug)
	for _, c := range p.Cases {
		if c.Key == key {
			return c
		}
	}
	w.T.Fatalf("%s has no case %s", slug, key)
	return matrix.CaseView{}
}

// Page is the matrix of a control.
func (w World) Page(by models.Actor, slug string) matrix.Page {
	w.T.Helper()
	p, err := matrix.Show(w.T.Context(), w.DB, by, slug)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// Run is the page of a run.
func (w World) Run(by models.Actor, id int64) matrix.RunPage {
	w.T.Helper()
	p, err := matrix.ShowRun(w.T.Context(), w.DB, by, id)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// Proposal is the command that proposes one more at the destination.
func (w World) Proposal(slug, key string) matrix.ProposeCmd {
	w.T.Helper()
	cmd := matrix.ProposeCmd{Control: slug, Case: key, Expected: "One task.", Changes: map[string]string{slug: "+1"}, Reason: "It was tried."}
	if e := w.Case(slug, key).Newest; e != nil {
		cmd.Version = e.Version
	}
	return cmd
}

// Propose proposes, as the implementer.
func (w World) Propose(cmd matrix.ProposeCmd) matrix.Proposed {
	w.T.Helper()
	p, err := matrix.Propose(w.T.Context(), w.DB, w.Implementer, cmd)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// Decide decides the newest proposal, as the owner.
func (w World) Decide(slug, key, decision, note string) matrix.Decided {
	w.T.Helper()
	d, err := matrix.DecideExpectation(w.T.Context(), w.DB, w.Owner,
		matrix.DecideExpectationCmd{Control: slug, Case: key, Version: w.Case(slug, key).Newest.Version, Decision: decision, Note: note})
	if err != nil {
		w.T.Fatal(err)
	}
	return d
}

// Agreed makes a control whose case Key is agreed: one more at the destination.
func (w World) Agreed(name string) (slug string) {
	w.T.Helper()
	slug = w.Create(name)
	w.FillQuickly(slug)
	w.Propose(w.Proposal(slug, Key))
	w.Decide(slug, Key, matrix.Agree, "")
	return slug
}

// Starting is the command that starts a run of an agreed case, or a retest.
func (w World) Starting(slug, key string) matrix.StartRunCmd {
	w.T.Helper()
	c := w.Case(slug, key)
	cmd := matrix.StartRunCmd{Control: slug, Case: key, Environment: "sandbox", StartingState: "Nothing there.", Before: map[string]string{}, RetestOf: c.LatestFailure}
	if c.Agreed != nil {
		cmd.Version = c.Agreed.Version
		for _, f := range c.Agreed.Effects {
			cmd.Before[f.Slug] = "10"
		}
	}
	if cmd.RetestOf != 0 {
		cmd.Correction = "It claims first."
	}
	return cmd
}

// Start starts a run, or a retest while a discrepancy is open.
func (w World) Start(slug, key string) (run int64) {
	w.T.Helper()
	s, err := matrix.StartRun(w.T.Context(), w.DB, w.Implementer, w.Starting(slug, key))
	if err != nil {
		w.T.Fatal(err)
	}
	return s.Run
}

// Attach attaches a text to every required slot of a run.
func (w World) Attach(run int64) {
	w.T.Helper()
	for _, s := range w.Run(w.Implementer, run).Slots {
		w.AttachTo(w.Implementer, run, s.Key)
	}
}

// AttachTo attaches a text to one slot.
func (w World) AttachTo(by models.Actor, run int64, slot string) {
	w.T.Helper()
	p, err := matrix.EvidencePlace(w.T.Context(), w.DB, by, run)
	if err == nil {
		_, err = evidence.AttachText(w.T.Context(), w.DB, by, evidence.AttachTextCmd{Place: p, Details: evidence.Details{Slot: slot, Proves: "It."}, Text: fmt.Sprintf("run %d %s", run, slot)})
	}
	if err != nil {
		w.T.Fatalf("attach to %s: %v", slot, err)
	}
}

// Recording is the command that records a run, with so many after.
func (w World) Recording(run int64, claimed matrix.Outcome, after string) matrix.RecordRunCmd {
	cmd := matrix.RecordRunCmd{Run: run, Claimed: claimed, Observed: "What was seen.", Inspected: true, InspectedWhat: "The account.", After: map[string]string{}}
	for _, n := range w.Run(w.Implementer, run).Counts {
		cmd.After[n.Slug] = after
	}
	return cmd
}

// Record records a run: passed with 11 after, failed with 12.
func (w World) Record(run int64, outcome matrix.Outcome) matrix.Recorded {
	w.T.Helper()
	after := "11"
	if outcome == matrix.Passed {
		w.Attach(run)
	} else if outcome == matrix.Failed {
		after = "12"
	}
	r, err := matrix.RecordRun(w.T.Context(), w.DB, w.Implementer, w.Recording(run, outcome, after))
	if err != nil {
		w.T.Fatal(err)
	}
	if r.Outcome != outcome {
		w.T.Fatalf("run %d is %s, want %s", run, r.Outcome, outcome)
	}
	return r
}

// Review reviews a run, as the reviewer.
func (w World) Review(run int64, decision string) matrix.Reviewed {
	w.T.Helper()
	r, err := matrix.ReviewRun(w.T.Context(), w.DB, w.Reviewer, matrix.ReviewRunCmd{Run: run, Decision: decision, Reason: "As it is."})
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// Ran makes a reviewed run of a case.
func (w World) Ran(slug, key string, outcome matrix.Outcome) (run int64) {
	w.T.Helper()
	run = w.Start(slug, key)
	w.Record(run, outcome)
	w.Review(run, matrix.Accept)
	return run
}

// Waive makes a waiver of a case that both signed.
func (w World) Waive(slug, key string) (waiver int64) {
	w.T.Helper()
	asked, err := matrix.AskWaiver(w.T.Context(), w.DB, w.Implementer, matrix.AskWaiverCmd{Control: slug, Case: key, Reason: "The sandbox cannot do it.",
		Until: time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)})
	for _, by := range []models.Actor{w.Owner, w.Reviewer} {
		if err == nil {
			_, err = matrix.SignWaiver(w.T.Context(), w.DB, by, matrix.SignWaiverCmd{Waiver: asked.Waiver})
		}
	}
	if err != nil {
		w.T.Fatal(err)
	}
	return asked.Waiver
}
