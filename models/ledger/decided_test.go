package ledger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
	"countersign/models/ledger"
)

// What people decided about an input stays decided, whatever rule comes.

// rule changes the identity of the action to these members of the input.
func (w *world) rule(members ...string) {
	w.T.Helper()
	w.answer("action_identity", control.Input{Rule: ruleOf(members...)})
}

func ruleOf(members ...string) identity.Rule {
	example := map[string]string{}
	r := identity.Rule{Statement: "The same when these are.", Boundary: "Two requests.", Components: identity.ScopeComponents()}
	for i, m := range members {
		example[m] = fmt.Sprint("value-demo-0", i+1)
		r.Components = append(r.Components, identity.Component{Name: m, Path: "$." + m})
	}
	text, _ := json.Marshal(example)
	r.Example = string(text)
	return r
}

func (w *world) with(input string) ledger.ClaimCmd {
	c := w.cmd("")
	c.Input = json.RawMessage(input)
	return c
}

// accepts claims what cannot be claimed, has it accepted, and claims it.
func (w *world) accepts(cmd ledger.ClaimCmd, code ledger.Code) ledger.Attempted {
	w.T.Helper()
	w.decides(w.Reviewer, w.refused(cmd, code).Review, ledger.AcceptReview, 0)
	return w.claims(cmd)
}

func (w *world) carrier(action int64) int {
	w.T.Helper()
	return w.Count("select count(*) from review_items where carried_by = ?", action)
}

func (w *world) refers(cmd ledger.ClaimCmd, code ledger.Code, action int64) *ledger.Refusal {
	w.T.Helper()
	r := w.refused(cmd, code)
	if r.Standing == nil || r.Standing.Action != action {
		w.T.Errorf("%s refers to %+v, want action %d", code, r.Standing, action)
	}
	return r
}

func TestOneAcceptanceLetsOneActionThroughWhateverRuleComes(t *testing.T) {
	w := newWorld(t)
	w.rule("kind")
	a := w.claims(w.with(`{"kind": "k", "request_id": "r-1", "event_id": "e-1"}`))
	second := w.with(`{"kind": "k", "request_id": "r-2", "event_id": "e-2"}`)
	w.rule("kind", "request_id")
	w.refers(second, ledger.CodeEarlierRule, a.Action)
	b := w.accepts(second, ledger.CodeEarlierRule)
	if b.Action == a.Action || w.carrier(b.Action) != 1 {
		t.Errorf("%+v, carried %d times", b, w.carrier(b.Action))
	}
	w.refers(second, ledger.CodeAlready, b.Action)
	w.rule("kind", "request_id", "event_id")
	r := w.refers(second, ledger.CodeEarlierRule, b.Action)
	if again := w.refused(second, ledger.CodeEarlierRule); again.Review != r.Review {
		t.Errorf("another item, %s and %s", r.Review, again.Review)
	}
	w.rule("event_id")
	w.refers(second, ledger.CodeEarlierRule, b.Action)
	c := w.accepts(second, ledger.CodeEarlierRule)
	if c.Action == b.Action || w.carrier(c.Action) != 1 {
		t.Errorf("accepted again: %+v", c)
	}
	w.rule("kind")
	w.refers(second, ledger.CodeAlready, a.Action)
}

// An acceptance is about one action: a second one that the input also matches is
// another question.
func TestAnAcceptanceIsAboutOneAction(t *testing.T) {
	w := newWorld(t)
	w.rule("kind")
	a := w.claims(w.with(`{"kind": "k"}`))
	w.rule("event_id")
	b := w.claims(w.with(`{"event_id": "e"}`))
	w.rule("request_id")
	both := w.with(`{"kind": "k", "event_id": "e", "request_id": "r"}`)
	first := w.refers(both, ledger.CodeEarlierRule, b.Action)
	w.decides(w.Reviewer, first.Review, ledger.AcceptReview, 0)
	if r := w.refers(both, ledger.CodeEarlierRule, a.Action); r.Review == first.Review {
		t.Error("one item for two actions")
	}
	c := w.accepts(both, ledger.CodeEarlierRule)
	if w.carrier(c.Action) != 2 {
		t.Errorf("carried %d times", w.carrier(c.Action))
	}
}

func TestClaimsAtOnceOfAnAcceptedInput(t *testing.T) {
	w := newWorld(t)
	w.rule("kind")
	w.claims(w.with(`{"kind": "k", "request_id": "r-0"}`))
	other := w.secondServer()
	for batch, members := range [][]string{{"kind", "request_id"}, {"event_id"}} { // with and without a key
		cmd := w.with(fmt.Sprintf(`{"kind": "k", "request_id": "r-%d"}`, batch))
		w.rule(members...)
		w.decides(w.Reviewer, w.refused(cmd, ledger.CodeEarlierRule).Review, ledger.AcceptReview, 0)
		desks := []*ledger.Desk{ledger.NewDesk(w.DB, false), ledger.NewDesk(other, true)}
		count := map[ledger.Code]int{}
		for _, err := range controltest.AtOnce(40, func(i int) error {
			_, err := desks[i%2].Claim(t.Context(), w.token(), cmd)
			return err
		}) {
			count[sortOf(t, err)]++
		}
		if count[""] != 1 || count[ledger.CodeAlready] != 39 {
			t.Errorf("%v: %v", members, count)
		}
	}
}

// While the rule changes under them, claims of an accepted input have one owner.
func TestAcceptedInputIsClaimedOnceWhileTheRuleChanges(t *testing.T) {
	w := newWorld(t)
	other := w.secondServer()
	for round := range 2 {
		w.rule("event_id", fmt.Sprint("none", round))
		cmd := w.with(fmt.Sprintf(`{"request_id": "r-%d"}`, round))
		w.decides(w.Reviewer, w.refused(cmd, ledger.CodeIdentityMissing).Review, ledger.AcceptReview, 0)
		desks := []*ledger.Desk{ledger.NewDesk(w.DB, false), ledger.NewDesk(other, false)}
		for _, err := range controltest.AtOnce(12, func(i int) error {
			if i == 0 {
				w.rule("event_id", fmt.Sprint("other", round))
				return nil
			}
			_, err := desks[i%2].Claim(t.Context(), w.token(), cmd)
			return err
		}) {
			if code := sortOf(t, err); code != "" && code != ledger.CodeAlready {
				t.Errorf("%s", code)
			}
		}
		if n := w.Count("select count(*) from actions where identity_key like 'cs1:reviewed:%'"); n != round+1 {
			t.Errorf("%d actions after %d inputs", n, round+1)
		}
	}
}

func TestDecisionsWithoutIdentityOutliveTheRule(t *testing.T) {
	w := newWorld(t)
	w.rule("event_id")
	own := w.claims(w.with(`{"event_id": "own"}`))
	accepted, waiting, linked, dismissed, open := w.with(`{"request_id": "r-1"}`), w.with(`{"request_id": "r-2"}`), w.with(`{"request_id": "r-3"}`), w.with(`{"request_id": "r-4"}`), w.with(`{"request_id": "r-5"}`)
	a := w.accepts(accepted, ledger.CodeIdentityMissing)
	w.decides(w.Reviewer, w.refused(waiting, ledger.CodeIdentityMissing).Review, ledger.AcceptReview, 0)
	w.decides(w.Reviewer, w.refused(linked, ledger.CodeIdentityMissing).Review, ledger.LinkReview, own.Action)
	w.decides(w.Reviewer, w.refused(dismissed, ledger.CodeIdentityMissing).Review, ledger.DismissReview, 0)
	w.refused(open, ledger.CodeIdentityMissing)

	w.rule("event_id", "kind") // still no key
	w.refers(accepted, ledger.CodeAlready, a.Action)
	w.refers(linked, ledger.CodeAlready, own.Action)

	w.rule("request_name") // a rule for which nothing can be found
	w.rule("request_id", "request_id_again")
	w.refers(accepted, ledger.CodeAlready, a.Action)

	w.answer("action_identity", controlInput(otherRule())) // now there is a key
	r := w.refers(accepted, ledger.CodeEarlierRule, a.Action)
	w.refers(linked, ledger.CodeAlready, own.Action)
	if n := w.Count("select count(*) from action_keys where action_id = ?", own.Action); n != 2 {
		t.Errorf("the linked action has %d keys", n)
	}
	if r := w.refused(dismissed, ledger.CodeIdentityMissing); r.Review == "" || !strings.Contains(r.Error(), "dismissed") || !strings.Contains(r.Error(), "Compared both.") {
		t.Errorf("dismissed: %v", r)
	}
	o := w.claims(open)
	w.refers(open, ledger.CodeAlready, o.Action)
	b := w.claims(waiting)
	if w.carrier(b.Action) != 1 {
		t.Error("the acceptance was not carried")
	}
	w.decides(w.Reviewer, r.Review, ledger.AcceptReview, 0)
	c := w.claims(accepted)
	w.refers(accepted, ledger.CodeAlready, c.Action)

	w.rule("event_id") // no key again
	w.refers(accepted, ledger.CodeAlready, a.Action)
	w.refers(waiting, ledger.CodeAlready, b.Action)
	w.refers(open, ledger.CodeEarlierRule, o.Action)
}

func TestAnActionOfAnEarlierRuleIsFoundWithoutAKey(t *testing.T) {
	w := newWorld(t)
	cmd := w.cmd("r-1")
	a := w.claims(cmd)
	w.rule("request_id", "event_id")
	r := w.refers(cmd, ledger.CodeEarlierRule, a.Action)
	w.decides(w.Reviewer, r.Review, ledger.AcceptReview, 0)
	b := w.claims(cmd)
	if b.Action == a.Action || b.IdentityKey != fmt.Sprintf(`cs1:reviewed:review="%s"`, r.Review) {
		t.Errorf("%+v", b)
	}
	w.refers(cmd, ledger.CodeAlready, b.Action)
	w.rule("event_id")
	w.refers(cmd, ledger.CodeAlready, b.Action)
	if r := w.refused(w.with(`{"kind": "k"}`), ledger.CodeIdentityMissing); r.Review == "" {
		t.Error("nothing finds this")
	}
	linked := w.with(`{"request_id": "r-2"}`)
	w.rule("request_id")
	c := w.claims(linked)
	w.rule("event_id")
	w.decides(w.Reviewer, w.refers(linked, ledger.CodeEarlierRule, c.Action).Review, ledger.LinkReview, c.Action)
	w.refers(linked, ledger.CodeAlready, c.Action)
}

func TestRepeatOfAReviewedActionIsCarried(t *testing.T) {
	w := newWorld(t)
	w.rule("event_id")
	own := w.claims(w.with(`{"event_id": "own"}`))
	cmd, linked := w.with(`{"request_id": "r-1"}`), w.with(`{"request_id": "r-2"}`)
	a := w.accepts(cmd, ledger.CodeIdentityMissing)
	w.decides(w.Reviewer, w.refused(linked, ledger.CodeIdentityMissing).Review, ledger.LinkReview, own.Action)
	for i, c := range []struct {
		cmd ledger.ClaimCmd
		of  ledger.Attempted
	}{{cmd, a}, {linked, own}, {cmd, a}} {
		if i == 2 {
			w.rule("event_id", "kind")
		}
		item := w.appeal(ledger.AppealCmd{Suppressed: w.refused(c.cmd, ledger.CodeAlready).Suppressed, Reason: "A second visit."})
		w.decides(w.Reviewer, item.Ref(), ledger.AcceptReview, 0)
		c.cmd.Repeat = item.Ref()
		count, made := map[ledger.Code]int{}, ledger.Attempted{}
		for _, err := range controltest.AtOnce(6, func(int) error {
			got, err := w.desk.Claim(t.Context(), w.token(), c.cmd)
			if err == nil {
				made = got
			}
			return err
		}) {
			count[sortOf(t, err)]++
		}
		if count[""] != 1 || count[ledger.CodeAlready] != 5 || made.IdentityKey != c.of.IdentityKey+fmt.Sprintf(`|legitimate-repeat="%s"`, item.Ref()) || made.DestinationKey == c.of.DestinationKey {
			t.Errorf("%v %+v", count, made)
		}
		other := w.with(`{"event_id": "another", "kind": "k"}`)
		other.Repeat = item.Ref()
		if _, err := w.desk.Claim(t.Context(), w.token(), other); err == nil {
			t.Error("another input carried it")
		}
	}
	w.refers(cmd, ledger.CodeAlready, a.Action)
}
