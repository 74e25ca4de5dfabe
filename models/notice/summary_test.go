package notice_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/notice"
	"countersign/models/notice/noticetest"
)

func (w world) choose(who models.Actor, c notice.Choice) {
	w.Helper()
	now, err := notice.MailChoices(w.Context(), w.db, who.ID)
	if err != nil {
		w.Fatal(err)
	}
	for k := range now.ByGroup {
		now.ByGroup[k] = c
	}
	if _, err := notice.ChooseMail(w.Context(), w.db, who, notice.ChooseMailCmd{PersonID: who.ID, Version: now.Version, ByGroup: now.ByGroup}); err != nil {
		w.Fatal(err)
	}
}

// summaries runs the job on two servers at once.
func (w world) summaries() (made int) {
	w.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() {
			n, err := notice.SendSummaries(w.Context(), w.db)
			if err != nil {
				w.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			made += n
		})
	}
	wg.Wait()
	return made
}

func TestOneSummaryOfWhatIsUnread(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	hourly, daily, now := w.person("Hourly", models.Reviewer), w.person("Daily", models.Reviewer), w.person("Now", models.Reviewer)
	w.choose(hourly, notice.Hourly)
	w.choose(daily, notice.Daily)
	w.choose(now, notice.Now)
	for _, key := range []string{"1", "2", "3"} {
		w.mustTell(models.Actor{}, notice.SignatureWanted, key, hourly.ID, daily.ID)
	}
	w.exec("update notices set read_at = now() where key = '3'")
	w.exec("update notices set at = at - interval '1 hour'")
	if n := w.summaries(); n != 1 && n != 2 { // the daily one too when it just turned seven
		t.Errorf("%d summaries", n)
	}
	w.exec("update notices set at = at - interval '1 day'")
	w.summaries()
	if n := w.summaries(); n != 0 {
		t.Errorf("%d more of the same", n)
	}
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	w.wants(strings.Join(box.List(), "\n"), "2 new in Countersign: Sign revision 3 for daily@example.test\n2 new in Countersign: Sign revision 3 for hourly@example.test")
	w.wants(w.text("select count(*) from notices where mail_id is null"), "2") // those that were read
	w.mustTell(models.Actor{}, notice.SignatureWanted, "4", hourly.ID)
	if w.summaries() != 0 {
		t.Error("a summary before the hour is full")
	}
}

func TestALongSummaryIsCut(t *testing.T) {
	w := newWorld(t)
	box := noticetest.New(t, nil)
	p := w.person("Hourly", models.Reviewer)
	w.choose(p, notice.Hourly)
	w.exec(`insert into notices (person_id, event, key, title, path, mail, at) select ?, 'run.recorded', n::text, 'Review run ' || n, '/runs/' || n, 'hourly', now() - interval '2 hours' from generate_series(1, 60) n`, p.ID)
	w.summaries()
	if err := w.send(box.Mailer(), false); err != nil {
		t.Fatal(err)
	}
	plain, rich := box.Kept()[0].Plain, box.Kept()[0].HTML
	for _, text := range []string{"/runs/50", "10 more in your inbox"} {
		if !strings.Contains(plain, text) || !strings.Contains(rich, text) || strings.Contains(plain, "/runs/51") {
			t.Errorf("%q:\n%s", text, plain)
		}
	}
}

func TestWhenASummaryIsDue(t *testing.T) {
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		choice    notice.Choice
		now, want string
		zone      *time.Location
	}{
		{notice.Hourly, "2026-05-08T10:59:59Z", "2026-05-08T10:00:00Z", vienna},
		{notice.Daily, "2026-05-08T04:59:59Z", "2026-05-07T05:00:00Z", vienna}, // 06:59 there
		{notice.Daily, "2026-05-08T05:00:00Z", "2026-05-08T05:00:00Z", vienna},
		{notice.Daily, "2026-01-08T05:30:00Z", "2026-01-07T06:00:00Z", vienna}, // winter
		{notice.Daily, "2026-03-29T06:00:00Z", "2026-03-29T05:00:00Z", vienna}, // the day the clock moves
		{notice.Daily, "2026-05-08T23:00:00Z", "2026-05-08T07:00:00Z", time.UTC},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		if got := notice.SummaryBefore(c.choice, now, c.zone).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.choice, c.now, got, c.want)
		}
	}
}
