package evidence_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/evidence"
)

const flaggedText = "id,email\n1,first@example.test\n2,second@example.test\ncard 4111 1111 1111 1111\n"

func (w *world) decide(by models.Actor, u evidence.Upload, change func(*evidence.DecideCmd)) (evidence.Attached, error) {
	cmd := evidence.DecideCmd{Upload: u.ID, Place: w.place(by)}
	change(&cmd)
	return evidence.Decide(w.Context(), w.db, by, cmd)
}

func TestRedact(t *testing.T) {
	w := newWorld(t)
	u := w.flag("to person@example.test now.csv", flaggedText)
	if u.Found != 4 || !u.Findings[0].InName || u.Findings[1].Line != 2 || u.Findings[1].Column != 3 || u.Findings[3].Kind != "card" {
		t.Fatalf("%+v", u.Findings)
	}
	excerpts, err := evidence.Excerpts(t.Context(), w.db, u)
	if err != nil || len(excerpts) != 4 || excerpts[2].Before != "2," || excerpts[2].Text != "second@example.test" || excerpts[2].After != "" || excerpts[0].After != " now.csv" {
		t.Fatalf("%+v %v", excerpts, err)
	}
	if _, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.Places = evidence.Redact, []int{0, 1} }); models.AsError(err).Field("places") == "" {
		t.Errorf("places were left without a reason: %v", err)
	}
	done, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.Places = evidence.Redact, []int{0, 1, 2, 3} })
	if err != nil {
		t.Fatal(err)
	}
	a := w.of(done.ID)
	if a.Name != "to [removed: e-mail address] now.csv" || len(a.Redactions) != 2 || a.Redactions[0].N != 3 || a.Redactions[1] != (evidence.Count{Kind: "card", N: 1}) || len(a.Findings) != 0 {
		t.Errorf("%+v", a)
	}
	want := "id,email\n1,[removed: e-mail address]\n2,[removed: e-mail address]\ncard [removed: payment card number]\n"
	if got := w.bytes(a.ID); got != want {
		t.Errorf("%q", got)
	}
	if n := w.number("select count(*) from blob_chunks"); n != 1 {
		t.Errorf("the bytes before are still there: %d chunks", n)
	}
	for _, table := range []string{"audit_events", "uploads", "submissions", "blobs", "evidence"} {
		if n := w.number("select count(*) from " + table + " t where t::text like '%person@example%'"); n != 0 {
			t.Errorf("%s keeps the name", table)
		}
	}
}

func TestReviewerLetsSomeStay(t *testing.T) {
	w := newWorld(t)
	u := w.flag("a.csv", flaggedText)
	keep := func(c *evidence.DecideCmd) { c.Decision, c.Reason = evidence.Keep, "Made-up people." }
	if _, err := w.decide(w.author, u, keep); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the author kept it: %v", err)
	}
	if _, err := w.decide(w.person("Somebody"), u, func(c *evidence.DecideCmd) { c.Decision = evidence.Discard }); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("somebody else removed it: %v", err)
	}
	if _, err := w.decide(w.reviewer, u, func(c *evidence.DecideCmd) { c.Decision = evidence.Keep }); models.AsError(err).Field("reason") == "" {
		t.Errorf("kept without a reason: %v", err)
	}
	done, err := w.decide(w.reviewer, u, func(c *evidence.DecideCmd) {
		c.Decision, c.Places, c.Reason = evidence.Redact, []int{2}, "Made-up people."
	})
	if err != nil {
		t.Fatal(err)
	}
	a := w.of(done.ID)
	if a.AttachedBy != "Implementer" || a.KeptBy != "Reviewer" || len(a.Findings) != 1 || a.Findings[0].N != 2 || a.Redactions[0].Kind != "card" || w.linked[len(w.linked)-1].For != w.author.ID {
		t.Errorf("%+v %+v", a, w.linked)
	}
	if got := w.bytes(a.ID); !strings.Contains(got, "first@example.test") || strings.Contains(got, "4111") {
		t.Error(got)
	}
	whole := w.flag("b.csv", flaggedText)
	done, err = w.decide(w.reviewer, whole, keep)
	if err != nil || w.bytes(done.ID) != flaggedText || w.of(done.ID).Findings[0].N != 2 {
		t.Error(done, err)
	}
}

func TestManyPlaces(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%s %d person-%d@example.test\n", strings.Repeat("filler ", 60), i, i)
	}
	u := w.flag("people.log", b.String())
	if u.Found != 3000 || len(u.Findings) != 200 {
		t.Fatal(u.Found, len(u.Findings))
	}
	every := make([]int, 200)
	for i := range every {
		every[i] = i
	}
	if _, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.Places = evidence.Redact, every }); models.AsError(err).Field("places") == "" {
		t.Errorf("places that are not listed were left: %v", err)
	}
	done, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.All = evidence.Redact, true })
	if err != nil {
		t.Fatal(err)
	}
	got := w.bytes(done.ID)
	if strings.Contains(got, "@") || strings.Count(got, "[removed: e-mail address]") != 3000 || w.of(done.ID).Redactions[0].N != 3000 {
		t.Error("something is left")
	}
}

func TestTwoPeopleDecideOneUpload(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		u := w.flag("a.csv", flaggedText)
		before := w.number("select count(*) from evidence")
		var all sync.WaitGroup
		errs := make([]error, 2)
		all.Go(func() {
			_, errs[0] = evidence.Decide(t.Context(), w.db, w.author, evidence.DecideCmd{Upload: u.ID, Place: w.quiet(w.author), Decision: evidence.Discard})
		})
		all.Go(func() {
			_, errs[1] = evidence.Decide(t.Context(), w.db, w.reviewer, evidence.DecideCmd{Upload: u.ID, Place: w.quiet(w.reviewer), Decision: evidence.Keep, Reason: "Made-up people."})
		})
		all.Wait()
		stands := 0
		for _, err := range errs {
			if err == nil {
				stands++
			} else if !models.IsKind(err, models.KindConflict) {
				t.Error(err)
			}
		}
		attached := w.number("select count(*) from evidence") - before
		if stands != 1 || (attached == 1) != (errs[1] == nil) {
			t.Errorf("%v, %d attached", errs, attached)
		}
	}
}

// quiet is a place that notes nothing, for several at once.
func (w *world) quiet(by models.Actor) evidence.Place {
	p := w.place(by)
	p.Link = func(*models.Tx, evidence.Linked) error { return nil }
	return p
}

func TestDiscard(t *testing.T) {
	w := newWorld(t)
	kept := w.attach("same.txt", "nothing in it")
	u := w.flag("a.csv", flaggedText)
	if waiting, err := evidence.Waiting(t.Context(), w.db, w.author.ID); err != nil || len(waiting) != 1 || waiting[0].ID != u.ID {
		t.Error(waiting, err)
	}
	if _, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision = evidence.Discard }); err != nil {
		t.Fatal(err)
	}
	if n := w.number("select count(*) from blob_chunks"); n != 1 || w.bytes(kept.ID) != "nothing in it" {
		t.Errorf("%d chunks", n)
	}
	if n := w.number("select count(*) from audit_events where action = 'upload.discarded'"); n != 1 {
		t.Errorf("%d events", n)
	}
	if _, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision = evidence.Discard }); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
	if waiting, err := evidence.Waiting(t.Context(), w.db, 0, "/runs/41"); err != nil || len(waiting) != 0 {
		t.Error(waiting, err)
	}
}
