package ledger_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/ledger"
	"countersign/models/workflow"
)

// secondServer is another pool on the same database, as another server has.
func (w *world) secondServer() *models.DB {
	w.T.Helper()
	db, err := models.Open(w.T.Context(), w.DB.Pool.Config().ConnString())
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(db.Close)
	return db
}

// sortOf is the refusal's code, or "" for a success; another error fails the test.
func sortOf(t testing.TB, err error) ledger.Code {
	t.Helper()
	var r *ledger.Refusal
	if err == nil {
		return ""
	}
	if !errors.As(err, &r) {
		t.Fatalf("neither an answer nor a refusal: %v", err)
	}
	return r.Code
}

func TestThreeHundredClaimsOfOneKeyHaveOneOwner(t *testing.T) {
	w := newWorld(t)
	other := w.secondServer()
	for _, batch := range []bool{false, true} {
		desks := []*ledger.Desk{ledger.NewDesk(w.DB, batch), ledger.NewDesk(other, batch)}
		id := fmt.Sprintf("r-%v", batch)
		var mu sync.Mutex
		actions, owners := map[int64]int{}, 0
		errs := controltest.AtOnce(300, func(i int) error {
			cmd := w.cmd(id)
			cmd.Worker = fmt.Sprint("worker-", i)
			a, err := desks[i%2].Claim(t.Context(), w.token(), cmd)
			mu.Lock()
			defer mu.Unlock()
			if r := (*ledger.Refusal)(nil); errors.As(err, &r) {
				actions[r.Standing.Action]++
			} else if err == nil {
				actions[a.Action]++
				owners++
			}
			return err
		})
		for _, err := range errs {
			if code := sortOf(t, err); code != "" && code != ledger.CodeAlready {
				t.Errorf("refused as %s", code)
			}
		}
		if owners != 1 || len(actions) != 1 {
			t.Errorf("batch %v: %d owners, actions %v", batch, owners, actions)
		}
	}
	if n := w.Count("select count(*) from attempts"); n != 2 {
		t.Errorf("%d attempts", n)
	}
	if n := w.Count("select count(*) from suppressed_claims"); n != 598 {
		t.Errorf("%d suppressed", n)
	}
	if n := w.Count("select sum(n) from counters where kind = 'repeat'"); n != 598 {
		t.Errorf("%d counted", n)
	}
}

// Many keys, each claimed four times by two servers in groups: every key has one
// owner, and nobody's claim gets lost in a group.
func TestGroupedClaimsOfManyKeys(t *testing.T) {
	w := newWorld(t)
	desks := []*ledger.Desk{ledger.NewDesk(w.DB, true), ledger.NewDesk(w.secondServer(), true)}
	var mu sync.Mutex
	owners := map[string]int{}
	controltest.AtOnce(400, func(i int) error {
		id := fmt.Sprint("r-", i%100)
		cmd := w.cmd(id)
		cmd.Version = fmt.Sprint(1 + i%3)
		cmd.Worker = fmt.Sprint("w-", i)
		_, err := desks[(i/100)%2].Claim(t.Context(), w.token(), cmd)
		if code := sortOf(t, err); code == "" {
			mu.Lock()
			owners[id]++
			mu.Unlock()
		}
		return nil
	})
	if len(owners) != 100 {
		t.Errorf("%d keys have an owner", len(owners))
	}
	for id, n := range owners {
		if n != 1 {
			t.Errorf("%s has %d owners", id, n)
		}
	}
}

// A claim that everybody in its group depends on must not fail the others.
func TestOneBadClaimDoesNotSpoilItsGroup(t *testing.T) {
	w := newWorld(t)
	desk := ledger.NewDesk(w.DB, true)
	errs := controltest.AtOnce(60, func(i int) error {
		cmd := w.cmd(fmt.Sprint("r-", i))
		if i%10 == 0 {
			cmd.Delivery = 999
		}
		_, err := desk.Claim(t.Context(), w.token(), cmd)
		return err
	})
	for i, err := range errs {
		if bad := models.IsKind(err, models.KindInvalid); bad != (i%10 == 0) || !bad && err != nil {
			t.Errorf("claim %d: %v", i, err)
		}
	}
}

func TestTheSameCallTwiceAtOnceRunsOnce(t *testing.T) {
	w := newWorld(t)
	for _, batch := range []bool{false, true} {
		desk := ledger.NewDesk(w.DB, batch)
		cmd := w.cmd(fmt.Sprint("r-", batch))
		cmd.Idempotency = &models.Idempotency{Token: 1, Route: "claim", Key: fmt.Sprint(batch)}
		var mu sync.Mutex
		tokens := map[string]int{}
		errs := controltest.AtOnce(20, func(int) error {
			a, err := desk.Claim(t.Context(), w.token(), cmd)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				tokens[a.ClaimToken]++
			}
			return err
		})
		for _, err := range errs {
			if e := models.AsError(err); err != nil && (e == nil || e.Code != models.CodeIdempotencyRunning) {
				t.Errorf("%v", err)
			}
		}
		if len(tokens) != 1 {
			t.Errorf("batch %v: %d answers", batch, len(tokens))
		}
	}
	if n := w.Count("select count(*) from suppressed_claims"); n != 0 {
		t.Errorf("%d were taken for repeats", n)
	}
}

func TestTwoCopiesOfOneDeliveryAtOnce(t *testing.T) {
	w := newWorld(t)
	other := w.secondServer()
	for round := range 10 {
		var got [2]ledger.Delivered
		errs := controltest.AtOnce(2, func(i int) error {
			var err error
			got[i], err = ledger.Deliver(t.Context(), []*models.DB{w.DB, other}[i], w.token(), w.delivery(fmt.Sprint("e-", round), fmt.Sprint("r-", round), "1"))
			return err
		})
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		if got[0].Disposition == ledger.Duplicate {
			got[0], got[1] = got[1], got[0]
		}
		if got[0].Disposition != ledger.Accepted || got[1].Disposition != ledger.Duplicate || got[1].First != got[0].Delivery {
			t.Errorf("%+v", got)
		}
	}
}

// Versions 1 to 20 arrive together. Whatever is accepted never goes back: in the
// order of acceptance the versions only rise.
func TestNewerVersionDuringTheCheckIsNotOvertaken(t *testing.T) {
	w := newWorld(t)
	other := w.secondServer()
	errs := controltest.AtOnce(20, func(i int) error {
		_, err := ledger.Deliver(t.Context(), []*models.DB{w.DB, other}[i%2], w.token(), w.delivery(fmt.Sprint("e-", i), "r-1", fmt.Sprint(i+1)))
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := w.Count(`select count(*) from deliveries a join deliveries b on b.received_at > a.received_at and b.version_rank < a.version_rank
		where a.disposition = 'accepted' and b.disposition = 'accepted'`); n != 0 {
		t.Errorf("%d older ones were accepted after a newer one", n)
	}
	if n := w.Count("select version_rank::int from record_versions"); n != 20 {
		t.Errorf("newest is %d", n)
	}
	if n := w.Count("select count(*) from deliveries where disposition not in ('accepted','stale')"); n != 0 {
		t.Errorf("%d are something else", n)
	}
}

// Under a rule that was changed, two inputs that only the earlier rule finds
// together are claimed at once: one is owner, the other goes to a person.
func TestClaimsAtOnceUnderAChangedRule(t *testing.T) {
	w := newWorld(t)
	w.claim("r-0")
	w.answer("action_identity", controlInput(otherRule()))
	for round := range 5 {
		id := fmt.Sprint("r-", round+1)
		owners := 0
		for _, err := range controltest.AtOnce(8, func(i int) error {
			_, err := w.desk.Claim(t.Context(), w.token(), w.cmd(id))
			return err
		}) {
			if code := sortOf(t, err); code == "" {
				owners++
			} else if code != ledger.CodeAlready {
				t.Errorf("%s", code)
			}
		}
		if owners != 1 {
			t.Errorf("%d owners", owners)
		}
	}
}

func TestOneAuthorizationOneAttemptUnderRace(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Unknown, "", "")
	grant := w.authorize(a.Action, "RR-1")
	count := map[ledger.Code]int{}
	for _, err := range controltest.AtOnce(10, func(int) error { _, err := w.start(grant); return err }) {
		count[sortOf(t, err)]++
	}
	if count[""] != 1 || count[ledger.CodeUsed] != 9 {
		t.Errorf("%v", count)
	}
}

func TestRetriesAtOnce(t *testing.T) {
	w := newWorld(t)
	a := w.claim("r-1")
	w.report(a, ledger.Failed, "", "rejected")
	count := map[ledger.Code]int{}
	for _, err := range controltest.AtOnce(10, func(int) error { _, err := w.retry(a.Action); return err }) {
		count[sortOf(t, err)]++
	}
	if count[""] != 1 || count[ledger.CodePending] != 9 {
		t.Errorf("%v", count)
	}
}

func TestLegitimateRepeatUnderRace(t *testing.T) {
	w := newWorld(t)
	w.claim("r-1")
	r := w.refused(w.cmd("r-1"), ledger.CodeAlready)
	item := w.appeal(ledger.AppealCmd{Suppressed: r.Suppressed, Reason: "A second visit."})
	decisions := 0
	for _, err := range controltest.AtOnce(2, func(i int) error {
		_, err := w.decide([]models.Actor{w.Reviewer, w.Owner}[i], item.Ref(), ledger.AcceptReview, 0)
		return err
	}) {
		if err == nil {
			decisions++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Error(err)
		}
	}
	if decisions != 1 || w.Audited("review.accepted") != 1 {
		t.Errorf("%d decisions", decisions)
	}
	cmd := w.cmd("r-1")
	cmd.Repeat = item.Ref()
	count := map[ledger.Code]int{}
	for _, err := range controltest.AtOnce(10, func(int) error { _, err := w.desk.Claim(t.Context(), w.token(), cmd); return err }) {
		count[sortOf(t, err)]++
	}
	if count[""] != 1 || count[ledger.CodeAlready] != 9 {
		t.Errorf("%v", count)
	}
}

func TestSweepersAtOnceNoteEachLeaseOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.endLease(w.claim(fmt.Sprint("r-", i)))
	}
	if err := errors.Join(controltest.AtOnce(4, func(int) error { _, err := ledger.Sweep(t.Context(), w.DB); return err })...); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"select count(*) from attempt_reports where said = 'lease_ended'", "select count(*) from actions where state = 'unknown'", "select sum(n) from counters where kind = 'unknown'"} {
		if n := w.Count(sql); n != 20 {
			t.Errorf("%s: %d", sql, n)
		}
	}
}

// While claims pour in, somebody stops the workflow: whatever begins after the
// stop was answered is refused, on both servers.
func TestStopDuringClaims(t *testing.T) {
	w := newWorld(t)
	desks := []*ledger.Desk{ledger.NewDesk(w.DB, true), ledger.NewDesk(w.secondServer(), true)}
	stopped, enough := make(chan time.Time, 1), make(chan bool)
	go func() {
		<-enough
		if _, err := workflow.Stop(t.Context(), w.DB, w.Owner, workflow.StopCmd{Slug: "service-request", Reason: "x"}); err != nil {
			t.Error(err)
		}
		stopped <- time.Now()
	}()
	var mu sync.Mutex
	var through []time.Time
	controltest.AtOnce(8, func(i int) error {
		for n := range 100 {
			began := time.Now()
			_, err := desks[i%2].Claim(t.Context(), w.token(), w.cmd(fmt.Sprintf("r-%d-%d", i, n)))
			if sortOf(t, err) == "" {
				mu.Lock()
				if through = append(through, began); len(through) == 50 {
					close(enough)
				}
				mu.Unlock()
			}
		}
		return nil
	})
	at := <-stopped
	for _, began := range through {
		if began.After(at) {
			t.Errorf("a claim that began %s after the stop went through", began.Sub(at))
		}
	}
	if len(through) == 800 {
		t.Error("nothing was refused: the test shows nothing")
	}
}
