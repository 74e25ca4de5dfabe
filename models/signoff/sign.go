package signoff

import (
	"context"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
)

// SignCmd signs the revision in review, in the slot that is the person's.
type SignCmd struct {
	models.Once
	Control  string
	Revision int    // the number the person saw
	Decision string // approve or changes
	Note     string // needed for changes
	FullHash string // the fingerprint the person saw
}

// Object names the control when the command is refused.
func (c SignCmd) Object() models.Object { return refused(c.Control) }

// Signed is what came of signing.
type Signed struct {
	Revision int
	Slot     Slot
	State    control.RevisionState // of the revision, after it
}

// Sign puts the person's decision on the fingerprint they saw. The third
// approval approves the revision and supersedes the one in force; one request
// for changes ends the review.
//
// Forbidden as ChooseSlot says. Conflict when the revision is not in review,
// another one is the latest, the fingerprint is not the one seen, or the person
// signed already; Blocked when a question, the test matrix or the review date
// stands against approval.
// Invalid fields: decision, note.
func Sign(ctx context.Context, db *models.DB, by models.Actor, cmd SignCmd) (Signed, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Signed, error) {
		c, err := control.Lock(tx, cmd.Control)
		if err != nil {
			return Signed{}, err
		}
		r, err := lockRevision(tx, c)
		if err != nil {
			return Signed{}, err
		}
		signatures, err := signaturesOf(tx.DB, r.ID)
		if err != nil {
			return Signed{}, err
		}
		// While in review the answers cannot change: they name whom the frozen content names.
		slot, forPerson, err := ChooseSlot(by, c.Parties(), valid(signatures))
		if err != nil {
			return Signed{}, err
		}
		decision := Approval
		if cmd.Decision == "changes" {
			decision = ChangesWanted
		}
		next, err := Next(r.State, decision)
		if err != nil {
			return Signed{}, err
		}
		if err := sameRevision(r, cmd.Revision); err != nil {
			return Signed{}, err
		}
		if cmd.Note, err = cmd.check(r); err != nil {
			return Signed{}, err
		}
		if decision == Approval {
			if err := mayApprove(tx, c, r); err != nil {
				return Signed{}, err
			}
			if len(valid(signatures)) < len(Slots)-1 {
				next = control.InReview
			}
		}
		return sign(tx, c, r, next, Signature{Slot: slot, For: control.Ref{ID: forPerson}, Decision: cmd.Decision, Note: cmd.Note})
	})
}

// check returns the note as it is kept.
func (cmd SignCmd) check(r control.Revision) (string, error) {
	if cmd.FullHash != r.FullHash {
		return "", models.Conflictf("The record changed since you opened this page. Read it as it is now, then sign.")
	}
	note := models.Clean(cmd.Note)
	var check models.Check
	switch cmd.Decision {
	case "approve":
		check.Text("note", note, 4000)
	case "changes":
		check.Required("note", note, 4000, "Say what must change.")
	default:
		check.Add("decision", "Choose to approve or to request changes.")
	}
	return note, check.Err()
}

func mayApprove(tx *models.Tx, c control.Locked, r control.Revision) error {
	content, err := control.FrozenContent(tx.DB, r.ID)
	if err != nil {
		return err
	}
	facts, err := loadFacts(tx.DB, c.ID, c.Slug, content, tx.Now)
	if err != nil {
		return err
	}
	return block("This revision cannot be approved yet.", ApprovalConditions(facts))
}

func sign(tx *models.Tx, c control.Locked, r control.Revision, next control.RevisionState, s Signature) (Signed, error) {
	var forPerson any
	if s.For.ID != 0 {
		forPerson = s.For.ID
	}
	err := tx.Exec("insert into signatures (revision_id, slot, person_id, for_person_id, decision, note, full_hash, at) values (?, ?, ?, ?, ?, ?, ?, ?)",
		r.ID, s.Slot, tx.By.ID, forPerson, s.Decision, s.Note, r.FullHash, tx.Now).Error
	if err != nil {
		return Signed{}, err
	}
	on := control.RevisionObject(r, c.Slug, c.Name)
	tx.AuditFor(s.For.ID, "revision.signed", on, nil, map[string]any{"slot": s.Slot, "decision": s.Decision, "note": s.Note, "full_hash": r.FullHash})
	switch next {
	case control.ChangesRequested:
		err = step(tx, r, next, true)
		tx.AuditFor(s.For.ID, "revision.changes_requested", on, map[string]any{"state": r.State}, map[string]any{"state": next})
	case control.Approved:
		err = approve(tx, c, r, s.For.ID)
	}
	if err == nil {
		err = tellSigned(tx, c, r, next, s)
	}
	if err != nil {
		return Signed{}, err
	}
	return Signed{Revision: r.Number, Slot: s.Slot, State: next}, touch(tx, c.ID)
}

// approve puts r in force and supersedes the revision that was.
func approve(tx *models.Tx, c control.Locked, r control.Revision, forPerson int64) error {
	if c.ApprovedRevisionID != 0 {
		before, err := control.RevisionByID(tx.DB, c.ApprovedRevisionID)
		if err != nil {
			return err
		}
		superseded, err := Next(before.State, Supersede)
		if err != nil {
			return err
		}
		// Noting that it expired may raise its version meanwhile; only its state counts here.
		done := tx.Exec("update revisions set state = ?, version = version + 1 where id = ? and state = ?", superseded, before.ID, before.State)
		if done.Error != nil {
			return done.Error
		}
		tx.AuditFor(forPerson, "revision.superseded", control.RevisionObject(before, c.Slug, c.Name),
			map[string]any{"state": before.State}, map[string]any{"state": superseded, "by": r.Number})
	}
	if err := step(tx, r, control.Approved, true); err != nil {
		return err
	}
	tx.AuditFor(forPerson, "revision.approved", control.RevisionObject(r, c.Slug, c.Name),
		map[string]any{"state": r.State}, map[string]any{"state": control.Approved, "full_hash": r.FullHash})
	if err := tx.Exec("update controls set approved_revision_id = ? where id = ?", r.ID, c.ID).Error; err != nil {
		return err
	}
	return matrix.KeepGate(tx, c.ID)
}
