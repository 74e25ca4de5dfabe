package signoff

import (
	"time"

	"countersign/models/control"
	"countersign/models/matrix"
)

// Page is everything the sign-off page shows.
type Page struct {
	ControlID  int64
	Slug, Name string
	Workflow   control.Ref
	Now        time.Time

	Revision     control.Revision // the latest
	Content      control.Content  // frozen; of a draft, as it would be frozen now
	Accounts     []control.ContentAccount
	Previous     *control.Revision    // the revision approved before this one; nil for the first
	Difference   *Difference          // from Previous; nil without one
	Fingerprints control.Fingerprints // of Content; of a draft, not frozen yet

	Cases      []matrix.Standing        // the test matrix on this design, in order
	Chains     map[int64][]matrix.Chain // by Cases.ID: every failure with what answered it, newest first
	Tested     []string                 // environments where a run on this design passed and was accepted, by slug
	Unrecorded []int64                  // runs started and neither recorded nor abandoned

	Slots      []SlotView
	Voided     []Signature // of earlier submissions of this revision
	Conditions []Condition // of submission for a draft, of approval in review
	Gate       Gate

	AskRefusal      error       // why the reader may not ask; nil when they may
	SubmitRefusal   error       // why the reader may not submit; nil when they may
	WithdrawRefusal error       // why the reader may not withdraw; nil when they may
	SignRefusal     error       // why the reader may not sign; nil when they may
	SignsAs         Slot        // the slot the reader would sign in; "" when they may not
	SignsFor        control.Ref // whom the reader would stand for in it
	Last            bool        // the reader's signature would be the last of three
	OpenQuestions   []control.Comment
	ToClose         []control.Comment // those of them that the reader may close
}

// Ready reports whether every condition holds.
func (p Page) Ready() bool {
	for _, c := range p.Conditions {
		if !c.OK {
			return false
		}
	}
	return true
}

// SlotView is a slot, whose it is and what happened in it.
type SlotView struct {
	Slot      Slot
	Person    control.Ref
	Delegate  control.Ref // who stands in for Person today; zero when nobody
	Taken     Slot        // where Delegate signs instead, and so cannot sign here; "" when they can
	Aside     bool        // the reader is that delegate
	Signature *Signature  // nil while it is open
	Yours     bool        // the reader would sign here
}
