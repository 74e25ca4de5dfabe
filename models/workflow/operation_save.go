package workflow

import (
	"context"

	"countersign/models"
)

// CreateOperationCmd adds an operation to a destination. Checked says that the
// person read the documentation today. An empty Slug is made from the name.
type CreateOperationCmd struct {
	models.Once
	Destination string
	Slug        string
	Checked     bool
	OperationFacts
}

// Object is what a refusal of this command is recorded on.
func (c CreateOperationCmd) Object() models.Object {
	return objectOf("destination", c.Destination, DestinationPath(c.Destination))
}

// CreateOperation returns the new operation. Forbidden by MaySetOperations;
// Invalid when a fact is missing or the slug is taken; Conflict when the
// destination is archived.
func CreateOperation(ctx context.Context, db *models.DB, by models.Actor, cmd CreateOperationCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		d, err := lockForOperation(tx, by, cmd.Destination)
		if err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = slugFor(cmd.Slug, cmd.Name)
		var c models.Check
		lifetime := cmd.check(&c, cmd.Checked)
		checkOptionalSlug(&c, cmd.Slug, cmd.Name)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		note := checkedNote{}.after(cmd.Checked, true, by, tx.Now)
		o := Operation{Slug: cmd.Slug, Name: cmd.Name}
		err = tx.Raw(`insert into operations (destination_id, slug, name, call, mechanism, key_field, key_lifetime_hours,
				repeat_returns, same_key_other_data, lookup_method, doc_url, documented_at, notes, checked_on, checked_by, created_at)
			values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) returning id`,
			d.ID, cmd.Slug, cmd.Name, cmd.Call, cmd.Mechanism, cmd.KeyField, lifetime, cmd.RepeatReturns, cmd.SameKeyOtherData,
			cmd.LookupMethod, cmd.DocURL, cmd.DocumentedAt, cmd.Notes, note.On, note.By, tx.Now).Scan(&o.ID).Error
		if models.Violates(err, "operations_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another operation of this destination has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		_, is := models.Changes(map[string]any{}, cmd.OperationFacts)
		is["checked_on"] = dateText(note.On)
		tx.Audit("operation.created", o.object(d.Slug), nil, is)
		return Ref{o.ID, o.Slug}, nil
	})
}

// EditOperationCmd changes an operation. Version is the one the person saw.
type EditOperationCmd struct {
	models.Once
	Destination string
	Slug        string
	Version     int64
	Checked     bool
	OperationFacts
}

// Object is what a refusal of this command is recorded on.
func (c EditOperationCmd) Object() models.Object {
	return objectOf("operation", c.Slug, OperationPath(c.Destination, c.Slug))
}

// EditOperation saves the facts. A changed fact is unchecked until somebody
// reads the documentation again and says so. Forbidden by MaySetOperations;
// Conflict when archived or changed since Version; Invalid as in
// CreateOperation. recheck is told the operation's id.
func EditOperation(ctx context.Context, db *models.DB, by models.Actor, cmd EditOperationCmd, recheck Recheck) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		d, o, err := lockOperation(tx, by, cmd.Destination, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if o.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This operation is archived. Restore it first.")
		}
		if o.Version != cmd.Version {
			return Ref{}, stale("operation")
		}
		cmd.clean()
		var c models.Check
		lifetime := cmd.check(&c, cmd.Checked)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		old := checkedNote{o.CheckedOn, o.CheckedBy}
		note := old.after(cmd.Checked, o.Facts().documented() != cmd.documented(), by, tx.Now)
		was, is := changesWithCheck(o.Facts(), cmd.OperationFacts, old, note)
		if was == nil {
			return Ref{o.ID, o.Slug}, nil
		}
		r := tx.Exec(`update operations set name = ?, call = ?, mechanism = ?, key_field = ?, key_lifetime_hours = ?,
				repeat_returns = ?, same_key_other_data = ?, lookup_method = ?, doc_url = ?, documented_at = ?, notes = ?,
				checked_on = ?, checked_by = ?, version = version + 1 where id = ? and version = ?`,
			cmd.Name, cmd.Call, cmd.Mechanism, cmd.KeyField, lifetime, cmd.RepeatReturns, cmd.SameKeyOtherData,
			cmd.LookupMethod, cmd.DocURL, cmd.DocumentedAt, cmd.Notes, note.On, note.By, o.ID, cmd.Version)
		if err := guarded("operation", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.Audit("operation.edited", o.object(d.Slug), was, is)
		return Ref{o.ID, o.Slug}, recheck.of(tx, o.ID)
	})
}

// OperationCmd names an operation and the version the person saw.
type OperationCmd struct {
	models.Once
	Destination string
	Slug        string
	Version     int64
}

// Object is what a refusal of this command is recorded on.
func (c OperationCmd) Object() models.Object {
	return objectOf("operation", c.Slug, OperationPath(c.Destination, c.Slug))
}

// ArchiveOperation takes an operation out of the choices. Forbidden by
// MaySetOperations; Conflict when archived already or changed since Version.
func ArchiveOperation(ctx context.Context, db *models.DB, by models.Actor, cmd OperationCmd) (Ref, error) {
	return setOperationArchived(ctx, db, by, cmd, true)
}

// RestoreOperation undoes ArchiveOperation and fails like it.
func RestoreOperation(ctx context.Context, db *models.DB, by models.Actor, cmd OperationCmd) (Ref, error) {
	return setOperationArchived(ctx, db, by, cmd, false)
}

func setOperationArchived(ctx context.Context, db *models.DB, by models.Actor, cmd OperationCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		d, o, err := lockOperation(tx, by, cmd.Destination, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := mayArchive("operation", o.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		if err := archiveRow(tx, "operations", o.ID, cmd.Version, "operation", archive); err != nil {
			return Ref{}, err
		}
		tx.Audit("operation."+archiveVerb(archive), o.object(d.Slug), nil, nil)
		return Ref{o.ID, o.Slug}, nil
	})
}

// lockForOperation locks a destination whose operations by may write and that
// is not archived.
func lockForOperation(tx *models.Tx, by models.Actor, slug string) (Destination, error) {
	d, err := lockDestination(tx, slug)
	if err != nil {
		return d, err
	}
	if err := MaySetOperations(by); err != nil {
		return d, err
	}
	if d.ArchivedAt != nil {
		return d, models.Conflictf("This destination is archived. Restore it first.")
	}
	return d, nil
}

func lockOperation(tx *models.Tx, by models.Actor, destinationSlug, slug string) (Destination, Operation, error) {
	var o Operation
	d, err := lockForOperation(tx, by, destinationSlug)
	if err != nil {
		return d, o, err
	}
	if err := tx.Raw("select * from operations where destination_id = ? and slug = ?", d.ID, slug).Scan(&o).Error; err != nil {
		return d, o, err
	}
	if o.ID == 0 {
		return d, o, models.NotFoundf("This destination has no such operation.")
	}
	return d, o, nil
}
