package signoff

import (
	"context"

	"countersign/models"
	"countersign/models/control"
)

// WithdrawCmd takes a revision back from review.
type WithdrawCmd struct {
	models.Once
	Control  string
	Revision int    // the number the person saw
	Reason   string // optional
}

// Object names the control when the command is refused.
func (c WithdrawCmd) Object() models.Object { return refused(c.Control) }

// Withdrawn is what came of withdrawing.
type Withdrawn struct{ Revision, Voided int }

// Withdraw makes the revision in review a draft again. Its signatures are kept
// and marked void. Conflict when it is not in review.
func Withdraw(ctx context.Context, db *models.DB, by models.Actor, cmd WithdrawCmd) (Withdrawn, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Withdrawn, error) {
		c, err := control.Lock(tx, cmd.Control)
		if err != nil {
			return Withdrawn{}, err
		}
		r, err := lockRevision(tx, c)
		if err != nil {
			return Withdrawn{}, err
		}
		if err := MayWithdraw(by, c.Parties(), r.SubmittedBy.ID); err != nil {
			return Withdrawn{}, err
		}
		if err := sameRevision(r, cmd.Revision); err != nil {
			return Withdrawn{}, err
		}
		next, err := Next(r.State, Withdrawal)
		if err != nil {
			return Withdrawn{}, err
		}
		reason := models.Clean(cmd.Reason)
		var check models.Check
		check.Text("reason", reason, 2000)
		if err := check.Err(); err != nil {
			return Withdrawn{}, err
		}
		return withdraw(tx, c, r, next, reason)
	})
}

func withdraw(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, reason string) (Withdrawn, error) {
	why := "The revision was withdrawn from review."
	if reason != "" {
		why = "The revision was withdrawn from review: " + reason
	}
	voided := tx.Exec("update signatures set voided_at = ?, void_reason = ? where revision_id = ? and voided_at is null", tx.Now, why, r.ID)
	if voided.Error != nil {
		return Withdrawn{}, voided.Error
	}
	if err := step(tx, r, next, false); err != nil {
		return Withdrawn{}, err
	}
	err := tx.Exec(`update revisions set content = null, design_hash = null, full_hash = null, submitted_by = null, submitted_at = null,
		review_date = null, mode = null, automatic_retries = null where id = ?`, r.ID).Error
	if err != nil {
		return Withdrawn{}, err
	}
	if err := signatureSettled(tx, r); err != nil {
		return Withdrawn{}, err
	}
	if err := touch(tx, c.ID); err != nil {
		return Withdrawn{}, err
	}
	forPerson := actsFor(tx.By, c.ImplementerID, c.OwnerID, r.SubmittedBy.ID)
	tx.AuditFor(forPerson, "revision.withdrawn", control.RevisionObject(r, c.Slug, c.Name),
		map[string]any{"state": r.State, "full_hash": r.FullHash},
		map[string]any{"state": next, "voided": voided.RowsAffected, "reason": reason})
	return Withdrawn{Revision: r.Number, Voided: int(voided.RowsAffected)}, nil
}

// sameRevision is a Conflict when the page showed another revision than the
// latest one.
func sameRevision(latest control.Revision, seen int) error {
	if latest.Number != seen {
		return models.Conflictf("Revision %d is the latest one now. Open it before you decide.", latest.Number)
	}
	return nil
}
