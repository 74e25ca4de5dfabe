package ledger_test

import (
	"slices"

	"countersign/models/ledger"
)

// The reference: what an action is, told simply and without the code under test.
// Time is a counter that every step raises.
type refAttempt struct {
	token     ledger.Attempted
	began     int
	ended     int // when it became known, or its lease ended; 0: held
	said      ledger.State
	detail    string
	result    string
	leaseOver bool
	observed  bool   // let through by mode observe: beside the action
	gone      bool   // its worker crashed: it reports nothing in time, perhaps late
	acted     string // the effect it really made at the destination
}

// held reports whether its lease lives and nothing was reported.
func (a *refAttempt) held() bool { return a.said == "" && !a.leaseOver }

type refAction struct {
	id        int64
	state     ledger.State
	attempts  []*refAttempt
	result    string
	settler   *refAttempt // nil with succeeded: a lookup settled it
	automatic int
	replayed  bool
	changes   int // raised by whatever an approval does not cover
	lookedAt  int // the latest lookup that may count
	looked    ledger.Looked
	effects   []string        // at the destination, really
	told      map[string]bool // result ids that somebody told us
	found     []string        // the first that a lookup found, and the others
	cleared   int             // the latest lookup that counts and found nothing; 0: none
	open      bool            // a duplicate that nobody settled
	suspect   bool            // a possible or confirmed duplicate must have been opened
	proven    bool            // a confirmed one must have been opened
}

// last is the latest attempt, observed ones aside.
func (a *refAction) last() (last *refAttempt) {
	for _, t := range a.attempts {
		if !t.observed {
			last = t
		}
	}
	return last
}

// tries counts attempts, observed ones aside.
func (a *refAction) tries() (n int) {
	for _, t := range a.attempts {
		if !t.observed {
			n++
		}
	}
	return n
}

// waits is the first observed success of an action that is not settled.
func (a *refAction) waits() (first *refAttempt) {
	for _, t := range a.attempts {
		if a.state != ledger.Succeeded && t.observed && t.said == ledger.Succeeded && (first == nil || t.ended < first.ended) {
			first = t
		}
	}
	return first
}

// doubt notes a possible duplicate, or a confirmed one.
func (a *refAction) doubt(proven bool) {
	a.suspect, a.open, a.proven = true, true, a.proven || proven
}

// quiet is when the last attempt ended; ok is false while one is held.
func (a *refAction) quiet() (at int, ok bool) {
	for _, t := range a.attempts {
		if t.observed {
			continue
		}
		if t.held() {
			return 0, false
		}
		at = max(at, t.ended)
	}
	return at, true
}

// counting is what the latest lookup that counts says.
func (a *refAction) counting() ledger.Looked {
	if at, quiet := a.quiet(); quiet && a.looked != "" && a.lookedAt >= at {
		return a.looked
	}
	return ""
}

// leaseEnds is the end of a lease without a report.
func (a *refAction) leaseEnds(t *refAttempt, now int) {
	if t.leaseOver || t.said != "" {
		t.leaseOver = true
		return
	}
	t.leaseOver, t.ended = true, now
	switch {
	case t.observed:
	case a.state == ledger.Succeeded:
		a.doubt(false) // it was held when another one's success came
	case t == a.last():
		a.state = ledger.Unknown
		a.holderEnded()
	}
}

// holderEnded lets the observed success count that waited for it.
func (a *refAction) holderEnded() {
	if w := a.waits(); w != nil {
		a.settle(w, w.result)
	}
}

// report is a worker's word. It returns whether it is late and whether it is refused.
func (a *refAction) report(t *refAttempt, said ledger.State, result, detail string, now int) (late, refused bool) {
	if said == ledger.Failed && detail == "" {
		said = ledger.Unknown
	}
	if t.said == ledger.Succeeded {
		if said != ledger.Succeeded {
			return false, true
		}
		if result == "" || result == t.result {
			return false, false
		}
		a.changes++
		a.told[result] = true
		if t.result != "" {
			a.doubt(true)
			return false, false
		}
		a.compare(t, result)
		if t == a.settler || t == a.waits() {
			a.result = result
		}
		t.result = result
		return false, false
	}
	late = t.leaseOver || !t.observed && t != a.last()
	if t.said == said && (detail == "" || detail == t.detail) {
		return false, false
	}
	if !t.observed { // what happens beside the action is no news to an approver
		a.changes++
	}
	before := t.said
	if before == said { // more words about the same
		if !late {
			t.detail = detail
		}
		return late, false
	}
	switch said {
	case ledger.Succeeded:
		t.said, t.result = said, result
		if t.ended == 0 || !late || t.observed {
			t.ended = now
		}
		a.succeed(t, result)
	case ledger.Failed:
		if late {
			return late, false // evidence
		}
		t.said, t.ended, t.detail = said, now, detail
		if t.observed {
			return late, false
		}
		if a.state != ledger.Succeeded {
			a.state = ledger.Failed
			if a.uncertain(t) {
				a.state = ledger.Unknown
			}
			a.holderEnded()
		}
	case ledger.Unknown:
		if late && before != ledger.Failed {
			return late, false
		}
		t.said, t.ended, t.detail = said, now, detail
		switch {
		case t.observed:
		case a.state == ledger.Succeeded:
			if t != a.settler {
				a.doubt(false)
			}
		case !late, a.state == ledger.Failed:
			a.state = ledger.Unknown
			a.holderEnded()
		}
	}
	return late, false
}

// uncertain reports whether another attempt may have had an effect after t began;
// of an observed one, whatever no lookup has ruled out.
func (a *refAction) uncertain(t *refAttempt) bool {
	since := t.began
	if t.observed {
		since = a.cleared
	}
	for _, o := range a.attempts {
		if o != t && !o.observed && (o.said == ledger.Unknown || o.said == "" && o.leaseOver) && o.ended > since {
			return true
		}
	}
	return false
}

func (a *refAction) succeed(t *refAttempt, result string) {
	if result != "" {
		a.told[result] = true
	}
	a.compare(t, result)
	switch {
	case a.state == ledger.Succeeded:
	case t.observed && a.state == ledger.Pending:
		if a.waits() == t {
			a.result = result
		}
	default:
		a.settle(t, result)
	}
}

func (a *refAction) settle(t *refAttempt, result string) {
	if a.uncertain(t) {
		a.doubt(false)
	}
	if result == "" {
		result = a.result
	}
	if result == "" && len(a.found) > 0 {
		result = a.found[0]
	}
	a.state, a.result, a.settler = ledger.Succeeded, result, t
	a.foundBeside(result)
}

// foundBeside is what lookups found besides these results.
func (a *refAction) foundBeside(results ...string) {
	for _, id := range a.found {
		if !slices.Contains(results, id) {
			a.doubt(false)
		}
	}
}

// compare is a success beside others and beside what lookups found.
func (a *refAction) compare(t *refAttempt, result string) {
	if result != "" && result == a.result {
		return
	}
	for _, o := range a.attempts {
		if o != t && o.said == ledger.Succeeded && (result == "" || o.result != result) {
			a.doubt(result != "" && o.result != "")
		}
	}
	if result != "" {
		a.foundBeside(result)
	}
}

// lookup is a truthful look at the destination, or an inconclusive one.
func (a *refAction) lookup(looked ledger.Looked, now int) {
	_, quiet := a.quiet()
	a.changes++
	if looked == ledger.Found {
		defer func() {
			for _, id := range a.effects {
				if !slices.Contains(a.found, id) {
					a.found = append(a.found, id)
				}
			}
		}()
		if len(a.effects) > 1 {
			a.doubt(true)
		}
	}
	if a.state == ledger.Succeeded {
		if looked == ledger.Found && a.result != "" && a.effects[0] != a.result {
			a.doubt(false)
		}
		if looked == ledger.Found && a.result == "" && len(a.effects) == 1 {
			a.result = a.effects[0]
		}
	} else if looked == ledger.Found {
		a.foundBeside(a.effects...)
	}
	if !quiet {
		return
	}
	a.looked, a.lookedAt = looked, now
	switch {
	case looked == ledger.NotFound:
		a.cleared = now
	case looked == ledger.Found && a.state != ledger.Succeeded:
		a.state, a.result, a.settler = ledger.Succeeded, a.effects[0], nil
	}
}

// mayRetry is the code that a retry is refused with; "" when it is granted.
func (a *refAction) mayRetry(retries int) ledger.Code {
	switch {
	case a.state == ledger.Pending:
		return ledger.CodePending
	case a.state == ledger.Succeeded:
		return ledger.CodeSucceeded
	case a.state == ledger.Unknown && a.counting() != ledger.NotFound:
		return ledger.CodeLookupRequired
	case a.state == ledger.Failed && !a.open && len(a.found) > 0 && a.counting() != ledger.NotFound:
		return ledger.CodeLookupRequired
	case a.state == ledger.Unknown || a.replayed || a.open || len(a.found) > 0:
		return ledger.CodeReplayRequired
	case a.automatic >= retries:
		return ledger.CodeRetriesUsedUp
	}
	return ""
}

// approvable reports whether an approver who goes by the rules says yes.
func (a *refAction) approvable() bool {
	if a.open || len(a.found) > 0 && a.counting() != ledger.NotFound {
		return false
	}
	return a.state == ledger.Failed || a.state == ledger.Unknown && a.counting() == ledger.NotFound
}
