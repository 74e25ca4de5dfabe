package ledger

import (
	"fmt"
	"time"
)

// attemptFact is what a judgement needs of one attempt.
type attemptFact struct {
	ID         int64
	Number     int
	Kind       string // first, retry, replay, observed
	Outcome    State  // "" while nothing was reported
	Result     string
	Detail     string
	StartedAt  time.Time
	LeaseUntil time.Time
	EndedAt    *time.Time
	NotedAt    *time.Time // the end of its lease was noted
}

func (a attemptFact) observed() bool            { return a.Kind == "observed" }
func (a attemptFact) over(now time.Time) bool   { return !now.Before(a.LeaseUntil) }
func (a attemptFact) ended(now time.Time) bool  { return a.Outcome != "" || a.over(now) }
func (a attemptFact) lapsed(now time.Time) bool { return a.Outcome == "" && a.over(now) }

// end is when it ended; only for one that has.
func (a attemptFact) end() time.Time {
	if a.EndedAt != nil {
		return *a.EndedAt
	}
	return a.LeaseUntil
}

// actionFact is what a judgement needs of an action. Every lease that is over was
// noted before, so State is what the clock says.
type actionFact struct {
	ID            int64
	State         State
	Attempt       int64 // the latest, observed ones aside
	Result        string
	SettledBy     int64 // the attempt whose success counts
	SettledLookup int64 // or the lookup
	Attempts      []attemptFact
}

func (a actionFact) attempt(id int64) (attemptFact, bool) {
	for _, t := range a.Attempts {
		if t.ID == id {
			return t, true
		}
	}
	return attemptFact{}, false
}

// verdict is what a report or lookup comes to.
type verdict struct {
	Event     Event
	Refused   Code
	Nothing   bool // the same again: nothing to record
	Late      bool
	Kept      State  // what the attempt counts as
	Next      State  // of the action
	Result    string // of the action
	Settles   bool   // this is the success that counts
	Duplicate string // possible or confirmed
	Why       string // the duplicate in words
	Words     string // for the caller, where it is not what was reported
}

const (
	possible  = "possible"
	confirmed = "confirmed"
)

const noDetail = "A failure without a detail counts as unknown. Say how it is certain: not sent, rejected or looked up."

// judge decides what a report of an attempt comes to. Pure.
func judge(now time.Time, a actionFact, me attemptFact, said State, result, detail string) verdict {
	v := verdict{Kept: said, Next: a.State, Result: a.Result}
	if said == Failed && detail == "" {
		said, v.Kept, v.Words = Unknown, Unknown, noDetail
	}
	switch {
	case me.Outcome == Succeeded && said != Succeeded:
		v.Refused, v.Kept = CodeSucceeded, Succeeded
		return v
	case me.Outcome == Succeeded:
		return a.sameSuccess(v, me, result)
	case me.Outcome == said && (detail == "" || detail == me.Detail):
		v.Nothing = true
		return v
	}
	v.Late = me.over(now) || !me.observed() && me.ID != a.Attempt
	v.Event = eventOf(said, v.Late, me)
	next, _ := a.State.Next(v.Event)
	switch {
	case said == Succeeded && a.State == Succeeded:
		if !me.observed() {
			v.Duplicate, v.Why = a.compare(me, result)
		}
	case me.observed() && (said != Succeeded || a.State == Pending):
		// Observed beside the action: it moves only what nobody holds, and only by a success.
	case said == Succeeded:
		v.Next, v.Settles, v.Result = next, true, result
		if !me.observed() {
			v.Duplicate, v.Why = a.behind(now, me)
		}
	case v.Late:
		v.Next = next
		if v.Event == Retracted && a.State == Succeeded {
			v.Duplicate, v.Why = possible, fmt.Sprintf("Attempt %d withdrew its failure after another attempt succeeded: it may have made a second effect.", me.Number)
		}
		if said == Failed {
			v.Kept, v.Words = me.keptAs(), "The lease had ended, so this failure is kept as evidence and settles nothing."
		}
	case a.State == Succeeded && said == Unknown && me.ID != a.SettledBy:
		v.Duplicate, v.Why = possible, fmt.Sprintf("Attempt %d was held while an earlier success was reported, and ended unknown: it may have made a second effect.", me.Number)
	case said == Failed && a.uncertainSince(now, me):
		v.Event = SaidUnknown
		v.Next, _ = a.State.Next(v.Event)
		v.Words = "This attempt failed, and an earlier one withdrew its failure meanwhile, so the action is unknown."
	default:
		v.Next = next
	}
	return v
}

// uncertainSince reports whether another attempt became unknown after me began:
// what allowed me says nothing about that.
func (a actionFact) uncertainSince(now time.Time, me attemptFact) bool {
	for _, t := range a.Attempts {
		if t.ID != me.ID && !t.observed() && (t.Outcome == Unknown || t.lapsed(now)) && t.end().After(me.StartedAt) {
			return true
		}
	}
	return false
}

// keptAs is what an attempt counts as whose late failure settles nothing.
func (a attemptFact) keptAs() State {
	if a.Outcome == "" {
		return Unknown
	}
	return a.Outcome
}

func eventOf(said State, late bool, me attemptFact) Event {
	switch {
	case said == Succeeded && late:
		return LateSucceeded
	case said == Succeeded:
		return SaidSucceeded
	case said == Failed && late:
		return LateFailed
	case said == Failed:
		return SaidFailed
	case late && me.Outcome == Failed:
		return Retracted
	case late:
		return LateUnknown
	}
	return SaidUnknown
}

// sameSuccess is a second success of one attempt: the same again, a result id
// that was not known, or another effect.
func (a actionFact) sameSuccess(v verdict, me attemptFact, result string) verdict {
	switch {
	case result == "" || result == me.Result:
		v.Nothing = true
	case me.Result == "":
		v.Event = SaidSucceeded
		if a.SettledBy == me.ID && a.Result == "" {
			v.Result = result
		} else if !me.observed() && a.SettledBy != me.ID {
			v.Duplicate, v.Why = a.compare(me, result)
		}
	default:
		v.Event = SaidSucceeded
		v.Duplicate, v.Why = confirmed, fmt.Sprintf("Attempt %d reported two results: %s and %s.", me.Number, me.Result, result)
	}
	return v
}

// compare says whether a success beside the one that counts is a second effect.
func (a actionFact) compare(me attemptFact, result string) (kind, why string) {
	settled, byAttempt := a.attempt(a.SettledBy)
	switch {
	case byAttempt && settled.observed():
		return "", ""
	case result != "" && result == a.Result:
		return "", ""
	case result != "" && a.Result != "":
		return confirmed, fmt.Sprintf("Attempt %d made %s, and the action’s result is %s: two effects.", me.Number, result, a.Result)
	case !byAttempt: // a lookup found one result, and nothing says that this is another
		return "", ""
	}
	return possible, fmt.Sprintf("Attempts %d and %d both succeeded, and without both result ids nobody can tell whether that is one effect.", settled.Number, me.Number)
}

// behind says whether an attempt after me may have made the effect as well, now
// that me turned out to have succeeded. One still held is asked by its heartbeat.
func (a actionFact) behind(now time.Time, me attemptFact) (kind, why string) {
	for _, t := range a.Attempts {
		if t.Number > me.Number && !t.observed() && (t.Outcome == Unknown || t.lapsed(now)) {
			return possible, fmt.Sprintf("Attempt %d succeeded, and the later attempt %d ended unknown: it may have made a second effect.", me.Number, t.Number)
		}
	}
	return "", ""
}

// judgeLookup decides what a lookup comes to. Pure. It counts only when the last
// attempt had ended before it began.
func judgeLookup(now time.Time, a actionFact, looked Looked, results []string, began time.Time) (v verdict, counts bool) {
	v = verdict{Next: a.State, Result: a.Result, Event: map[Looked]Event{Found: LookedFound, NotFound: LookedNotFound, Inconclusive: LookedUnclear}[looked]}
	held, end := a.lastEnd(now)
	counts = !held && !began.Before(end)
	switch {
	case held:
		v.Words = "It does not count: a worker still holds the action. Look again when the attempt has ended."
	case !counts:
		v.Words = "It does not count: it began before the last attempt ended. Look again."
	}
	if a.State == Succeeded {
		v.Duplicate, v.Why = a.lookedBeside(looked, results)
		if looked == Found && a.Result == "" && len(results) == 1 {
			v.Result = results[0]
		}
		return v, counts
	}
	v.Duplicate, v.Why = several(results) // two results are two results, whenever they were seen
	if !counts {
		return v, false
	}
	v.Next, _ = a.State.Next(v.Event)
	if looked == Found {
		v.Settles, v.Result = true, results[0]
	}
	return v, true
}

// lastEnd is when the last attempt ended; held while one has not.
func (a actionFact) lastEnd(now time.Time) (held bool, end time.Time) {
	for _, t := range a.Attempts {
		if t.observed() {
			continue
		}
		if !t.ended(now) {
			return true, end
		}
		if t.end().After(end) {
			end = t.end()
		}
	}
	return false, end
}

func several(results []string) (kind, why string) {
	if len(results) < 2 {
		return "", ""
	}
	return confirmed, fmt.Sprintf("A lookup found %d results at the destination.", len(results))
}

// lookedBeside is what a lookup says about an action that succeeded already.
func (a actionFact) lookedBeside(looked Looked, results []string) (kind, why string) {
	switch {
	case looked != Found:
		return "", ""
	case len(results) > 1:
		return several(results)
	case a.Result != "" && results[0] != a.Result:
		return possible, fmt.Sprintf("A lookup found %s, and the action’s result is %s: perhaps two effects.", results[0], a.Result)
	}
	return "", ""
}
