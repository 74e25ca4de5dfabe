package signoff

import (
	"time"
)

// GateState is what a control allows now in environments that can reach real
// customers.
type GateState string

const (
	GateBlocked   GateState = "blocked"   // claims, retries and starts are refused
	GateManual    GateState = "manual"    // tries again only by approved replay
	GateAutomatic GateState = "automatic" // up to N retries, as signed
	GateObserving GateState = "observing" // refuses nothing, counts what it would have refused
)

// Reason says why the gate is where it is. Path is the page to put it right.
type Reason struct {
	Key   string // stopped, never_approved, observe, no_retries, review_date
	Words string
	Path  string
}

// Gate is the decision with its reasons; N is the number of automatic retries.
type Gate struct {
	State   GateState
	N       int
	Reasons []Reason
}

// GateFacts is what the gate is decided from. Facts of the test matrix and of
// evidence join here as they come into being.
type GateFacts struct {
	ControlPath  string
	WorkflowPath string
	Stopped      bool
	StopReason   string
	Approved     int        // number of the approved revision; 0: none ever was
	Mode         string     // of the approved revision
	Retries      int        // of the approved revision
	ReviewDate   *time.Time // of the approved revision
	Now          time.Time
}
