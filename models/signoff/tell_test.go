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

func TestDatesAreToldOnceEach(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	w.Exec("update controls set proven_until = null, waived_until = null")
	for kind, c := range map[string]struct {
		set   string
		steps []struct{ days, told int }
	}{
		"review":   {"update revisions set review_date", []struct{ days, told int }{{31, 0}, {30, 3}, {30, 0}, {8, 3}, {7, 3}, {0, 3}, {-1, 3}, {-8, 0}}},
		"evidence": {"update controls set proven_until", []struct{ days, told int }{{15, 0}, {14, 3}, {14, 0}, {3, 3}, {-1, 3}, {-8, 0}}},
		"waiver":   {"update controls set waived_until", []struct{ days, told int }{{30, 0}, {14, 3}, {2, 3}, {-7, 3}}},
	} {
		for _, step := range c.steps { // each date is another one, so each is told once
			w.Exec(c.set+" = (now() at time zone 'utc')::date + ?::int", step.days)
			before := w.Count("select count(*) from notices where key like '%' || ? || '%'", kind)
			for range 2 {
				if err := signoff.TellDates(t.Context(), w.DB); err != nil {
					t.Fatal(err)
				}
			}
			if n := w.Count("select count(*) from notices where key like '%' || ? || '%'", kind) - before; n != step.told {
				t.Errorf("%s, %d days before: %d told, want %d", kind, step.days, n, step.told)
			}
		}
	}
}

// One date, seen day after day: told 30 and 7 days before, and when it has passed.
func TestOneReviewDateDayByDay(t *testing.T) {
	told := map[int]int{}
	for left := 40; left >= 0; left-- {
		told[signoff.Nearest([]int{7, 30}, left)]++
	}
	if told[0] != 10 || told[30] != 23 || told[7] != 8 {
		t.Errorf("%v", told)
	}
}
