package notice_test

import (
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/notice"
)

func TestWhoIsTold(t *testing.T) {
	w := newWorld(t)
	owner, other, actor := w.person("Owner", models.BusinessOwner), w.person("Other", models.Reviewer), w.person("Actor", models.Implementer)
	for name, c := range map[string]struct {
		given func(w world, owner, other, actor models.Actor)
		want  string
	}{
		"each once, zero ids skipped":          {func(world, models.Actor, models.Actor, models.Actor) {}, "Owner"},
		"nobody who is inactive":               {func(w world, o, _, _ models.Actor) { w.exec("update people set active = false where id = ?", o.ID) }, ""},
		"a delegate too, and for whom":         {func(w world, o, d, _ models.Actor) { w.standIn(o, d, 0) }, "Owner, Other for Owner"},
		"a delegation that ran out counts not": {func(w world, o, d, _ models.Actor) { w.standIn(o, d, -1) }, "Owner"},
		"a delegation that was ended counts not": {func(w world, o, d, _ models.Actor) {
			w.standIn(o, d, 3)
			w.exec("update delegations set ended_at = now(), ended_by = person_id")
		}, "Owner"},
		"an inactive delegate counts not": {func(w world, o, d, _ models.Actor) {
			w.standIn(o, d, 3)
			w.exec("update people set active = false where id = ?", d.ID)
		}, "Owner"},
		"a delegate who only reads counts not": {func(w world, o, d, _ models.Actor) {
			w.standIn(o, d, 3)
			w.exec("update role_grants set role = 'viewer' where person_id = ?", d.ID)
		}, "Owner"},
		"the actor as delegate hears of no own act": {func(w world, o, _, a models.Actor) { w.standIn(o, a, 3) }, "Owner"},
		"the delegate of the actor hears of it":     {func(w world, _, d, a models.Actor) { w.standIn(a, d, 3) }, "Owner, Other for Actor"},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.forget(t)
			c.given(w, owner, other, actor)
			w.mustTell(actor, notice.SignatureWanted, "revision 1", owner.ID, 0, owner.ID, actor.ID)
			w.wants(w.told(), c.want)
		})
	}
}

func TestADelegateOfTwoPeopleIsToldOnceForBoth(t *testing.T) {
	w := newWorld(t)
	a, b, d := w.person("Ada", models.Reviewer), w.person("Ben", models.BusinessOwner), w.person("Cleo", models.Approver)
	w.standIn(a, d, 3)
	w.standIn(b, d, 3)
	w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 1", a.ID, b.ID)
	w.wants(w.told(), "Ada, Ben, Cleo for Ada, Ben")
	w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 2", a.ID, d.ID)
	w.wants(w.text("select string_agg(standing_in_for, ';') from notices where key = 'revision 2'"), ";")
}

func TestTellingAgainTellsNobodyTwice(t *testing.T) {
	w := newWorld(t)
	owner, late := w.person("Owner", models.BusinessOwner), w.person("Late", models.Reviewer)
	w.exec("insert into webhooks (name, url, secret, created_by) values ('Chat', 'https://hooks.example.test/', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ?)", owner.ID)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 1", owner.ID) })
	}
	wg.Wait()
	w.wants(w.told(), "Owner")
	w.wants(w.text("select count(*) || ' mails ' || (select count(*) from webhook_deliveries) || ' deliveries ' || (select count(*) from river_job where kind in ('mail', 'webhook')) || ' jobs' from mails"), "1 mails 1 deliveries 2 jobs")
	w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 1", owner.ID, late.ID)
	w.wants(w.told(), "Owner, Late")
	w.mustTell(models.Actor{}, notice.RunToReview, "revision 1", owner.ID)
	w.wants(w.told(), "Owner, Late, Owner")
	w.wants(w.text("select count(*) from webhook_deliveries"), "2")
}

// Whatever the command does afterwards: when it fails, nobody was told.
func TestACommandThatFailsTellsNobody(t *testing.T) {
	w := newWorld(t)
	owner := w.person("Owner", models.BusinessOwner)
	_, err := models.Do(w.Context(), w.db, models.Actor{}, tellCmd{}, func(tx *models.Tx) (int, error) {
		if err := notice.Tell(tx, notice.SignatureWanted, []int64{owner.ID}, notice.Words{Title: "Sign"}, "/", "a"); err != nil {
			t.Fatal(err)
		}
		return 0, models.Conflictf("Somebody was first.")
	})
	if !models.IsKind(err, models.KindConflict) {
		t.Fatal(err)
	}
	w.wants(w.text("select (select count(*) from notices) + (select count(*) from mails) + (select count(*) from river_job)"), "0")
}

func TestTheChoiceOfEmailIsTheGroups(t *testing.T) {
	w := newWorld(t)
	owner := w.person("Owner", models.BusinessOwner)
	w.exec(`insert into mail_choices (person_id, choices) values (?, '{"agree": "hourly", "trouble": "off"}')`, owner.ID)
	for _, e := range []notice.Event{notice.SignatureWanted, notice.WorkflowStopped, notice.RunToReview, notice.ReviewDateNear} {
		w.mustTell(models.Actor{}, e, "a", owner.ID)
	}
	w.wants(w.text("select string_agg(mail, ' ' order by id) from notices"), "hourly off now daily")
	w.wants(w.text("select count(*) from mails"), "1")
}

func TestWordsOfAnyOriginAreKept(t *testing.T) {
	w := newWorld(t)
	owner := w.person("Owner", models.BusinessOwner)
	hostile := "Sign\r\nBcc: everybody@example.test\x00\u2028now " + strings.Repeat("ü", 400) + string([]byte{0xff})
	if err := w.tell(models.Actor{}, notice.SignatureWanted, notice.Words{Title: hostile, Text: strings.Repeat("x\r\n", 2000)}, "/", "a", owner.ID); err != nil {
		t.Fatal(err)
	}
	title := w.text("select title from notices")
	if !strings.HasPrefix(title, "Sign Bcc: everybody@example.test now ü") || strings.ContainsAny(title, "\r\n") || len([]rune(title)) != 300 {
		t.Errorf("%q", title)
	}
	for name, bad := range map[string]func() error{
		"an event that does not exist": func() error { return w.tell(owner, "other", notice.Words{Title: "a"}, "/", "b", owner.ID) },
		"a page of another site":       func() error { return w.tell(owner, notice.RunToReview, notice.Words{Title: "a"}, "//evil.test", "b") },
		"no key":                       func() error { return w.tell(owner, notice.RunToReview, notice.Words{Title: "a"}, "/", "") },
		"no title":                     func() error { return w.tell(owner, notice.RunToReview, notice.Words{Title: " \n"}, "/", "b") },
	} {
		if bad() == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestEveryEventHasOneGroupAndAName(t *testing.T) {
	seen := map[notice.Event]bool{}
	for _, e := range notice.Events() {
		if seen[e] || e.Name() == "" {
			t.Errorf("%s: seen before or without a name", e)
		}
		seen[e] = true
	}
	if len(seen) < 14 {
		t.Errorf("only %d events", len(seen))
	}
}
