package replay_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/ledger"
	"countersign/models/replay"
)

func TestFromTheRequestToTheEndOfItsAttempt(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-01")
	cmd := w.decision(w.Approver, ref, replay.Approve)
	if err := replay.Saw(t.Context(), w.DB, w.Approver, w.page(w.Approver, ref)); err != nil {
		t.Fatal(err)
	}
	d, err := replay.Decide(t.Context(), w.DB, w.Approver, cmd)
	if err != nil || d.State != replay.Approved || time.Until(d.Expires) > 31*time.Minute || time.Until(d.Expires) < 28*time.Minute {
		t.Fatalf("%+v %v", d, err)
	}
	if w.Audited("replay.approved") != 1 || w.Count("select count(*) from decisions") != 1 || w.Count("select count(*) from authorizations") != 1 || w.told(w.Implementer, "replay.decided", ref) != 1 {
		t.Error("the decision, its audit event, its authorization or its notice is missing")
	}
	if n := w.Count("select count(*) from notices where event = 'replay.requested' and read_at is null"); n != 0 {
		t.Errorf("%d notices still ask for the decision", n)
	}
	started, err := w.start(ref, w.code(ref))
	if err != nil || started.Action != a.Action || started.Number != 2 || started.DestinationKey != a.DestinationKey {
		t.Fatalf("%+v %v", started, err)
	}
	w.is(ref, replay.Started)
	if w.state(ref) != "started" {
		t.Error("the start was not stored")
	}
	w.report(started, ledger.Succeeded, "task-7")
	w.is(ref, replay.Finished)
	if w.sweep() != 1 || w.state(ref) != "finished" || w.Audited("replay.finished") != 1 || w.sweep() != 0 {
		t.Errorf("%s after the sweep", w.state(ref))
	}
	p := w.page(w.Viewer, ref)
	if p.Sentence != "One request, one task." || len(p.Key()) < 4 || p.Key()[0].Value != "sandbox" || len(p.Lookups) != 1 {
		t.Errorf("%q %+v", p.Sentence, p.Key())
	}
	if p.Attempt == nil || p.Attempt.Outcome != ledger.Succeeded || p.Attempt.ResultID != "task-7" || p.Permit.State(time.Now()) != ledger.Used {
		t.Errorf("%+v", p.Attempt)
	}
	var kinds []string
	for _, e := range p.History {
		kinds = append(kinds, e.Kind+" "+e.Did())
	}
	if got := strings.Join(kinds, "; "); got != "asked Asked to try it again; told Level 1 was asked; saw Opened it; decision Approved one attempt; started The attempt was started; ended Finished" {
		t.Error(got)
	}
	for _, sql := range []string{"update requests set reason = 'x'", "update requests set state = 'pending', closed_at = null", "delete from requests", "update decisions set note = 'x'", "delete from request_views"} {
		if w.DB.Query(t.Context()).Exec(sql).Error == nil {
			t.Errorf("%s was allowed", sql)
		}
	}
}

// Every decision by everybody, on the database: who may not changes nothing, and
// the attempt is kept.
func TestRefusedDecisionsChangeNothing(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	stands := func() int {
		return w.Count("select (select count(*) from decisions) + (select count(*) from authorizations) + (select sum(version) from requests) + (select count(*) from audit_events where not refused)")
	}
	before, refused := stands(), 0
	for _, by := range []models.Actor{w.Owner, w.Implementer, w.Reviewer, w.lead, w.Viewer, w.Admin} {
		for _, d := range []replay.Decision{replay.Approve, replay.Reject, replay.Return} {
			if err := w.try(by, w.decision(by, ref, d)); !models.IsKind(err, models.KindForbidden) || err.Error() != w.page(by, ref).May[d].Error() {
				t.Errorf("%s, %s: %v", by.Name, d, err)
			}
			refused++
		}
	}
	for _, by := range []models.Actor{w.Approver, w.Viewer} {
		if err := w.try(by, w.decision(by, ref, replay.Withdraw)); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s withdrew: %v", by.Name, err)
		}
		refused++
	}
	if err := w.try(w.Implementer, w.decision(w.Implementer, ref, replay.Supply)); !models.IsKind(err, models.KindConflict) {
		t.Errorf("supplied what nobody wanted: %v", err)
	}
	refused++
	if stands() != before || w.refusals(ref) != refused || w.Count("select count(*) from audit_events where refused") != refused-1 {
		t.Errorf("%d changes, %d of %d refusals kept", stands()-before, w.refusals(ref), refused)
	}
	for name, change := range map[string]func(*replay.DecideCmd){
		"no reason":        func(c *replay.DecideCmd) { c.Decision, c.Note = replay.Reject, " " },
		"too long a note":  func(c *replay.DecideCmd) { c.Note = strings.Repeat("x", 4001) },
		"another version":  func(c *replay.DecideCmd) { c.Version++ },
		"nothing seen":     func(c *replay.DecideCmd) { c.Seen = "" },
		"no such request":  func(c *replay.DecideCmd) { c.Ref = "RR-99" },
		"no such decision": func(c *replay.DecideCmd) { c.Decision = "escalate" },
	} {
		cmd := w.decision(w.Approver, ref, replay.Approve)
		change(&cmd)
		if err := w.try(w.Approver, cmd); err == nil || models.AsError(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if stands() != before {
		t.Error("a refused decision changed something")
	}
}

func TestTwoApproversAtTheSameInstant(t *testing.T) {
	w := newWorld(t)
	second := w.Person("Second", models.Approver)
	w.Exec("update escalation_policies set latest = latest + 1")
	v := w.ID("insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, person_id) select id, latest, 7, 30, created_by from escalation_policies returning id")
	w.Exec("insert into policy_levels (version_id, number, respond_minutes) values (?, 1, 60)", v)
	w.Exec("insert into level_people (version_id, level, person_id) values (?, 1, ?), (?, 1, ?)", v, w.Approver.ID, v, second.ID)
	for round := range 5 {
		ref, _ := w.asked("request-demo-1" + string(rune('0'+round)))
		approve, reject := w.decision(w.Approver, ref, replay.Approve), w.decision(second, ref, replay.Reject)
		errs := controltest.AtOnce(2, func(i int) error {
			if i == 0 {
				return w.try(w.Approver, approve)
			}
			return w.try(second, reject)
		})
		if (errs[0] == nil) == (errs[1] == nil) || !models.IsKind(errors.Join(errs...), models.KindConflict) {
			t.Fatalf("%v", errs)
		}
		want := map[bool]string{true: "approved", false: "rejected"}[errs[0] == nil]
		id, _ := replay.ParseRef(ref)
		if w.state(ref) != want || w.Count("select count(*) from decisions where request_id = ?", id) != 1 || (w.Count("select count(*) from authorizations where request = ?", ref) == 1) != (want == "approved") {
			t.Errorf("%s, want %s", w.state(ref), want)
		}
		if w.refusals(ref) != 1 {
			t.Error("what came second was not kept")
		}
	}
}

func TestOneApproverTwiceAtOnce(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	cmd := w.decision(w.Approver, ref, replay.Approve)
	cmd.Submission = "the same form"
	for _, err := range controltest.AtOnce(5, func(int) error { return w.try(w.Approver, cmd) }) {
		if err != nil {
			t.Error(err)
		}
	}
	if w.Count("select count(*) from authorizations") != 1 || w.Audited("replay.approved") != 1 {
		t.Error("one form decided twice")
	}
}

// Whatever comes between what was read and the decision, and also at the same
// instant: either the approval is refused and nothing is issued, or it stands and
// the lookup after it makes it stale.
func TestApproveWhileALookupArrives(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-01")
	cmd := w.decision(w.Approver, ref, replay.Approve)
	w.lookup(a.Action, ledger.NotFound)
	err := w.try(w.Approver, cmd)
	if e := models.AsError(err); e == nil || e.Kind != models.KindConflict || e.Code != "stale" || !strings.Contains(e.Message, "Another lookup was recorded.") {
		t.Fatal(err)
	}
	if w.Count("select count(*) from authorizations") != 0 || w.state(ref) != "pending" || w.refusals(ref) != 1 {
		t.Error("something was issued")
	}
	for round := range 6 {
		ref, a := w.asked("request-demo-2" + string(rune('0'+round)))
		cmd := w.decision(w.Approver, ref, replay.Approve)
		errs := controltest.AtOnce(2, func(i int) error {
			if i == 0 {
				return w.try(w.Approver, cmd)
			}
			_, err := ledger.Lookup(t.Context(), w.DB, ledger.Person(w.Implementer), ledger.LookupCmd{Action: a.Action, Method: "GET /tasks", Result: ledger.Found, Results: []string{"task-1"}})
			return err
		})
		if errs[1] != nil {
			t.Fatal(errs[1])
		}
		w.is(ref, replay.Overtaken)
		issued := w.Count("select count(*) from authorizations where request = ?", ref)
		if (issued == 1) != (errs[0] == nil) || w.Count("select count(*) from authorizations where request = ? and used_at is null and ended_at is null", ref) != 0 {
			t.Errorf("%d issued, %v", issued, errs[0])
		}
		if issued == 1 {
			if _, err := w.start(ref, w.code(ref)); !models.IsKind(err, models.KindConflict) {
				t.Errorf("started although it was found: %v", err)
			}
		}
		if w.Count("select count(*) from attempts where action_id = ?", a.Action) != 1 {
			t.Error("it was tried again")
		}
	}
}

func TestStartFiftyTimesAtOnce(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-01")
	w.decide(w.Approver, ref, replay.Approve)
	code := w.code(ref)
	won := 0
	for _, err := range controltest.AtOnce(50, func(int) error {
		_, err := w.start(ref, code)
		return err
	}) {
		switch e := models.AsError(err); {
		case err == nil:
			won++
		case e == nil || e.Kind != models.KindConflict || e.Code != "used" && e.Code != "pending":
			t.Error(err)
		}
	}
	if won != 1 || w.Count("select count(*) from attempts where action_id = ?", a.Action) != 2 || w.state(ref) != "started" || w.refusals(ref) != 49 {
		t.Errorf("%d won, %d attempts, %s, %d refusals", won, w.Count("select count(*) from attempts where action_id = ?", a.Action), w.state(ref), w.refusals(ref))
	}
}

func TestWhatEndsAnApproval(t *testing.T) {
	w := newWorld(t)
	approved := func(request string) (string, ledger.Attempted, string) {
		ref, a := w.asked(request)
		w.decide(w.Approver, ref, replay.Approve)
		return ref, a, w.code(ref)
	}
	for name, c := range map[string]struct {
		happens func(ref string, a ledger.Attempted)
		state   replay.State
		code    string
	}{
		"time":            {func(ref string, _ ledger.Attempted) { w.pass(ref, 31*time.Minute) }, replay.Lapsed, "lapsed"},
		"a late success":  {func(_ string, a ledger.Attempted) { w.report(a, ledger.Succeeded, "task-9") }, replay.Overtaken, "overtaken"},
		"a lookup":        {func(_ string, a ledger.Attempted) { w.lookup(a.Action, ledger.Found, "task-9") }, replay.Overtaken, "overtaken"},
		"an unclear look": {func(_ string, a ledger.Attempted) { w.lookup(a.Action, ledger.Inconclusive) }, replay.Lapsed, "stale"},
		"another rule":    {func(string, ledger.Attempted) { w.rule() }, replay.Lapsed, "stale"},
	} {
		ref, a, code := approved("request " + name)
		c.happens(ref, a)
		w.is(ref, c.state)
		_, err := w.start(ref, code)
		if e := models.AsError(err); e == nil || e.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if w.state(ref) != string(c.state) || w.Count("select count(*) from attempts where action_id = ?", a.Action) != 1 || w.refusals(ref) != 1 {
			t.Errorf("%s: %s", name, w.state(ref))
		}
		if c.state == replay.Lapsed {
			if second := w.ask(a.Action); second == ref {
				t.Errorf("%s: nothing can be asked for any more", name)
			}
		}
	}
}

func TestWhatEndsARequestBeforeADecision(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		happens func(ref string, a ledger.Attempted)
		state   replay.State
	}{
		"a late success": {func(_ string, a ledger.Attempted) { w.report(a, ledger.Succeeded, "task-9") }, replay.Overtaken},
		"a lookup":       {func(_ string, a ledger.Attempted) { w.lookup(a.Action, ledger.Found, "task-9") }, replay.Overtaken},
		"time":           {func(ref string, _ ledger.Attempted) { w.pass(ref, 7*24*time.Hour) }, replay.Expired},
		"a late success while evidence is wanted": {func(ref string, a ledger.Attempted) {
			w.decide(w.Approver, ref, replay.Return)
			w.report(a, ledger.Succeeded, "task-9")
		}, replay.Overtaken},
	} {
		ref, a := w.asked("request " + name)
		c.happens(ref, a)
		w.is(ref, c.state)
		for _, d := range replay.Decisions {
			by := w.Approver
			if d == replay.Supply || d == replay.Withdraw {
				by = w.Implementer
			}
			if err := w.try(by, w.decision(by, ref, d)); !models.IsKind(err, models.KindConflict) {
				t.Errorf("%s, %s: %v", name, d, err)
			}
		}
		if w.state(ref) != string(c.state) {
			t.Errorf("%s: a refused decision did not store where it stands: %s", name, w.state(ref))
		}
	}
	if w.Count("select count(*) from authorizations") != 0 {
		t.Error("something was issued")
	}
}

func TestEvidenceIsWantedAndTheClockStands(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	w.pass(ref, 50*time.Minute)
	w.decide(w.Approver, ref, replay.Return)
	w.pass(ref, 100*24*time.Hour)
	if w.sweep() != 0 || w.state(ref) != "evidence_wanted" {
		t.Fatalf("%s: the clock went on", w.state(ref))
	}
	if w.told(w.Implementer, "replay.decided", ref) != 1 {
		t.Error("who asked was not told")
	}
	p := w.page(w.Implementer, ref)
	if p.May[replay.Supply] != nil || p.May[replay.Withdraw] != nil || p.May[replay.Approve] == nil {
		t.Errorf("%v", p.May)
	}
	w.decide(w.Implementer, ref, replay.Supply)
	p = w.page(w.Approver, ref)
	left := time.Until(p.Ladder[0].DueAt)
	if p.State != replay.Pending || p.Level != 1 || left > 10*time.Minute || left < 8*time.Minute || p.Ladder[1].DueAt.Sub(p.Ladder[0].DueAt) != 30*time.Minute {
		t.Errorf("%s, %s left", p.State, left)
	}
	if d := time.Until(*p.ExpiresAt); d > 7*24*time.Hour-49*time.Minute || d < 7*24*time.Hour-52*time.Minute {
		t.Errorf("expires in %s", d)
	}
	if w.told(w.Approver, "replay.requested", ref) != 2 {
		t.Errorf("the approver was told %d times", w.told(w.Approver, "replay.requested", ref))
	}
	// Who supplies the evidence does not decide about it.
	w.Exec("insert into role_grants (person_id, role) values (?, 'implementer')", w.Approver.ID)
	both := w.Approver
	both.Roles = []models.Role{models.Approver, models.Implementer}
	w.decide(w.Approver, ref, replay.Return)
	w.decide(both, ref, replay.Supply)
	if err := w.try(both, w.decision(both, ref, replay.Approve)); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("who supplied the evidence decided: %v", err)
	}
	w.decide(w.Implementer, ref, replay.Withdraw)
	if w.state(ref) != "withdrawn" || w.Count("select count(*) from actions where request_id is not null") != 0 {
		t.Error(w.state(ref))
	}
}

func TestTheApproverIsRemovedBetweenPageAndClick(t *testing.T) {
	for name, remove := range map[string]func(*world){
		"deactivated":   func(w *world) { w.Exec("update people set active = false where id = ?", w.Approver.ID) },
		"lost the role": func(w *world) { w.Exec("delete from role_grants where person_id = ?", w.Approver.ID) },
	} {
		w := newWorld(t)
		ref, _ := w.asked("request-demo-01")
		stand := w.StandIn(w.Approver, w.Reviewer)
		cmd, delegate := w.decision(w.Approver, ref, replay.Approve), w.decision(stand, ref, replay.Approve)
		remove(w)
		for _, try := range []struct {
			by  models.Actor
			cmd replay.DecideCmd
		}{{w.Approver, cmd}, {stand, delegate}} {
			if err := w.try(try.by, try.cmd); !models.IsKind(err, models.KindForbidden) {
				t.Errorf("%s, %s: %v", name, try.by.Name, err)
			}
		}
		p := w.page(w.lead, ref)
		if p.Ladder[0].Able || !strings.Contains(p.Ladder[0].People[0].WhyNot(), "no longer") {
			t.Errorf("%s is not flagged: %+v", name, p.Ladder[0])
		}
		if p.May[replay.Approve] != nil {
			t.Errorf("%s: nobody is left on level 1, and level 2 waits: %v", name, p.May[replay.Approve])
		}
		w.decide(w.lead, ref, replay.Approve)
	}
	// A new version of the policy leaves open requests as they are.
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	cmd := w.decision(w.Approver, ref, replay.Approve)
	w.policy(w.lead.ID)
	if err := w.try(w.lead, w.decision(w.lead, ref, replay.Approve)); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("a later policy counts: %v", err)
	}
	if err := w.try(w.Approver, cmd); err != nil {
		t.Errorf("the frozen policy does not count: %v", err)
	}
}

func TestADelegateDecidesForSomebody(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	stand := w.StandIn(w.Approver, w.Reviewer)
	w.decide(stand, ref, replay.Reject)
	if w.Count("select count(*) from decisions where person_id = ? and for_person_id = ?", w.Reviewer.ID, w.Approver.ID) != 1 ||
		w.Count("select count(*) from audit_events where action = 'replay.rejected' and person_id = ? and for_person_id = ?", w.Reviewer.ID, w.Approver.ID) != 1 {
		t.Error("it is not said for whom")
	}
	if h := w.page(w.Viewer, ref).History; h[len(h)-1].WhoWords() != "Reviewer for Approver" {
		t.Errorf("%+v", h)
	}
}

func TestConditionsStopTheClickToo(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-01")
	w.Exec("insert into stops (workflow_id, reason, stopped_by) values (?, 'Two tasks were seen.', ?)", w.Workflow, w.Owner.ID)
	if e := models.AsError(w.try(w.Approver, w.decision(w.Approver, ref, replay.Approve))); e == nil || e.Code != "stopped" {
		t.Error(e)
	}
	w.Exec("update stops set lifted_at = now(), lifted_by = stopped_by, lift_reason = 'x'")
	if _, err := ledger.ReportDuplicate(t.Context(), w.DB, w.Implementer, ledger.ReportDuplicateCmd{Action: a.Action, Detail: "Two tasks."}); err != nil {
		t.Fatal(err)
	}
	if e := models.AsError(w.try(w.Approver, w.decision(w.Approver, ref, replay.Approve))); e == nil || e.Code != "duplicate" {
		t.Error(e)
	}
	// Without a documented lookup the approver writes why.
	w.Exec("update duplicates set settled_at = now(), settled_by = ?, done = 'Deleted one.'", w.Owner.ID)
	w.Exec("update operations set lookup_method = ''")
	b := w.claim("request-demo-02")
	w.report(b, ledger.Unknown, "")
	second := w.ask(b.Action)
	cmd := w.decision(w.Approver, second, replay.Approve)
	bare := cmd
	bare.Acknowledged, bare.Note = nil, ""
	if e := models.AsError(w.try(w.Approver, bare)); e == nil || e.Field("ack-lookup") == "" || e.Field("note") == "" {
		t.Errorf("%+v", e)
	}
	if err := w.try(w.Approver, cmd); err != nil {
		t.Error(err)
	}
	if w.Count("select jsonb_array_length(acknowledged) from decisions where note <> '' and seen <> ''") != 1 {
		t.Error("what was ticked is not kept")
	}
	// Rejecting needs none of it.
	w.Exec("insert into stops (workflow_id, reason, stopped_by) values (?, 'Again.', ?)", w.Workflow, w.Owner.ID)
	w.decide(w.Approver, ref, replay.Reject)
}

func TestStartByHand(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	by := func(who models.Actor) (ledger.Attempted, error) {
		return replay.StartByHand(t.Context(), w.DB, who, replay.StartByHandCmd{Once: models.Once{Submission: "form"}, Ref: ref})
	}
	if _, err := by(w.Implementer); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
	w.decide(w.Approver, ref, replay.Approve)
	for _, who := range []models.Actor{w.Owner, w.Reviewer, w.Approver, w.Viewer, w.Admin} {
		if _, err := by(who); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", who.Name, err)
		}
	}
	first, err := by(w.Implementer)
	if err != nil || first.ClaimToken == "" {
		t.Fatal(first, err)
	}
	again, err := by(w.Implementer)
	if err != nil || again.Attempt != first.Attempt || again.ClaimToken != first.ClaimToken {
		t.Errorf("the same form: %+v %v", again, err)
	}
	if p := w.page(w.Viewer, ref); p.State != replay.Started || p.Attempt.By != "Implementer" {
		t.Errorf("%s %+v", p.State, p.Attempt)
	}
	w.report(first, ledger.Failed, "")
	w.is(ref, replay.Finished)
	if second := w.ask(first.Action); second != "RR-2" {
		t.Error(second)
	}
}
