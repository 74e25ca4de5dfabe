package signoff

import (
	"context"
	"errors"

	"countersign/models"
	"countersign/models/control"
)

var errLater = errors.New("not built yet")

// SubmitCmd sends a draft to review.
type SubmitCmd struct {
	models.Once
	Control string
	Version int64 // control.Revision.Version as the person saw it
}

// WithdrawCmd takes a revision back from review.
type WithdrawCmd struct {
	models.Once
	Control  string
	Revision int
	Reason   string // optional
}

// SignCmd signs the revision in review in the slot that is the person's.
type SignCmd struct {
	models.Once
	Control  string
	Revision int    // the number the person saw
	Decision string // approve or changes
	Note     string // needed for changes
	FullHash string // the fingerprint the person saw
}

// Submitted is what came of submitting.
type Submitted struct {
	Revision             int
	FullHash, DesignHash string
}

// Withdrawn is what came of withdrawing.
type Withdrawn struct{ Revision, Voided int }

// Signed is what came of signing.
type Signed struct {
	Revision int
	Slot     Slot
	State    control.RevisionState // of the revision, after it
}

func Submit(ctx context.Context, db *models.DB, by models.Actor, cmd SubmitCmd) (Submitted, error) {
	return Submitted{}, errLater
}
func Withdraw(ctx context.Context, db *models.DB, by models.Actor, cmd WithdrawCmd) (Withdrawn, error) {
	return Withdrawn{}, errLater
}
func Sign(ctx context.Context, db *models.DB, by models.Actor, cmd SignCmd) (Signed, error) {
	return Signed{}, errLater
}

// NoteExpired marks approved revisions whose review date has passed.
func NoteExpired(ctx context.Context, db *models.DB) (int, error) { return 0, errLater }

// Show is the sign-off page of a control for the reader.
func Show(ctx context.Context, db *models.DB, reader models.Actor, slug string) (Page, error) {
	return Page{}, errLater
}

// Readiness of the control's draft, for its page: what submission needs.
func LoadReadiness(ctx context.Context, db *models.DB, slug string) ([]Condition, error) {
	return nil, errLater
}

// RowGate decides the gate of a row of the list.
func RowGate(r control.ListRow) Gate { return Gate{} }

// LoadGate decides the gate of one control.
func LoadGate(ctx context.Context, db *models.DB, slug string) (Gate, error) {
	return Gate{}, errLater
}

// MaySubmit is nil when by may submit the control's draft.
func MaySubmit(by models.Actor, p control.Parties) error { return nil }

// MayWithdraw is nil when by may withdraw a revision that submitter submitted.
func MayWithdraw(by models.Actor, p control.Parties, submitter int64) error { return nil }
