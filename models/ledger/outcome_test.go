package ledger_test

import (
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
)

func (w *world) facts(action int64) ledger.Facts {
	w.T.Helper()
	f, err := ledger.LoadFacts(w.DB.Query(w.T.Context()), action)
	if err != nil {
		w.T.Fatal(err)
	}
	return f
}

func (w *world) retry(action int64) (ledger.Attempted, error) {
	return ledger.Retry(w.T.Context(), w.DB, w.token(), ledger.RetryCmd{Action: action, Worker: "worker-r"})
}

func (w *world) retries(action int64) ledger.Attempted {
	w.T.Helper()
	a, err := w.retry(action)
	if err != nil {
		w.T.Fatalf("retry: %v", err)
	}
	return a
}

// authorize issues an authorization for what stands now.
func (w *world) authorize(action int64, request string) ledger.Authorization {
	w.T.Helper()
	a, err := models.Do(w.T.Context(), w.DB, w.Approver, nil, func(tx *models.Tx) (ledger.Authorization, error) {
		f, err := ledger.LockFacts(tx, action)
		if err != nil {
			return ledger.Authorization{}, err
		}
		return ledger.IssueAuthorization(tx, ledger.IssueCmd{Action: action, Request: request, Seen: f.Seen, Valid: time.Hour})
	})
	if err != nil {
		w.T.Fatalf("authorize: %v", err)
	}
	return a
}

func (w *world) start(a ledger.Authorization) (ledger.Attempted, error) {
	return ledger.Start(w.T.Context(), w.DB, w.token(), ledger.StartCmd{Request: a.Request, Authorization: a.Code, Worker: "worker-s"})
}

func (w *world) starts(a ledger.Authorization) ledger.Attempted {
	w.T.Helper()
	out, err := w.start(a)
	if err != nil {
		w.T.Fatalf("start: %v", err)
	}
	return out
}

func TestHeartbeats(t *testing.T) {
	w := newWorld(t)
	beat := func(a ledger.Attempted) (ledger.Beat, error) {
		return ledger.Heartbeat(t.Context(), w.DB, w.token(), ledger.HeartbeatCmd{Action: a.Action, ClaimToken: a.ClaimToken})
	}
	a := w.claim("r-1")
	w.Exec("update attempts set lease_until = lease_until - interval '30 s'")
	if b, err := beat(a); err != nil || !b.LeaseUntil.After(a.LeaseUntil.Add(-time.Second)) || b.State != ledger.Pending {
		t.Errorf("%+v %v", b, err)
	}
	if n := w.Count("select count(*) from actions a join attempts t on t.id = a.attempt_id where a.lease_until = t.lease_until"); n != 1 {
		t.Error("the action's lease is its attempt's")
	}
	wrong := a
	wrong.ClaimToken = "ct_x"
	_, err := beat(wrong)
	refusal(t, err, ledger.CodeWrongToken)
	w.endLease(a)
	_, err = beat(a)
	if r := refusal(t, err, ledger.CodeEnded); r.Standing.State != ledger.Unknown {
		t.Errorf("by the clock, without a sweep: %s", r.Standing.State)
	}
	missing := a
	missing.Action = 999
	if _, err := beat(missing); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
	outside := w.token()
	outside.Workflow = 999
	if _, err := ledger.Heartbeat(t.Context(), w.DB, outside, ledger.HeartbeatCmd{Action: a.Action, ClaimToken: a.ClaimToken}); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	b := w.claim("r-2")
	w.report(b, ledger.Failed, "", "rejected")
	_, err = beat(b)
	refusal(t, err, ledger.CodeEnded)
}

func TestOutcomes(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	if out := w.report(a, ledger.Unknown, "", "timeout"); out.State != ledger.Unknown || out.Late {
		t.Errorf("%+v", out)
	}
	if out := w.report(a, ledger.Unknown, "", "timeout"); out.State != ledger.Unknown {
		t.Errorf("the same again: %+v", out)
	}
	if out := w.report(a, ledger.Succeeded, "t-1", ""); out.State != ledger.Succeeded || out.Result != "t-1" {
		t.Errorf("%+v", out)
	}
	_, err := w.outcome(a, ledger.Failed, "", "rejected")
	if r := refusal(t, err, ledger.CodeSucceeded); r.Standing.Result != "t-1" {
		t.Errorf("%+v", r.Standing)
	}
	if n := w.Count("select count(*) from attempt_reports"); n != 2 {
		t.Errorf("%d reports", n)
	}
	b := w.claim("r-2")
	if out := w.report(b, ledger.Failed, "", ""); out.State != ledger.Unknown || out.Kept != ledger.Unknown || out.Detail == "" {
		t.Errorf("a failure without a detail: %+v", out)
	}
	for field, cmd := range map[string]ledger.OutcomeCmd{"outcome": {Outcome: "pending", ClaimToken: "x"}, "claim_token": {Outcome: ledger.Unknown}, "destination_result_id": {Outcome: ledger.Failed, ClaimToken: "x", Result: "t"}} {
		cmd.Action = b.Action
		if _, err := ledger.Outcome(t.Context(), w.DB, w.token(), cmd); models.AsError(err).Field(field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err = ledger.Outcome(t.Context(), w.DB, w.token(), ledger.OutcomeCmd{Action: b.Action, ClaimToken: a.ClaimToken, Outcome: ledger.Succeeded})
	refusal(t, err, ledger.CodeWrongToken)
}

func TestLateSuccessSettlesAndOvertakes(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.endLease(a)
	w.lookup(a.Action, ledger.NotFound)
	grant := w.authorize(a.Action, "RR-1")
	if out := w.report(a, ledger.Failed, "", "rejected"); !out.Late || out.State != ledger.Unknown {
		t.Errorf("a late failure: %+v", out)
	}
	_, err := w.start(grant)
	refusal(t, err, ledger.CodeStale) // something newer than what was seen
	grant = func() ledger.Authorization {
		w.Exec("update authorizations set ended_at = now(), ended_as = 'withdrawn'")
		return w.authorize(a.Action, "RR-2")
	}()
	if out := w.report(a, ledger.Succeeded, "t-1", ""); !out.Late || out.State != ledger.Succeeded || out.Duplicate != "" {
		t.Errorf("%+v", out)
	}
	_, err = w.start(grant)
	if r := refusal(t, err, ledger.CodeOvertaken); r.Standing.State != ledger.Succeeded || r.Standing.Result != "t-1" {
		t.Errorf("%+v", r.Standing)
	}
	if n := w.Count("select count(*) from authorizations where ended_as = 'overtaken'"); n != 1 {
		t.Error("the authorization is over")
	}
}

func TestLateSuccessWhileALaterAttemptIsHeld(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name      string
		end       func(w *world, second ledger.Attempted)
		duplicate string
	}{
		{"one effect", func(w *world, b ledger.Attempted) { w.report(b, ledger.Succeeded, "t-1", "") }, ""},
		{"two effects", func(w *world, b ledger.Attempted) { w.report(b, ledger.Succeeded, "t-2", "") }, "confirmed"},
		{"no result id", func(w *world, b ledger.Attempted) { w.report(b, ledger.Succeeded, "", "") }, "possible"},
		{"unknown", func(w *world, b ledger.Attempted) { w.report(b, ledger.Unknown, "", "") }, "possible"},
		{"failed", func(w *world, b ledger.Attempted) { w.report(b, ledger.Failed, "", "not sent") }, ""},
		{"lease end, swept", func(w *world, b ledger.Attempted) {
			w.endLease(b)
			if n, err := ledger.Sweep(w.T.Context(), w.DB); err != nil || n != 1 {
				w.T.Errorf("swept %d %v", n, err)
			}
		}, "possible"},
		{"lease end, noted by the next call", func(w *world, b ledger.Attempted) {
			w.endLease(b)
			w.report(b, ledger.Failed, "", "not sent")
		}, "possible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := w.claim(c.name)
			w.endLease(a)
			w.lookup(a.Action, ledger.NotFound)
			b := w.starts(w.authorize(a.Action, "RR "+c.name))
			if b.DestinationKey != a.DestinationKey || b.Number != 2 || b.State != ledger.Pending {
				t.Errorf("%+v", b)
			}
			if out := w.report(a, ledger.Succeeded, "t-1", ""); !out.Late || out.State != ledger.Succeeded {
				t.Errorf("%+v", out)
			}
			_, err := ledger.Heartbeat(t.Context(), w.DB, w.token(), ledger.HeartbeatCmd{Action: b.Action, ClaimToken: b.ClaimToken})
			refusal(t, err, ledger.CodeAlreadySucceeded)
			c.end(w, b)
			if f := w.facts(a.Action); f.Duplicate != c.duplicate || f.State != ledger.Succeeded || f.Result != "t-1" {
				t.Errorf("%+v", f)
			}
			if n, err := ledger.Sweep(t.Context(), w.DB); err != nil || n != 0 {
				t.Errorf("nothing is noted twice: %d %v", n, err)
			}
		})
	}
}

func TestLookups(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	if out := w.lookup(a.Action, ledger.Found, "t-1"); out.Counts || out.State != ledger.Pending || out.Detail == "" {
		t.Errorf("while held: %+v", out)
	}
	before := time.Now().Add(-time.Hour)
	w.report(a, ledger.Unknown, "", "")
	early, err := ledger.Lookup(t.Context(), w.DB, ledger.Person(w.Reviewer), ledger.LookupCmd{Action: a.Action, Method: "by hand", Result: ledger.NotFound, Began: &before})
	if err != nil || early.Counts {
		t.Errorf("%+v %v", early, err)
	}
	if f := w.facts(a.Action); f.Counting != "" || !f.FoundUncounted {
		t.Errorf("%+v", f)
	}
	w.lookup(a.Action, ledger.Inconclusive)
	if f := w.facts(a.Action); f.Counting != ledger.Inconclusive {
		t.Errorf("%+v", f)
	}
	if out := w.lookup(a.Action, ledger.Found, "t-1", "t-2", "t-1"); !out.Counts || out.State != ledger.Succeeded || out.Duplicate != "confirmed" {
		t.Errorf("%+v", out)
	}
	future := time.Now().Add(time.Hour)
	for field, cmd := range map[string]ledger.LookupCmd{"method": {Result: ledger.NotFound}, "result": {Method: "m"}, "destination_result_ids": {Method: "m", Result: ledger.Found}, "began_at": {Method: "m", Result: ledger.NotFound, Began: &future}} {
		cmd.Action = a.Action
		if _, err := ledger.Lookup(t.Context(), w.DB, w.token(), cmd); models.AsError(err).Field(field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := ledger.Lookup(t.Context(), w.DB, ledger.Person(w.Viewer), ledger.LookupCmd{Action: a.Action, Method: "m", Result: ledger.NotFound}); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("a viewer: %v", err)
	}
}

func TestRetries(t *testing.T) {
	w := newWorld(t) // two automatic retries
	a := w.claim("r-1")
	_, err := w.retry(a.Action)
	refusal(t, err, ledger.CodePending)
	w.report(a, ledger.Failed, "", "rejected")
	b := w.retries(a.Action)
	if b.Number != 2 || b.DestinationKey != a.DestinationKey || b.State != ledger.Pending || b.ClaimToken == a.ClaimToken {
		t.Errorf("%+v", b)
	}
	w.report(b, ledger.Failed, "", "rejected")
	c := w.retries(a.Action)
	w.report(c, ledger.Failed, "", "rejected")
	_, err = w.retry(a.Action)
	refusal(t, err, ledger.CodeRetriesUsedUp)

	d := w.starts(w.authorize(a.Action, "RR-1"))
	w.report(d, ledger.Failed, "", "rejected")
	_, err = w.retry(a.Action)
	refusal(t, err, ledger.CodeReplayRequired) // an approved replay opens no further automatic ones

	e := w.claim("r-2")
	w.report(e, ledger.Unknown, "", "")
	_, err = w.retry(e.Action)
	refusal(t, err, ledger.CodeLookupRequired)
	w.lookup(e.Action, ledger.NotFound)
	_, err = w.retry(e.Action)
	refusal(t, err, ledger.CodeReplayRequired)
	w.lookup(e.Action, ledger.Found, "t-1")
	_, err = w.retry(e.Action)
	refusal(t, err, ledger.CodeSucceeded)
}

func TestRetryUnderAClosedGate(t *testing.T) {
	w := newWorld(t)
	w.answer("automatic_retries", control.Input{Number: "0"})
	a := w.claim("r-1")
	w.report(a, ledger.Failed, "", "rejected")
	_, err := w.retry(a.Action)
	if r := refusal(t, err, ledger.CodeReplayRequired); len(r.Gate) == 0 {
		t.Errorf("%+v", r)
	}
	w.answer("mode", control.Input{Mode: "observe", Reason: "A week of watching."})
	b := w.retries(a.Action)
	if !b.Observed || b.WouldHave.Code != ledger.CodeRetriesUsedUp {
		t.Errorf("observe refuses nothing: %+v", b)
	}
	if out := w.report(b, ledger.Succeeded, "t-1", ""); out.State != ledger.Succeeded {
		t.Errorf("its success is not thrown away: %+v", out)
	}
}

func TestStaleRetryIsRefusedAndAppealed(t *testing.T) {
	w := newWorld(t)
	cmd := w.cmd("r-1")
	cmd.Version = "1"
	a := w.claims(cmd)
	w.report(a, ledger.Failed, "", "rejected")
	w.deliver("event-9", "r-1", "2")
	_, err := w.retry(a.Action)
	r := refusal(t, err, ledger.CodeStaleVersion)
	if r.Suppressed == 0 || !w.facts(a.Action).StaleVersion {
		t.Fatalf("%+v", r)
	}
	grant := w.authorize(a.Action, "RR-1")
	_, err = w.start(grant)
	refusal(t, err, ledger.CodeStaleVersion)
	item := w.appeal(ledger.AppealCmd{Suppressed: r.Suppressed, Reason: "Version 1 was promised."})
	w.decides(w.Owner, item.Ref(), ledger.AcceptReview, 0)
	w.retries(a.Action)
}

func TestAuthorizationWorksOnce(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Unknown, "", "")
	grant := w.authorize(a.Action, "RR-1")
	if _, err := ledger.Start(t.Context(), w.DB, w.token(), ledger.StartCmd{Request: "RR-2", Authorization: grant.Code, Worker: "w"}); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("of another request: %v", err)
	}
	b := w.starts(grant)
	_, err := w.start(grant)
	refusal(t, err, ledger.CodeUsed)
	w.report(b, ledger.Unknown, "", "")

	late := w.authorize(a.Action, "RR-2")
	w.Exec("update authorizations set expires_at = now() - interval '1 s' where id = ?", late.ID)
	_, err = w.start(late)
	refusal(t, err, ledger.CodeLapsed)

	stale := w.authorize(a.Action, "RR-3")
	w.lookup(a.Action, ledger.Inconclusive)
	_, err = w.start(stale)
	refusal(t, err, ledger.CodeStale)

	w.Exec("update authorizations set ended_at = now(), ended_as = 'withdrawn' where used_at is null")
	again := w.authorize(a.Action, "RR-4")
	w.answer("action_identity", control.Input{Rule: otherRule()})
	_, err = w.start(again)
	refusal(t, err, ledger.CodeStale)

	found, ok, err := ledger.AuthorizationOf(w.DB.Query(t.Context()), "RR-1")
	if err != nil || !ok || found.Attempt != b.Attempt || found.State(time.Now()) != ledger.Used || found.Seen.Attempt != a.Attempt {
		t.Errorf("%+v %v %v", found, ok, err)
	}
	_, err = models.Do(t.Context(), w.DB, w.Approver, nil, func(tx *models.Tx) (ledger.Authorization, error) {
		return ledger.IssueAuthorization(tx, ledger.IssueCmd{Action: a.Action, Request: "RR-5", Seen: grant.Seen, Valid: time.Hour})
	})
	refusal(t, err, ledger.CodeStale)
}

func TestRepeatedRetryAndStart(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Failed, "", "rejected")
	cmd := ledger.RetryCmd{Once: models.Once{Idempotency: &models.Idempotency{Token: 1, Route: "retry", Key: "k"}}, Action: a.Action, Worker: "w"}
	b, err := ledger.Retry(t.Context(), w.DB, w.token(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ledger.Retry(t.Context(), w.DB, w.token(), cmd)
	if err != nil || c.ClaimToken != b.ClaimToken || c.Attempt != b.Attempt || !c.LeaseUntil.Equal(b.LeaseUntil) {
		t.Errorf("%+v %v\nfirst %+v", c, err, b)
	}
	w.report(b, ledger.Succeeded, "t-1", "")
	_, err = ledger.Retry(t.Context(), w.DB, w.token(), cmd)
	if r := refusal(t, err, ledger.CodeLeaseEnded); r.Standing.State != ledger.Succeeded {
		t.Errorf("%+v", r.Standing)
	}
	if n := w.Count("select count(*) from attempts"); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

func TestDuplicatesAreSettledByAPerson(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	report := func(by models.Actor) (ledger.DuplicateRef, error) {
		return ledger.ReportDuplicate(t.Context(), w.DB, by, ledger.ReportDuplicateCmd{Action: a.Action, Results: []string{"t-1", "t-2"}, Detail: "Two tasks in the CRM."})
	}
	if _, err := report(w.Viewer); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("a viewer: %v", err)
	}
	d, err := report(w.Reviewer)
	if err != nil || d.Kind != "confirmed" {
		t.Fatal(d, err)
	}
	if again, err := report(w.Owner); err != nil || again.ID != d.ID {
		t.Errorf("one is open: %+v %v", again, err)
	}
	settle := func(version int64, done string) error {
		_, err := ledger.SettleDuplicate(t.Context(), w.DB, w.Owner, ledger.SettleDuplicateCmd{Duplicate: d.ID, Version: version, Done: done})
		return err
	}
	if err := settle(2, " "); models.AsError(err).Field("done") == "" {
		t.Errorf("without words: %v", err)
	}
	if err := settle(1, "Closed one task."); !models.IsKind(err, models.KindConflict) {
		t.Errorf("more became known: %v", err)
	}
	if err := settle(2, "Closed one task."); err != nil {
		t.Error(err)
	}
	if err := settle(3, "Closed one task."); !models.IsKind(err, models.KindConflict) {
		t.Errorf("settled already: %v", err)
	}
	if w.Audited("action.duplicate_reported") != 2 || w.Audited("action.duplicate_settled") != 1 {
		t.Error("audit")
	}
	if next, err := report(w.Owner); err != nil || next.ID == d.ID {
		t.Errorf("another one later: %+v %v", next, err)
	}
}
