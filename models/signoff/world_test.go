package signoff_test

import (
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

// world is controltest's with the steps of sign-off.
type world struct{ *controltest.World }

func newWorld(t testing.TB) world { return world{controltest.New(t)} }

// filled makes a control that may be submitted.
func (w world) filled() (slug string) {
	w.T.Helper()
	slug = w.Create("Create CRM task")
	w.FillQuickly(slug)
	matrixtest.AgreeAll(w.T, w.DB, slug)
	return slug
}

// submitted makes a control in review.
func (w world) submitted() (slug string) {
	w.T.Helper()
	slug = w.filled()
	w.submit(slug)
	return slug
}

// submit proves the draft and submits it.
func (w world) submit(slug string) signoff.Submitted {
	w.T.Helper()
	matrixtest.Prove(w.T, w.DB, slug)
	s, err := signoff.Submit(w.T.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
	if err != nil {
		w.T.Fatal(err)
	}
	return s
}

// signs is the command that signs what stands now.
func (w world) signs(slug, decision string) signoff.SignCmd {
	w.T.Helper()
	r := w.Show(slug).Latest
	cmd := signoff.SignCmd{Control: slug, Revision: r.Number, Decision: decision, FullHash: r.FullHash}
	if decision == "changes" {
		cmd.Note = "Name the account."
	}
	return cmd
}

func (w world) sign(by models.Actor, slug, decision string) signoff.Signed {
	w.T.Helper()
	s, err := signoff.Sign(w.T.Context(), w.DB, by, w.signs(slug, decision))
	if err != nil {
		w.T.Fatalf("%s signs: %v", by.Name, err)
	}
	return s
}

// approve takes a control from review to approved.
func (w world) approve(slug string) {
	w.T.Helper()
	for _, by := range []models.Actor{w.Implementer, w.Reviewer, w.Owner} {
		w.sign(by, slug, "approve")
	}
}

func (w world) page(by models.Actor, slug string) signoff.Page {
	w.T.Helper()
	p, err := signoff.Show(w.T.Context(), w.DB, by, slug)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

func (w world) gate(slug string) signoff.Gate {
	w.T.Helper()
	g, err := signoff.LoadGate(w.T.Context(), w.DB, slug)
	if err != nil {
		w.T.Fatal(err)
	}
	return g
}

// edit changes one answer.
func (w world) edit(slug, text string) control.Saved {
	w.T.Helper()
	return w.Answer(w.Implementer, slug, "exact_effect", control.Input{State: control.Answered, Text: text})
}
