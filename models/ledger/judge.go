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
	Found         []string  // every id that a lookup found, whether it counts or not
	Cleared       time.Time // when the latest lookup that counts and found nothing began; zero: none
}

func (a actionFact) attempt(id int64) (attemptFact, bool) {
	for _, t := range a.Attempts {
		if t.ID == id {
			return t, true
		}
	}
	return attemptFact{}, false
}

// waiting is the observed success that counts as soon as the holder has ended:
// the first that was reported.
func (a actionFact) waiting() (first attemptFact, ok bool) {
	for _, t := range a.Attempts {
		if a.State != Succeeded && t.observed() && t.Outcome == Succeeded && (!ok || t.end().Before(first.end())) {
			first, ok = t, true
		}
	}
	return first, ok
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
	Settles   bool   // this is the success that counts; of a verdict about anything else: the one that waited does
	Waits     bool   // an observed success that counts when the holder has ended
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
		v.second(a.beside(me, result))
	case me.observed() && said != Succeeded:
		// Beside the action: only a success moves it.
	case said == Succeeded && next == Pending:
		v.Waits = true
		if _, another := a.waiting(); !another {
			v.Result = result
		}
		v.second(a.beside(me, result))
	case said == Succeeded:
		v.second(a.beside(me, result))
		v.second(a.behind(now, me))
		v.settle(a, next, result)
	case v.Late:
		v.Next = next
		if v.Event == Retracted && a.State == Succeeded {
			v.second(possible, fmt.Sprintf("Attempt %d withdrew its failure after another attempt succeeded: it may have made a second effect.", me.Number))
		}
		if said == Failed {
			v.Kept, v.Words = me.keptAs(), "The lease had ended, so this failure is kept as evidence and settles nothing."
		}
	case a.State == Succeeded && said == Unknown && me.ID != a.SettledBy:
		v.second(possible, heldBeside(me, "ended unknown"))
	case said == Failed && a.uncertain(now, me) != nil:
		v.Event = SaidUnknown
		v.Next, _ = a.State.Next(v.Event)
		v.Words = "This attempt failed, and an earlier one withdrew its failure meanwhile, so the action is unknown."
		v.counted(now, a)
	default:
		v.Next = next
		if _, waits := a.waiting(); waits && said == Unknown {
			v.second(possible, heldBeside(me, "ended unknown"))
		}
		v.counted(now, a)
	}
	return v
}

// judgeLapse decides what a lease comes to that ended without a report. Pure.
func judgeLapse(now time.Time, a actionFact, t attemptFact) verdict {
	v := verdict{Next: a.State, Result: a.Result, Event: LeaseEnded, Kept: Unknown}
	switch {
	case t.observed():
	case a.State == Succeeded && t.ID != a.SettledBy:
		v.second(possible, heldBeside(t, "its lease ended without a report"))
	case t.ID == a.Attempt:
		v.Next, _ = a.State.Next(LeaseEnded)
		v.counted(now, a)
	}
	return v
}

func heldBeside(t attemptFact, how string) string {
	return fmt.Sprintf("Attempt %d was held while another success was reported, and %s: it may have made a second effect.", t.Number, how)
}

// settle makes the action succeed by a result. Where the success names none,
// another one that waited may have, or a lookup.
func (v *verdict) settle(a actionFact, next State, result string) {
	if result == "" {
		result = a.Result
	}
	if result == "" && len(a.Found) > 0 {
		result = a.Found[0]
	}
	v.Next, v.Settles, v.Result = next, true, result
	v.second(a.foundBeside(result))
}

// counted lets the observed success count that waited for the holder to end.
func (v *verdict) counted(now time.Time, a actionFact) {
	w, ok := a.waiting()
	if !ok || v.Next == Pending {
		return
	}
	v.second(a.behind(now, w))
	next, _ := v.Next.Next(ObservedSucceeded)
	v.settle(a, next, w.Result)
}

// second notes that there is, or may be, a second effect. What is confirmed
// outweighs what is possible.
func (v *verdict) second(kind, why string) {
	switch {
	case kind == "" || v.Duplicate == confirmed && kind == possible:
	case kind == v.Duplicate:
		v.Why += "\n" + why
	default:
		v.Duplicate, v.Why = kind, why
	}
}

// uncertain is another attempt that may have had an effect which nothing ruled
// out: it became unknown after me began. An observed attempt was allowed without
// anybody looking, so only a lookup that found nothing rules out what was before.
func (a actionFact) uncertain(now time.Time, me attemptFact) *attemptFact {
	since := me.StartedAt
	if me.observed() {
		since = a.Cleared
	}
	for i, t := range a.Attempts {
		if t.ID != me.ID && !t.observed() && (t.Outcome == Unknown || t.lapsed(now)) && t.end().After(since) {
			return &a.Attempts[i]
		}
	}
	return nil
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
	case said == Succeeded && me.observed():
		return ObservedSucceeded
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
