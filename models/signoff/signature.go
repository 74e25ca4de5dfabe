package signoff

import (
	"context"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
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

type signatureRow struct {
	ID                    int64
	Slot                  Slot
	PersonID, ForPersonID int64
	PersonName, ForName   string
	Decision, Note        string
	FullHash              string
	At                    time.Time
	VoidedAt              *time.Time
	VoidReason            string
}

// Signatures are all signatures on a revision, void ones included, oldest first.
func Signatures(ctx context.Context, db *models.DB, revisionID int64) ([]Signature, error) {
	return signaturesOf(db.Query(ctx), revisionID)
}

// signaturesOf lists every signature of a revision in order, void ones too.
func signaturesOf(q *gorm.DB, revision int64) ([]Signature, error) {
	var rows []signatureRow
	err := q.Raw(`select s.id, s.slot, s.person_id, p.name as person_name, s.for_person_id, f.name as for_name, s.decision, s.note, s.full_hash,
			s.at, s.voided_at, s.void_reason
		from signatures s join people p on p.id = s.person_id left join people f on f.id = s.for_person_id
		where s.revision_id = ? order by s.id`, revision).Scan(&rows).Error
	var all []Signature
	for _, r := range rows {
		all = append(all, Signature{ID: r.ID, Slot: r.Slot, By: control.Ref{ID: r.PersonID, Name: r.PersonName}, For: control.Ref{ID: r.ForPersonID, Name: r.ForName},
			Decision: r.Decision, Note: r.Note, FullHash: r.FullHash, At: r.At.UTC(), VoidedAt: r.VoidedAt, VoidReason: r.VoidReason})
	}
	return all, err
}

// valid are the signatures that are not void.
func valid(all []Signature) []Signature {
	return slices.DeleteFunc(slices.Clone(all), Signature.Void)
}
