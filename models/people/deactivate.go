package people

import (
	"context"

	"countersign/models"
)

// DeactivateCmd takes a person out. Confirm is their name, typed.
type DeactivateCmd struct {
	models.Once
	ID, Version int64
	Confirm     string
}

// Object names what the command is about when it is refused.
func (c DeactivateCmd) Object() models.Object { return about(c.ID) }

// Deactivate signs a person out everywhere and keeps them from signing in; all
// that they did and their roles stay. Links end, and so do delegations to and
// from them. Forbidden to all but administrators and for oneself; Conflict for
// the last administrator or when the person was changed meanwhile.
func Deactivate(ctx context.Context, db *models.DB, by models.Actor, cmd DeactivateCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := administer(tx); err != nil {
			return 0, err
		}
		if err := MayDeactivate(by, cmd.ID); err != nil {
			return 0, err
		}
		was, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		if !was.Active {
			return 0, models.Conflictf("%s is not active already.", was.Name)
		}
		if models.Clean(cmd.Confirm) != was.Name {
			return 0, models.Invalid("confirm", "Enter the name as it is written: %s", was.Name)
		}
		if err := keepsAnAdmin(tx, was); err != nil {
			return 0, err
		}
		if err := setActive(tx, was, cmd.Version, false); err != nil {
			return 0, err
		}
		if err := endLinks(tx, was.ID); err != nil {
			return 0, err
		}
		tx.Audit("person.deactivated", was.object(), map[string]any{"active": true}, map[string]any{"active": false})
		return was.ID, endDelegations(tx, "d.person_id = ? or d.delegate_id = ?", was.ID, was.ID)
	})
}

// ReactivateCmd lets a person back in.
type ReactivateCmd struct {
	models.Once
	ID, Version int64
}

// Object names what the command is about when it is refused.
func (c ReactivateCmd) Object() models.Object { return about(c.ID) }

// Reactivate lets a person sign in again, with the roles and password they had.
// Forbidden to all but administrators.
func Reactivate(ctx context.Context, db *models.DB, by models.Actor, cmd ReactivateCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := administer(tx); err != nil {
			return 0, err
		}
		was, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		if was.Active {
			return 0, models.Conflictf("%s is active already.", was.Name)
		}
		if err := setActive(tx, was, cmd.Version, true); err != nil {
			return 0, err
		}
		tx.Audit("person.reactivated", was.object(), map[string]any{"active": false}, map[string]any{"active": true})
		return was.ID, nil
	})
}

// setActive also ends every session: none may come back to life later.
func setActive(tx *models.Tx, was Person, version int64, active bool) error {
	r := tx.Exec("update people set active = ?, session_epoch = session_epoch + 1, version = version + 1 where id = ? and version = ?",
		active, was.ID, version)
	if r.Error == nil && r.RowsAffected != 1 {
		return errChanged(was.Name)
	}
	return r.Error
}
