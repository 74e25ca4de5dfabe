package ledger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/workflow"
)

// walk plays random calls, crashes, lease ends, late reports and decisions
// against the database and against the reference, and checks after each step:
//
//   - what was answered and where each action stands is what the reference says;
//   - as long as workers act only while they hold a lease, no action ever has two
//     effects, and when one does anything else, a duplicate was opened;
//   - one input never makes more actions than people accepted, one aside, however
//     the rule changes;
//   - every action that is not succeeded has a next step that is accepted.
type walk struct {
	*world
	r       *rand.Rand
	now     int
	zombies bool // workers may act after their lease
	keys    []string
	byKey   map[string]*refAction // the latest action made for an input, repeats aside
	rules   refRules
	actions []*refAction
	grants  []grant
	repeats map[string]refRepeat // approved, not yet carried, by key
	stopped bool
	observe bool // mode observe now; only where workers act late, as it lets anything through
	effects int
	log     []string
}

type grant struct {
	auth    ledger.Authorization
	action  *refAction
	changes int // of the action when it was approved
	rule    int
	used    bool
}

func TestRandomWalks(t *testing.T) {
	steps, _ := strconv.Atoi(os.Getenv("LEDGER_STEPS"))
	if steps == 0 {
		steps = 700
	}
	w := newWorld(t)
	var known []int // rules that may have keys
	for i, zombies := range []bool{false, true, false} {
		seed := uint64(time.Now().UnixNano())
		if given, err := strconv.ParseUint(os.Getenv("LEDGER_SEED"), 10, 64); err == nil {
			seed = given
		}
		t.Logf("walk %d: seed %d, workers that act late: %v", i, seed, zombies)
		wk := &walk{world: w, r: rand.New(rand.NewPCG(seed, uint64(i))), zombies: zombies, byKey: map[string]*refAction{}, repeats: map[string]refRepeat{}, rules: newRefRules(known)}
		w.rule(refRuleMembers[0]...)
		w.desk = ledger.NewDesk(w.DB, i == 2)
		for k := range 6 {
			wk.keys = append(wk.keys, fmt.Sprintf("walk-%d-%d-%d", seed, i, k))
		}
		for wk.now = 1; wk.now <= steps && !t.Failed(); wk.now++ {
			wk.step()
		}
		if t.Failed() {
			for _, line := range wk.log[max(0, len(wk.log)-25):] {
				t.Log(line)
			}
			t.FailNow()
		}
		wk.lift()
		known = wk.rules.known
		wk.watch(false)
	}
}

func (w *walk) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d: ", w.now)+fmt.Sprintf(format, args...))
}

// pick is a random action, or nil while there is none.
func (w *walk) pick() *refAction {
	if len(w.actions) == 0 {
		return nil
	}
	return w.actions[w.r.IntN(len(w.actions))]
}

func (w *walk) step() {
	if w.now%40 == 0 { // room for something new
		w.keys[w.r.IntN(len(w.keys))] = fmt.Sprintf("%s-%d", w.keys[0], w.now)
	}
	a := w.pick()
	switch n := w.r.IntN(100); {
	case a == nil || n < 15:
		w.claimStep()
		return
	case n < 22:
		w.heartbeatStep(a)
	case n < 30:
		w.actStep(a)
	case n < 32:
		w.duplicateStep(a)
	case n < 34 && w.zombies:
		w.watch(!w.observe)
	case n < 50:
		w.reportStep(a)
	case n < 60:
		w.leaseStep(a)
	case n < 72:
		w.lookupStep(a)
	case n < 80:
		w.retryStep(a)
	case n < 86:
		w.approveStep(a)
	case n < 92:
		w.startStep()
		return
	case n < 94:
		w.repeatStep(a)
	case n < 95:
		w.decideStep()
	case n < 96:
		w.ruleStep()
	case n < 97:
		if _, err := ledger.Sweep(w.T.Context(), w.DB); err != nil {
			w.T.Error(err)
		}
	case n < 98 && !w.stopped:
		w.stop()
	default:
		w.lift()
	}
	w.check(a)
}

func (w *walk) heartbeatStep(a *refAction) {
	t := a.attempts[w.r.IntN(len(a.attempts))]
	_, err := ledger.Heartbeat(w.T.Context(), w.DB, w.token(), ledger.HeartbeatCmd{Action: a.id, ClaimToken: t.token.ClaimToken})
	code, want := sortOf(w.T, err), ledger.Code("")
	switch {
	case a.state == ledger.Succeeded && t.said == "" && !t.observed:
		want = ledger.CodeAlreadySucceeded
	case !t.held():
		want = ledger.CodeEnded
	}
	w.note("heartbeat of %d/%d: %s", a.id, t.token.Number, code)
	if code != want {
		w.T.Errorf("heartbeat: %q, want %q", code, want)
	}
}

// actStep makes the effect at the destination, if the worker still may.
func (w *walk) actStep(a *refAction) {
	t := a.attempts[w.r.IntN(len(a.attempts))]
	if t.acted != "" || t.said == ledger.Failed || !w.zombies && (!t.held() || t.gone) {
		return
	}
	if !w.zombies && a.state == ledger.Succeeded {
		return // an honest worker asks by a heartbeat first, and is told to stop
	}
	w.effects++
	t.acted = fmt.Sprintf("result-%d", w.effects)
	a.effects = append(a.effects, t.acted)
	w.note("%d/%d makes %s", a.id, t.token.Number, t.acted)
	if !w.zombies && len(a.effects) > 1 {
		w.T.Errorf("action %d has two effects with our blessing: %v", a.id, a.effects)
	}
}

// reportStep says the truth, or that nobody knows, in time or late.
func (w *walk) reportStep(a *refAction) {
	t := a.attempts[w.r.IntN(len(a.attempts))]
	said, result, detail := ledger.Unknown, "", "timeout"
	switch n := w.r.IntN(10); {
	case t.acted != "" && n < 6:
		said, result, detail = ledger.Succeeded, t.acted, ""
		if w.zombies && n == 0 {
			result = ""
		}
	case t.acted == "" && n < 5:
		said, detail = ledger.Failed, "not sent"
	case t.acted == "" && n == 5:
		said, detail = ledger.Failed, ""
	}
	if said == ledger.Failed && detail != "" && !t.held() && t.said == "" {
		t.gone = true // it says that it did nothing, so it does nothing any more
	}
	out, err := w.outcome(t.token, said, result, detail)
	code := sortOf(w.T, err)
	late, refused := a.report(t, said, result, detail, w.now)
	w.note("%d/%d says %s %s: %s late %v, now %s", a.id, t.token.Number, said, result, code, out.Late, out.State)
	switch {
	case refused && code != ledger.CodeSucceeded, !refused && code != "":
		w.T.Errorf("report refused as %q, want refused %v", code, refused)
	case !refused && (out.Late != late || out.State != a.state || out.Result != a.result):
		w.T.Errorf("report answered %+v, want late %v %s %s", out, late, a.state, a.result)
	}
}

func (w *walk) leaseStep(a *refAction) {
	t := a.attempts[w.r.IntN(len(a.attempts))]
	if t.leaseOver {
		return
	}
	w.endLease(t.token)
	a.leaseEnds(t, w.now)
	w.note("lease of %d/%d ends: %s", a.id, t.token.Number, a.state)
}

func (w *walk) lookupStep(a *refAction) {
	looked := ledger.NotFound
	if len(a.effects) > 0 {
		looked = ledger.Found
	}
	ids := a.effects
	if w.r.IntN(5) == 0 {
		looked, ids = ledger.Inconclusive, nil
	}
	out := w.lookup(a.id, looked, ids...)
	if looked == ledger.Found {
		for _, id := range ids {
			a.told[id] = true
		}
	}
	a.lookup(looked, w.now)
	w.note("lookup of %d: %s, now %s", a.id, looked, out.State)
	if out.State != a.state || out.Result != a.result {
		w.T.Errorf("lookup answered %+v, want %s %s", out, a.state, a.result)
	}
}

// beside is an attempt that mode observe let through.
func (w *walk) beside(a *refAction, got ledger.Attempted, would ledger.Code) {
	w.note("%d/%d is observed, enforce would have said %s", a.id, got.Number, would)
	a.attempts = append(a.attempts, &refAttempt{token: got, began: w.now, observed: true})
	if !got.Observed || got.Action != a.id || got.WouldHave == nil || got.WouldHave.Code != would || got.State != a.state {
		w.T.Errorf("observed: %+v, want %s of action %d, %s", got, would, a.id, a.state)
	}
}

// watch changes the mode.
func (w *walk) watch(observe bool) {
	if w.observe == observe {
		return
	}
	w.observe = observe
	if observe {
		w.mode("observe")
	} else {
		w.mode("enforce")
	}
	w.note("observe %v", observe)
}

// duplicateStep lets a person report a duplicate, or say what was done about the open one.
func (w *walk) duplicateStep(a *refAction) {
	if !a.open {
		if w.r.IntN(3) == 0 {
			w.seen(a.id)
			a.changes++
			a.doubt(true)
			w.note("a duplicate of %d was seen", a.id)
		}
		return
	}
	var d struct{ ID, Version int64 }
	if err := w.DB.Query(w.T.Context()).Raw("select id, version from duplicates where action_id = ? and settled_at is null", a.id).Scan(&d).Error; err != nil {
		w.T.Error(err)
	}
	if d.ID == 0 { // what a lease end tells is not noted yet
		return
	}
	if _, err := ledger.SettleDuplicate(w.T.Context(), w.DB, w.Owner, ledger.SettleDuplicateCmd{Duplicate: d.ID, Version: d.Version, Done: "Removed one."}); err != nil {
		w.T.Error(err)
	}
	a.open = false
	w.note("the duplicate of %d is settled", a.id)
}

func (w *walk) begun(a *refAction, got ledger.Attempted) {
	a.attempts = append(a.attempts, &refAttempt{token: got, began: w.now})
	a.state = ledger.Pending
	a.changes++
}

func (w *walk) retryStep(a *refAction) {
	want := a.mayRetry(2)
	if w.stopped {
		want = ledger.CodeStopped
	}
	got, err := w.retry(a.id)
	code := sortOf(w.T, err)
	if w.observe && !w.stopped && want != "" && code == "" {
		w.beside(a, got, want)
		return
	}
	w.note("retry of %d: %s", a.id, code)
	if code != want {
		w.T.Errorf("retry: %q, want %q", code, want)
	} else if code == "" {
		w.begun(a, got)
		a.automatic++
		a.replayed = false
	}
}

func (w *walk) approveStep(a *refAction) {
	if !a.approvable() {
		return
	}
	auth := w.authorize(a.id, fmt.Sprintf("RR-%d-%d", a.id, w.r.Uint64()))
	w.grants = append(w.grants, grant{auth: auth, action: a, changes: a.changes, rule: w.rules.serving})
	w.note("approved %d", a.id)
}

func (w *walk) startStep() {
	if len(w.grants) == 0 {
		return
	}
	g := &w.grants[w.r.IntN(len(w.grants))]
	a := g.action
	got, err := w.start(g.auth)
	code, want := sortOf(w.T, err), ledger.Code("")
	switch {
	case g.used:
		want = ledger.CodeUsed
	case a.state == ledger.Succeeded:
		want = ledger.CodeOvertaken
	case w.stopped:
		want = ledger.CodeStopped
	case g.changes != a.changes || g.rule != w.rules.serving:
		want = ledger.CodeStale
	}
	w.note("start of %d: %s", a.id, code)
	if code != want {
		w.T.Errorf("start: %q, want %q", code, want)
	} else if code == "" {
		g.used = true
		w.begun(a, got)
		a.replayed = true
	}
	w.check(a)
}

// repeatStep asks for a second request of some key, and decides it.
func (w *walk) repeatStep(a *refAction) {
	key := w.keys[w.r.IntN(len(w.keys))]
	if w.byKey[key] == nil || w.repeats[key].ref != "" {
		return
	}
	item := w.appeal(ledger.AppealCmd{Action: w.byKey[key].id, Reason: "A second request."})
	if w.r.IntN(3) == 0 {
		w.decides(w.Owner, item.Ref(), ledger.DismissReview, 0)
		return
	}
	w.decides(w.Reviewer, item.Ref(), ledger.AcceptReview, 0)
	w.repeats[key] = refRepeat{item.Ref(), w.byKey[key]}
	w.note("%s approved for %s", item.Ref(), key)
}

func (w *walk) stop() {
	if _, err := workflow.Stop(w.T.Context(), w.DB, w.Owner, workflow.StopCmd{Slug: "service-request", Reason: "x"}); err != nil {
		w.T.Error(err)
	}
	w.stopped = true
	w.note("stopped")
}

func (w *walk) lift() {
	w.Exec("update stops set lifted_at = now(), lifted_by = ?, lift_reason = 'x' where lifted_at is null", w.Owner.ID)
	w.stopped = false
}

// check compares one action with the reference and looks for its next step.
func (w *walk) check(a *refAction) {
	f := w.facts(a.id)
	if f.State != a.state || f.Result != a.result || f.Attempts != a.tries() || f.AutomaticUsed != a.automatic || f.Replayed != a.replayed {
		w.T.Errorf("action %d is %s %q, %d attempts, %d automatic, replayed %v; want %+v", a.id, f.State, f.Result, f.Attempts, f.AutomaticUsed, f.Replayed, *a)
	}
	if a.state != ledger.Succeeded && f.Counting != a.counting() {
		w.T.Errorf("action %d: the lookup that counts says %q, want %q", a.id, f.Counting, a.counting())
	}
	if a.open != (f.Duplicate != "") {
		w.T.Errorf("action %d: the open duplicate reads %q, want one: %v", a.id, f.Duplicate, a.open)
	}
	// What only a lease end tells is noted by the next command or the sweep.
	opened := ""
	if err := w.DB.Query(w.T.Context()).Raw("select coalesce(min(kind), '') from duplicates where action_id = ?", a.id).Row().Scan(&opened); err != nil {
		w.T.Error(err)
	}
	switch {
	case len(a.told) > 1 && opened == "":
		w.T.Errorf("action %d: we were told of %v, and no duplicate was opened", a.id, a.told)
	case a.proven && opened != "confirmed":
		w.T.Errorf("action %d has two results and its duplicate is %q", a.id, opened)
	case !a.suspect && opened != "":
		w.T.Errorf("action %d has a duplicate that nothing speaks for: %q", a.id, opened)
	}
	if !w.zombies && len(a.effects) > 1 {
		w.T.Errorf("action %d has two effects", a.id)
	}
	w.nextStep(a, f)
}

var errRolledBack = errors.New("rolled back")

// nextStep tries what can be done about the action, and takes it back.
func (w *walk) nextStep(a *refAction, f ledger.Facts) {
	if a.state == ledger.Succeeded {
		return
	}
	if a.state == ledger.Pending {
		if last := a.last(); !last.held() {
			w.T.Errorf("action %d is pending and nobody holds it", a.id)
		}
		return
	}
	_, err := models.Do(w.T.Context(), w.DB, w.Approver, nil, func(tx *models.Tx) (bool, error) {
		locked, err := ledger.LockFacts(tx, a.id)
		if err != nil {
			return false, err
		}
		if locked.Seen != f.Seen {
			return false, fmt.Errorf("facts differ when held: %+v, %+v", locked.Seen, f.Seen)
		}
		if _, err := ledger.IssueAuthorization(tx, ledger.IssueCmd{Action: a.id, Request: "RR-dry", Seen: locked.Seen, Valid: time.Hour}); err != nil {
			return false, err
		}
		return false, errRolledBack
	})
	if !errors.Is(err, errRolledBack) {
		w.T.Errorf("action %d is %s and no replay can be approved: %v", a.id, a.state, err)
	}
}
