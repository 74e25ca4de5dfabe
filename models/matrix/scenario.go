// Package matrix keeps what is tested of a control: the scenarios with the
// result that the business owner agreed, the runs that were started and what
// became of them, the discrepancies that failed runs opened, and waivers.
//
// Everything is append-only but case_cells, which says where each case stands.
// Commands lock the control, so they stand in line with answers and signatures.
package matrix

import "slices"

// Scenario is a situation that every control is tested in.
type Scenario struct {
	Key   string
	Title string
	Words string // what happens and what must come of it, in one line
	Needs []Slot // the evidence that a passed run must have
}

// Slot is a named place for one required item of evidence. Several items may
// fill it; one is enough.
type Slot struct {
	Key   string
	Label string
	Help  string // what to attach
}

// OtherSlot takes evidence beyond the required items.
const OtherSlot = "other"

// MinWatched is how many effects a scenario watches at least.
func MinWatched(key string) int {
	if key == "partial-success" {
		return 2
	}
	return 1
}

// Scenarios are the six that are built in, in the order they are shown.
var Scenarios = []Scenario{
	{"repeated-delivery", "Repeated delivery", "The same event arrives again after completion: no additional effect.", []Slot{
		{"event-id", "Event ID", "The identifier that both deliveries carry."},
		{"receipts", "Both receipts", "What was received the first and the second time, with the times."},
		{"original-destination-id", "Original destination ID", "The identifier of what the first delivery created."},
		{"counts", "Destination count before and after", "What the destination itself shows before the repeat and after it."},
	}},
	{"simultaneous-workers", "Simultaneous workers", "Two workers start with one identity: one completes, the other records a controlled outcome.", []Slot{
		{"worker-traces", "Worker traces", "What each of the two workers did, with the times."},
		{"claim-result", "Claim result", "The answer each worker got."},
		{"destination-records", "Destination records", "Proof that no second effect exists."},
	}},
	{"timeout-after-success", "Timeout after success", "The success response is hidden: the existing result is reconciled, not created again.", []Slot{
		{"destination-success", "Destination success record", "What the destination created although no answer came."},
		{"timeout", "Timeout observation", "How the worker saw the response go missing."},
		{"lookup", "Lookup evidence", "The lookup that found the existing result."},
		{"replay-decision", "Replay decision", "Who decided what, once the result was found."},
	}},
	{"out-of-order-update", "Out-of-order update", "An older update arrives after a newer approved state: nothing stale overwrites it.", []Slot{
		{"source-versions", "Both source versions", "The older and the newer version, as they were sent."},
		{"arrival-order", "Arrival order", "Which of them arrived first, with the times."},
		{"comparison", "Comparison decision", "What the automation compared and decided."},
		{"final-values", "Final destination values", "What the destination holds in the end."},
	}},
	{"partial-success", "Partial success", "One effect completes, another fails: recovery targets only the unresolved one.", []Slot{
		{"separate-outcomes", "Separate outcomes of each effect", "What is recorded for the effect that completed and for the one that failed."},
		{"scoped-recovery", "Scoped recovery request", "The request that took up only the unresolved effect."},
	}},
	{"legitimate-second-request", "Legitimate second request", "The same customer with a new request ID: allowed.", []Slot{
		{"distinct-ids", "Distinct request and action IDs", "The identifiers of both requests and of both actions."},
		{"approved-results", "Approved expected results", "What the owner expects of each of the two requests."},
		{"destination-records", "Both destination records", "What each request created at the destination."},
	}},
}

// ScenarioByKey finds a built-in scenario.
func ScenarioByKey(key string) (Scenario, bool) {
	i := slices.IndexFunc(Scenarios, func(s Scenario) bool { return s.Key == key })
	if i < 0 {
		return Scenario{}, false
	}
	return Scenarios[i], true
}
