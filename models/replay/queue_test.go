package replay_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/replay"
)

func (w *world) queue(by models.Actor, f replay.QueueFilter) models.Page[replay.Item] {
	w.T.Helper()
	p, err := replay.Queue(w.T.Context(), w.DB, by, f)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// lines are the items as kind and number.
func lines(p models.Page[replay.Item]) string {
	var all []string
	for _, i := range p.Items {
		all = append(all, fmt.Sprintf("%s %s %s", i.Kind, i.Ref, i.State))
		if i.NextStep == "" || i.Path == "" || i.Control == "" || i.Workflow == "" || i.Since.IsZero() {
			all = append(all, fmt.Sprintf("INCOMPLETE %+v", i))
		}
	}
	return strings.Join(all, "; ")
}

func TestTheQueueOfEachPerson(t *testing.T) {
	w := newWorld(t)
	late := w.uncertain("request-demo-01")
	first := w.ask(late.Action)
	second, _ := w.asked("request-demo-02")
	third, _ := w.asked("request-demo-03")
	w.pass(first, 10*time.Minute)
	w.decide(w.Approver, third, replay.Return)
	unknown := w.claim("request-demo-04")
	w.report(unknown, ledger.Unknown, "")
	lapsed := w.claim("request-demo-05")
	w.Exec("update attempts set lease_until = clock_timestamp() - interval '1 ms' where id = ?", lapsed.Attempt)
	w.Exec("update actions set lease_until = clock_timestamp() - interval '1 ms' where id = ?", lapsed.Action)
	stalled := w.claim("request-demo-06")
	w.Exec("alter table attempts disable trigger user")
	w.Exec("update attempts set started_at = started_at - interval '2 hours' where id = ?", stalled.Attempt)
	w.Exec("alter table attempts enable trigger user")
	failed := w.claim("request-demo-07")
	w.report(failed, ledger.Failed, "")
	if _, err := ledger.ReportDuplicate(t.Context(), w.DB, w.Reviewer, ledger.ReportDuplicateCmd{Action: failed.Action, Detail: "Two tasks."}); err != nil {
		t.Fatal(err)
	}
	_, err := w.desk.Claim(t.Context(), ledger.Person(w.Implementer), ledger.ClaimCmd{Control: w.slug, Environment: "sandbox", Input: json.RawMessage(`{}`), Worker: "worker-a"})
	if err == nil {
		t.Fatal("a claim without identity was taken")
	}
	all := fmt.Sprintf("confirmed_duplicate A-%d confirmed; replay %s pending; replay %s pending; replay %s evidence_wanted; unknown A-%d unknown; unknown A-%d unknown; review RV-1 identity_missing; stalled A-%d pending",
		failed.Action, first, second, third, unknown.Action, lapsed.Action, stalled.Action)
	got := w.queue(w.Viewer, replay.QueueFilter{View: replay.All})
	if lines(got) != all {
		t.Errorf("all open:\n%s\nwant\n%s", lines(got), all)
	}
	for _, c := range []struct {
		by   models.Actor
		want string
	}{
		{w.Approver, fmt.Sprintf("replay %s pending; replay %s pending", first, second)},
		{w.lead, ""},
		{w.Viewer, ""},
		{w.Admin, ""},
		{w.Owner, fmt.Sprintf("confirmed_duplicate A-%d confirmed; review RV-1 identity_missing", failed.Action)},
		{w.Reviewer, fmt.Sprintf("confirmed_duplicate A-%d confirmed; review RV-1 identity_missing", failed.Action)},
		{w.Implementer, fmt.Sprintf("confirmed_duplicate A-%d confirmed; replay %s evidence_wanted; unknown A-%d unknown; unknown A-%d unknown; stalled A-%d pending", failed.Action, third, unknown.Action, lapsed.Action, stalled.Action)},
		{w.StandIn(w.Approver, w.Viewer), fmt.Sprintf("replay %s pending; replay %s pending", first, second)},
		{w.StandIn(w.Implementer, w.Reviewer), ""},
	} {
		p := w.queue(c.by, replay.QueueFilter{View: replay.Waiting})
		if c.want != "" && lines(p) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.by.Name, lines(p), c.want)
		} else if c.want == "" && len(c.by.StandsFor) == 0 && len(p.Items) != 0 {
			t.Errorf("%s: %s", c.by.Name, lines(p))
		}
		n, err := replay.Count(t.Context(), w.DB, c.by, replay.QueueFilter{View: replay.Waiting})
		if err != nil || n != len(p.Items) {
			t.Errorf("%s: counted %d of %d, %v", c.by.Name, n, len(p.Items), err)
		}
	}
	// By the clock, before anything is noted: the second level is asked too, and a
	// success takes a request away.
	w.pass(first, 51*time.Minute)
	if got := lines(w.queue(w.lead, replay.QueueFilter{View: replay.Waiting})); got != "replay "+first+" pending" {
		t.Errorf("the second level: %s", got)
	}
	w.sweep()
	if got := lines(w.queue(w.lead, replay.QueueFilter{View: replay.Waiting})); got != "replay "+first+" pending" {
		t.Errorf("the second level once it was told: %s", got)
	}
	w.report(late, ledger.Succeeded, "task-1")
	if p := w.queue(w.Viewer, replay.QueueFilter{View: replay.All, Kind: replay.Replay}); p.Items[0].State != "overtaken" || p.Items[0].Outcome != ledger.Succeeded {
		t.Errorf("%s", lines(p))
	}
	w.decide(w.Approver, second, replay.Reject)
	w.sweep()
	p := w.queue(w.Viewer, replay.QueueFilter{View: replay.Closed})
	if got := strings.Join([]string{p.Items[0].Ref, p.Items[0].State, p.Items[1].Ref, p.Items[1].State}, " "); got != first+" overtaken "+second+" rejected" {
		t.Errorf("decided: %s", lines(p))
	}
	if strings.Contains(lines(p), "INCOMPLETE") {
		t.Error(lines(p))
	}
	if p.Items[1].DecidedBy != "Approver" {
		t.Errorf("%+v", p.Items[1])
	}
	if got := w.queue(w.Viewer, replay.QueueFilter{View: replay.All, Workflow: 99}); len(got.Items) != 0 {
		t.Errorf("another workflow: %s", lines(got))
	}
}

func TestTheQueueWalksForwardsAndBackwards(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-01")
	w.Exec(`insert into actions (workflow_id, environment_id, control_id, destination_id, revision_id, rule_id, identity_key, state, attempt_id, lease_until, changed_at)
		select workflow_id, environment_id, control_id, destination_id, revision_id, rule_id, identity_key || n, 'unknown', attempt_id, lease_until, changed_at + n * interval '1 s' from actions, generate_series(1, 130) n where id = ?`, a.Action)
	w.Exec(`insert into requests (action_id, workflow_id, environment_id, control_id, reason, uncertain, policy_id, asked_by, next_at, expires_at)
		select x.id, r.workflow_id, r.environment_id, r.control_id, 'x', 'y', r.policy_id, r.asked_by, r.next_at + (x.id / 3) * interval '1 s', r.expires_at
		from requests r, actions x where r.action_id = ? and x.id <> r.action_id order by x.id limit 70`, a.Action)
	w.Exec("update actions a set request_id = r.id from requests r where r.action_id = a.id")
	for _, c := range []struct {
		by   models.Actor
		f    replay.QueueFilter
		want int
	}{{w.Viewer, replay.QueueFilter{View: replay.All}, 131}, {w.Approver, replay.QueueFilter{View: replay.Waiting}, 71}} {
		var seen []string
		f, pages := c.f, []string{}
		for {
			p := w.queue(c.by, f)
			pages = append(pages, lines(p))
			for _, i := range p.Items {
				seen = append(seen, i.Ref)
			}
			if p.Next == "" {
				break
			}
			f.At = p.Next
		}
		unique := map[string]bool{}
		for _, s := range seen {
			unique[s] = true
		}
		if len(seen) != c.want || len(unique) != c.want || seen[0] != ref {
			t.Fatalf("%d lines, %d of them different, from %s", len(seen), len(unique), seen[0])
		}
		for n := len(pages) - 2; n >= 0; n-- {
			p := w.queue(c.by, f)
			f.At = p.Prev
			if back := w.queue(c.by, f); lines(back) != pages[n] {
				t.Fatalf("back on page %d:\n%s\nwant\n%s", n, lines(back), pages[n])
			}
		}
		if p := w.queue(c.by, f); p.Prev != "" {
			t.Error("there is a page before the first")
		}
		if n, err := replay.Count(t.Context(), w.DB, c.by, c.f); n != min(c.want, replay.CountLimit) || err != nil {
			t.Errorf("counted %d, %v", n, err)
		}
	}
	for _, bad := range []string{"x", "e30", "eyJrIjoieCJ9"} {
		if _, err := replay.Queue(t.Context(), w.DB, w.Viewer, replay.QueueFilter{View: replay.All, At: bad}); !models.IsKind(err, models.KindBadRequest) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestWhatWasDecidedIsOneListTheLatestFirst(t *testing.T) {
	w := newWorld(t)
	first, _ := w.asked("request-demo-01")
	w.decide(w.Approver, first, replay.Reject)
	failed := w.claim("request-demo-02")
	w.report(failed, ledger.Failed, "")
	for _, detail := range []string{"Two tasks.", "Three tasks."} {
		if _, err := ledger.ReportDuplicate(t.Context(), w.DB, w.Reviewer, ledger.ReportDuplicateCmd{Action: failed.Action, Detail: detail}); err != nil {
			t.Fatal(err)
		}
		w.Exec("update duplicates set done = 'One was closed.', settled_by = ?, settled_at = clock_timestamp() where settled_at is null", w.Owner.ID)
	}
	second, _ := w.asked("request-demo-03")
	w.decide(w.Approver, second, replay.Reject)
	if _, err := w.desk.Claim(t.Context(), ledger.Person(w.Implementer), ledger.ClaimCmd{Control: w.slug, Environment: "sandbox", Input: json.RawMessage(`{}`), Worker: "worker-a"}); err == nil {
		t.Fatal("a claim without identity was taken")
	}
	w.Exec("update review_items set state = 'dismissed', decision = 'A test.', decided_by = ?, decided_at = clock_timestamp()", w.Owner.ID)
	w.Exec(`insert into requests (action_id, workflow_id, environment_id, control_id, state, reason, uncertain, policy_id, asked_by, next_at, closed_at)
		select action_id, workflow_id, environment_id, control_id, 'withdrawn', 'x', 'y', policy_id, asked_by, next_at, closed_at - n / 2 * interval '1 s' from requests, generate_series(1, 120) n where id = 1`)
	f := replay.QueueFilter{View: replay.Closed}
	var pages []string
	var seen []string
	for {
		p := w.queue(w.Viewer, f)
		pages = append(pages, lines(p))
		for _, i := range p.Items {
			seen = append(seen, string(i.Kind)+i.Ref)
		}
		if p.Next == "" {
			break
		}
		f.At = p.Next
	}
	want := fmt.Sprintf("review RV-1 dismissed; replay %s rejected; confirmed_duplicate A-%d confirmed; confirmed_duplicate A-%d confirmed; replay ", second, failed.Action, failed.Action)
	if !strings.HasPrefix(pages[0], want) || strings.Contains(strings.Join(pages, ""), "INCOMPLETE") {
		t.Errorf("%s", pages[0])
	}
	if len(seen) != 125 || len(pages) != 3 {
		t.Errorf("%d lines on %d pages", len(seen), len(pages))
	}
	for n := len(pages) - 2; n >= 0; n-- {
		f.At = w.queue(w.Viewer, f).Prev
		if back := w.queue(w.Viewer, f); lines(back) != pages[n] {
			t.Errorf("back on page %d:\n%s\nwant\n%s", n, lines(back), pages[n])
		}
	}
	for kind, want := range map[replay.Kind]int{replay.ReviewItem: 1, replay.ConfirmedDuplicate: 2, replay.PossibleDuplicate: 0, replay.UnknownOutcome: 0} {
		if p := w.queue(w.Viewer, replay.QueueFilter{View: replay.Closed, Kind: kind}); len(p.Items) != want || want > 0 && p.Items[0].DecidedBy != w.Owner.Name {
			t.Errorf("%s: %s", kind, lines(p))
		}
	}
	if p := w.queue(w.Viewer, replay.QueueFilter{View: replay.Closed, Workflow: 99}); len(p.Items) != 0 {
		t.Errorf("another workflow: %s", lines(p))
	}
}
