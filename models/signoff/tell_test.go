package signoff_test

import (
	"testing"

	"countersign/models"
	"countersign/models/notice"
	"countersign/models/signoff"
)

// told lists who has which titles in the inbox.
func (w world) told(event notice.Event) (all string) {
	w.T.Helper()
	if err := w.DB.Query(w.T.Context()).Raw(`select coalesce(string_agg(p.name || ': ' || n.title, ', ' order by n.id), '')
		from notices n join people p on p.id = n.person_id where n.event = ?`, event).Row().Scan(&all); err != nil {
		w.T.Fatal(err)
	}
	return all
}

func (w world) wants(event notice.Event, want string) {
	w.T.Helper()
	if got := w.told(event); got != want {
		w.T.Errorf("%s: got %q, want %q", event, got, want)
	}
}

// unread checks who still has unread notices of an event.
func (w world) unread(event notice.Event, want string) {
	w.T.Helper()
	var got string
	if err := w.DB.Query(w.T.Context()).Raw(`select coalesce(string_agg(p.name, ' ' order by n.id), '')
		from notices n join people p on p.id = n.person_id where n.event = ? and n.read_at is null`, event).Row().Scan(&got); err != nil {
		w.T.Fatal(err)
	}
	if got != want {
		w.T.Errorf("%s unread by %q, want %q", event, got, want)
	}
}

func TestSignersAreTold(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	first := "Owner: Sign revision 1 of “Create CRM task”, Reviewer: Sign revision 1 of “Create CRM task”" // the implementer submitted it
	w.wants(notice.SignatureWanted, first)
	if _, err := signoff.Withdraw(t.Context(), w.DB, w.Implementer, signoff.WithdrawCmd{Control: slug, Revision: 1}); err != nil {
		t.Fatal(err)
	}
	w.submit(slug)
	w.wants(notice.SignatureWanted, first+", "+first)
	w.unread(notice.SignatureWanted, "Owner Reviewer") // the first wish went with the withdrawal
	w.sign(w.Reviewer, slug, "approve")
	w.unread(notice.SignatureWanted, "Owner")
	w.wants(notice.RevisionDecided, "")
	if _, err := signoff.Sign(t.Context(), w.DB, w.Viewer, w.signs(slug, "approve")); !models.IsKind(err, models.KindForbidden) {
		t.Fatal(err)
	}
	w.sign(w.Owner, slug, "approve")
	w.unread(notice.SignatureWanted, "")
	w.sign(w.Implementer, slug, "approve")
	w.wants(notice.RevisionDecided, "Owner: Revision 1 of “Create CRM task” is approved, Reviewer: Revision 1 of “Create CRM task” is approved")
}

func TestChangesWantedAreTold(t *testing.T) {
	w := newWorld(t)
	w.sign(w.Reviewer, w.submitted(), "changes")
	w.unread(notice.SignatureWanted, "")
	w.wants(notice.RevisionDecided, "Owner: Changes are wanted to revision 1 of “Create CRM task”, Implementer: Changes are wanted to revision 1 of “Create CRM task”")
}

func TestReviewDatesAreToldOnceEach(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	tellAt := func(days int) int {
		t.Helper()
		w.Exec("update revisions set review_date = (now() at time zone 'utc')::date + ?::int", days)
		before := w.Count("select count(*) from notices where event = 'review_date.near'")
		for range 2 {
			if err := signoff.TellReviewDates(t.Context(), w.DB); err != nil {
				t.Fatal(err)
			}
		}
		return w.Count("select count(*) from notices where event = 'review_date.near'") - before
	}
	for _, c := range []struct{ days, told int }{{31, 0}, {30, 3}, {29, 0}, {8, 0}, {7, 3}, {0, 0}, {-1, 3}, {-7, 0}, {-8, 0}} {
		if n := tellAt(c.days); n != c.told {
			t.Errorf("%d days before: %d told, want %d", c.days, n, c.told)
		}
	}
}
