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
	suspect   bool            // a possible or confirmed duplicate must have been opened
	proven    bool            // a confirmed one must have been opened
}

func (a *refAction) last() *refAttempt { return a.attempts[len(a.attempts)-1] }

// quiet is when the last attempt ended; ok is false while one is held.
func (a *refAction) quiet() (at int, ok bool) {
	for _, t := range a.attempts {
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
	case a.state == ledger.Succeeded:
		a.suspect = true // it was held when another one's success came
	case t == a.last():
		a.state = ledger.Unknown
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
		switch {
		case t.result != "":
			a.suspect, a.proven = true, true
		case a.settler != t:
			a.compare(result)
		case a.result == "":
			a.result = result
		}
		if t.result == "" {
			t.result = result
		}
		return false, false
	}
	late = t.leaseOver || t != a.last()
	if t.said == said && (detail == "" || detail == t.detail) {
		return false, false
	}
	a.changes++
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
		if t.ended == 0 || !late {
			t.ended = now
		}
		a.succeed(t, result)
	case ledger.Failed:
		if late {
			return late, false // evidence
		}
		t.said, t.ended, t.detail = said, now, detail
		if a.state != ledger.Succeeded {
			a.state = ledger.Failed
			for _, o := range a.attempts {
				if o != t && (o.said == ledger.Unknown || o.said == "") && o.ended > t.began {
					a.state = ledger.Unknown
				}
			}
		}
	case ledger.Unknown:
		if late && before != ledger.Failed {
			return late, false
		}
		t.said, t.ended, t.detail = said, now, detail
		switch {
		case a.state == ledger.Succeeded:
			a.suspect = a.suspect || t != a.settler
		case !late, a.state == ledger.Failed:
			a.state = ledger.Unknown
		}
	}
	return late, false
}

func (a *refAction) succeed(t *refAttempt, result string) {
	if result != "" {
		a.told[result] = true
	}
	if a.state != ledger.Succeeded {
		a.state, a.result, a.settler = ledger.Succeeded, result, t
		i := slices.Index(a.attempts, t)
		for _, o := range a.attempts[i+1:] {
			if o.said == ledger.Unknown || o.said == "" && o.leaseOver {
				a.suspect = true
			}
		}
		return
	}
	a.compare(result)
}

// compare is a success beside the one that counts.
func (a *refAction) compare(result string) {
	switch {
	case result != "" && result == a.result:
	case result != "" && a.result != "":
		a.suspect, a.proven = true, true
	case a.settler == nil:
	default:
		a.suspect = true
	}
}

// lookup is a truthful look at the destination, or an inconclusive one.
func (a *refAction) lookup(looked ledger.Looked, now int) {
	_, quiet := a.quiet()
	a.changes++
	if a.state == ledger.Succeeded {
		if looked == ledger.Found && (len(a.effects) > 1 || a.result != "" && a.effects[0] != a.result) {
			a.suspect = true
			a.proven = a.proven || len(a.effects) > 1
		}
		if looked == ledger.Found && a.result == "" && len(a.effects) == 1 {
			a.result = a.effects[0]
		}
		return
	}
	if looked == ledger.Found && len(a.effects) > 1 {
		a.suspect, a.proven = true, true
	}
	if !quiet {
		return
	}
	a.looked, a.lookedAt = looked, now
	if looked == ledger.Found {
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
	case a.state == ledger.Unknown || a.replayed:
		return ledger.CodeReplayRequired
	case a.automatic >= retries:
		return ledger.CodeRetriesUsedUp
	}
	return ""
}

// approvable reports whether an approver who goes by the rules says yes.
func (a *refAction) approvable() bool {
	return a.state == ledger.Failed || a.state == ledger.Unknown && a.counting() == ledger.NotFound
}
