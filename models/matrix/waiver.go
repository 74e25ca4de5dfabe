package matrix

import (
	"time"

	"countersign/models"
	"countersign/models/control"
)

// MaxWaiverDays is how far off the end of a waiver may be.
const MaxWaiverDays = 90

// Waiver stands in for a scenario that cannot be run. It counts once the owner
// and the reviewer both signed, through the end of its date.
type Waiver struct {
	ID          int64
	Reason      string
	Until       time.Time // a calendar date, UTC
	AskedBy     control.Ref
	AskedFor    control.Ref
	AskedAt     time.Time
	OwnerBy     control.Ref // zero while the owner has not signed
	OwnerFor    control.Ref
	OwnerAt     *time.Time
	ReviewerBy  control.Ref
	ReviewerFor control.Ref
	ReviewerAt  *time.Time
	EndedBy     control.Ref // zero: its date had passed
	EndedFor    control.Ref
	EndedAt     *time.Time
	EndReason   string
}

// Signed reports whether both signed.
func (w Waiver) Signed() bool { return w.OwnerAt != nil && w.ReviewerAt != nil }

// InForce reports whether the waiver counts at now.
func (w Waiver) InForce(now time.Time) bool {
	return w.Signed() && w.EndedAt == nil && !control.Passed(&w.Until, now)
}

// Over reports whether it was ended or its date has passed.
func (w Waiver) Over(now time.Time) bool { return w.EndedAt != nil || control.Passed(&w.Until, now) }

// AskWaiverCmd asks for a waiver. It counts nothing until both signed.
type AskWaiverCmd struct {
	models.Once
	Control string
	Case    string
	Reason  string
	Until   string // a date, at most MaxWaiverDays from today
}

// Object names the control when the command is refused.
func (c AskWaiverCmd) Object() models.Object { return refused(c.Control) }

// SignWaiverCmd signs a waiver, in the place that is the person's.
type SignWaiverCmd struct {
	models.Once
	Waiver int64
}

// Object names the waiver when the command is refused.
func (c SignWaiverCmd) Object() models.Object {
	return models.Object{Type: "waiver", ID: c.Waiver, Label: "Waiver", Path: "/matrix"}
}

// EndWaiverCmd ends a waiver before its date, or turns down one that was asked for.
type EndWaiverCmd struct {
	models.Once
	Waiver int64
	Reason string
}

// Object names the waiver when the command is refused.
func (c EndWaiverCmd) Object() models.Object {
	return models.Object{Type: "waiver", ID: c.Waiver, Label: "Waiver", Path: "/matrix"}
}

// WaiverChanged is what came of asking, signing or ending.
type WaiverChanged struct {
	Waiver  int64
	Control string // slug
	Case    string // key
	Signed  bool   // both have
}
