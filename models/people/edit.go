package people

import (
	"context"

	"countersign/models"
)

// EditPersonCmd corrects what is known about a person.
type EditPersonCmd struct {
	models.Once
	ID, Version           int64
	Name, Email, TimeZone string
}

// Object names what the command is about when it is refused.
func (c EditPersonCmd) Object() models.Object { return about(c.ID) }

// profile is what the audit log keeps of an edit.
type profile struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	TimeZone string `json:"time_zone"`
}

// EditPerson changes name, e-mail address and time zone. Forbidden to all but
// administrators, Conflict when the person was changed meanwhile.
func EditPerson(ctx context.Context, db *models.DB, by models.Actor, cmd EditPersonCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := administer(tx); err != nil {
			return 0, err
		}
		was, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		is := profile{models.Clean(cmd.Name), CleanEmail(cmd.Email), cmd.TimeZone}
		var c models.Check
		checkName(&c, is.Name)
		checkEmail(&c, is.Email)
		checkTimeZone(&c, is.TimeZone)
		if err := c.Err(); err != nil {
			return 0, err
		}
		return was.ID, saveProfile(tx, was, is, cmd.Version)
	})
}

// saveProfile writes what differs, guarded by the version the person saw.
func saveProfile(tx *models.Tx, was Person, is profile, version int64) error {
	if was.Version != version {
		return errChanged(was.Name)
	}
	before, after := models.Changes(profile{was.Name, was.Email, was.TimeZone}, is)
	if after == nil {
		return nil
	}
	r := tx.Exec("update people set name = ?, email = ?, time_zone = ?, version = version + 1 where id = ? and version = ?",
		is.Name, is.Email, is.TimeZone, was.ID, version)
	if models.Violates(r.Error, "people_email") {
		return errEmailTaken()
	}
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected != 1 {
		return errChanged(was.Name)
	}
	tx.Audit("person.edited", was.object(), before, after)
	return nil
}
