package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"countersign/models/ledger"
)

// told lists what was told of an event: who and the title.
func (w *world) told(event string) (all string) {
	w.T.Helper()
	if err := w.DB.Query(w.T.Context()).Raw(`select coalesce(string_agg(p.name || ': ' || n.title || case when n.read_at is null then '' else ' (read)' end, '; ' order by n.id), '')
		from notices n join people p on p.id = n.person_id where n.event = ?`, event).Row().Scan(&all); err != nil {
		w.T.Fatal(err)
	}
	return all
}

func (w *world) wants(event, want string) {
	w.T.Helper()
	if got := w.told(event); got != want {
		w.T.Errorf("%s: told %q, want %q", event, got, want)
	}
}

// tells runs the job on several servers at once.
func (w *world) tells() {
	w.T.Helper()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := ledger.TellTrouble(w.T.Context(), w.DB); err != nil {
				w.T.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestAnOutageIsNotToldActionByAction(t *testing.T) {
	w := newWorld(t)
	first := w.claim("request-1")
	w.report(first, ledger.Unknown, "", "")
	w.tells()
	one := fmt.Sprintf("Implementer: The outcome of action %d of “Create CRM task” in Sandbox is unknown", first.Action)
	w.wants("action.unknown", one)
	for i := range 5 {
		w.report(w.claim(fmt.Sprintf("more-%d", i)), ledger.Unknown, "", "")
	}
	w.report(w.claim("fine"), ledger.Succeeded, "task-1", "")
	w.tells()
	w.wants("action.unknown", one) // within the hour
	w.Exec("update trouble_told set at = at - interval '1 hour'")
	w.tells()
	w.wants("action.unknown", one+"; Implementer: 5 outcomes of “Create CRM task” in Sandbox are unknown")
	w.Exec("update trouble_told set at = at - interval '1 hour'")
	w.tells()
	w.wants("action.unknown", one+"; Implementer: 5 outcomes of “Create CRM task” in Sandbox are unknown")
}

func TestAStalledOwnerIsTold(t *testing.T) {
	w := newWorld(t)
	held, fresh := w.claim("request-1"), w.claim("request-2")
	w.tells()
	w.wants("action.stalled", "")
	w.Exec("alter table attempts disable trigger user")
	w.Exec("update attempts set started_at = started_at - interval '61 minutes' where id = ?", held.Attempt)
	w.Exec("alter table attempts enable trigger user")
	w.Exec("update actions set lease_until = lease_until + interval '1 hour' where id in (?, ?)", held.Action, fresh.Action)
	w.tells()
	w.tells()
	w.wants("action.stalled", fmt.Sprintf("Implementer: Action %d of “Create CRM task” in Sandbox is held for over an hour", held.Action))
}

func TestADuplicateIsToldAndAgainWhenConfirmed(t *testing.T) {
	w := newWorld(t)
	a := w.claim("request-1")
	w.report(a, ledger.Succeeded, "task-1", "")
	w.wants("action.duplicate", "")
	report := func() {
		t.Helper()
		if _, err := ledger.ReportDuplicate(t.Context(), w.DB, w.Reviewer, ledger.ReportDuplicateCmd{Action: a.Action, Detail: "Two tasks.", Results: []string{"task-1", "task-2"}}); err != nil {
			t.Fatal(err)
		}
	}
	report()
	title := fmt.Sprintf("A confirmed duplicate: action %d of “Create CRM task” in Sandbox", a.Action)
	w.wants("action.duplicate", "Owner: "+title+"; Implementer: "+title) // not whoever reported it
	report()
	w.wants("action.duplicate", "Owner: "+title+"; Implementer: "+title)
	var d struct{ ID, Version int64 }
	if err := w.DB.Query(t.Context()).Raw("select id, version from duplicates").Scan(&d).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.SettleDuplicate(t.Context(), w.DB, w.Owner, ledger.SettleDuplicateCmd{Duplicate: d.ID, Version: d.Version, Done: "The second task was deleted."}); err != nil {
		t.Fatal(err)
	}
	w.wants("action.duplicate", "Owner: "+title+" (read); Implementer: "+title+" (read)")
}
