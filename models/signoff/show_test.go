package signoff_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/signoff"
)

func TestShow(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	p := w.page(w.Implementer, slug)
	if p.Revision.State != control.Draft || !p.Ready() || p.SubmitRefusal != nil || p.SignRefusal == nil || p.WithdrawRefusal == nil || p.Previous != nil || p.Fingerprints.Full == "" {
		t.Errorf("draft: %+v", p)
	}
	if p := w.page(w.Reviewer, slug); !models.IsKind(p.SubmitRefusal, models.KindForbidden) {
		t.Errorf("the reviewer is shown a button: %v", p.SubmitRefusal)
	}
	s := w.submit(slug)
	p = w.page(w.Owner, slug)
	if p.Revision.FullHash != s.FullHash || p.Fingerprints.Full != s.FullHash || p.SignsAs != signoff.OwnerSlot || p.SignsFor.ID != 0 || p.Last || p.WithdrawRefusal != nil || p.SubmitRefusal == nil || len(p.Accounts) != 2 {
		t.Errorf("in review: %+v", p)
	}
	if p := w.page(w.Viewer, slug); p.SignsAs != "" || !models.IsKind(p.SignRefusal, models.KindForbidden) {
		t.Errorf("a viewer signs: %v", p.SignRefusal)
	}
	w.sign(w.Implementer, slug, "approve")
	w.sign(w.Reviewer, slug, "approve")
	p = w.page(w.Owner, slug)
	if !p.Last {
		t.Error("it is the last signature")
	}
	for _, s := range p.Slots {
		if s.Person.ID == 0 || s.Yours != (s.Slot == signoff.OwnerSlot) || (s.Signature == nil) != (s.Slot == signoff.OwnerSlot) {
			t.Errorf("%+v", s)
		}
	}
	if _, err := signoff.Show(t.Context(), w.DB, w.Owner, "none"); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("%v", err)
	}
	if _, err := signoff.Show(t.Context(), w.DB, w.Owner, "\x00"); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("%v", err)
	}
}

func TestNoteExpired(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	if n, err := signoff.NoteExpired(t.Context(), w.DB); n != 0 || err != nil {
		t.Errorf("%d noted, %v", n, err)
	}
	w.Exec("update revisions set review_date = (now() at time zone 'utc')::date")
	if n, err := signoff.NoteExpired(t.Context(), w.DB); n != 0 || err != nil {
		t.Errorf("the day is not over: %d noted, %v", n, err)
	}
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("the day is not over: %+v", g)
	}
	w.Exec("update revisions set review_date = (now() at time zone 'utc')::date - 1")
	// By the clock, before anything was noted.
	if g := w.gate(slug); g.State != signoff.GateManual {
		t.Errorf("%+v", g)
	}
	if d := w.Show(slug); d.Latest.Shown(d.Now) != control.Expired || d.Approved == nil {
		t.Errorf("%+v", d.Latest)
	}
	counts := make([]int, 4)
	for _, err := range controltest.AtOnce(4, func(i int) (err error) {
		counts[i], err = signoff.NoteExpired(t.Context(), w.DB)
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if n := counts[0] + counts[1] + counts[2] + counts[3]; n != 1 || w.Audited("revision.expired") != 1 {
		t.Errorf("noted %d times, %d audit events", n, w.Audited("revision.expired"))
	}
	if n := w.Count("select count(*) from audit_events where action = 'revision.expired' and person_id is null"); n != 1 {
		t.Error("the system did it")
	}
	// It stays possible to put it right: edit, submit, approve.
	w.Answer(w.Implementer, slug, "review_date", control.Input{State: control.Answered, Date: time.Now().UTC().AddDate(0, 3, 0).Format(time.DateOnly)})
	w.submit(slug)
	w.approve(slug)
	if g := w.gate(slug); g.State != signoff.GateAutomatic {
		t.Errorf("%+v", g)
	}
}

// The list filters by the gate in SQL; each row must be in the list of the
// gate that Decide gives it, and in no other.
func TestListAgreesWithDecide(t *testing.T) {
	w := newWorld(t)
	stopped := w.ID(`insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, created_by) values ('stopped', 'Stopped', ?, ?, ?, ?) returning id`,
		w.Owner.ID, w.Implementer.ID, w.Reviewer.ID, w.Admin.ID)
	w.Exec("insert into stops (workflow_id, reason, stopped_by) values (?, 'Too many.', ?)", stopped, w.Owner.ID)
	w.Exec("insert into stops (workflow_id, reason, stopped_by, lift_reason, lifted_by, lifted_at) values (?, 'Past.', ?, 'Fine.', ?, now())", w.Workflow, w.Owner.ID, w.Owner.ID)
	n := 0
	for _, workflow := range []int64{w.Workflow, stopped} {
		for _, mode := range []string{"enforce", "observe"} {
			for _, retries := range []int{0, 2} {
				for _, days := range []int{-1, 0, 1} {
					n++
					w.Exec(`with c as (insert into controls (slug, name, workflow_id, effect, unresolved, created_by) values (@slug, 'C', @workflow, 'e', 0, @by) returning id),
						r as (insert into revisions (control_id, number, state, started_by, submitted_by, submitted_at, content, design_hash, full_hash, decided_at, mode, automatic_retries, review_date)
							select id, 1, 'approved', @by, @by, now(), '{}', repeat('0', 64), repeat('0', 64), now(), @mode, @retries, (now() at time zone 'utc')::date + cast(@days as int) from c returning id, control_id)
						select 1 from r`, map[string]any{"slug": fmt.Sprint("c-", n), "workflow": workflow, "by": w.Admin.ID, "mode": mode, "retries": retries, "days": days})
				}
			}
		}
	}
	for i := range 3 * 3 * 2 {
		n++
		w.Exec(`with c as (insert into controls (slug, name, workflow_id, effect, unresolved, created_by, waived_until, proven_until, open_discrepancies)
				values (@slug, 'C', @workflow, 'e', 0, @by, current_date + cast(@waived as int), current_date + cast(@proven as int), @open) returning id)
			insert into revisions (control_id, number, state, started_by, submitted_by, submitted_at, content, design_hash, full_hash, decided_at, mode, automatic_retries)
				select id, 1, 'approved', @by, @by, now(), '{}', repeat('0', 64), repeat('0', 64), now(), 'enforce', 2 from c`,
			map[string]any{"slug": fmt.Sprint("c-", n), "workflow": w.Workflow, "by": w.Admin.ID, "waived": []any{nil, -1, 0}[i%3], "proven": []any{nil, -1, 0}[i/3%3], "open": i / 9})
	}
	w.Exec("update controls set latest_revision_id = r.id, approved_revision_id = r.id from revisions r where r.control_id = controls.id")
	w.Create("Never approved")
	n++
	all, err := control.List(t.Context(), w.DB, control.ListFilter{})
	if err != nil || len(all.Items) != n {
		t.Fatalf("%d of %d, %v", len(all.Items), n, err)
	}
	want := map[signoff.GateState]map[string]bool{}
	for _, r := range all.Items {
		g := signoff.RowGate(r)
		if want[g.State] == nil {
			want[g.State] = map[string]bool{}
		}
		want[g.State][r.Slug] = true
		if one := w.gate(r.Slug); one.State != g.State {
			t.Errorf("%s: %s in the list, %s alone", r.Slug, g.State, one.State)
		}
	}
	for _, s := range []signoff.GateState{signoff.GateBlocked, signoff.GateManual, signoff.GateAutomatic, signoff.GateObserving} {
		got, err := control.List(t.Context(), w.DB, control.ListFilter{Gate: string(s)})
		if err != nil || len(got.Items) != len(want[s]) || len(got.Items) == 0 {
			t.Errorf("%s: %d in the list, want %d, %v", s, len(got.Items), len(want[s]), err)
		}
		for _, r := range got.Items {
			if !want[s][r.Slug] {
				t.Errorf("%s is not %s", r.Slug, s)
			}
		}
	}
	for state, count := range map[control.RevisionState]int{control.Approved: 34, control.Expired: 8, control.Draft: 1, control.InReview: 0} {
		if got, err := control.List(t.Context(), w.DB, control.ListFilter{State: state}); err != nil || len(got.Items) != count {
			t.Errorf("%s: %d, %v", state, len(got.Items), err)
		}
	}
}

func TestWhoAsksAndCloses(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	if _, err := control.Ask(t.Context(), w.DB, w.Owner, control.AskCmd{Control: slug, Field: "mode", Body: "Why?"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		by      models.Actor
		asks    bool
		toClose int
	}{{w.Owner, true, 1}, {w.Reviewer, true, 0}, {w.Viewer, false, 0}} {
		p := w.page(c.by, slug)
		if (p.AskRefusal == nil) != c.asks || len(p.ToClose) != c.toClose || len(p.OpenQuestions) != 1 {
			t.Errorf("%s: may ask %v, closes %d of %d", c.by.Name, p.AskRefusal, len(p.ToClose), len(p.OpenQuestions))
		}
	}
}

func TestSubmittingTheSameAgain(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	if _, err := control.OpenDraft(t.Context(), w.DB, w.Owner, control.OpenDraftCmd{Control: slug}); err != nil {
		t.Fatal(err)
	}
	before := w.State()
	_, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
	var blocked *signoff.Blocked
	if !errors.As(err, &blocked) || len(blocked.Conditions) != 1 || blocked.Conditions[0].Key != "difference" || w.State() != before {
		t.Errorf("%v", err)
	}
	if w.page(w.Owner, slug).Ready() {
		t.Error("the page says that it is ready")
	}
	w.Answer(w.Implementer, slug, "review_date", control.Input{State: control.Answered, Date: time.Now().UTC().AddDate(0, 9, 0).Format(time.DateOnly)})
	w.submit(slug)
}
