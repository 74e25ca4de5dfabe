package ledger_test

import (
	"fmt"
	"slices"
	"strings"

	"countersign/models"
	"countersign/models/ledger"
)

// The reference for which action an input stands for while the rule changes.
//
// The last rule finds no key in any input of the walks, the one before it the
// same key in every second one.
var refRuleMembers = [][]string{{"request_id"}, {"request_id", "kind"}, {"kind"}, {"event_id"}}

type refItem struct {
	ref     string
	state   ledger.ReviewState
	linked  *refAction
	carried *refAction
}

type refRepeat struct {
	ref string
	of  *refAction
}

type refRules struct {
	serving  int
	known    []int                 // that may have keys, the newest first
	owner    map[string]*refAction // by rule and key
	missing  map[string]*refItem   // by input
	earlier  map[string]*refItem   // by input and action
	open     map[*refItem]string   // input of what nobody decided
	accepted map[string]int        // by input
	made     map[string]int        // actions by input, repeats aside
}

func newRefRules(known []int) refRules {
	return refRules{known: known, owner: map[string]*refAction{}, missing: map[string]*refItem{}, earlier: map[string]*refItem{}, open: map[*refItem]string{},
		accepted: map[string]int{}, made: map[string]int{}}
}

// kindOf puts the inputs of one walk into two kinds.
func kindOf(input string) string {
	return fmt.Sprintf("%s-kind-%d", strings.Join(strings.Split(input, "-")[:3], "-"), input[len(input)-1]%2)
}

// key is what a rule makes of an input; "" when it identifies nothing.
func (r refRules) key(rule int, input string) string {
	switch rule {
	case 0, 1:
		return fmt.Sprint(rule, input)
	case 2:
		return fmt.Sprint(rule, kindOf(input))
	}
	return ""
}

// standing is what a claim of an input is told: a code with its action, or "" and
// the decisions that let it through. matches are what other rules find.
func (r refRules) standing(input string) (code ledger.Code, won *refAction, through []*refItem, matches []*refAction) {
	own := r.key(r.serving, input)
	if a := r.owner[own]; own != "" && a != nil {
		return ledger.CodeAlready, a, nil, []*refAction{a}
	}
	for _, rule := range r.known {
		if a := r.owner[r.key(rule, input)]; rule != r.serving && a != nil {
			matches = append(matches, a)
		}
	}
	if m := r.missing[input]; m != nil {
		switch {
		case m.state == ledger.ReviewLinked:
			return ledger.CodeAlready, m.linked, nil, matches
		case m.state == ledger.ReviewDismissed:
			return ledger.CodeIdentityMissing, nil, nil, matches
		case m.carried != nil && own == "":
			return ledger.CodeAlready, m.carried, nil, matches
		case m.carried != nil:
			matches = append(matches, m.carried)
		case m.state == ledger.ReviewAccepted:
			through = append(through, m)
		}
	}
	var isNot []*refAction
	for queue := slices.Clone(matches); len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		m := r.earlier[aboutKey(input, a)]
		switch {
		case slices.Contains(isNot, a):
		case m != nil && m.state == ledger.ReviewLinked:
			return ledger.CodeAlready, m.linked, nil, matches
		case m != nil && m.carried != nil && own == "":
			return ledger.CodeAlready, m.carried, nil, matches
		case m != nil && m.carried != nil:
			isNot, queue = append(isNot, a), append(queue, m.carried)
		case m != nil && m.state == ledger.ReviewAccepted:
			isNot, through = append(isNot, a), append(through, m)
		case code == "":
			code, won = ledger.CodeEarlierRule, a
		}
		if code != "" && own != "" {
			break
		}
	}
	if code == "" && own == "" && len(through) == 0 {
		code = ledger.CodeIdentityMissing
	}
	return code, won, through, matches
}

func aboutKey(input string, a *refAction) string { return fmt.Sprint(input, " ", a.id) }

const noRepeat ledger.Code = "no_repeat"

// repeating is what a claim that carries an approved repeat of an action is told.
func (r refRules) repeating(input string, of *refAction) (ledger.Code, *refAction) {
	code, won, _, matches := r.standing(input)
	switch {
	case code == ledger.CodeIdentityMissing && len(matches) == 0, code == ledger.CodeIdentityMissing && r.missing[input] != nil && r.missing[input].state == ledger.ReviewDismissed:
		return code, nil
	case won == of || slices.Contains(matches, of):
		return "", nil
	}
	return noRepeat, nil
}

// refused notes the item of a refusal, and returns it.
func (r refRules) refused(input string, code ledger.Code, won *refAction, ref string) *refItem {
	items, key := r.missing, input
	if code == ledger.CodeEarlierRule {
		items, key = r.earlier, aboutKey(input, won)
	}
	if items[key] == nil {
		items[key] = &refItem{ref: ref, state: ledger.ReviewOpen}
		r.open[items[key]] = input
	}
	return items[key]
}

// claimed gives an action of an input its keys.
func (r refRules) claimed(input string, a *refAction, through []*refItem) {
	for _, rule := range r.known {
		if k := r.key(rule, input); k != "" && r.owner[k] == nil {
			r.owner[k] = a
		}
	}
	for _, m := range through {
		m.carried = a
	}
	r.made[input]++
}

// serve is a claim under the rule that serves: from then on it may have keys.
func (r *refRules) serve() {
	if !slices.Contains(r.known, r.serving) {
		r.known = append([]int{r.serving}, r.known...)
	}
}

func (w *walk) claimStep() {
	input := w.keys[w.r.IntN(len(w.keys))]
	cmd := w.with(fmt.Sprintf(`{"request_id": %q, "kind": %q}`, input, kindOf(input)))
	repeat := w.repeats[input]
	if repeat.ref != "" && w.r.IntN(2) == 0 {
		cmd.Repeat = repeat.ref
	}
	w.rules.serve()
	want, won, through, _ := w.rules.standing(input)
	if cmd.Repeat != "" {
		want, won = w.rules.repeating(input, repeat.of)
	}
	if w.stopped {
		want = ledger.CodeStopped
	}
	if w.observe && !w.stopped { // of what observe lets through, the walk knows repeats of the rule that serves
		if repeated := want == ledger.CodeAlready && won == w.rules.owner[w.rules.key(w.rules.serving, input)]; cmd.Repeat != "" || len(through) > 0 || want != "" && !repeated {
			return
		}
		if want != "" {
			w.beside(won, w.claims(cmd), want)
			w.check(won)
			return
		}
	}
	got, err := w.desk.Claim(w.T.Context(), w.token(), cmd)
	code := noRepeat
	if models.AsError(err).Field("repeat") == "" {
		code = sortOf(w.T, err)
	}
	w.note("claim %s %s under rule %d of %v: %s", input, cmd.Repeat, w.rules.serving, w.rules.known, code)
	if code != want {
		w.T.Errorf("claim: %q, want %q: %v", code, want, err)
		return
	}
	switch code {
	case "":
	case ledger.CodeAlready, ledger.CodeEarlierRule:
		if s := err.(*ledger.Refusal).Standing; s.Action != won.id || s.State != won.state || s.Result != won.result {
			w.T.Errorf("the winner stands at %+v, want %+v", s, won)
		}
		if own := w.rules.key(w.rules.serving, input); code == ledger.CodeAlready && own != "" {
			w.rules.owner[own] = won
		}
	}
	if code == ledger.CodeEarlierRule || code == ledger.CodeIdentityMissing {
		ref := err.(*ledger.Refusal).Review
		if item := w.rules.refused(input, code, won, ref); item.ref != ref {
			w.T.Errorf("the review item is %s, want %s", ref, item.ref)
		}
	}
	if code != "" {
		return
	}
	a := &refAction{id: got.Action, state: ledger.Pending, attempts: []*refAttempt{{token: got, began: w.now}}, told: map[string]bool{}}
	w.actions = append(w.actions, a)
	if cmd.Repeat == "" {
		w.byKey[input] = a
		w.rules.claimed(input, a, through)
		if w.rules.made[input] > 1+w.rules.accepted[input] {
			w.T.Errorf("%s made %d actions, and people accepted %d", input, w.rules.made[input], w.rules.accepted[input])
		}
	} else {
		delete(w.repeats, input)
	}
	w.check(a)
}

func (w *walk) ruleStep() {
	w.rules.serving = w.r.IntN(len(refRuleMembers))
	w.rule(refRuleMembers[w.rules.serving]...)
	w.note("rule %d serves", w.rules.serving)
}

// decideStep decides some open item about an input.
func (w *walk) decideStep() {
	var items []*refItem
	for m := range w.rules.open {
		items = append(items, m)
	}
	if len(items) == 0 {
		return
	}
	slices.SortFunc(items, func(a, b *refItem) int { return strings.Compare(a.ref, b.ref) })
	m := items[w.r.IntN(len(items))]
	input := w.rules.open[m]
	delete(w.rules.open, m)
	switch n := w.r.IntN(5); {
	case n < 3:
		m.state = ledger.ReviewAccepted
		w.rules.accepted[input]++
		w.decides(w.Reviewer, m.ref, ledger.AcceptReview, 0)
	case n < 4:
		m.state, m.linked = ledger.ReviewLinked, w.pick()
		w.decides(w.Reviewer, m.ref, ledger.LinkReview, m.linked.id)
	default:
		m.state = ledger.ReviewDismissed
		w.decides(w.Reviewer, m.ref, ledger.DismissReview, 0)
	}
	w.note("%s about %s: %s", m.ref, input, m.state)
}
