package signoff

import (
	"context"

	"countersign/models"
)

// Signatures are all signatures on a revision, void ones included, oldest first.
func Signatures(ctx context.Context, db *models.DB, revisionID int64) ([]Signature, error) {
	return signaturesOf(db.Query(ctx), revisionID)
}
