package ledger

// State is where an action stands.
type State string

const (
	Pending   State = "pending"   // one worker holds it, by a lease
	Succeeded State = "succeeded" // final
	Failed    State = "failed"    // certainly no effect
	Unknown   State = "unknown"   // nobody knows; a lease that ended without a report is this
)

// States in the order they are shown.
var States = []State{Pending, Unknown, Failed, Succeeded}

// Words is the state in a sentence.
func (s State) Words() string { return string(s) }

// Event is what can happen to an action that exists.
type Event string

const (
	SaidSucceeded     Event = "succeeded"          // reported in the lease
	SaidFailed        Event = "failed"             // reported in the lease, with a detail
	SaidUnknown       Event = "unknown"            // reported in the lease; also a failure without a detail
	LeaseEnded        Event = "lease ended"        // by the clock, without a report
	LateSucceeded     Event = "late succeeded"     // after the lease, or when a later attempt was started
	ObservedSucceeded Event = "observed succeeded" // in mode observe, beside the action; waits while a worker holds it
	LateFailed        Event = "late failed"
	LateUnknown       Event = "late unknown"
	Retracted         Event = "retracted" // late unknown of an attempt that had said failed
	LookedFound       Event = "found"     // lookups that count
	LookedNotFound    Event = "not found"
	LookedUnclear     Event = "inconclusive"
	Retried           Event = "retry" // within the gate's automatic retries
	Started           Event = "start" // by an authorization
)

// Events in the order they are drawn.
var Events = []Event{SaidSucceeded, SaidFailed, SaidUnknown, LeaseEnded, LateSucceeded, ObservedSucceeded, LateFailed, LateUnknown, Retracted,
	LookedFound, LookedNotFound, LookedUnclear, Retried, Started}

// transitions say where each event leads; a missing pair cannot happen or is
// refused. A success is never left and never thrown away, a lease that ended is
// never free, and only a retry or a start makes an action pending again.
//
// In succeeded a failure or unknown is that of another attempt, one that was
// still held when the success came; the attempt that succeeded itself is refused.
var transitions = map[State]map[Event]State{
	Pending: {
		SaidSucceeded: Succeeded, SaidFailed: Failed, SaidUnknown: Unknown, LeaseEnded: Unknown,
		LateSucceeded: Succeeded, ObservedSucceeded: Pending, LateFailed: Pending, LateUnknown: Pending, Retracted: Pending,
	},
	Unknown: {
		SaidSucceeded: Succeeded, SaidFailed: Failed, SaidUnknown: Unknown,
		LateSucceeded: Succeeded, ObservedSucceeded: Succeeded, LateFailed: Unknown, LateUnknown: Unknown, Retracted: Unknown,
		LookedFound: Succeeded, LookedNotFound: Unknown, LookedUnclear: Unknown,
		Started: Pending,
	},
	Failed: {
		SaidSucceeded: Succeeded, SaidFailed: Failed, SaidUnknown: Unknown,
		LateSucceeded: Succeeded, ObservedSucceeded: Succeeded, LateFailed: Failed, LateUnknown: Failed, Retracted: Unknown,
		LookedFound: Succeeded, LookedNotFound: Failed, LookedUnclear: Failed,
		Retried: Pending, Started: Pending,
	},
	Succeeded: {
		SaidSucceeded: Succeeded, SaidFailed: Succeeded, SaidUnknown: Succeeded, LeaseEnded: Succeeded,
		LateSucceeded: Succeeded, ObservedSucceeded: Succeeded, LateFailed: Succeeded, LateUnknown: Succeeded, Retracted: Succeeded,
		LookedFound: Succeeded, LookedNotFound: Succeeded, LookedUnclear: Succeeded,
	},
}

// Next is where e leads from s; ok is false when it cannot happen or is refused.
func (s State) Next(e Event) (next State, ok bool) {
	next, ok = transitions[s][e]
	return next, ok
}

// reviewTransitions: a decision is final.
var reviewTransitions = map[ReviewState]map[ReviewDecision]ReviewState{
	ReviewOpen: {AcceptReview: ReviewAccepted, LinkReview: ReviewLinked, DismissReview: ReviewDismissed},
}
