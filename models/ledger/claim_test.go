package ledger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/workflow"
)

func TestFirstClaimOwnsEverybodyElseGetsItsState(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	if a.State != ledger.Pending || a.Number != 1 || a.ClaimToken == "" || a.LeaseUntil.IsZero() || len(a.DestinationKey) > 64 {
		t.Errorf("owner: %+v", a)
	}
	if want := `cs1:intended_effect:environment="sandbox"|account="crm-sandbox"|effect="create-crm-task"|request_id="r-1"`; a.IdentityKey != want {
		t.Errorf("key %s, want %s", a.IdentityKey, want)
	}
	if len(a.Warnings) != 1 || a.Warnings[0].Code != "not_approved" {
		t.Errorf("warnings of a draft: %+v", a.Warnings)
	}
	r := w.refused(w.cmd("r-1"), ledger.CodeAlready)
	if r.Standing == nil || r.Standing.Action != a.Action || r.Standing.State != ledger.Pending || r.Suppressed == 0 || !models.IsKind(r, models.KindConflict) {
		t.Errorf("already: %+v %+v", r, r.Standing)
	}
	if b := w.claim("r-2"); b.Action == a.Action || b.DestinationKey == a.DestinationKey {
		t.Error("another request is another action")
	}
	if n := w.Count("select coalesce(sum(n), 0) from counters where kind = 'repeat'"); n != 1 {
		t.Errorf("%d repeats counted", n)
	}
}

func TestClaimInputIsChecked(t *testing.T) {
	w := newWorld(t)
	for field, change := range map[string]func(*ledger.ClaimCmd){
		"worker":           func(c *ledger.ClaimCmd) { c.Worker = " " },
		"input":            func(c *ledger.ClaimCmd) { c.Input = json.RawMessage(`{"a":`) },
		"lease_seconds":    func(c *ledger.ClaimCmd) { c.LeaseSeconds = 9 },
		"approved_version": func(c *ledger.ClaimCmd) { c.Version = "two" },
		"repeat":           func(c *ledger.ClaimCmd) { c.Repeat = "RV-1" },
		"delivery_id":      func(c *ledger.ClaimCmd) { c.Delivery = 999 },
	} {
		cmd := w.cmd("r-1")
		change(&cmd)
		_, err := w.desk.Claim(t.Context(), w.token(), cmd)
		if models.AsError(err).Field(field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	cmd := w.cmd("r-1")
	cmd.Repeat = "LR-99"
	if _, err := w.desk.Claim(t.Context(), w.token(), cmd); models.AsError(err).Field("repeat") == "" {
		t.Errorf("a repeat that nobody approved: %v", err)
	}
	for _, cmd := range []ledger.ClaimCmd{{Control: "none", Environment: "sandbox"}, {Control: w.slug, Environment: "none\x00"}} {
		cmd.Input, cmd.Worker = request("r-1"), "w"
		if _, err := w.desk.Claim(t.Context(), w.token(), cmd); !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%s %s: %v", cmd.Control, cmd.Environment, err)
		}
	}
	outside := w.token()
	outside.Environment = w.Production
	if _, err := w.desk.Claim(t.Context(), outside, w.cmd("r-1")); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("outside the token's environment: %v", err)
	}
	if n := w.Count("select count(*) from actions"); n != 0 {
		t.Errorf("%d actions", n)
	}
}

func TestKeysNeverCrossEnvironments(t *testing.T) {
	w := newWorld(t)
	w.approve(w.slug)
	here, there := w.cmd("r-1"), w.cmd("r-1")
	there.Environment = "production"
	a, b := w.claims(here), w.claims(there)
	if a.Action == b.Action || a.DestinationKey == b.DestinationKey {
		t.Error("one key in two environments")
	}
	if len(b.Warnings) != 0 {
		t.Errorf("approved, automatic: %+v", b.Warnings)
	}
}

func TestMissingIdentityGoesToReview(t *testing.T) {
	w := newWorld(t)
	cmd := w.cmd("")
	for i := range 2 {
		r := w.refused(cmd, ledger.CodeIdentityMissing)
		if r.Review != "RV-1" || len(r.Reasons) != 1 || r.Reasons[0].Code != identity.Empty || !models.IsKind(r, models.KindInvalid) {
			t.Errorf("send %d: %+v", i, r)
		}
	}
	if n := w.Count("select times from review_items"); n != 2 {
		t.Errorf("came %d times", n)
	}
	if _, err := w.decide(w.Implementer, "RV-1", ledger.AcceptReview, 0); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the token's creator decides: %v", err)
	}
	w.decides(w.Reviewer, "RV-1", ledger.AcceptReview, 0)
	a := w.claims(cmd)
	if a.IdentityKey != `cs1:reviewed:review="RV-1"` {
		t.Errorf("key %s", a.IdentityKey)
	}
	if r := w.refused(cmd, ledger.CodeAlready); r.Standing.Action != a.Action {
		t.Errorf("once accepted, once claimed: %+v", r.Standing)
	}
	other := w.cmd("")
	other.Input = json.RawMessage(`{"note": 1}`)
	r := w.refused(other, ledger.CodeIdentityMissing)
	w.decides(w.Owner, r.Review, ledger.LinkReview, a.Action)
	if r := w.refused(other, ledger.CodeAlready); r.Standing.Action != a.Action {
		t.Errorf("linked: %+v", r.Standing)
	}
	third := w.cmd("")
	third.Input = json.RawMessage(`{"note": 2}`)
	r = w.refused(third, ledger.CodeIdentityMissing)
	w.decides(w.Owner, r.Review, ledger.DismissReview, 0)
	if r := w.refused(third, ledger.CodeIdentityMissing); !strings.Contains(r.Error(), "dismissed") {
		t.Errorf("dismissed: %v", r)
	}
}

// Keys are looked for under every version of the rule that may have actions.
func TestChangedRuleLetsNoDuplicateThrough(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	rule := identity.Rule{Statement: "Another reading.", Boundary: "Two requests.", Example: `{"request_id": "request-demo-01"}`,
		Components: append(identity.ScopeComponents(), identity.Component{Name: "request", Path: "$.request_id"})}
	w.answer("action_identity", control.Input{Rule: rule})

	r := w.refused(w.cmd("r-1"), ledger.CodeEarlierRule)
	if r.Standing.Action != a.Action || r.Review != "RV-1" {
		t.Fatalf("matches the action of the earlier rule: %+v", r)
	}
	b := w.claim("r-2") // under both versions
	if n := w.Count("select count(*) from action_keys where action_id = ?", b.Action); n != 2 {
		t.Errorf("%d keys", n)
	}
	w.refused(w.cmd("r-2"), ledger.CodeAlready)

	w.decides(w.Reviewer, "RV-1", ledger.LinkReview, a.Action)
	if r := w.refused(w.cmd("r-1"), ledger.CodeAlready); r.Standing.Action != a.Action {
		t.Errorf("linked: %+v", r.Standing)
	}
	if n := w.Count("select count(*) from action_keys where action_id = ?", a.Action); n != 2 {
		t.Errorf("a linked input gives the action its key under the new rule: %d", n)
	}

	// Back to the first rule: r-2 and the linked r-1 are found all the same.
	w.answer("action_identity", control.Input{Rule: identity.Rule{Statement: "The first again.", Boundary: "Two requests.", Example: `{"request_id": "request-demo-01"}`,
		Components: append(identity.ScopeComponents(), identity.Component{Name: "request_id", Path: "$.request_id"})}})
	if r := w.refused(w.cmd("r-2"), ledger.CodeAlready); r.Standing.Action != b.Action {
		t.Errorf("back to the first rule: %+v", r.Standing)
	}
	if n := w.Count("select count(*) from claim_rules"); n != 2 {
		t.Errorf("%d rules with keys", n)
	}
}

func TestAcceptedMatchUnderEarlierRuleIsAnotherAction(t *testing.T) {
	w := newWorld(t)
	coarse := identity.Rule{Statement: "All of one kind.", Boundary: "Two kinds.", Example: `{"request_id": "request-demo-01", "kind": "a"}`,
		Components: append(identity.ScopeComponents(), identity.Component{Name: "kind", Path: "$.kind"})}
	fine := identity.Rule{Statement: "Each request.", Boundary: "Two requests.", Example: `{"request_id": "request-demo-01", "kind": "a"}`,
		Components: append(identity.ScopeComponents(), identity.Component{Name: "request_id", Path: "$.request_id"})}
	w.answer("action_identity", control.Input{Rule: coarse})
	first, second := w.cmd(""), w.cmd("")
	first.Input, second.Input = json.RawMessage(`{"request_id": "r-1", "kind": "a"}`), json.RawMessage(`{"request_id": "r-2", "kind": "a"}`)
	a := w.claims(first)
	w.refused(second, ledger.CodeAlready)
	w.answer("action_identity", control.Input{Rule: fine})
	r := w.refused(second, ledger.CodeEarlierRule)
	w.decides(w.Reviewer, r.Review, ledger.AcceptReview, 0)
	if b := w.claims(second); b.Action == a.Action {
		t.Error("accepted: an action of its own")
	}
	w.refused(second, ledger.CodeAlready)
	third := second
	third.Input = json.RawMessage(`{"request_id": "r-3", "kind": "a"}`)
	if r := w.refused(third, ledger.CodeEarlierRule); r.Review == "RV-1" {
		t.Error("one acceptance is for one input")
	}
}

func TestNewerVersionsAreNotOvertaken(t *testing.T) {
	w := newWorld(t)
	v := func(id, version string) ledger.ClaimCmd { c := w.cmd(id); c.Version = version; return c }
	w.claims(v("r-1", "2"))
	if r := w.refused(w.cmd("r-1"), ledger.CodeAlready); r == nil {
		t.Error("a claim without a version is not stale")
	}
	// The same record under another control, so under another key.
	other := w.Create("Send confirmation")
	w.FillQuickly(other)
	stale := v("r-1", "1")
	stale.Control = other
	r := w.refused(stale, ledger.CodeStaleVersion)
	if !strings.Contains(r.Error(), "Version 1 is older than 2") || r.Suppressed == 0 {
		t.Errorf("%v", r)
	}
	w.claims(v("r-2", "007"))
	stale = v("r-2", "-3")
	stale.Control = other
	w.refused(stale, ledger.CodeStaleVersion)

	item := w.appeal(ledger.AppealCmd{Suppressed: r.Suppressed, Reason: "The confirmation of version 1 was never sent."})
	if again := w.appeal(ledger.AppealCmd{Suppressed: r.Suppressed, Reason: "Again."}); again.ID != item.ID {
		t.Error("asking again answers with the first")
	}
	stale = v("r-1", "1")
	stale.Control = other
	w.refused(stale, ledger.CodeStaleVersion)
	w.decides(w.Reviewer, item.Ref(), ledger.AcceptReview, 0)
	third := w.Create("Book visit")
	w.FillQuickly(third)
	newer := v("r-1", "3")
	newer.Control = third
	w.claims(newer)
	if r := w.refused(stale, ledger.CodeStaleVersion); !strings.Contains(r.Error(), "older than 3") {
		t.Errorf("an acceptance does not outlive the newest that was judged: %v", r)
	}
}

func TestVersionsByTime(t *testing.T) {
	w := newWorld(t)
	w.Exec("update workflows set version_order = 'rfc3339'")
	other := w.Create("Send confirmation")
	w.FillQuickly(other)
	cmd := w.cmd("r-1")
	cmd.Version = "2026-05-31T10:00:00.000000002+02:00"
	w.claims(cmd)
	cmd.Control = other
	cmd.Version = "2026-05-31T08:00:00.000000001Z"
	w.refused(cmd, ledger.CodeStaleVersion)
	cmd.Version = "2026-05-31T08:00:00.000000002Z" // the same instant
	w.claims(cmd)
	cmd.Version = "2026-05-31T08:00:00.0000000021Z"
	if _, err := w.desk.Claim(t.Context(), w.token(), cmd); models.AsError(err).Field("approved_version") == "" {
		t.Errorf("finer than a nanosecond: %v", err)
	}
}

func TestLegitimateRepeatIsCarriedOnce(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	r := w.refused(w.cmd("r-1"), ledger.CodeAlready)
	item := w.appeal(ledger.AppealCmd{Suppressed: r.Suppressed, Reason: "The customer asked for a second visit."})
	if item.Ref()[:3] != "LR-" || item.Action != a.Action || item.State != ledger.ReviewOpen {
		t.Fatalf("%+v", item)
	}
	carrying := w.cmd("r-1")
	carrying.Repeat = item.Ref()
	if r := w.refused(carrying, ledger.CodeNotApproved); r.Review != item.Ref() {
		t.Errorf("%+v", r)
	}
	w.decides(w.Reviewer, item.Ref(), ledger.AcceptReview, 0)
	wrong := w.cmd("r-2")
	wrong.Repeat = item.Ref()
	if _, err := w.desk.Claim(t.Context(), w.token(), wrong); models.AsError(err).Field("repeat") == "" {
		t.Errorf("another input: %v", err)
	}
	b := w.claims(carrying)
	if b.Action == a.Action || b.DestinationKey == a.DestinationKey || !strings.HasSuffix(b.IdentityKey, `|legitimate-repeat="`+item.Ref()+`"`) {
		t.Errorf("%+v", b)
	}
	if r := w.refused(carrying, ledger.CodeAlready); r.Standing.Action != b.Action {
		t.Errorf("carried once: %+v", r.Standing)
	}
	if r := w.refused(w.cmd("r-1"), ledger.CodeAlready); r.Standing.Action != a.Action {
		t.Errorf("without it, the first action: %+v", r.Standing)
	}
	ahead := w.appeal(ledger.AppealCmd{Action: a.Action, Reason: "A third will come."})
	if again := w.appeal(ledger.AppealCmd{Action: a.Action, Reason: "A third will come."}); again.ID != ahead.ID || ahead.ID == item.ID {
		t.Error("one open for an action")
	}
	w.decides(w.Owner, ahead.Ref(), ledger.AcceptReview, 0)
	carrying.Repeat = ahead.Ref()
	w.claims(carrying)
}

func TestStopIsInForceAtOnceOnEveryDesk(t *testing.T) {
	w := newWorld(t)
	other := ledger.NewDesk(w.DB, true)
	a := w.claim("r-1")
	if _, err := other.Claim(t.Context(), w.token(), w.cmd("r-2")); err != nil {
		t.Fatal(err)
	}
	if _, err := workflow.Stop(t.Context(), w.DB, w.Reviewer, workflow.StopCmd{Slug: "service-request", Reason: "Two tasks were seen."}); err != nil {
		t.Fatal(err)
	}
	for i, d := range []*ledger.Desk{w.desk, other} {
		for _, id := range []string{"r-1", "r-3"} {
			_, err := d.Claim(t.Context(), w.token(), w.cmd(id))
			if r := refusal(t, err, ledger.CodeStopped); !models.IsKind(r, models.KindLocked) || !strings.Contains(r.Error(), "Two tasks were seen.") {
				t.Errorf("desk %d: %v", i, err)
			}
		}
	}
	if _, err := ledger.Heartbeat(t.Context(), w.DB, w.token(), ledger.HeartbeatCmd{Action: a.Action, ClaimToken: a.ClaimToken}); err != nil {
		t.Errorf("a heartbeat is still taken: %v", err)
	}
	w.report(a, ledger.Failed, "", "not sent")
	if _, err := ledger.Retry(t.Context(), w.DB, w.token(), ledger.RetryCmd{Action: a.Action, Worker: "w"}); err == nil {
		t.Error("a retry went through a stop")
	} else {
		refusal(t, err, ledger.CodeStopped)
	}
	w.lookup(a.Action, ledger.NotFound)
}

func TestProductionIsBlockedUntilApproved(t *testing.T) {
	w := newWorld(t)
	cmd := w.cmd("r-1")
	cmd.Environment = "production"
	if r := w.refused(cmd, ledger.CodeBlocked); !models.IsKind(r, models.KindLocked) {
		t.Errorf("%v", r)
	}
	w.approve(w.slug)
	w.claims(cmd)
	w.Exec("update revisions set review_date = current_date - 1 where state = 'approved'")
	w.desk = ledger.NewDesk(w.DB, false)
	cmd.Input = request("r-2")
	if a := w.claims(cmd); len(a.Warnings) != 1 || a.Warnings[0].Code != "review_date" {
		t.Errorf("a first claim goes on, loudly marked: %+v", a.Warnings)
	}
}

func TestObserveRefusesNothingAndCounts(t *testing.T) {
	w := newWorld(t)
	w.answer("mode", control.Input{Mode: "observe", Reason: "A first week of watching."})
	a := w.claim("r-1")
	if a.Observed || a.WouldHave != nil {
		t.Errorf("a first claim: %+v", a)
	}
	b := w.claim("r-1")
	if !b.Observed || b.WouldHave == nil || b.WouldHave.Code != ledger.CodeAlready || b.Action != a.Action || b.Number != 2 || b.ClaimToken == a.ClaimToken {
		t.Errorf("a repeat: %+v", b)
	}
	if out := w.report(b, ledger.Succeeded, "t-2", ""); out.State != ledger.Pending {
		t.Errorf("an observed attempt does not settle what another holds: %+v", out)
	}
	if out := w.report(a, ledger.Succeeded, "t-1", ""); out.State != ledger.Succeeded || out.Duplicate != "confirmed" {
		t.Errorf("two effects, whoever let them through: %+v", out)
	}
	missing := w.claim("")
	if !missing.Observed || missing.WouldHave.Code != ledger.CodeIdentityMissing || missing.WouldHave.Review == "" {
		t.Errorf("%+v", missing)
	}
	if again := w.claim(""); again.Action == missing.Action {
		t.Error("nothing identifies two inputs without identity as one")
	}
	if n := w.Count("select coalesce(sum(n), 0) from counters where kind = 'would_have'"); n != 3 {
		t.Errorf("%d counted", n)
	}
	w.Exec("insert into stops (workflow_id, reason, stopped_by) values (?, 'x', ?)", w.Workflow, w.Owner.ID)
	w.refused(w.cmd("r-1"), ledger.CodeStopped)
}

func TestRepeatedCallGetsItsFirstAnswerWhileTheLeaseLives(t *testing.T) {
	w := newWorld(t)
	cmd := w.cmd("r-1")
	cmd.Idempotency = &models.Idempotency{Token: 1, Route: "POST /api/v1/actions/claim", Key: "k-1", Body: [32]byte{1}}
	ctx, repeated := models.WatchRepeats(t.Context())
	a, err := w.desk.Claim(ctx, w.token(), cmd)
	if err != nil || *repeated {
		t.Fatal(err, *repeated)
	}
	b, err := w.desk.Claim(ctx, w.token(), cmd)
	if err != nil || !*repeated {
		t.Fatal(err, *repeated)
	}
	if x, y := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b); x != y {
		t.Errorf("two answers:\n%s\n%s", x, y)
	}
	if _, err := ledger.Heartbeat(ctx, w.DB, w.token(), ledger.HeartbeatCmd{Action: b.Action, ClaimToken: b.ClaimToken}); err != nil {
		t.Errorf("the token made again opens the attempt: %v", err)
	}
	form := w.cmd("r-form")
	form.Submission = "form-1"
	if x, y := w.claims(form), w.claims(form); x.ClaimToken != y.ClaimToken || x.Attempt != y.Attempt {
		t.Error("a form sent twice")
	}
	other := cmd
	mismatch := *cmd.Idempotency
	mismatch.Body = [32]byte{2}
	other.Idempotency = &mismatch
	if _, err := w.desk.Claim(ctx, w.token(), other); models.AsError(err) == nil || models.AsError(err).Code != models.CodeIdempotencyMismatch {
		t.Errorf("another body: %v", err)
	}
	w.endLease(a)
	_, err = w.desk.Claim(ctx, w.token(), cmd)
	if r := refusal(t, err, ledger.CodeLeaseEnded); r.Standing.State != ledger.Unknown || r.Standing.Action != a.Action {
		t.Errorf("%+v", r.Standing)
	}
	if n := w.Count("select count(*) from idempotency_keys where position(convert_to(?, 'UTF8') in key) > 0 or answer like ?", "k-1", "%"+a.ClaimToken+"%"); n != 0 {
		t.Error("the database gives the key or the claim token away")
	}
	refusedCmd := w.cmd("r-1")
	refusedCmd.Idempotency = &models.Idempotency{Token: 1, Route: "r", Key: "k-2"}
	w.refused(refusedCmd, ledger.CodeAlready)
	if n := w.Count("select count(*) from idempotency_keys"); n != 2 {
		t.Errorf("only what succeeded is kept: %d", n)
	}
}

func TestDatabaseKeepsKeysAndSuccess(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Succeeded, "t-1", "")
	for _, sql := range []string{"delete from action_keys", "update action_keys set action_id = 9", "truncate action_keys", "delete from actions", "update actions set state = 'failed'",
		"update actions set identity_key = 'x'", "delete from attempts", "update attempts set worker = 'x'", "delete from attempt_reports", "update attempt_reports set said = 'failed'",
		"update claim_rules set number = 9"} {
		if err := w.DB.Query(t.Context()).Exec(sql).Error; err == nil {
			t.Errorf("%s went through", sql)
		}
	}
	_ = time.Now
}
