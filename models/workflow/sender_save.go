package workflow

import (
	"context"

	"countersign/models"
)

// CreateSenderCmd adds a sender to a workflow. Checked says that the person
// read the documentation today. An empty Slug is made from the name.
type CreateSenderCmd struct {
	models.Once
	Workflow string
	Slug     string
	Checked  bool
	SenderFacts
}

// Object is what a refusal of this command is recorded on.
func (c CreateSenderCmd) Object() models.Object {
	return objectOf("workflow", c.Workflow, Path(c.Workflow))
}

// CreateSender returns the new sender. Forbidden by MayEdit; Invalid when a
// fact is missing or the slug is taken; Conflict when the workflow is archived.
func CreateSender(ctx context.Context, db *models.DB, by models.Actor, cmd CreateSenderCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, err := lockToEdit(tx, by, cmd.Workflow)
		if err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = slugFor(cmd.Slug, cmd.Name)
		var c models.Check
		retry, resend := cmd.check(&c, cmd.Checked)
		checkOptionalSlug(&c, cmd.Slug, cmd.Name)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		note := checkedNote{}.after(cmd.Checked, true, by, tx.Now)
		s := Sender{Slug: cmd.Slug, Name: cmd.Name}
		err = tx.Raw(`insert into senders (workflow_id, slug, name, event_id_field, duplicates, ordering, retry_schedule,
				retry_horizon_hours, resend_horizon_hours, signature, version_field, changing_fields, doc_url, documented_at, notes, checked_on, checked_by, created_at)
			values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) returning id`,
			w.ID, cmd.Slug, cmd.Name, cmd.EventIDField, cmd.Duplicates, cmd.Ordering, cmd.RetrySchedule, retry, resend,
			cmd.Signature, cmd.VersionField, cmd.ChangingFields, cmd.DocURL, cmd.DocumentedAt, cmd.Notes, note.On, note.By, tx.Now).Scan(&s.ID).Error
		if models.Violates(err, "senders_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another sender of this workflow has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		_, is := models.Changes(map[string]any{}, cmd.SenderFacts)
		is["checked_on"] = dateText(note.On)
		tx.AuditFor(standingFor(by, w), "sender.created", s.object(w.Slug), nil, is)
		return Ref{s.ID, s.Slug}, nil
	})
}

// EditSenderCmd changes a sender. Version is the one the person saw.
type EditSenderCmd struct {
	models.Once
	Workflow string
	Slug     string
	Version  int64
	Checked  bool
	SenderFacts
}

// Object is what a refusal of this command is recorded on.
func (c EditSenderCmd) Object() models.Object {
	return objectOf("sender", c.Slug, SenderPath(c.Workflow, c.Slug))
}

// EditSender saves the facts. A changed fact is unchecked until somebody reads
// the documentation again and says so. Forbidden by MayEdit; Conflict when
// archived or changed since Version; Invalid as in CreateSender. recheck is told
// the sender's id.
func EditSender(ctx context.Context, db *models.DB, by models.Actor, cmd EditSenderCmd, recheck Recheck) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, s, err := lockSender(tx, by, cmd.Workflow, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if s.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This sender is archived. Restore it first.")
		}
		if s.Version != cmd.Version {
			return Ref{}, stale("sender")
		}
		cmd.clean()
		var c models.Check
		retry, resend := cmd.check(&c, cmd.Checked)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		old := checkedNote{s.CheckedOn, s.CheckedBy}
		note := old.after(cmd.Checked, s.Facts().documented() != cmd.documented(), by, tx.Now)
		was, is := changesWithCheck(s.Facts(), cmd.SenderFacts, old, note)
		if was == nil {
			return Ref{s.ID, s.Slug}, nil
		}
		r := tx.Exec(`update senders set name = ?, event_id_field = ?, duplicates = ?, ordering = ?, retry_schedule = ?,
				retry_horizon_hours = ?, resend_horizon_hours = ?, signature = ?, version_field = ?, changing_fields = ?,
				doc_url = ?, documented_at = ?, notes = ?, checked_on = ?, checked_by = ?, version = version + 1 where id = ? and version = ?`,
			cmd.Name, cmd.EventIDField, cmd.Duplicates, cmd.Ordering, cmd.RetrySchedule, retry, resend, cmd.Signature,
			cmd.VersionField, cmd.ChangingFields, cmd.DocURL, cmd.DocumentedAt, cmd.Notes, note.On, note.By, s.ID, cmd.Version)
		if err := guarded("sender", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.AuditFor(standingFor(by, w), "sender.edited", s.object(w.Slug), was, is)
		return Ref{s.ID, s.Slug}, recheck.of(tx, s.ID)
	})
}

// SenderCmd names a sender and the version the person saw.
type SenderCmd struct {
	models.Once
	Workflow string
	Slug     string
	Version  int64
}

// Object is what a refusal of this command is recorded on.
func (c SenderCmd) Object() models.Object {
	return objectOf("sender", c.Slug, SenderPath(c.Workflow, c.Slug))
}

// ArchiveSender takes a sender out of the choices. Forbidden by MayEdit;
// Conflict when archived already or changed since Version.
func ArchiveSender(ctx context.Context, db *models.DB, by models.Actor, cmd SenderCmd) (Ref, error) {
	return setSenderArchived(ctx, db, by, cmd, true)
}

// RestoreSender undoes ArchiveSender and fails like it.
func RestoreSender(ctx context.Context, db *models.DB, by models.Actor, cmd SenderCmd) (Ref, error) {
	return setSenderArchived(ctx, db, by, cmd, false)
}

func setSenderArchived(ctx context.Context, db *models.DB, by models.Actor, cmd SenderCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		w, s, err := lockSender(tx, by, cmd.Workflow, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := mayArchive("sender", s.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		if err := archiveRow(tx, "senders", s.ID, cmd.Version, "sender", archive); err != nil {
			return Ref{}, err
		}
		tx.AuditFor(standingFor(by, w), "sender."+archiveVerb(archive), s.object(w.Slug), nil, nil)
		return Ref{s.ID, s.Slug}, nil
	})
}

// lockToEdit locks a workflow that by may edit and that is not archived.
func lockToEdit(tx *models.Tx, by models.Actor, slug string) (Workflow, error) {
	w, err := lock(tx, slug)
	if err != nil {
		return w, err
	}
	if err := MayEdit(by, w); err != nil {
		return w, err
	}
	if w.ArchivedAt != nil {
		return w, models.Conflictf("This workflow is archived. Restore it first.")
	}
	return w, nil
}

// lockSender locks the workflow and loads its sender.
func lockSender(tx *models.Tx, by models.Actor, workflowSlug, slug string) (Workflow, Sender, error) {
	var s Sender
	w, err := lockToEdit(tx, by, workflowSlug)
	if err != nil {
		return w, s, err
	}
	if err := tx.Raw("select * from senders where workflow_id = ? and slug = ?", w.ID, slug).Scan(&s).Error; err != nil {
		return w, s, err
	}
	if s.ID == 0 {
		return w, s, models.NotFoundf("This workflow has no such sender.")
	}
	return w, s, nil
}

// changesWithCheck is what changed between two sets of facts, and in who
// checked them when.
func changesWithCheck(before, after any, old, note checkedNote) (was, is map[string]any) {
	was, is = models.Changes(before, after)
	if dateText(old.On) == dateText(note.On) && idOf(old.By) == idOf(note.By) {
		return was, is
	}
	if was == nil {
		was, is = map[string]any{}, map[string]any{}
	}
	was["checked_on"], is["checked_on"] = dateText(old.On), dateText(note.On)
	return was, is
}

func idOf(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}
