package replay

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/signoff"
	"countersign/models/workflow"
)

var noon = time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)

// Every state with every decision: what is not listed is refused.
func TestEveryStateWithEveryDecision(t *testing.T) {
	allowed := map[State]map[Decision]State{
		Pending:        {Approve: Approved, Reject: Rejected, Return: EvidenceWanted, Withdraw: Withdrawn},
		EvidenceWanted: {Supply: Pending, Withdraw: Withdrawn},
	}
	pairs := 0
	for _, s := range States {
		for _, d := range Decisions {
			pairs++
			to, err := Request{State: s}.Decide(d, "Because.")
			want, ok := allowed[s][d]
			switch {
			case ok && (err != nil || to != want):
				t.Errorf("%s, %s: %s, %v", s, d, to, err)
			case !ok && (!models.IsKind(err, models.KindConflict) || to != s):
				t.Errorf("%s, %s was not refused: %s, %v", s, d, to, err)
			}
			if _, err := (Request{State: s}).Decide(d, ""); ok && (d == Approve) != (err == nil) {
				t.Errorf("%s, %s without a note: %v", s, d, err)
			} else if ok && d != Approve && models.AsError(err).Field("note") == "" {
				t.Errorf("%s without a note does not say so at the note: %v", d, err)
			}
		}
	}
	if pairs != 50 {
		t.Errorf("%d pairs", pairs)
	}
}

func TestEveryStateWithEveryEvent(t *testing.T) {
	allowed := map[State]map[Event]State{
		Pending:        {Expire: Expired, Overtake: Overtaken},
		EvidenceWanted: {Overtake: Overtaken},
		Approved:       {Begin: Started, Lapse: Lapsed, Overtake: Overtaken},
		Started:        {Finish: Finished},
	}
	for _, s := range States {
		for _, e := range Events {
			if got, want := happenings[s][e], allowed[s][e]; got != want {
				t.Errorf("%s, %s: %q, want %q", s, e, got, want)
			}
		}
		if s.Open() != (len(allowed[s]) > 0) {
			t.Errorf("%s is open: %v", s, s.Open())
		}
	}
}

func permit(change func(*ledger.Authorization)) *ledger.Authorization {
	a := &ledger.Authorization{ID: 4, Expires: noon.Add(time.Minute), Seen: ledger.Seen{Attempt: 1, Outcome: ledger.Unknown}}
	if change != nil {
		change(a)
	}
	return a
}

func TestWhereARequestStandsByTheLedgerAndTheClock(t *testing.T) {
	later, earlier, used := noon.Add(time.Hour), noon.Add(-time.Hour), noon.Add(-time.Minute)
	seen, newer := permit(nil).Seen, ledger.Seen{Attempt: 1, Outcome: ledger.Unknown, Lookup: 9}
	usedPermit := permit(func(a *ledger.Authorization) { a.UsedAt, a.Attempt = &used, 7 })
	for _, c := range []struct {
		name   string
		r      Request
		l      Record
		want   State
		ending string
	}{
		{"nothing happened", Request{State: Pending, ExpiresAt: &later}, Record{Action: ledger.Unknown}, Pending, ""},
		{"expired", Request{State: Pending, ExpiresAt: &earlier}, Record{Action: ledger.Unknown}, Expired, "Nobody decided in time."},
		{"expires exactly now", Request{State: Pending, ExpiresAt: &noon}, Record{Action: ledger.Unknown}, Expired, "Nobody decided in time."},
		{"the clock is stopped", Request{State: EvidenceWanted}, Record{Action: ledger.Unknown}, EvidenceWanted, ""},
		{"overtaken", Request{State: Pending, ExpiresAt: &later}, Record{Action: ledger.Succeeded}, Overtaken, "The action succeeded before anybody decided."},
		{"overtaken rather than expired", Request{State: Pending, ExpiresAt: &earlier}, Record{Action: ledger.Succeeded}, Overtaken, "The action succeeded before anybody decided."},
		{"overtaken while evidence is wanted", Request{State: EvidenceWanted}, Record{Action: ledger.Succeeded}, Overtaken, "The action succeeded before anybody decided."},
		{"a worker retries meanwhile", Request{State: Pending, ExpiresAt: &later}, Record{Action: ledger.Pending}, Pending, ""},
		{"approved", Request{State: Approved}, Record{Action: ledger.Unknown, Permit: permit(nil), Seen: &seen}, Approved, ""},
		{"lapsed", Request{State: Approved}, Record{Action: ledger.Unknown, Permit: permit(func(a *ledger.Authorization) { a.Expires = noon })}, Lapsed, "Nobody started the attempt in time."},
		{"stale", Request{State: Approved}, Record{Action: ledger.Unknown, Permit: permit(nil), Seen: &newer}, Lapsed, "Something is newer than what was approved. Another lookup was recorded."},
		{"a list does not ask what is newer", Request{State: Approved}, Record{Action: ledger.Unknown, Permit: permit(nil)}, Approved, ""},
		{"approved and overtaken", Request{State: Approved}, Record{Action: ledger.Succeeded, Permit: permit(nil)}, Overtaken, "The action succeeded before the attempt was started."},
		{"approved and ended by the ledger", Request{State: Approved}, Record{Action: ledger.Unknown, Permit: permit(func(a *ledger.Authorization) { a.EndedAt, a.EndedAs = &used, "overtaken" })}, Overtaken, "The action succeeded before the attempt was started."},
		{"started", Request{State: Approved}, Record{Action: ledger.Pending, Permit: usedPermit}, Started, ""},
		{"started stays started although its time is over", Request{State: Approved}, Record{Action: ledger.Pending, Permit: permit(func(a *ledger.Authorization) { a.UsedAt, a.Attempt, a.Expires = &used, 7, earlier })}, Started, ""},
		{"started and ended at once", Request{State: Approved}, Record{Action: ledger.Succeeded, Permit: usedPermit, Ended: true, Outcome: ledger.Succeeded}, Finished, "The attempt ended as succeeded."},
		{"its lease ended", Request{State: Started, AttemptID: 7}, Record{Action: ledger.Unknown, Permit: usedPermit, Ended: true, Outcome: ledger.Unknown}, Finished, "The attempt ended as unknown."},
		{"under way although the first attempt succeeded late", Request{State: Started, AttemptID: 7}, Record{Action: ledger.Succeeded, Permit: usedPermit}, Started, ""},
		{"rejected stays", Request{State: Rejected}, Record{Action: ledger.Succeeded}, Rejected, ""},
	} {
		c.l.Now = noon
		got := c.r.At(c.l)
		if got.State != c.want || got.Ending != c.ending {
			t.Errorf("%s: %s, %q", c.name, got.State, got.Ending)
		}
		if (got.ClosedAt != nil) != (!c.want.Open() && c.r.State.Open()) {
			t.Errorf("%s: closed %v", c.name, got.ClosedAt)
		}
		if (c.want == Started || c.want == Finished) && got.AttemptID != 7 {
			t.Errorf("%s: attempt %d", c.name, got.AttemptID)
		}
	}
}

func people(ids ...int64) (all []workflow.LevelPerson) {
	for _, id := range ids {
		all = append(all, workflow.LevelPerson{ID: id, Name: "Somebody", Active: true, Holds: true})
	}
	return all
}

// Two levels: 1 and 2 are asked first, then 3. 8 is the workflow's implementer, 9 asked.
func parties(reached int) Parties {
	return Parties{Implementer: 8, Asked: []int64{9}, Reached: reached, Levels: []workflow.Level{{Number: 1, RespondMinutes: 60, People: people(1, 2)}, {Number: 2, RespondMinutes: 30, People: people(3)}}}
}

func as(id int64, roles ...models.Role) models.Actor { return models.Actor{ID: id, Roles: roles} }

func (a actorFor) standsFor(id int64, roles ...models.Role) models.Actor {
	b := models.Actor(a)
	b.StandsFor = map[int64][]models.Role{id: roles}
	return b
}

type actorFor models.Actor

// Every role with everything that can be done to a request.
func TestWhoMayDoWhat(t *testing.T) {
	gone := parties(1)
	gone.Levels[0].People[0].Active = false
	lost := parties(1)
	lost.Levels[0].People[0].Holds = false
	both := parties(1)
	both.Asked = append(both.Asked, 1) // supplied the evidence
	none := Parties{}
	for _, c := range []struct {
		name string
		by   models.Actor
		p    Parties
		may  string // ask, decide, supply, withdraw, start
	}{
		{"business owner", as(20, models.BusinessOwner), parties(1), ""},
		{"an implementer", as(20, models.Implementer), parties(1), "ask supply withdraw start"},
		{"the workflow's implementer", as(8, models.Implementer), parties(1), "ask supply withdraw start"},
		{"reviewer", as(20, models.Reviewer), parties(1), ""},
		{"an approver of no level", as(20, models.Approver), parties(1), ""},
		{"viewer", as(20, models.Viewer), parties(1), ""},
		{"admin", as(20, models.Admin), parties(1), ""},
		{"nobody", models.Actor{}, parties(1), ""},
		{"an approver of level 1", as(1, models.Approver), parties(1), "decide"},
		{"the other of level 1", as(2, models.Approver), parties(1), "decide"},
		{"level 1 once level 2 was reached", as(1, models.Approver), parties(2), "decide"},
		{"level 2 too early", as(3, models.Approver), parties(1), ""},
		{"level 2", as(3, models.Approver), parties(2), "decide"},
		{"an approver of level 1 who left", as(1, models.Approver), gone, ""},
		{"one who lost the role in the meantime", as(1, models.Approver), lost, ""},
		{"one who holds the role no longer as the page knew it", as(1), parties(1), ""},
		{"the delegate of level 1", actorFor(as(20, models.Viewer, models.Reviewer)).standsFor(1, models.Approver), parties(1), "decide"},
		{"the delegate of one who left", actorFor(as(20, models.Reviewer)).standsFor(1, models.Approver), gone, ""},
		{"the delegate of level 2 too early", actorFor(as(20, models.Reviewer)).standsFor(3, models.Approver), parties(1), ""},
		{"a delegate of somebody who is no approver", actorFor(as(20, models.Reviewer)).standsFor(1, models.Reviewer), parties(1), ""},
		{"who asked, an implementer", as(9, models.Implementer), parties(1), "ask supply withdraw start"},
		{"who asked over a token and lost every role", as(9), parties(1), "supply withdraw start"},
		{"who asked, on level 1", as(9, models.Approver), Parties{Asked: []int64{9}, Reached: 1, Levels: []workflow.Level{{Number: 1, People: people(9)}}}, "supply withdraw start"},
		{"who asked, as the delegate of level 1", actorFor(as(9, models.Reviewer)).standsFor(1, models.Approver), parties(1), "supply withdraw start"},
		{"level 1, standing in for who asked", actorFor(as(1, models.Approver)).standsFor(9, models.Implementer), parties(1), "supply withdraw start"},
		{"level 1, who supplied the evidence", as(1, models.Approver), both, "supply withdraw start"},
		{"the delegate of the workflow's implementer", actorFor(as(20, models.Reviewer)).standsFor(8, models.Implementer), parties(1), "ask supply withdraw start"},
		{"the delegate of one who is implementer no longer", actorFor(as(20, models.Reviewer)).standsFor(8, models.Viewer), parties(1), ""},
		{"nobody against nothing", models.Actor{}, none, ""},
	} {
		for what, err := range map[string]error{"ask": MayAsk(c.by, c.p), "decide": MayDecide(c.by, c.p), "supply": MaySupply(c.by, c.p), "withdraw": MayWithdraw(c.by, c.p), "start": MayStart(c.by, c.p)} {
			may := slices.Contains(strings.Fields(c.may), what)
			if may != (err == nil) {
				t.Errorf("%s, %s: %v", c.name, what, err)
			}
			if err != nil && !models.IsKind(err, models.KindForbidden) {
				t.Errorf("%s, %s: %v is no Forbidden", c.name, what, err)
			}
		}
		for _, d := range []Decision{Approve, Reject, Return} {
			if err := May(c.by, d, c.p); (err == nil) != slices.Contains(strings.Fields(c.may), "decide") {
				t.Errorf("%s, %s: %v", c.name, d, err)
			}
		}
	}
	if why := onLevel(as(1, models.Approver), gone); !strings.Contains(why.Error(), "no longer active") {
		t.Errorf("it is not said why: %v", why)
	}
}

func steps() []Step {
	return []Step{{Number: 1, Minutes: 60, DueAt: noon.Add(time.Hour)}, {Number: 2, Minutes: 30, DueAt: noon.Add(90 * time.Minute)}, {Number: 3, Minutes: 30, DueAt: noon.Add(2 * time.Hour)}}
}

func three() Parties {
	p := parties(1)
	p.Levels = append(p.Levels, workflow.Level{Number: 3, People: people(4)})
	return p
}

func TestTheLevelThatTheClockHasCome(t *testing.T) {
	nobody := three()
	nobody.Levels[0].People = nil
	asker := three()
	asker.Levels[0].People = people(9)
	last := three()
	last.Levels[1].People, last.Levels[2].People = nil, nil
	stopped := noon.Add(59 * time.Minute)
	for _, c := range []struct {
		name       string
		r          Request
		p          Parties
		after      time.Duration
		level      int
		unanswered bool
	}{
		{"at the start", Request{Level: 1}, three(), 0, 1, false},
		{"just before it is due", Request{Level: 1}, three(), time.Hour - time.Microsecond, 1, false},
		{"when it is due", Request{Level: 1}, three(), time.Hour, 2, false},
		{"two levels at once, after the servers were down", Request{Level: 1}, three(), 100 * time.Minute, 3, false},
		{"past the last", Request{Level: 1}, three(), 3 * time.Hour, 3, true},
		{"the clock jumped back: who was told stays asked", Request{Level: 2}, three(), 0, 2, false},
		{"the clock jumped back past the end", Request{Level: 3, Unanswered: true}, three(), 0, 3, true},
		{"the clock is stopped", Request{Level: 1, Paused: Pause{At: &stopped}}, three(), 100 * time.Hour, 1, false},
		{"nobody on the first level", Request{Level: 1}, nobody, 0, 2, false},
		{"only who asked on the first level", Request{Level: 1}, asker, 0, 2, false},
		{"nobody on the last levels", Request{Level: 1}, last, time.Hour, 3, false},
	} {
		level, unanswered := c.r.Reached(steps(), c.p, noon.Add(c.after))
		if level != c.level || unanswered != c.unanswered {
			t.Errorf("%s: level %d, unanswered %v", c.name, level, unanswered)
		}
	}
}

func TestTheClockGoesOnWithWhatWasLeft(t *testing.T) {
	office := workflow.Hours{Days: workflow.Weekdays[:5], Opens: 9 * 60, Closes: 17 * 60, Zone: "UTC"}
	friday := time.Date(2026, 5, 15, 16, 30, 0, 0, time.UTC)
	plan := Schedule([]Step{{Number: 1, Minutes: 60}, {Number: 2, Minutes: 30}}, office, friday, 1, 60)
	monday := time.Date(2026, 5, 18, 9, 30, 0, 0, time.UTC)
	if !plan[0].DueAt.Equal(monday) || !plan[1].DueAt.Equal(monday.Add(30*time.Minute)) {
		t.Fatalf("%v", plan)
	}
	expires := friday.Add(7 * 24 * time.Hour)
	r := Request{Level: 1, ExpiresAt: &expires}
	stopped := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC) // a Saturday: 30 minutes of the office are left
	r.Paused = r.Pauses(plan, office, 1, stopped)
	if r.Paused.Minutes != 30 || r.Paused.Seconds != int64(expires.Sub(stopped)/time.Second) {
		t.Fatalf("%+v", r.Paused)
	}
	again := Schedule(plan, office, time.Date(2026, 5, 20, 16, 50, 0, 0, time.UTC), 1, r.Paused.Minutes)
	want := time.Date(2026, 5, 21, 9, 20, 0, 0, time.UTC)
	if !again[0].DueAt.Equal(want) || !again[1].DueAt.Equal(want.Add(30*time.Minute)) {
		t.Errorf("%v", again)
	}
	if later := Schedule(plan, office, want, 2, 10); !later[0].DueAt.Equal(plan[0].DueAt) || !later[1].DueAt.Equal(want.Add(10*time.Minute)) {
		t.Errorf("levels that were passed keep their times: %v", later)
	}
	over := Request{Level: 2, Unanswered: true, ExpiresAt: &noon}
	if p := over.Pauses(plan, office, 2, monday.Add(time.Hour)); p.Minutes != 0 || p.Seconds != 0 {
		t.Errorf("what is over has nothing left: %+v", p)
	}
}

// good is a case in which nothing is in the way.
func good() Case {
	f := ledger.Facts{Standing: ledger.Standing{Action: 5, State: ledger.Unknown}, Now: noon, ReachesCustomers: true, Approved: true, LookupDocumented: true, Counting: ledger.NotFound,
		Gate: signoff.Gate{State: signoff.GateManual, Reasons: []signoff.Reason{{Key: "no_retries", Words: "Revision 1 allows 0 automatic retries."}}}}
	return Case{By: as(1, models.Approver), Parties: parties(1), Facts: f}
}

func TestStopConditions(t *testing.T) {
	earlier, later := noon.Add(-time.Hour), noon.Add(time.Hour)
	kept := func(days int) evidence.Attachment {
		return evidence.Attachment{KeepUntil: noon.AddDate(0, 0, days).Truncate(24 * time.Hour)}
	}
	other := ledger.Seen{Lookup: 3}
	for _, c := range []struct {
		name   string
		change func(*Case)
		key    string
		holds  Holds
	}{
		{"nothing is in the way", func(*Case) {}, "", Fine},
		{"what was seen stands", func(c *Case) { c.Seen = &ledger.Seen{} }, "stale", Fine},
		{"something is newer", func(c *Case) { c.Seen = &other }, "stale", Stops},
		{"stopped", func(c *Case) {
			c.Facts.Gate = signoff.Gate{State: signoff.GateBlocked, Reasons: []signoff.Reason{{Key: "stopped", Words: "x"}}}
		}, "stopped", Stops},
		{"never approved", func(c *Case) { c.Facts.Approved = false }, "never_approved", Stops},
		{"never approved, where nobody is reached", func(c *Case) { c.Facts.Approved, c.Facts.ReachesCustomers = false, false }, "never_approved", Fine},
		{"succeeded", func(c *Case) { c.Facts.State = ledger.Succeeded }, "succeeded", Stops},
		{"held", func(c *Case) { c.Facts.State = ledger.Pending }, "pending", Stops},
		{"nobody looked", func(c *Case) { c.Facts.Counting = "" }, "lookup", Stops},
		{"inconclusive", func(c *Case) { c.Facts.Counting = ledger.Inconclusive }, "lookup", Stops},
		{"certainly failed: no lookup is needed", func(c *Case) { c.Facts.State, c.Facts.Counting = ledger.Failed, "" }, "lookup", Fine},
		{"no lookup is documented", func(c *Case) { c.Facts.Counting, c.Facts.LookupDocumented = "", false }, "lookup", Acknowledge},
		{"none documented, and somebody looked", func(c *Case) { c.Facts.LookupDocumented = false }, "lookup", Fine},
		{"found", func(c *Case) { c.Facts.Counting = ledger.Found }, "found", Stops},
		{"failed, and found", func(c *Case) { c.Facts.State, c.Facts.Counting = ledger.Failed, ledger.Found }, "found", Stops},
		{"found too early to count", func(c *Case) { c.Facts.Counting, c.Facts.FoundUncounted = "", true }, "found", Stops},
		{"found once, not found now", func(c *Case) { c.Facts.FoundUncounted = true }, "found", Acknowledge},
		{"evidence in force", func(c *Case) { c.Evidence = []evidence.Attachment{kept(0)} }, "evidence", Fine},
		{"evidence expired", func(c *Case) { c.Evidence = []evidence.Attachment{kept(-1)} }, "evidence", Stops},
		{"evidence expired, and newer attached", func(c *Case) { c.Evidence = []evidence.Attachment{kept(-1), kept(5)} }, "evidence", Fine},
		{"evidence removed", func(c *Case) { e := kept(5); e.RemovedAt = &earlier; c.Evidence = []evidence.Attachment{e} }, "evidence", Stops},
		{"stale version", func(c *Case) { c.Facts.StaleVersion = true }, "stale_version", Stops},
		{"a duplicate is open", func(c *Case) { c.Facts.Duplicate = "possible" }, "duplicate", Stops},
		{"the key is still known", func(c *Case) { c.Facts.WindowEnds = &later }, "window", Fine},
		{"the key's lifetime passed", func(c *Case) { c.Facts.WindowEnds = &earlier }, "window", Acknowledge},
		{"it passes now", func(c *Case) { c.Facts.WindowEnds = &noon }, "window", Acknowledge},
		{"the review date passed", func(c *Case) {
			c.Facts.Gate.Reasons = append(c.Facts.Gate.Reasons, signoff.Reason{Key: "review_date", Words: "x"})
		}, "review_date", Acknowledge},
		{"an automatic gate", func(c *Case) {
			c.Facts.Gate = signoff.Gate{State: signoff.GateAutomatic, N: 2, Reasons: []signoff.Reason{{Key: "serving", Words: "x"}}}
		}, "", Fine},
		{"observing", func(c *Case) {
			c.Facts.Gate = signoff.Gate{State: signoff.GateObserving, Reasons: []signoff.Reason{{Key: "observe", Words: "x"}}}
		}, "", Fine},
		{"observing past the review date", func(c *Case) {
			c.Facts.Gate = signoff.Gate{State: signoff.GateObserving, Reasons: []signoff.Reason{{Key: "observe", Words: "x"}, {Key: "review_date", Words: "x"}}}
		}, "review_date", Acknowledge},
		{"a discrepancy is open", func(c *Case) {
			c.Facts.Gate.Reasons = append(c.Facts.Gate.Reasons, signoff.Reason{Key: "discrepancy", Words: "x"})
		}, "discrepancy", Acknowledge},
		{"who asked", func(c *Case) { c.Parties.Asked = []int64{1} }, "asker", Stops},
		{"on no level", func(c *Case) { c.By = as(20, models.Approver) }, "level", Stops},
	} {
		one := good()
		c.change(&one)
		all := StopConditions(one)
		var keys []string
		for _, x := range all {
			keys = append(keys, x.Key)
			if x.Words == "" || x.Holds == Stops && x.Instead == "" {
				t.Errorf("%s: %s says nothing: %+v", c.name, x.Key, x)
			}
			want := Fine
			if x.Key == c.key {
				want = c.holds
			}
			if x.Holds != want {
				t.Errorf("%s: %s %s, want %s", c.name, x.Key, x.Holds, want)
			}
		}
		if slices.Contains(keys, "serving") || slices.Contains(keys, "observe") {
			t.Errorf("%s: %v", c.name, keys)
		}
		if c.key != "" && !slices.Contains(keys, c.key) {
			t.Errorf("%s: no condition %s among %v", c.name, c.key, keys)
		}
		err := Refusal(all, nil, "")
		switch {
		case c.holds == Fine && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.holds == Stops && (c.key == "asker" || c.key == "level") != models.IsKind(err, models.KindForbidden):
			t.Errorf("%s: %v", c.name, err)
		case c.holds == Stops && !models.IsKind(err, models.KindForbidden) && models.AsError(err).Code != c.key:
			t.Errorf("%s: %v", c.name, err)
		case c.holds == Acknowledge && models.AsError(err).Field("ack-"+c.key) == "":
			t.Errorf("%s: %v", c.name, err)
		case c.holds == Acknowledge && Refusal(all, []string{c.key}, "I asked by telephone.") != nil:
			t.Errorf("%s: ticking does not help: %v", c.name, Refusal(all, []string{c.key}, "I asked by telephone."))
		}
	}
	one := good()
	one.Facts.Counting, one.Facts.LookupDocumented = "", false
	if err := Refusal(StopConditions(one), []string{"lookup"}, ""); models.AsError(err).Field("note") == "" {
		t.Errorf("without a lookup the reason must be written: %v", err)
	}
}

func TestSeen(t *testing.T) {
	s := ledger.Seen{Attempt: 12, Outcome: ledger.Unknown, Report: 3, Lookup: 4, Rule: "ab12", Duplicate: 5}
	if got, ok := ParseSeen(SeenText(s)); !ok || got != s {
		t.Errorf("%+v %v", got, ok)
	}
	for _, bad := range []string{"", "1.unknown.2.3", "x.unknown.1.1.r", "01.unknown.1.1.r", "1.unknown.1.1.r", "1.unknown.1.1.r.s"} {
		if _, ok := ParseSeen(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
	if Newer(s, s) != "" || !strings.Contains(Newer(s, ledger.Seen{Attempt: 13, Outcome: ledger.Pending}), "Another attempt was started. The action is pending now, and was unknown.") {
		t.Error(Newer(s, ledger.Seen{Attempt: 13, Outcome: ledger.Pending}))
	}
}

func TestRefs(t *testing.T) {
	for text, want := range map[string]bool{"RR-1": true, "RR-118": true, "RR-0": false, "RR-01": false, "RR--1": false, "rr-1": false, "RR-": false, "1": false, "RR-1x": false} {
		if _, ok := ParseRef(text); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}
