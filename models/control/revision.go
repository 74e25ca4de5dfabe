package control

import (
	"context"
	"fmt"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// OpenDraftCmd opens the next draft of a control that was decided.
type OpenDraftCmd struct {
	models.Once
	Control string
}

// Object names the control when the command is refused.
func (c OpenDraftCmd) Object() models.Object { return refused(c.Control) }

// Opened names the draft.
type Opened struct{ Revision int }

// OpenDraft opens the next draft; the approved revision stays in force.
// Conflict when one is open already, or in review.
func OpenDraft(ctx context.Context, db *models.DB, by models.Actor, cmd OpenDraftCmd) (Opened, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Opened, error) {
		c, err := Lock(tx, cmd.Control)
		if err != nil {
			return Opened{}, err
		}
		if err := MayOpenDraft(by, c.Parties()); err != nil {
			return Opened{}, err
		}
		draft, opened, err := ensureDraft(tx, c)
		if err == nil && !opened {
			err = models.Conflictf("Revision %d is a draft already. Edit that one.", draft.Number)
		}
		if err != nil {
			return Opened{}, err
		}
		if _, err := settle(tx, c, draft.ID, standsFor(by, c.Parties())); err != nil {
			return Opened{}, err
		}
		return Opened{Revision: draft.Number}, Recount(tx, c.ID)
	})
}

// ensureDraft returns the draft that an edit belongs to, opening the next one
// when the latest revision was decided. Conflict while one is in review.
func ensureDraft(tx *models.Tx, c Locked) (draft Revision, opened bool, err error) {
	latest, err := RevisionByID(tx.DB, c.LatestRevisionID)
	if err != nil || latest.State == Draft {
		return latest, false, err
	}
	if err := editable(latest); err != nil {
		return latest, false, err
	}
	draft = Revision{Number: latest.Number + 1, State: Draft, Version: 1, StartedBy: Ref{ID: tx.By.ID}, StartedAt: tx.Now}
	if draft.ID, err = insertRevision(tx, c.ID, draft.Number); err != nil {
		return draft, false, err
	}
	if err := tx.Exec("update controls set changed_at = ?, version = version + 1 where id = ?", tx.Now, c.ID).Error; err != nil {
		return draft, false, err
	}
	forPerson := standsFor(tx.By, c.Parties())
	tx.AuditFor(forPerson, "revision.opened", RevisionObject(draft, c.Slug, c.Name), nil,
		map[string]any{"number": draft.Number, "state": Draft, "after": latest.Number})
	return draft, true, nil
}

// editable is a Conflict while the latest revision is in review.
func editable(latest Revision) error {
	if latest.State == InReview {
		return models.Conflictf("Revision %d is in review, so its answers cannot change. Withdraw it first.", latest.Number)
	}
	return nil
}

func insertRevision(tx *models.Tx, control int64, number int) (id int64, err error) {
	err = tx.Raw("insert into revisions (control_id, number, state, started_by, started_at) values (?, ?, 'draft', ?, ?) returning id",
		control, number, tx.By.ID, tx.Now).Row().Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, tx.Exec("update controls set latest_revision_id = ? where id = ?", id, control).Error
}

// RevisionObject is a revision in the audit log.
func RevisionObject(r Revision, slug, name string) models.Object {
	return models.Object{Type: "revision", ID: r.ID, Label: fmt.Sprintf("Revision %d of %s", r.Number, name), Path: "/controls/" + slug + "/sign-off"}
}

const selectRevision = `select r.id, r.number, r.state, r.version, r.started_by, p.name as started_name, r.started_at,
	r.submitted_by, s.name as submitted_name, r.submitted_at, r.decided_at, r.design_hash, r.full_hash, r.review_date, r.mode, r.automatic_retries
	from revisions r join people p on p.id = r.started_by left join people s on s.id = r.submitted_by `

// revisionRow is selectRevision, and the content where a query adds it.
type revisionRow struct {
	ID                         int64
	Number                     int
	State                      RevisionState
	Version                    int64
	StartedBy, SubmittedBy     int64
	StartedName, SubmittedName string
	StartedAt                  time.Time
	SubmittedAt, DecidedAt     *time.Time
	DesignHash, FullHash       string
	ReviewDate                 *time.Time
	Mode                       string
	AutomaticRetries           *int
}

func (r revisionRow) revision() Revision {
	return Revision{ID: r.ID, Number: r.Number, State: r.State, Version: r.Version,
		StartedBy: Ref{ID: r.StartedBy, Name: r.StartedName}, StartedAt: r.StartedAt.UTC(),
		SubmittedBy: Ref{ID: r.SubmittedBy, Name: r.SubmittedName}, SubmittedAt: r.SubmittedAt, DecidedAt: r.DecidedAt,
		DesignHash: r.DesignHash, FullHash: r.FullHash, ReviewDate: r.ReviewDate, Mode: r.Mode, AutomaticRetries: r.AutomaticRetries}
}

// RevisionByID loads one revision. NotFound.
func RevisionByID(q *gorm.DB, id int64) (Revision, error) {
	var r revisionRow
	found, err := one(q.Raw(selectRevision+"where r.id = ?", id), &r)
	if err == nil && !found {
		err = models.NotFoundf("There is no such revision.")
	}
	return r.revision(), err
}

// revisionsOf lists a control's revisions, newest first.
func revisionsOf(q *gorm.DB, control int64) ([]Revision, error) {
	var rows []revisionRow
	if err := q.Raw(selectRevision+"where r.control_id = ? order by r.number desc", control).Scan(&rows).Error; err != nil {
		return nil, err
	}
	var all []Revision
	for _, r := range rows {
		all = append(all, r.revision())
	}
	return all, nil
}
