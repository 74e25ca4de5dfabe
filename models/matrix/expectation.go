package matrix

import (
	"time"

	"countersign/models"
	"countersign/models/control"
)

// Expectation is one version of what is proposed for a case.
type Expectation struct {
	ID       int64
	Version  int
	Applies  bool
	Expected string   // "" when it does not apply
	Effects  []Effect // the control's own first
	Reason   string   // why not applicable, or why it changes
	By, For  control.Ref
	At       time.Time

	Decision   string // agreed or declined; "" while nobody decided
	Note       string
	Exception  bool // agreed while a discrepancy was open
	DecidedBy  control.Ref
	DecidedFor control.Ref
	DecidedAt  time.Time // zero while nobody decided
}

// Agreed reports whether the owner agreed this version.
func (e Expectation) Agreed() bool { return e.Decision == "agreed" }

// Effect is an effect that a case watches and the agreed change of its count at
// the destination.
type Effect struct {
	ControlID  int64
	Slug, Name string
	Change     int  // +1: one more than before
	Own        bool // the control's own
}

// ProposeCmd proposes what a case must show, or that it does not apply. It
// becomes the newest version.
type ProposeCmd struct {
	models.Once
	Control       string
	Case          string
	Version       int // of the newest proposal the person saw; 0: there was none
	NotApplicable bool
	Expected      string            // what must be seen at the destination; not read when not applicable
	Changes       map[string]string // control slug to the change of its count, such as +1, 0 or -2; "" does not watch it
	Reason        string            // needed when not applicable, and when something was agreed before
}

// Object names the control when the command is refused.
func (c ProposeCmd) Object() models.Object { return refused(c.Control) }

// Proposed is what came of proposing.
type Proposed struct {
	Case    string
	Version int
}

// Decisions of the owner on a proposal.
const (
	Agree   = "agreed"
	Decline = "declined"
)

// DecideExpectationCmd is the owner's word on the newest proposal.
type DecideExpectationCmd struct {
	models.Once
	Control  string
	Case     string
	Version  int    // of the proposal that was read
	Decision string // Agree or Decline
	Note     string // needed to decline, and to agree while a discrepancy is open
}

// Object names the control when the command is refused.
func (c DecideExpectationCmd) Object() models.Object { return refused(c.Control) }

// Decided is what came of deciding.
type Decided struct {
	Case      string
	Version   int
	Decision  string
	Exception bool // agreed while a discrepancy was open
}
