package matrix_test

import (
	"testing"
	"time"

	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

// unread checks who has which events unread, in the order they were told.
func unread(t *testing.T, w matrixtest.World, want string) {
	t.Helper()
	var got string
	if err := w.DB.Query(t.Context()).Raw(`select coalesce(string_agg(p.name || ' ' || n.event, ', ' order by n.id), '')
		from notices n join people p on p.id = n.person_id where n.read_at is null`).Row().Scan(&got); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("unread: %s\nwant: %s", got, want)
	}
}

func TestWhoIsToldOfAProposal(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Create("Create CRM task")
	for range 2 { // the second version takes the place of the first
		w.Propose(w.Proposal(slug, key))
		unread(t, w, "Owner expectation.wanted")
	}
	if _, err := matrix.DecideExpectation(t.Context(), w.DB, w.Owner, matrix.DecideExpectationCmd{Control: slug, Case: key, Version: 2, Decision: matrix.Agree}); err != nil {
		t.Fatal(err)
	}
	unread(t, w, "")
}

func TestWhoIsToldOfARun(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	w.Exec("delete from notices")
	failed := w.Start(slug, key)
	w.Record(failed, matrix.Failed)
	unread(t, w, "Reviewer run.recorded, Owner discrepancy.opened, Reviewer discrepancy.opened")
	w.Review(failed, matrix.Accept)
	unread(t, w, "Owner discrepancy.opened, Reviewer discrepancy.opened")
	retest := w.Start(slug, key)
	w.Record(retest, matrix.Passed)
	unread(t, w, "Owner discrepancy.opened, Reviewer discrepancy.opened, Reviewer run.recorded")
	w.Review(retest, matrix.Accept)
	unread(t, w, "")
}

func TestWhoIsToldOfAWaiver(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	w.Exec("delete from notices")
	ask := func() int64 {
		t.Helper()
		asked, err := matrix.AskWaiver(t.Context(), w.DB, w.Implementer, matrix.AskWaiverCmd{Control: slug, Case: key, Reason: "The sandbox is gone.", Until: time.Now().UTC().AddDate(0, 0, 7).Format(time.DateOnly)})
		if err != nil {
			t.Fatal(err)
		}
		return asked.Waiver
	}
	first := ask()
	unread(t, w, "Owner signature.wanted, Reviewer signature.wanted")
	if _, err := matrix.SignWaiver(t.Context(), w.DB, w.Owner, matrix.SignWaiverCmd{Waiver: first}); err != nil {
		t.Fatal(err)
	}
	unread(t, w, "Reviewer signature.wanted")
	if _, err := matrix.EndWaiver(t.Context(), w.DB, w.Reviewer, matrix.EndWaiverCmd{Waiver: first, Reason: "Run it."}); err != nil {
		t.Fatal(err)
	}
	unread(t, w, "")
}
