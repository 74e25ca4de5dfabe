package signoff

import (
	"context"

	"countersign/models"
	"countersign/models/control"
)

// SubmitCmd sends a draft to review.
type SubmitCmd struct {
	models.Once
	Control string
	Version int64 // control.Revision.Version as the person saw it
}

// Object names the control when the command is refused.
func (c SubmitCmd) Object() models.Object { return refused(c.Control) }

func refused(slug string) models.Object {
	return models.Object{Type: "control", Label: slug, Path: "/controls/" + slug + "/sign-off"}
}

// Submitted is what came of submitting.
type Submitted struct {
	Revision             int
	FullHash, DesignHash string
}

// Submit freezes the draft's content with its fingerprints and sends it to
// review. Conflict when it is no draft or changed since the person saw it, and
// a Blocked with everything that is missing.
func Submit(ctx context.Context, db *models.DB, by models.Actor, cmd SubmitCmd) (Submitted, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Submitted, error) {
		c, err := control.Lock(tx, cmd.Control)
		if err != nil {
			return Submitted{}, err
		}
		if err := MaySubmit(by, c.Parties()); err != nil {
			return Submitted{}, err
		}
		draft, err := lockRevision(tx, c)
		if err != nil {
			return Submitted{}, err
		}
		next, err := Next(draft.State, ToReview)
		if err != nil {
			return Submitted{}, err
		}
		if draft.Version != cmd.Version {
			return Submitted{}, models.Conflictf("The record changed since you opened this page. Read the record as it is now, then submit it.")
		}
		content, err := snapshot(tx.DB, c.ID)
		if err != nil {
			return Submitted{}, err
		}
		facts, err := loadFacts(tx.DB, c.ID, c.Slug, content, tx.Now)
		if err != nil {
			return Submitted{}, err
		}
		if facts.Before, err = inForce(tx.DB, c.ID); err != nil {
			return Submitted{}, err
		}
		if err := block("This revision cannot be submitted yet.", Readiness(facts)); err != nil {
			return Submitted{}, err
		}
		return freeze(tx, c, draft, next, content, cmd.Version)
	})
}

func freeze(tx *models.Tx, c control.Locked, draft control.Revision, next control.RevisionState, content control.Content, version int64) (Submitted, error) {
	prints, err := content.Fingerprints()
	if err != nil {
		return Submitted{}, err
	}
	t := termsOf(content)
	r := tx.Exec(`update revisions set state = ?, content = ?, design_hash = ?, full_hash = ?, submitted_by = ?, submitted_at = ?,
		review_date = ?, mode = ?, automatic_retries = ?, version = version + 1 where id = ? and version = ?`,
		next, prints.Canonical, prints.Design, prints.Full, tx.By.ID, tx.Now, t.ReviewDate, t.Mode, t.Retries, draft.ID, version)
	if r.Error != nil {
		return Submitted{}, r.Error
	}
	if r.RowsAffected != 1 {
		return Submitted{}, models.Conflictf("Somebody else changed this revision at the same moment. Open it again.")
	}
	if err := touch(tx, c.ID); err != nil {
		return Submitted{}, err
	}
	forPerson := actsFor(tx.By, c.ImplementerID, c.OwnerID)
	tx.AuditFor(forPerson, "revision.submitted", control.RevisionObject(draft, c.Slug, c.Name),
		map[string]any{"state": draft.State}, map[string]any{"state": next, "full_hash": prints.Full, "design_hash": prints.Design})
	if err := tellToSign(tx, c, draft); err != nil {
		return Submitted{}, err
	}
	return Submitted{Revision: draft.Number, FullHash: prints.Full, DesignHash: prints.Design}, nil
}

// lockRevision takes the control's latest revision for this transaction. The
// caller holds the control.
func lockRevision(tx *models.Tx, c control.Locked) (control.Revision, error) {
	if err := tx.Exec("select 1 from revisions where id = ? for update", c.LatestRevisionID).Error; err != nil {
		return control.Revision{}, err
	}
	return control.RevisionByID(tx.DB, c.LatestRevisionID)
}

func touch(tx *models.Tx, controlID int64) error {
	return tx.Exec("update controls set changed_at = ?, version = version + 1 where id = ?", tx.Now, controlID).Error
}

// step moves a locked revision to its next state; decided sets the time.
func step(tx *models.Tx, r control.Revision, next control.RevisionState, decided bool) error {
	set := "update revisions set state = ?, version = version + 1"
	args := []any{next}
	if decided {
		set += ", decided_at = ?"
		args = append(args, tx.Now)
	}
	done := tx.Exec(set+" where id = ? and version = ?", append(args, r.ID, r.Version)...)
	if done.Error == nil && done.RowsAffected != 1 {
		return models.Conflictf("Somebody else changed this revision at the same moment. Open it again.")
	}
	return done.Error
}
