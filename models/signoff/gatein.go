package signoff

import (
	"fmt"

	"countersign/models/control"
)

// Serving is the revision that an environment goes by. Which one that is, with
// its rules, the ledger finds.
type Serving struct {
	ID      int64
	Number  int                   // 0: none serves
	State   control.RevisionState // of a draft, the answers as they stand serve
	Mode    string                // "" while it is not answered
	Retries int
}

// DecideIn says what the control allows in an environment. Where real customers
// can be reached it is Decide. Elsewhere the newest revision with an identity of
// the action serves, drafts included: only a stop blocks, and what Decide holds
// against the approved revision is a warning, a missing approval too. Without
// such a revision nothing is tried again, and no key can be derived.
func DecideIn(f GateFacts, reaches bool, s Serving) (Gate, []Reason) {
	switch {
	case reaches:
		return Decide(f), nil
	case f.Stopped:
		return Gate{State: GateBlocked, Reasons: []Reason{f.stop()}}, nil
	case s.Number == 0:
		return Gate{State: GateManual, Reasons: []Reason{{"no_identity", "No revision says yet which values make two requests the same action.", f.ControlPath + "#f-action_identity"}}}, nil
	}
	warnings := f.warnings(s)
	switch {
	case s.Mode == "observe":
		return Gate{State: GateObserving, Reasons: []Reason{f.observing(s.Number)}}, warnings
	case s.Retries == 0:
		return Gate{State: GateManual, Reasons: []Reason{f.noRetries(s.Number)}}, warnings
	}
	return Gate{State: GateAutomatic, N: s.Retries,
		Reasons: []Reason{{"serving", fmt.Sprintf("Revision %d allows up to %d.", s.Number, s.Retries), f.ControlPath}}}, warnings
}

// warnings are what stands against the revision that serves where no customer
// can be reached.
func (f GateFacts) warnings(s Serving) []Reason {
	if s.State == control.Approved {
		return f.lapsed()
	}
	return []Reason{{"not_approved", fmt.Sprintf("Revision %d is not approved. It is %s.", s.Number, s.State.Words()), f.ControlPath + "/sign-off"}}
}
