package people

import (
	"context"

	"countersign/models"
)

// ChangePasswordCmd replaces one's own password. Address is the caller's network address.
type ChangePasswordCmd struct {
	models.Once
	ID                    int64
	Current, New, Address string
}

// Object names what the command is about when it is refused.
func (c ChangePasswordCmd) Object() models.Object { return about(c.ID) }

// ChangePassword answers with the new epoch: the caller's session goes on with
// it, every other one ends. Invalid when the current password is wrong, TooMany
// when it was guessed too often (sign-in counts these guesses too).
func ChangePassword(ctx context.Context, db *models.DB, by models.Actor, cmd ChangePasswordCmd) (SignedIn, error) {
	// The slow part first and outside the transaction; a form sent twice gets
	// the first answer whatever comes out here.
	confirmed, hash, failed := cmd.confirm(ctx, db, by)
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (SignedIn, error) {
		if failed != nil {
			return SignedIn{}, failed
		}
		p, err := lock(tx, cmd.ID)
		if err != nil {
			return SignedIn{}, err
		}
		if p.Epoch != confirmed.Epoch {
			return SignedIn{}, models.Conflictf("Your password was changed a moment ago. Sign in with the new one.")
		}
		tx.Audit("person.password_changed", p.object(), nil, nil)
		return SignedIn{PersonID: p.ID, Epoch: p.Epoch + 1}, setPassword(tx, p, hash)
	})
}

// confirm authorises, checks what was typed and the current password, and
// hashes the new one.
func (cmd ChangePasswordCmd) confirm(ctx context.Context, db *models.DB, by models.Actor) (confirmed SignedIn, hash string, err error) {
	if err := MayUseAccount(by, cmd.ID); err != nil {
		return confirmed, "", err
	}
	var c models.Check
	if cmd.Current == "" {
		c.Add("current", "Enter the password you have now.")
	}
	checkPassword(&c, "password", cmd.New, by.Email)
	if cmd.New != "" && cmd.New == cmd.Current {
		c.Add("password", "Enter a password that differs from the one you have now.")
	}
	if err := c.Err(); err != nil {
		return confirmed, "", err
	}
	confirmed, err = guess(ctx, db, by.Email, cmd.Current, cmd.Address)
	if models.IsKind(err, models.KindInvalid) || (err == nil && confirmed.PersonID != cmd.ID) {
		return confirmed, "", models.Invalid("current", "This is not the password you have now. Enter it again.")
	}
	if err != nil {
		return confirmed, "", err
	}
	hash, err = hashPassword(ctx, cmd.New)
	return confirmed, hash, err
}

// SetTimeZoneCmd chooses the zone in which one reads times.
type SetTimeZoneCmd struct {
	models.Once
	ID, Version int64
	TimeZone    string
}

// Object names what the command is about when it is refused.
func (c SetTimeZoneCmd) Object() models.Object { return about(c.ID) }

// SetTimeZone changes one's own time zone. Conflict when the account was changed meanwhile.
func SetTimeZone(ctx context.Context, db *models.DB, by models.Actor, cmd SetTimeZoneCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayUseAccount(by, cmd.ID); err != nil {
			return 0, err
		}
		was, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		var c models.Check
		checkTimeZone(&c, cmd.TimeZone)
		if err := c.Err(); err != nil {
			return 0, err
		}
		return was.ID, saveProfile(tx, was, profile{was.Name, was.Email, cmd.TimeZone}, cmd.Version)
	})
}

// SignOutEverywhereCmd ends every session of one's own.
type SignOutEverywhereCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c SignOutEverywhereCmd) Object() models.Object { return about(c.ID) }

// SignOutEverywhere ends every session of the person, this one too.
func SignOutEverywhere(ctx context.Context, db *models.DB, by models.Actor, cmd SignOutEverywhereCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayUseAccount(by, cmd.ID); err != nil {
			return 0, err
		}
		p, err := lock(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		tx.Audit("person.signed_out_everywhere", p.object(), nil, nil)
		return p.ID, tx.Exec("update people set session_epoch = session_epoch + 1 where id = ?", p.ID).Error
	})
}
