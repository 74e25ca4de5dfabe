package workflow

import (
	"context"

	"countersign/models"
)

// ArchiveCmd takes a workflow out of the lists, or brings it back. Nothing is
// deleted, and its stop switch and gate keep working.
type ArchiveCmd struct {
	models.Once
	Slug    string
	Version int64
}

// Object is what a refusal of this command is recorded on.
func (c ArchiveCmd) Object() models.Object { return objectOf("workflow", c.Slug, Path(c.Slug)) }

// Archive fails with Forbidden by MayEdit, or Conflict when the workflow is
// archived already or was changed since Version.
func Archive(ctx context.Context, db *models.DB, by models.Actor, cmd ArchiveCmd) (Ref, error) {
	return setArchived(ctx, db, by, cmd, true)
}

// Restore undoes Archive and fails like it.
func Restore(ctx context.Context, db *models.DB, by models.Actor, cmd ArchiveCmd) (Ref, error) {
	return setArchived(ctx, db, by, cmd, false)
}

func setArchived(ctx context.Context, db *models.DB, by models.Actor, cmd ArchiveCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, err := lock(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MayEdit(by, w); err != nil {
			return Ref{}, err
		}
		if err := mayArchive("workflow", w.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		if err := archiveRow(tx, "workflows", w.ID, cmd.Version, "workflow", archive); err != nil {
			return Ref{}, err
		}
		tx.AuditFor(standingFor(by, w), "workflow."+archiveVerb(archive), w.object(), nil, nil)
		return Ref{w.ID, w.Slug}, nil
	})
}

// mayArchive is the same for everything that can be archived.
func mayArchive(what string, archived, archive bool) error {
	switch {
	case archive && archived:
		return models.Conflictf("This %s is archived already.", what)
	case !archive && !archived:
		return models.Conflictf("This %s is not archived.", what)
	}
	return nil
}

func archiveRow(tx *models.Tx, table string, id, version int64, what string, archive bool) error {
	at := "null"
	args := []any{id, version}
	if archive {
		at, args = "?", append([]any{tx.Now}, args...)
	}
	r := tx.Exec("update "+table+" set archived_at = "+at+", version = version + 1 where id = ? and version = ?", args...)
	return guarded(what, r.RowsAffected, r.Error)
}

func archiveVerb(archive bool) string {
	if archive {
		return "archived"
	}
	return "restored"
}
