package home_test

import (
	"fmt"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

func TestWhatTheMatrixAsksOfWhom(t *testing.T) {
	m := matrixtest.New(t)
	w := m.World
	everybody := []models.Actor{w.Owner, w.Implementer, w.Reviewer, w.Approver, w.Viewer, w.Admin}
	// only says that a need of a kind is that one person's, and how it reads.
	only := func(what, kind string, whose models.Actor, lines ...string) {
		t.Helper()
		for _, by := range everybody {
			if by.ID == whose.ID {
				want(t, what+", "+by.Name, needs(t, w, by, kind), lines...)
			} else {
				want(t, what+", "+by.Name, needs(t, w, by, kind))
			}
		}
	}
	nobody := models.Actor{}
	slug := w.Create("Create task")
	w.FillQuickly(slug)
	const key, card = matrixtest.Key, "/controls/create-task/matrix#c-repeated-delivery"
	only("nothing proposed", "propose", w.Implementer, "Propose what 6 scenarios of Create task must show: Revision 1 cannot be submitted before the business owner agreed every one. (/controls/create-task/matrix)")
	only("nothing proposed", "submit", nobody)

	m.Propose(m.Proposal(slug, key))
	only("proposed", "expectation", w.Owner, "Agree what “Repeated delivery” must show for Create task: Implementer proposed it. Only an agreed scenario can be run. ("+card+")")
	delegate := w.StandIn(w.Owner, w.Person("Deputy", models.Viewer))
	want(t, "a delegate", needs(t, w, delegate, "expectation"), "Agree what “Repeated delivery” must show for Create task: For Owner: Implementer proposed it. Only an agreed scenario can be run. ("+card+")")
	own := w.Implementer
	own.StandsFor = map[int64][]models.Role{w.Owner.ID: w.Owner.Roles}
	want(t, "whoever proposed it, standing in", needs(t, w, own, "expectation"))
	m.Decide(slug, key, matrix.Agree, "")
	only("agreed", "expectation", nobody)

	run := m.Start(slug, key)
	only("started", "record", w.Implementer, fmt.Sprintf("Record run %d of Create task: “Repeated delivery” was started. Record what came of it, or abandon it with a reason. (/runs/%[1]d)", run))
	m.Record(run, matrix.Inconclusive)
	only("recorded", "record", nobody)
	only("recorded", "run", w.Reviewer, fmt.Sprintf("Review run %d of Create task: “Repeated delivery”, recorded as inconclusive. It shows nothing either way, whatever you decide. (/runs/%[1]d)", run))
	m.Review(run, matrix.Return)
	only("returned", "run", nobody)
	only("returned", "returned", w.Implementer, fmt.Sprintf("Run %d of Create task was returned: “Repeated delivery”: “As it is.” Run it again. (/runs/%[1]d)", run))

	failed := m.Start(slug, key)
	m.Record(failed, matrix.Failed)
	line := fmt.Sprintf("Run %d of Create task failed: “Repeated delivery”. Only a passing, accepted retest closes the discrepancy. (/runs/%[1]d)", failed)
	only("failed", "returned", nobody)
	only("failed", "discrepancy", w.Implementer, line)
	m.Review(failed, matrix.Accept)
	retest := m.Start(slug, key)
	only("a retest is under way", "discrepancy", nobody)
	m.Record(retest, matrix.Passed)
	only("a retest waits", "discrepancy", nobody)
	m.Review(retest, matrix.Return)
	only("a retest was returned", "discrepancy", w.Implementer, line)
	m.Ran(slug, key, matrix.Passed)
	only("closed", "discrepancy", nobody)
	only("closed", "run", nobody)

	asked, err := matrix.AskWaiver(t.Context(), w.DB, w.Implementer, matrix.AskWaiverCmd{Control: slug, Case: "partial-success", Reason: "It cannot.", Until: time.Now().UTC().AddDate(0, 0, 9).Format(time.DateOnly)})
	if err != nil {
		t.Fatal(err)
	}
	waive := "Sign or turn down a waiver of Create task: “Partial success” would not be run until then. (/controls/create-task/matrix#c-partial-success)"
	want(t, "asked, owner", needs(t, w, w.Owner, "waiver"), waive)
	want(t, "asked, reviewer", needs(t, w, w.Reviewer, "waiver"), waive)
	if _, err := matrix.SignWaiver(t.Context(), w.DB, w.Owner, matrix.SignWaiverCmd{Waiver: asked.Waiver}); err != nil {
		t.Fatal(err)
	}
	only("signed by the owner", "waiver", w.Reviewer, waive)
	both := w.Owner
	both.StandsFor = map[int64][]models.Role{w.Reviewer.ID: w.Reviewer.Roles}
	want(t, "nobody signs twice", needs(t, w, both, "waiver"))
	if _, err := matrix.SignWaiver(t.Context(), w.DB, w.Reviewer, matrix.SignWaiverCmd{Waiver: asked.Waiver}); err != nil {
		t.Fatal(err)
	}
	only("signed by both", "waiver", nobody)
	want(t, "a waiver stands in", needs(t, w, w.Implementer, "propose"), "Propose what 4 scenarios of Create task must show: Revision 1 cannot be submitted before the business owner agreed every one. (/controls/create-task/matrix)")
	matrixtest.AgreeAll(t, w.DB, slug)
	only("all agreed", "propose", nobody)
	only("all agreed", "submit", w.Implementer, "Submit revision 1 of Create task: Every field is answered, and what every scenario must show is agreed. (/controls/create-task)")
	must[signoff.Submitted](t)(signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version}))
}
