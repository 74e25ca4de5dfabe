package workflow

import (
	"context"
	"time"

	"countersign/models"
)

// Destination is a system and account, in one environment. Slug names the
// account in every key and never changes, nor does the environment.
type Destination struct {
	ID            int64
	Slug          string
	System        string
	Account       string
	EnvironmentID int64
	Notes         string
	ArchivedAt    *time.Time
	Version       int64
}

// DestinationFacts are what a person edits.
type DestinationFacts struct {
	System  string `json:"system"`
	Account string `json:"account"`
	Notes   string `json:"notes"`
}

// Facts returns what can be edited about d.
func (d Destination) Facts() DestinationFacts {
	return DestinationFacts{System: d.System, Account: d.Account, Notes: d.Notes}
}

func (f *DestinationFacts) clean() {
	f.System, f.Account, f.Notes = models.Clean(f.System), models.Clean(f.Account), models.Clean(f.Notes)
}

func (f DestinationFacts) check(c *models.Check) {
	required(c, "system", f.System, 200, "Enter the system, such as CRM.")
	required(c, "account", f.Account, 200, "Enter the account, such as CRM Europe.")
	c.Text("notes", f.Notes, 4000)
}

func (d Destination) object() models.Object {
	return models.Object{Type: "destination", ID: d.ID, Label: d.System + ", " + d.Account, Path: DestinationPath(d.Slug)}
}

// DestinationPath is the page of the destination with slug.
func DestinationPath(slug string) string { return "/destinations/" + slug }

// CreateDestinationCmd makes a destination in the environment with the slug Environment.
type CreateDestinationCmd struct {
	models.Once
	Slug        string
	Environment string
	DestinationFacts
}

// CreateDestination returns the new destination. Forbidden by
// MaySetDestinations; Invalid when a fact is missing, the environment is
// archived, or the slug is taken.
func CreateDestination(ctx context.Context, db *models.DB, by models.Actor, cmd CreateDestinationCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		if err := MaySetDestinations(by); err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = models.Clean(cmd.Slug)
		var c models.Check
		cmd.check(&c)
		c.Slug("slug", cmd.Slug)
		var e Environment
		if err := tx.Raw("select * from environments where slug = ? and archived_at is null for share", cmd.Environment).Scan(&e).Error; err != nil {
			return Ref{}, err
		}
		if e.ID == 0 {
			c.Add("environment", "Choose the environment it belongs to.")
		}
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		d := Destination{Slug: cmd.Slug, System: cmd.System, Account: cmd.Account}
		err := tx.Raw(`insert into destinations (slug, system, account, environment_id, notes, created_at)
			values (?,?,?,?,?,?) returning id`, cmd.Slug, cmd.System, cmd.Account, e.ID, cmd.Notes, tx.Now).Scan(&d.ID).Error
		if models.Violates(err, "destinations_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another destination has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		_, is := models.Changes(map[string]any{}, cmd.DestinationFacts)
		is["environment"] = e.Slug
		tx.Audit("destination.created", d.object(), nil, is)
		return Ref{d.ID, d.Slug}, nil
	})
}

// EditDestinationCmd changes the destination with Slug. Version is the one the person saw.
type EditDestinationCmd struct {
	models.Once
	Slug    string
	Version int64
	DestinationFacts
}

// Object is what a refusal of this command is recorded on.
func (c EditDestinationCmd) Object() models.Object {
	return objectOf("destination", c.Slug, DestinationPath(c.Slug))
}

// EditDestination saves the facts. Forbidden by MaySetDestinations; Conflict
// when archived or changed since Version; Invalid when a fact is missing.
func EditDestination(ctx context.Context, db *models.DB, by models.Actor, cmd EditDestinationCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		d, err := lockDestination(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetDestinations(by); err != nil {
			return Ref{}, err
		}
		if d.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This destination is archived. Restore it first.")
		}
		if d.Version != cmd.Version {
			return Ref{}, stale("destination")
		}
		cmd.clean()
		var c models.Check
		cmd.check(&c)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		was, is := models.Changes(d.Facts(), cmd.DestinationFacts)
		if was == nil {
			return Ref{d.ID, d.Slug}, nil
		}
		r := tx.Exec("update destinations set system = ?, account = ?, notes = ?, version = version + 1 where id = ? and version = ?",
			cmd.System, cmd.Account, cmd.Notes, d.ID, cmd.Version)
		if err := guarded("destination", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.Audit("destination.edited", d.object(), was, is)
		return Ref{d.ID, d.Slug}, nil
	})
}

// DestinationCmd names a destination and the version the person saw.
type DestinationCmd struct {
	models.Once
	Slug    string
	Version int64
}

// Object is what a refusal of this command is recorded on.
func (c DestinationCmd) Object() models.Object {
	return objectOf("destination", c.Slug, DestinationPath(c.Slug))
}

// ArchiveDestination takes a destination out of the choices; the controls that
// use it keep it. Forbidden by MaySetDestinations; Conflict when archived
// already or changed since Version.
func ArchiveDestination(ctx context.Context, db *models.DB, by models.Actor, cmd DestinationCmd) (Ref, error) {
	return setDestinationArchived(ctx, db, by, cmd, true)
}

// RestoreDestination undoes ArchiveDestination and fails like it.
func RestoreDestination(ctx context.Context, db *models.DB, by models.Actor, cmd DestinationCmd) (Ref, error) {
	return setDestinationArchived(ctx, db, by, cmd, false)
}

func setDestinationArchived(ctx context.Context, db *models.DB, by models.Actor, cmd DestinationCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		d, err := lockDestination(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetDestinations(by); err != nil {
			return Ref{}, err
		}
		if err := mayArchive("destination", d.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		if err := archiveRow(tx, "destinations", d.ID, cmd.Version, "destination", archive); err != nil {
			return Ref{}, err
		}
		tx.Audit("destination."+archiveVerb(archive), d.object(), nil, nil)
		return Ref{d.ID, d.Slug}, nil
	})
}

// lockDestination is to destinations what lock is to workflows.
func lockDestination(tx *models.Tx, slug string) (Destination, error) {
	var d Destination
	if err := tx.Raw("select * from destinations where slug = ? for no key update", slug).Scan(&d).Error; err != nil {
		return d, err
	}
	if d.ID == 0 {
		return d, models.NotFoundf("There is no such destination.")
	}
	return d, nil
}
