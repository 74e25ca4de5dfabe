package evidence

import (
	"strings"

	"countersign/models"
)

// Place is what evidence is attached to, as its owner describes it for the
// person who is asking.
type Place struct {
	Path       string // its page, such as /runs/41; evidence is found again by it
	About      string `json:"-"` // "Run 41 of repeated-delivery, create-crm-task"
	WorkflowID int64  `json:"-"` // 0: of none
	Slots      []Slot `json:"-"` // the required items; empty: no choice is offered
	KeepDays   int    `json:"-"` // proposed: from the control's answer; 0: the person must say
	KeepBasis  string `json:"-"`
	For        int64  `json:"-"` // whom this person stands for here as a delegate; 0: as oneself

	WhyNot     error `json:"-"` // why this person may not attach here now; nil when they may
	WhyNotKeep error `json:"-"` // why they may not let personal data stay with a reason; nil when they may

	// Link runs in the transaction that writes the evidence. It locks the place,
	// decides again whether tx.By may attach (and let personal data stay, when
	// l.Kept), and writes its own row. Its error undoes everything.
	Link func(tx *models.Tx, l Linked) error `json:"-"`
}

// Slot is one required item of a place.
type Slot struct{ Key, Words string }

// Linked is the evidence that is being attached.
type Linked struct {
	ID   int64
	Slot string
	Kept bool  // personal data stays in it, with a reason
	For  int64 // of a file that a reviewer let through: who sent it; else 0
}

func (p Place) object() models.Object {
	return models.Object{Type: "evidence", Label: p.About, Path: p.Path}
}

func (p Place) offers(slot string) bool {
	if len(p.Slots) == 0 {
		return true
	}
	for _, s := range p.Slots {
		if s.Key == slot {
			return true
		}
	}
	return false
}

// Details are what a person says about the evidence they attach.
type Details struct {
	Slot      string `json:"slot"`
	Proves    string `json:"proves"`
	KeepUntil string `json:"keep_until"` // 2026-05-31; "" takes what the place proposes
	KeepBasis string `json:"keep_basis"` // "" takes what the place proposes
}

func (d Details) clean() Details {
	d.Slot, d.Proves, d.KeepUntil, d.KeepBasis = strings.TrimSpace(d.Slot), models.Clean(d.Proves), strings.TrimSpace(d.KeepUntil), models.Clean(d.KeepBasis)
	return d
}
