package workflow

import (
	"context"

	"countersign/models"
)

// CreateEnvironmentCmd makes an environment.
type CreateEnvironmentCmd struct {
	models.Once
	Slug string
	EnvironmentFacts
}

// CreateEnvironment returns the new environment, whose reach is not confirmed
// yet. A slug left empty is made from the name. Forbidden by MaySetEnvironments;
// Invalid when a fact is missing or the slug is taken.
func CreateEnvironment(ctx context.Context, db *models.DB, by models.Actor, cmd CreateEnvironmentCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		if err := MaySetEnvironments(by); err != nil {
			return Ref{}, err
		}
		cmd.clean()
		cmd.Slug = slugFor(cmd.Slug, cmd.Name)
		var c models.Check
		cmd.check(&c)
		checkOptionalSlug(&c, cmd.Slug, cmd.Name)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		e := Environment{Slug: cmd.Slug, Name: cmd.Name}
		err := tx.Raw(`insert into environments (slug, name, kind, reaches_customers, reach_set_by, created_at)
			values (?,?,?,?,?,?) returning id`, cmd.Slug, cmd.Name, cmd.Kind, cmd.Reach == ReachCan, by.ID, tx.Now).Scan(&e.ID).Error
		if models.Violates(err, "environments_slug") {
			return Ref{}, models.Invalid("slug", "Choose another short name. Another environment has this one.")
		}
		if err != nil {
			return Ref{}, err
		}
		tx.Audit("environment.created", e.object(), nil, cmd.EnvironmentFacts)
		return Ref{e.ID, e.Slug}, nil
	})
}

// EditEnvironmentCmd changes the environment with Slug. Version is the one the person saw.
type EditEnvironmentCmd struct {
	models.Once
	Slug    string
	Version int64
	EnvironmentFacts
}

// Object is what a refusal of this command is recorded on.
func (c EditEnvironmentCmd) Object() models.Object {
	return objectOf("environment", c.Slug, EnvironmentPath(c.Slug))
}

// EditEnvironment saves the facts. To say that customers can be reached voids
// the confirmation; to take that back is Invalid. Forbidden by
// MaySetEnvironments; Conflict when archived or changed since Version.
func EditEnvironment(ctx context.Context, db *models.DB, by models.Actor, cmd EditEnvironmentCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		e, err := lockEnvironment(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetEnvironments(by); err != nil {
			return Ref{}, err
		}
		if e.ArchivedAt != nil {
			return Ref{}, models.Conflictf("This environment is archived. Restore it first.")
		}
		if e.Version != cmd.Version {
			return Ref{}, stale("environment")
		}
		cmd.clean()
		var c models.Check
		cmd.check(&c)
		e.checkReach(&c, cmd.Reach)
		if err := c.Err(); err != nil {
			return Ref{}, err
		}
		was, is := models.Changes(e.Facts(), cmd.EnvironmentFacts)
		if was == nil {
			return Ref{e.ID, e.Slug}, nil
		}
		if cmd.Reach != e.Reach() {
			was["confirmed"], is["confirmed"] = e.Confirmed(), false
			e.ReachSetBy, e.ReachConfirmedBy, e.ReachConfirmedAt = by.ID, nil, nil
		}
		r := tx.Exec(`update environments set name = ?, kind = ?, reaches_customers = ?, reach_set_by = ?,
				reach_confirmed_by = ?, reach_confirmed_at = ?, version = version + 1 where id = ? and version = ?`,
			cmd.Name, cmd.Kind, cmd.Reach == ReachCan, e.ReachSetBy, e.ReachConfirmedBy, e.ReachConfirmedAt, e.ID, cmd.Version)
		if err := guarded("environment", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.Audit("environment.edited", e.object(), was, is)
		return Ref{e.ID, e.Slug}, nil
	})
}

// EnvironmentCmd names an environment and the version the person saw.
type EnvironmentCmd struct {
	models.Once
	Slug    string
	Version int64
}

// Object is what a refusal of this command is recorded on.
func (c EnvironmentCmd) Object() models.Object {
	return objectOf("environment", c.Slug, EnvironmentPath(c.Slug))
}

// ConfirmReach confirms what an admin said about reaching customers. Forbidden
// by MayConfirmReach; Conflict when confirmed or archived already, or changed
// since Version.
func ConfirmReach(ctx context.Context, db *models.DB, by models.Actor, cmd EnvironmentCmd) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		e, err := lockEnvironment(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MayConfirmReach(by, e); err != nil {
			return Ref{}, err
		}
		switch {
		case e.ArchivedAt != nil:
			return Ref{}, models.Conflictf("This environment is archived. Restore it first.")
		case e.Confirmed():
			return Ref{}, models.Conflictf("This is confirmed already.")
		case e.Version != cmd.Version:
			return Ref{}, models.Conflictf("Somebody changed this environment since you saw it. Read it again before you confirm.")
		}
		r := tx.Exec(`update environments set reach_confirmed_by = ?, reach_confirmed_at = ?, version = version + 1
			where id = ? and version = ?`, by.ID, tx.Now, e.ID, cmd.Version)
		if err := guarded("environment", r.RowsAffected, r.Error); err != nil {
			return Ref{}, err
		}
		tx.Audit("environment.reach_confirmed", e.object(), nil, map[string]string{"reach": e.Reach()})
		return Ref{e.ID, e.Slug}, nil
	})
}

// ArchiveEnvironment takes an environment out of the choices. Nothing is
// deleted and the controls that cover it keep it. Forbidden by
// MaySetEnvironments; Conflict when archived already or changed since Version.
func ArchiveEnvironment(ctx context.Context, db *models.DB, by models.Actor, cmd EnvironmentCmd) (Ref, error) {
	return setEnvironmentArchived(ctx, db, by, cmd, true)
}

// RestoreEnvironment undoes ArchiveEnvironment and fails like it.
func RestoreEnvironment(ctx context.Context, db *models.DB, by models.Actor, cmd EnvironmentCmd) (Ref, error) {
	return setEnvironmentArchived(ctx, db, by, cmd, false)
}

func setEnvironmentArchived(ctx context.Context, db *models.DB, by models.Actor, cmd EnvironmentCmd, archive bool) (Ref, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Ref, error) {
		e, err := lockEnvironment(tx, cmd.Slug)
		if err != nil {
			return Ref{}, err
		}
		if err := MaySetEnvironments(by); err != nil {
			return Ref{}, err
		}
		if err := mayArchive("environment", e.ArchivedAt != nil, archive); err != nil {
			return Ref{}, err
		}
		if err := archiveRow(tx, "environments", e.ID, cmd.Version, "environment", archive); err != nil {
			return Ref{}, err
		}
		tx.Audit("environment."+archiveVerb(archive), e.object(), nil, nil)
		return Ref{e.ID, e.Slug}, nil
	})
}

func lockEnvironment(tx *models.Tx, slug string) (Environment, error) {
	var e Environment
	if err := tx.Raw("select * from environments where slug = ? for update", slug).Scan(&e).Error; err != nil {
		return e, err
	}
	if e.ID == 0 {
		return e, models.NotFoundf("There is no such environment.")
	}
	return e, nil
}
