package replay_test

import (
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/evidence"
	"countersign/models/replay"
)

func TestLevelsMoveByTheClockAndAreToldOnce(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	if w.sweep() != 0 {
		t.Fatal("a level moved too early")
	}
	w.pass(ref, 61*time.Minute)
	if p := w.page(w.lead, ref); p.May[replay.Approve] != nil || !p.Ladder[1].Reached || !p.Ladder[0].Over || p.Level != 1 {
		t.Errorf("the second level waits for a job: %v", p.May[replay.Approve])
	}
	// Two servers sweep at the same instant.
	for _, err := range controltest.AtOnce(6, func(int) error { _, err := replay.Escalate(t.Context(), w.DB); return err }) {
		if err != nil {
			t.Error(err)
		}
	}
	if w.told(w.lead, "replay.escalated", ref) != 1 || w.told(w.Approver, "replay.escalated", ref) != 0 || w.Audited("replay.escalated") != 1 {
		t.Errorf("told %d times, %d events", w.told(w.lead, "replay.escalated", ref), w.Audited("replay.escalated"))
	}
	// The clock jumps back: who was told stays asked, and nobody is told again.
	w.pass(ref, -2*time.Hour)
	if p := w.page(w.lead, ref); p.May[replay.Approve] != nil || p.Level != 2 {
		t.Errorf("level 2 is not asked any more: %v", p.May[replay.Approve])
	}
	if w.sweep() != 0 || w.told(w.lead, "replay.escalated", ref) != 1 {
		t.Error("moved again")
	}
	// And forward past the last level.
	w.pass(ref, 4*time.Hour)
	if w.sweep() != 1 || w.sweep() != 0 {
		t.Error("the end of the last level was noted more or less than once")
	}
	if p := w.page(w.Approver, ref); !p.Unanswered || p.State != replay.Pending || p.May[replay.Approve] != nil {
		t.Errorf("%+v", p.Request)
	}
	if w.told(w.Owner, "replay.escalated", ref) != 1 || w.told(w.lead, "replay.escalated", ref) != 1 {
		t.Error("the business owner was not told that nobody answered")
	}
	if w.Count("select count(*) from authorizations") != 0 {
		t.Fatal("time approved something")
	}
	w.decide(w.Approver, ref, replay.Approve)
}

func TestSeveralLevelsAtOnceAfterTheServersWereDown(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	w.pass(ref, 24*time.Hour)
	if w.sweep() != 1 || w.told(w.lead, "replay.escalated", ref) != 1 {
		t.Error("the second level was not told")
	}
	if p := w.page(w.lead, ref); !p.Unanswered || p.Level != 2 {
		t.Errorf("%+v", p.Request)
	}
	w.pass(ref, 7*24*time.Hour)
	if w.sweep() != 1 || w.state(ref) != "expired" || w.told(w.Implementer, "replay.decided", ref) != 1 {
		t.Errorf("%s", w.state(ref))
	}
}

func TestAnApproverDecidesWhileTheLevelMoves(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	cmd := w.decision(w.Approver, ref, replay.Approve)
	w.pass(ref, 61*time.Minute)
	if w.sweep() != 1 {
		t.Fatal("nothing moved")
	}
	if err := w.try(w.Approver, cmd); err != nil {
		t.Errorf("escalating made the page of level 1 stale: %v", err)
	}
}

func TestALevelThatNobodyCanFillIsPassedAtOnce(t *testing.T) {
	w := newWorld(t)
	earlier, _ := w.asked("request-demo-02")
	if w.sweep() != 0 {
		t.Error("a level moved too early")
	}
	w.Exec("update people set active = false where id = ?", w.Approver.ID)
	ref, _ := w.asked("request-demo-01")
	if w.told(w.lead, "replay.requested", ref) != 1 {
		t.Error("the second level was not told at once")
	}
	if w.sweep() != 1 || w.sweep() != 0 || w.told(w.lead, "replay.escalated", earlier) != 1 {
		t.Error("a request whose level was left by everybody waits for nobody")
	}
	w.decide(w.lead, ref, replay.Reject)
}

func TestEvidenceOfARequest(t *testing.T) {
	w := newWorld(t)
	ref, _ := w.asked("request-demo-01")
	attach := func(by models.Actor, until string) error {
		place, err := replay.EvidencePlace(t.Context(), w.DB, by, ref)
		if err != nil {
			t.Fatal(err)
		}
		_, err = evidence.AttachLink(t.Context(), w.DB, by, evidence.AttachLinkCmd{Place: place, URL: "https://docs.example.test/log", Name: "Delivery log",
			Details: evidence.Details{Proves: "Nothing was delivered.", KeepUntil: until, KeepBasis: "The sender's horizon."}})
		return err
	}
	for _, by := range []models.Actor{w.Approver, w.Owner, w.Viewer} {
		if err := attach(by, "2040-01-01"); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	if err := attach(w.Reviewer, "2040-01-01"); err != nil {
		t.Fatal(err)
	}
	if p := w.page(w.Approver, ref); len(p.Evidence) != 1 || p.Evidence[0].Held == "" {
		t.Errorf("%+v", p.Evidence)
	}
	w.Exec("alter table evidence disable trigger user")
	w.Exec("update evidence set keep_until = '2020-01-01'")
	w.Exec("alter table evidence enable trigger user")
	if e := models.AsError(w.try(w.Approver, w.decision(w.Approver, ref, replay.Approve))); e == nil || e.Code != "evidence" || !strings.Contains(e.Message, "expired") {
		t.Error(e)
	}
	w.decide(w.Approver, ref, replay.Return)
	if err := attach(w.Implementer, "2040-01-01"); err != nil {
		t.Error(err)
	}
	w.decide(w.Implementer, ref, replay.Supply)
	w.decide(w.Approver, ref, replay.Reject)
	if w.Count("select count(*) from evidence_holds") != 0 {
		t.Error("a request that ended holds evidence")
	}
	if err := attach(w.Implementer, "2040-01-01"); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
}
