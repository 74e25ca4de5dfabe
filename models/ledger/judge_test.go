package ledger

import (
	"testing"
	"time"
)

// Every pair: which events a state takes, and where they lead. "" is refused.
func TestTransitionsOfEveryStateAndEvent(t *testing.T) {
	const p, u, f, s = Pending, Unknown, Failed, Succeeded
	want := map[Event][4]State{ // from pending, unknown, failed, succeeded
		SaidSucceeded:     {s, s, s, s},
		SaidFailed:        {f, f, f, s},
		SaidUnknown:       {u, u, u, s},
		LeaseEnded:        {u, "", "", s},
		LateSucceeded:     {s, s, s, s},
		ObservedSucceeded: {p, s, s, s},
		LateFailed:        {p, u, f, s},
		LateUnknown:       {p, u, f, s},
		Retracted:         {p, u, u, s},
		LookedFound:       {"", s, s, s},
		LookedNotFound:    {"", u, f, s},
		LookedUnclear:     {"", u, f, s},
		Retried:           {"", "", p, ""},
		Started:           {"", p, p, ""},
	}
	if len(want) != len(Events) {
		t.Fatalf("%d events tested of %d", len(want), len(Events))
	}
	for _, e := range Events {
		for i, from := range []State{p, u, f, s} {
			if next, ok := from.Next(e); next != want[e][i] || ok != (want[e][i] != "") {
				t.Errorf("%s in %s leads to %q, want %q", e, from, next, want[e][i])
			}
		}
	}
}

func TestNoEventLeavesSuccessAndNoneStrandsAnAction(t *testing.T) {
	for e, next := range transitions[Succeeded] {
		if next != Succeeded {
			t.Errorf("%s leaves succeeded", e)
		}
	}
	for _, s := range States {
		reachable := map[State]bool{}
		for grew, front := true, []State{s}; grew; {
			grew = false
			for _, at := range front {
				for _, next := range transitions[at] {
					if !reachable[next] {
						reachable[next], grew = true, true
						front = append(front, next)
					}
				}
			}
		}
		if !reachable[Succeeded] {
			t.Errorf("nothing leads from %s to succeeded", s)
		}
	}
	if len(transitions) != len(States) {
		t.Error("a state without transitions")
	}
}

var noon = time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)

// try is an attempt: its lease ends so many minutes after noon.
func try(number int, outcome State, result string, lease int) attemptFact {
	a := attemptFact{ID: int64(number), Number: number, Kind: "retry", Outcome: outcome, Result: result, StartedAt: noon.Add(time.Duration(number-100) * time.Minute), LeaseUntil: noon.Add(time.Duration(lease) * time.Minute)}
	if outcome != "" {
		end := noon.Add(time.Duration(number-100)*time.Minute + 30*time.Second)
		a.EndedAt, a.Detail = &end, "before"
	}
	return a
}

func act(state State, result string, settledBy int64, attempts ...attemptFact) actionFact {
	return actionFact{ID: 1, State: state, Result: result, SettledBy: settledBy, Attempt: attempts[len(attempts)-1].ID, Attempts: attempts}
}

func TestJudgementOfReports(t *testing.T) {
	observed := func(a attemptFact) attemptFact { a.Kind = "observed"; return a }
	for _, c := range []struct {
		name   string
		a      actionFact
		me     int64
		said   State
		result string
		detail string
		want   verdict // Event, Refused, Nothing, Late, Kept, Next, Result, Settles, Duplicate
	}{
		{"succeeds in the lease", act(Pending, "", 0, try(1, "", "", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"fails with a detail", act(Pending, "", 0, try(1, "", "", 1)), 1, Failed, "", "rejected", verdict{Event: SaidFailed, Kept: Failed, Next: Failed}},
		{"fails without a detail", act(Pending, "", 0, try(1, "", "", 1)), 1, Failed, "", "", verdict{Event: SaidUnknown, Kept: Unknown, Next: Unknown}},
		{"does not know", act(Pending, "", 0, try(1, "", "", 1)), 1, Unknown, "", "timeout", verdict{Event: SaidUnknown, Kept: Unknown, Next: Unknown}},
		{"succeeded after its own unknown", act(Unknown, "", 0, try(1, Unknown, "", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"succeeded after its own failure", act(Failed, "", 0, try(1, Failed, "", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"looked up its own unknown", act(Unknown, "", 0, try(1, Unknown, "", 1)), 1, Failed, "", "looked up", verdict{Event: SaidFailed, Kept: Failed, Next: Failed}},
		{"is less sure than it was", act(Failed, "", 0, try(1, Failed, "", 1)), 1, Unknown, "", "hm", verdict{Event: SaidUnknown, Kept: Unknown, Next: Unknown}},
		{"fails the same again", act(Failed, "", 0, try(1, Failed, "", 1)), 1, Failed, "", "before", verdict{Nothing: true, Kept: Failed, Next: Failed}},
		{"fails after its success", act(Succeeded, "x", 1, try(1, Succeeded, "x", 1)), 1, Failed, "", "rejected", verdict{Refused: CodeSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"unknown after its success", act(Succeeded, "x", 1, try(1, Succeeded, "x", 1)), 1, Unknown, "", "", verdict{Refused: CodeSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"succeeded the same again, even later", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1)), 1, Succeeded, "x", "", verdict{Nothing: true, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"remembers its result", act(Succeeded, "", 1, try(1, Succeeded, "", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"made two things", act(Succeeded, "x", 1, try(1, Succeeded, "x", 1)), 1, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: confirmed}},

		{"late success, nothing later", act(Unknown, "", 0, try(1, "", "", -1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"late failure is evidence only", act(Unknown, "", 0, try(1, "", "", -1)), 1, Failed, "", "rejected", verdict{Event: LateFailed, Late: true, Kept: Unknown, Next: Unknown}},
		{"late unknown changes nothing", act(Unknown, "", 0, try(1, "", "", -1)), 1, Unknown, "", "", verdict{Event: LateUnknown, Late: true, Kept: Unknown, Next: Unknown}},
		{"late withdrawal of a failure", act(Failed, "", 0, try(1, Failed, "", -1)), 1, Unknown, "", "", verdict{Event: Retracted, Late: true, Kept: Unknown, Next: Unknown}},
		{"late failure after an unknown", act(Unknown, "", 0, try(1, Unknown, "", -1)), 1, Failed, "", "looked up", verdict{Event: LateFailed, Late: true, Kept: Unknown, Next: Unknown}},

		{"late success while a later attempt is held", act(Pending, "", 0, try(1, "", "", -1), try(2, "", "", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"late success, the later attempt failed", act(Failed, "", 0, try(1, "", "", -1), try(2, Failed, "", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"late success, the later attempt unknown", act(Unknown, "", 0, try(1, "", "", -1), try(2, Unknown, "", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true, Duplicate: possible}},
		{"late success, the later lease over", act(Unknown, "", 0, try(1, "", "", -2), try(2, "", "", -1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true, Duplicate: possible}},
		{"both succeeded with one result", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", 1)), 2, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"both succeeded with two results", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: confirmed}},
		{"both succeeded, one without result", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", 1)), 2, Succeeded, "", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: possible}},
		{"both succeeded, the first without result", act(Succeeded, "", 1, try(1, Succeeded, "", -1), try(2, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Duplicate: possible}},
		{"the later one says unknown", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", 1)), 2, Unknown, "", "", verdict{Event: SaidUnknown, Kept: Unknown, Next: Succeeded, Result: "x", Duplicate: possible}},
		{"the later one says failed", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", 1)), 2, Failed, "", "not sent", verdict{Event: SaidFailed, Kept: Failed, Next: Succeeded, Result: "x"}},
		{"the later one withdraws its failure", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, Failed, "", -1)), 2, Unknown, "", "", verdict{Event: Retracted, Late: true, Kept: Unknown, Next: Succeeded, Result: "x", Duplicate: possible}},
		{"the earlier one succeeded too, late", act(Succeeded, "y", 2, try(1, Unknown, "", -1), try(2, Succeeded, "y", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "y", Duplicate: confirmed}},
		{"an earlier attempt that still has its lease is late too", act(Pending, "", 0, try(1, Failed, "", 5), try(2, "", "", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"fails while an earlier one became unknown meanwhile", act(Pending, "", 0, withdrawn(try(1, Unknown, "", -1)), try(2, "", "", 1)), 2, Failed, "", "not sent", verdict{Event: SaidUnknown, Kept: Failed, Next: Unknown}},
		{"fails after an unknown that a replay was approved for", act(Pending, "", 0, try(1, Unknown, "", -1), try(2, "", "", 1)), 2, Failed, "", "not sent", verdict{Event: SaidFailed, Kept: Failed, Next: Failed}},
		{"succeeds after an unknown that a replay was approved for", act(Pending, "", 0, try(1, Unknown, "", -1), try(2, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true}},

		{"late success after a lookup found the same", act(Succeeded, "x", 0, try(1, "", "", -1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"late success after a lookup found another", foundIn(act(Succeeded, "x", 0, try(1, "", "", -1)), "x"), 1, Succeeded, "y", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: possible}},
		{"late success without result after a lookup", act(Succeeded, "x", 0, try(1, "", "", -1)), 1, Succeeded, "", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x"}},

		{"success after a lookup that did not count found another", foundIn(act(Pending, "", 0, try(1, Failed, "", -1), try(2, "", "", 1)), "x"), 2, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"success after a lookup that did not count found the same", foundIn(act(Pending, "", 0, try(1, "", "", 1)), "x"), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"success without result after such a lookup", foundIn(act(Pending, "", 0, try(1, "", "", 1)), "x"), 1, Succeeded, "", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true}},
		{"success without result after lookups of two", foundIn(act(Pending, "", 0, try(1, "", "", 1)), "x", "y"), 1, Succeeded, "", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true, Duplicate: possible}},
		{"names another result than a lookup did", foundIn(act(Succeeded, "x", 1, try(1, Succeeded, "", 1)), "x"), 1, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Duplicate: possible}},
		{"names what a lookup named", foundIn(act(Succeeded, "x", 1, try(1, Succeeded, "", 1)), "x"), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"the retry succeeds after the failure was withdrawn", act(Pending, "", 0, withdrawn(try(1, Unknown, "", -1)), try(2, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"names its result beside one that named another", act(Succeeded, "", 1, try(1, Succeeded, "", -1), try(2, Succeeded, "y", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: confirmed}},

		{"observed beside a held one", act(Pending, "", 0, observed(try(2, "", "", 1)), try(1, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Pending, Result: "y", Waits: true}},
		{"another observed beside a held one", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), observed(try(3, "", "", 1)), try(1, "", "", 1)), 3, Succeeded, "z", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Pending, Result: "y", Waits: true, Duplicate: confirmed}},
		{"the holder fails, an observed success waits", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), try(1, "", "", 1)), 1, Failed, "", "rejected", verdict{Event: SaidFailed, Kept: Failed, Next: Succeeded, Result: "y", Settles: true}},
		{"the holder does not know, an observed success waits", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), try(1, "", "", 1)), 1, Unknown, "", "", verdict{Event: SaidUnknown, Kept: Unknown, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"the holder made the same", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), try(1, "", "", 1)), 1, Succeeded, "y", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true}},
		{"the holder made another", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), try(1, "", "", 1)), 1, Succeeded, "x", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true, Duplicate: confirmed}},
		{"the holder names none", act(Pending, "y", 0, observed(try(2, Succeeded, "y", 1)), try(1, "", "", 1)), 1, Succeeded, "", "", verdict{Event: SaidSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"a late success while an observed one waits", act(Pending, "y", 0, try(1, Failed, "", -1), observed(try(3, Succeeded, "y", 1)), try(2, "", "", 1)), 1, Succeeded, "x", "", verdict{Event: LateSucceeded, Late: true, Kept: Succeeded, Next: Succeeded, Result: "x", Settles: true, Duplicate: confirmed}},
		{"observed success of something failed", act(Failed, "", 0, observed(try(2, "", "", 1)), try(1, Failed, "", 1)), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true}},
		{"observed success of something unknown", act(Unknown, "", 0, observed(try(2, "", "", 1)), try(1, Unknown, "", 1)), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"observed success after a lookup found nothing", clearedBy(act(Unknown, "", 0, observed(try(2, "", "", 1)), try(1, Unknown, "", 1))), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "y", Settles: true}},
		{"observed failure says nothing", act(Unknown, "", 0, observed(try(2, "", "", 1)), try(1, Unknown, "", 1)), 2, Failed, "", "not sent", verdict{Event: SaidFailed, Kept: Failed, Next: Unknown}},
		{"observed second success", act(Succeeded, "x", 1, observed(try(2, "", "", 1)), try(1, Succeeded, "x", 1)), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: confirmed}},
		{"observed success with the same result", act(Succeeded, "x", 1, observed(try(2, "", "", 1)), try(1, Succeeded, "x", 1)), 2, Succeeded, "x", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x"}},
		{"observed two results", act(Succeeded, "x", 1, observed(try(2, Succeeded, "x", 1)), try(1, Succeeded, "x", 1)), 2, Succeeded, "z", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Succeeded, Result: "x", Duplicate: confirmed}},
		{"a waiting one names its result", act(Pending, "", 0, observed(try(2, Succeeded, "", 1)), try(1, "", "", 1)), 2, Succeeded, "y", "", verdict{Event: ObservedSucceeded, Kept: Succeeded, Next: Pending, Result: "y"}},
	} {
		me, _ := c.a.attempt(c.me)
		got := judge(noon, c.a, me, c.said, c.result, c.detail)
		if (got.Duplicate == "") != (got.Why == "") {
			t.Errorf("%s: a duplicate without words, or words without one: %+v", c.name, got)
		}
		got.Why, got.Words = "", ""
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
		if !got.Nothing && got.Refused == "" {
			next, ok := c.a.State.Next(got.Event)
			if _, waits := c.a.waiting(); ok && waits && next != Pending {
				next, ok = next.Next(ObservedSucceeded)
			}
			if !ok || next != got.Next && (me.Kind != "observed" || got.Event == ObservedSucceeded) && got.Event != SaidSucceeded {
				t.Errorf("%s: %s in %s leads to %s, the table says %s", c.name, got.Event, c.a.State, got.Next, next)
			}
		}
	}
}

// foundIn is an action of which lookups found these results.
func foundIn(a actionFact, ids ...string) actionFact { a.Found = ids; return a }

// clearedBy is an action of which a lookup that counts found nothing, just now.
func clearedBy(a actionFact) actionFact { a.Cleared = noon; return a }

func TestJudgementOfLeaseEnds(t *testing.T) {
	waits := try(2, Succeeded, "y", 1)
	waits.Kind = "observed"
	for _, c := range []struct {
		name string
		a    actionFact
		me   int64
		want verdict
	}{
		{"the holder's", act(Pending, "", 0, try(1, "", "", -1)), 1, verdict{Next: Unknown}},
		{"an earlier attempt's, nothing new", act(Pending, "", 0, try(1, "", "", -1), try(2, "", "", 1)), 1, verdict{Next: Pending}},
		{"beside a success", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1), try(2, "", "", -1)), 2, verdict{Next: Succeeded, Result: "x", Duplicate: possible}},
		{"an observed success waits", act(Pending, "y", 0, waits, try(1, "", "", -1)), 1, verdict{Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"one waits, and a lookup found another", foundIn(act(Pending, "y", 0, waits, try(1, "", "", -1)), "z"), 1, verdict{Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}},
		{"an observed attempt's", act(Succeeded, "x", 1, func() attemptFact { o := try(2, "", "", -1); o.Kind = "observed"; return o }(), try(1, Succeeded, "x", 1)), 2, verdict{Next: Succeeded, Result: "x"}},
	} {
		me, _ := c.a.attempt(c.me)
		got := judgeLapse(noon, c.a, me)
		if (got.Duplicate == "") != (got.Why == "") {
			t.Errorf("%s: a duplicate without words, or words without one: %+v", c.name, got)
		}
		got.Why, got.Event, got.Kept = "", "", ""
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// withdrawn is an attempt that became unknown after the next one began.
func withdrawn(a attemptFact) attemptFact {
	end := noon.Add(-time.Minute)
	a.EndedAt = &end
	return a
}

func TestJudgementOfLookups(t *testing.T) {
	ended := noon.Add(-99*time.Minute + 30*time.Second) // of attempt 1 when it reported
	for _, c := range []struct {
		name   string
		a      actionFact
		looked Looked
		ids    []string
		began  time.Time
		want   verdict
		counts bool
	}{
		{"found settles unknown", act(Unknown, "", 0, try(1, Unknown, "", -1)), Found, []string{"x"}, ended, verdict{Event: LookedFound, Next: Succeeded, Result: "x", Settles: true}, true},
		{"found settles failed", act(Failed, "", 0, try(1, Failed, "", -1)), Found, []string{"x"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x", Settles: true}, true},
		{"several found", act(Unknown, "", 0, try(1, Unknown, "", -1)), Found, []string{"x", "y"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x", Settles: true, Duplicate: confirmed}, true},
		{"begun before the attempt ended", act(Unknown, "", 0, try(1, Unknown, "", -1)), Found, []string{"x"}, ended.Add(-time.Second), verdict{Event: LookedFound, Next: Unknown}, false},
		{"begun before the lease ended", act(Unknown, "", 0, try(1, "", "", -1)), NotFound, nil, noon.Add(-2 * time.Minute), verdict{Event: LookedNotFound, Next: Unknown}, false},
		{"not found after the lease", act(Unknown, "", 0, try(1, "", "", -1)), NotFound, nil, noon, verdict{Event: LookedNotFound, Next: Unknown}, true},
		{"inconclusive", act(Unknown, "", 0, try(1, Unknown, "", -1)), Inconclusive, nil, noon, verdict{Event: LookedUnclear, Next: Unknown}, true},
		{"found, and another was found before", foundIn(act(Unknown, "", 0, try(1, Unknown, "", -1)), "x"), Found, []string{"y"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "y", Settles: true, Duplicate: possible}, true},
		{"while somebody holds it", act(Pending, "", 0, try(1, Unknown, "", -1), try(2, "", "", 1)), Found, []string{"x"}, noon, verdict{Event: LookedFound, Next: Pending}, false},
		{"two found while somebody holds it", act(Pending, "", 0, try(1, Unknown, "", -1), try(2, "", "", 1)), Found, []string{"x", "y"}, noon, verdict{Event: LookedFound, Next: Pending, Duplicate: confirmed}, false},
		{"after another attempt became unknown later", act(Unknown, "", 0, withdrawn(try(1, Unknown, "", -1)), try(2, Failed, "", -1)), NotFound, nil, noon.Add(-2 * time.Minute), verdict{Event: LookedNotFound, Next: Unknown}, false},
		{"found what succeeded", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1)), Found, []string{"x"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x"}, true},
		{"found another than what succeeded", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1)), Found, []string{"y"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x", Duplicate: possible}, true},
		{"found two of what succeeded", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1)), Found, []string{"x", "y"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x", Duplicate: confirmed}, true},
		{"found the result that was not known", act(Succeeded, "", 1, try(1, Succeeded, "", -1)), Found, []string{"x"}, noon, verdict{Event: LookedFound, Next: Succeeded, Result: "x"}, true},
		{"not found what succeeded", act(Succeeded, "x", 1, try(1, Succeeded, "x", -1)), NotFound, nil, noon, verdict{Event: LookedNotFound, Next: Succeeded, Result: "x"}, true},
	} {
		got, counts := judgeLookup(noon, c.a, c.looked, c.ids, c.began)
		if !counts && got.Words == "" && c.a.State != Succeeded {
			t.Errorf("%s: does not say why it does not count", c.name)
		}
		got.Why, got.Words = "", ""
		if got != c.want || counts != c.counts {
			t.Errorf("%s:\n got %+v %v\nwant %+v %v", c.name, got, counts, c.want, c.counts)
		}
	}
}
