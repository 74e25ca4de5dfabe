package replay_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/ledger"
	"countersign/models/replay"
)

func TestAskingTwiceAnswersWithTheFirst(t *testing.T) {
	w := newWorld(t)
	a := w.uncertain("request-demo-01")
	refs := make([]string, 12)
	fresh := 0
	results := make([]replay.Asked, len(refs))
	for _, err := range controltest.AtOnce(len(refs), func(i int) (err error) {
		results[i], err = replay.Ask(t.Context(), w.DB, ledger.Person(w.Implementer), replay.AskCmd{Action: a.Action, Reason: "The customer waits.", Uncertain: "No answer."})
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, r := range results {
		if r.Ref != "RR-1" || r.State != replay.Pending || r.Action != a.Action || r.Stands != ledger.Unknown {
			t.Errorf("%+v", r)
		}
		if r.New {
			fresh++
		}
	}
	if fresh != 1 || w.Count("select count(*) from requests") != 1 || w.Audited("replay.requested") != 1 || w.told(w.Approver, "replay.requested", "RR-1") != 1 {
		t.Errorf("%d new, %d requests, %d told", fresh, w.Count("select count(*) from requests"), w.told(w.Approver, "replay.requested", "RR-1"))
	}
	if w.told(w.lead, "replay.requested", "RR-1")+w.told(w.Implementer, "replay.requested", "RR-1") != 0 {
		t.Error("the second level, or who asked, was told")
	}
	b := w.uncertain("request-demo-00")
	for range 2 {
		r, err := replay.Ask(t.Context(), w.DB, ledger.Person(w.Implementer), replay.AskCmd{Once: models.Once{Submission: "one form"}, Action: b.Action, Reason: "x", Uncertain: "y"})
		if err != nil || !r.New || r.Ref != "RR-2" {
			t.Errorf("a form sent twice: %+v %v", r, err)
		}
	}
	p := w.page(w.Approver, "RR-1")
	if len(p.Ladder) != 2 || !p.Ladder[0].Reached || p.Ladder[1].Reached || p.Ladder[0].ToldAt == nil || p.Ladder[1].DueAt.Sub(p.Ladder[0].DueAt).Minutes() != 30 {
		t.Errorf("%+v", p.Ladder)
	}
	if ref, _, err := replay.OpenOf(t.Context(), w.DB, a.Action); ref != "RR-1" || err != nil {
		t.Error(ref, err)
	}
}

func TestWhatCanBeAsked(t *testing.T) {
	w := newWorld(t)
	ask := func(by models.Actor, action int64) error {
		_, err := replay.Ask(t.Context(), w.DB, ledger.Person(by), replay.AskCmd{Action: action, Reason: "x", Uncertain: "y"})
		return err
	}
	held, done, failed := w.claim("request-demo-02"), w.claim("request-demo-03"), w.claim("request-demo-04")
	w.report(done, ledger.Succeeded, "task-1")
	w.report(failed, ledger.Failed, "")
	for name, c := range map[string]struct {
		err  error
		kind models.Kind
		code string
	}{
		"a held action":  {ask(w.Implementer, held.Action), models.KindConflict, "pending"},
		"a success":      {ask(w.Implementer, done.Action), models.KindConflict, "succeeded"},
		"nothing":        {ask(w.Implementer, 9999), models.KindNotFound, ""},
		"by an approver": {ask(w.Approver, failed.Action), models.KindForbidden, ""},
		"by the owner":   {ask(w.Owner, failed.Action), models.KindForbidden, ""},
		"by a reviewer":  {ask(w.Reviewer, failed.Action), models.KindForbidden, ""},
		"by a viewer":    {ask(w.Viewer, failed.Action), models.KindForbidden, ""},
		"by an admin":    {ask(w.Admin, failed.Action), models.KindForbidden, ""},
	} {
		if e := models.AsError(c.err); e == nil || e.Kind != c.kind || e.Code != c.code {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	_, err := replay.Ask(t.Context(), w.DB, ledger.Person(w.Implementer), replay.AskCmd{Action: failed.Action, Reason: " "})
	if e := models.AsError(err); e == nil || e.Field("reason") == "" || e.Field("uncertain_result") == "" {
		t.Error(err)
	}
	w.Exec("update workflows set escalation_policy_id = null")
	if e := models.AsError(ask(w.Implementer, failed.Action)); e == nil || e.Code != replay.CodeNoPolicy {
		t.Error(e)
	}
	if n := w.Count("select count(*) from requests"); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestATokenAsksAsItsCreator(t *testing.T) {
	w := newWorld(t)
	a := w.uncertain("request-demo-05")
	token := w.automation()
	other := token
	other.Environment = w.Production
	if _, err := replay.Ask(t.Context(), w.DB, other, replay.AskCmd{Action: a.Action, Reason: "x", Uncertain: "y"}); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	r, err := replay.Ask(t.Context(), w.DB, token, replay.AskCmd{Action: a.Action, Reason: "x", Uncertain: "y"})
	if err != nil || !r.New {
		t.Fatal(r, err)
	}
	p := w.page(w.Implementer, r.Ref)
	if p.AskedBy != w.Implementer.ID || p.TokenName != "Intake" {
		t.Errorf("%+v", p.Request)
	}
	w.Exec("insert into role_grants (person_id, role) values (?, 'approver')", w.Implementer.ID)
	w.policy(w.Implementer.ID)
	creator := w.Implementer
	creator.Roles = append(creator.Roles, models.Approver)
	if err := w.try(creator, w.decision(creator, r.Ref, replay.Approve)); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the creator of the token decided: %v", err)
	}
	if _, err := replay.StatusOf(t.Context(), w.DB, other, r.Ref); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	if s, err := replay.StatusOf(t.Context(), w.DB, token, r.Ref); err != nil || s.State != replay.Pending || s.Permit != nil || s.Standing.Action != a.Action {
		t.Errorf("%+v %v", s, err)
	}
	w.decide(w.Approver, r.Ref, replay.Approve)
	s, err := replay.StatusOf(t.Context(), w.DB, token, r.Ref)
	if err != nil || s.State != replay.Approved || s.Permit == nil || s.Permit.Code != w.code(r.Ref) {
		t.Fatalf("%+v %v", s, err)
	}
	started, err := replay.Start(t.Context(), w.DB, token, replay.StartCmd{Ref: r.Ref, Authorization: s.Permit.Code, Worker: "worker-c"})
	if err != nil || started.Number != 2 {
		t.Fatal(started, err)
	}
	if s, err := replay.StatusOf(t.Context(), w.DB, token, r.Ref); err != nil || s.State != replay.Started || s.Permit != nil {
		t.Errorf("%+v %v", s, err)
	}
}

// Once a request ended, another may be asked for, also before anything noted
// that the first one ended.
func TestAskingAgainAfterTheFirstEnded(t *testing.T) {
	w := newWorld(t)
	ref, a := w.asked("request-demo-06")
	w.pass(ref, 8*24*60*60*1e9)
	w.is(ref, replay.Expired)
	second := w.ask(a.Action)
	if second == ref || w.state(ref) != "expired" || w.state(second) != "pending" || w.Count("select request_id from actions where id = ?", a.Action) != 2 {
		t.Errorf("%s after %s", second, ref)
	}
	p := w.page(w.Approver, ref)
	if last := p.History[len(p.History)-1]; last.Kind != "ended" || !strings.Contains(last.Words, "Nobody decided in time.") {
		t.Errorf("%+v", p.History)
	}
}

func TestTheSignedVersionOfAPolicyCounts(t *testing.T) {
	w := newWorld(t)
	a := w.uncertain("request-demo-07")
	content := `{"format":1,"answers":[{"field":"duplicate_in_plain_words","value":"As it was signed."},{"field":"manual_approver","state":"answered","value":"x","data":{"policy":"replays","version":1}}]}`
	w.Exec(`update revisions set state = 'approved', content = ?, design_hash = repeat('0', 64), full_hash = repeat('0', 64), submitted_by = started_by, submitted_at = now(), decided_at = now(), mode = 'enforce', automatic_retries = 0`, content)
	w.Exec("update controls set approved_revision_id = latest_revision_id")
	ref := w.ask(a.Action)
	if n := w.Count("select number from policy_versions v join requests r on r.policy_id = v.id"); n != 1 {
		t.Errorf("version %d", n)
	}
	if p := w.page(w.Approver, ref); len(p.Ladder) != 1 || p.PolicyName != "Replays" || p.Sentence != "As it was signed." {
		t.Errorf("%+v", p.Ladder)
	}
}

func TestOtherEffectsOfTheRecordAreShownOutOfReach(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-08")
	w.claim("request-demo-09")
	task := w.slug
	w.slug = w.Create("Send confirmation")
	w.FillQuickly(w.slug)
	mail := w.claim("request-demo-08")
	w.report(mail, ledger.Succeeded, "message-1")
	w.slug = task
	p := w.page(w.Approver, ref)
	if len(p.Siblings) != 1 || p.Siblings[0].ID != mail.Action || p.Siblings[0].State != ledger.Succeeded || p.Siblings[0].ResultID != "message-1" || p.Siblings[0].Control != "Send confirmation" {
		t.Errorf("%q %+v", p.Facts.Record, p.Siblings)
	}
	w.decide(w.Approver, ref, replay.Approve)
	if w.Count("select count(*) from attempts where action_id = ?", mail.Action) != 1 || w.Count("select count(*) from authorizations where action_id = ?", mail.Action) != 0 {
		t.Error("an approval reached another effect")
	}
}
