package signoff

import (
	"fmt"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/notice"
)

// tellToSign says to everybody named that the draft r, which was just submitted,
// waits for their signature; slots are signed in any order. A revision that was withdrawn and
// submitted again is told again.
func tellToSign(tx *models.Tx, c control.Locked, r control.Revision) error {
	words := notice.Words{Title: fmt.Sprintf("Sign revision %d of “%s”", r.Number, c.Name), Text: tx.By.Name + " submitted it for review."}
	return notice.Tell(tx, notice.SignatureWanted, []int64{c.OwnerID, c.ImplementerID, c.ReviewerID}, words, signPath(c.Slug), signKey(r.ID, r.Version+1))
}

// signKey names one submission: a revision keeps its version while in review.
func signKey(revision, version int64) string {
	return fmt.Sprintf("revision %d version %d", revision, version)
}

// signatureSettled takes the wish for a signature out of the inbox of those who
// need not sign any more; of everybody when nobody is given.
func signatureSettled(tx *models.Tx, r control.Revision, people ...int64) error {
	return notice.Settle(tx, notice.SignatureWanted, signKey(r.ID, r.Version), people...)
}

// tellSigned settles what a signature settles: the signer's own slot, or with
// the last one the revision.
func tellSigned(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, s Signature) error {
	if next == control.InReview {
		return signatureSettled(tx, r, tx.By.ID, s.Slot.person(c.Parties()).ID)
	}
	if err := signatureSettled(tx, r); err != nil {
		return err
	}
	return tellDecided(tx, c, r, next, s.Note)
}

// tellDecided says to everybody named, and to whoever submitted the revision,
// that it was approved or that changes are wanted.
func tellDecided(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, note string) error {
	words := notice.Words{Title: fmt.Sprintf("Revision %d of “%s” is approved", r.Number, c.Name), Text: "It is in force now."}
	if next == control.ChangesRequested {
		words = notice.Words{Title: fmt.Sprintf("Changes are wanted to revision %d of “%s”", r.Number, c.Name), Text: tx.By.Name + ": " + note}
	}
	return notice.Tell(tx, notice.RevisionDecided, []int64{c.OwnerID, c.ImplementerID, c.ReviewerID, r.SubmittedBy.ID}, words, signPath(c.Slug), fmt.Sprintf("revision %d", r.ID))
}

func signPath(slug string) string { return "/controls/" + slug + "/sign-off" }
