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
