package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What is known of two effects must come out the same in whichever order it was
// said: a success, another one, an attempt that nobody can speak for, a lookup.

// counts is the attempt whose success counts, or will when the holder has ended;
// ok is false when none does, or a lookup does.
func (a actionFact) counts() (attemptFact, bool) {
	if a.State != Succeeded {
		return a.waiting()
	}
	return a.attempt(a.SettledBy)
}

// sameSuccess is a second success of one attempt: the same again, a result id
// that was not known, or another effect.
func (a actionFact) sameSuccess(v verdict, me attemptFact, result string) verdict {
	if result == "" || result == me.Result {
		v.Nothing = true
		return v
	}
	v.Event = eventOf(Succeeded, false, me)
	if me.Result != "" {
		v.second(confirmed, fmt.Sprintf("Attempt %d reported two results: %s and %s.", me.Number, me.Result, result))
		return v
	}
	v.second(a.beside(me, result))
	if counts, ok := a.counts(); ok && counts.ID == me.ID {
		v.Result = result
	}
	return v
}

// beside says whether a success is a second effect beside what is known already:
// other successes, and what lookups found.
func (a actionFact) beside(me attemptFact, result string) (kind, why string) {
	if result != "" && result == a.Result {
		return "", ""
	}
	for _, t := range a.Attempts {
		switch {
		case t.ID == me.ID || t.Outcome != Succeeded || result != "" && result == t.Result:
		case result != "" && t.Result != "":
			return confirmed, fmt.Sprintf("Attempt %d made %s, and attempt %d made %s: two effects.", me.Number, result, t.Number, t.Result)
		default:
			kind, why = possible, fmt.Sprintf("Attempts %d and %d both succeeded, and without both result ids nobody can tell whether that is one effect.", t.Number, me.Number)
		}
	}
	if kind == "" && result != "" {
		return a.foundBeside(result)
	}
	return kind, why
}

// behind says whether another attempt may have made the effect as well, now that
// me succeeded. One still held is asked by its heartbeat.
func (a actionFact) behind(now time.Time, me attemptFact) (kind, why string) {
	t := a.uncertain(now, me)
	if t == nil {
		return "", ""
	}
	return possible, fmt.Sprintf("Attempt %d succeeded, and attempt %d ended unknown: it may have made a second effect.", me.Number, t.Number)
}

// foundBeside says whether a lookup found anything else than these results.
func (a actionFact) foundBeside(results ...string) (kind, why string) {
	for _, id := range a.Found {
		if !slices.Contains(results, id) {
			return possible, fmt.Sprintf("A lookup found %s, and another result is %s: perhaps two effects.", id, strings.Join(results, ", "))
		}
	}
	return "", ""
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
