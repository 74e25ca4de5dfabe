package signoff

import (
	"time"

	"countersign/models/control"
)

// Slot is one of the three places for a signature.
type Slot string

const (
	OwnerSlot       Slot = "business_owner"
	ImplementerSlot Slot = "implementer"
	ReviewerSlot    Slot = "reviewer"
)

// Slots in the order they are shown.
var Slots = []Slot{ImplementerSlot, ReviewerSlot, OwnerSlot}

// Words is the slot as a person reads it in a sentence.
func (s Slot) Words() string {
	if s == OwnerSlot {
		return "business owner"
	}
	return string(s)
}

// Signature is one person's decision on one fingerprint in one slot. Void ones
// are kept.
type Signature struct {
	ID         int64
	Slot       Slot
	By         control.Ref
	For        control.Ref // whom By stood for
	Decision   string      // approve or changes
	Note       string
	FullHash   string
	At         time.Time
	VoidedAt   *time.Time
	VoidReason string
}

// Void reports whether the revision was withdrawn after this signature.
func (s Signature) Void() bool { return s.VoidedAt != nil }
