package matrix

import "testing"

func TestOutcomeOfEveryObservation(t *testing.T) {
	type result struct {
		outcome Outcome
		ok      bool
	}
	refused := result{Passed, false}
	// claimed, then inspected, equal, complete as bits 4, 2, 1
	want := map[Outcome][8]result{
		Passed: {
			{Inconclusive, true}, {Inconclusive, true}, {Inconclusive, true}, {Inconclusive, true},
			{Failed, true}, {Failed, true}, refused, {Passed, true}},
		Failed: {
			{Failed, true}, {Failed, true}, {Failed, true}, {Failed, true},
			{Failed, true}, {Failed, true}, {Failed, true}, {Failed, true}},
		Inconclusive: {
			{Inconclusive, true}, {Inconclusive, true}, {Inconclusive, true}, {Inconclusive, true},
			{Failed, true}, {Failed, true}, {Inconclusive, true}, {Inconclusive, true}},
	}
	for claimed, results := range want {
		for bits, w := range results {
			o := Observation{Claimed: claimed, Inspected: bits&4 != 0, Equal: bits&2 != 0, Complete: bits&1 != 0}
			if outcome, ok := o.Decide(); (result{outcome, ok}) != w {
				t.Errorf("%+v: %s %v, want %s %v", o, outcome, ok, w.outcome, w.ok)
			}
		}
	}
}
