// Package signoff takes a control's draft through review: readiness, freezing,
// signatures, the gate that follows from what was approved, and the difference
// from what was approved before.
package signoff

import (
	"countersign/models"
	"countersign/models/control"
)

// Decision is what can be done to a revision.
type Decision string

const (
	ToReview      Decision = "submit"          // freeze the draft
	Withdrawal    Decision = "withdraw"        // back to draft, signatures void
	Approval      Decision = "approve"         // the third signature
	ChangesWanted Decision = "request_changes" // one signature is enough
	Supersede     Decision = "supersede"       // a later revision was approved
)

// transitions names every legal step; a missing pair is illegal.
var transitions = map[control.RevisionState]map[Decision]control.RevisionState{
	control.Draft: {ToReview: control.InReview},
	control.InReview: {
		Withdrawal:    control.Draft,
		Approval:      control.Approved,
		ChangesWanted: control.ChangesRequested,
	},
	control.Approved: {Supersede: control.Superseded},
}

// Next returns the state after d. Conflict when the state does not allow d.
func Next(from control.RevisionState, d Decision) (control.RevisionState, error) {
	if to, ok := transitions[from][d]; ok {
		return to, nil
	}
	switch d {
	case ToReview:
		return from, models.Conflictf("This revision is already %s. Only a draft can be submitted.", from.Words())
	case Withdrawal:
		return from, models.Conflictf("This revision is %s. Only a revision in review can be withdrawn.", from.Words())
	case Supersede:
		return from, models.Conflictf("This revision is %s. Only an approved one is superseded.", from.Words())
	}
	return from, models.Conflictf("This revision is %s. Only a revision in review can be signed.", from.Words())
}
