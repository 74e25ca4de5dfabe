package ledger

import "time"

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
		v.second(a.lookedBeside(looked, results))
		if looked == Found && a.Result == "" && len(results) == 1 {
			v.Result = results[0]
		}
		return v, counts
	}
	v.second(several(results)) // two results are two results, whenever they were seen
	if looked == Found {
		v.second(a.foundBeside(results...))
	}
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
