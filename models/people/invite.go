package people

import (
	"context"

	"countersign/models"
)

// NewInviteCmd gives a person a new link: the first ran out, or the password is forgotten.
type NewInviteCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c NewInviteCmd) Object() models.Object { return about(c.ID) }

// NewInvite makes a new link at which the person chooses a password; earlier
// links end, and the old password works until the link is used. Forbidden to
// all but administrators, Conflict for a person who is not active.
func NewInvite(ctx context.Context, db *models.DB, by models.Actor, cmd NewInviteCmd) (Invitation, error) {
	key := linkKey(&cmd.Once)
	inv, err := models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Invitation, error) {
		if err := administer(tx); err != nil {
			return Invitation{}, err
		}
		p, err := lock(tx, cmd.ID)
		if err != nil {
			return Invitation{}, err
		}
		if !p.Active {
			return Invitation{}, models.Conflictf("%s is not active. Reactivate the person first.", p.Name)
		}
		tx.Audit("person.link_made", p.object(), nil, map[string]any{"expires_at": tx.Now.Add(InviteLasts)})
		return newInvite(tx, p.ID, key)
	})
	if err == nil {
		inv.Token = tokenFrom(key, inv.Salt)
	}
	return inv, err
}

// AcceptInviteCmd chooses a password at an invitation's link. Address is the
// caller's network address.
type AcceptInviteCmd struct {
	models.Once
	Token, Password, Address string
}

// AcceptInvite sets the password, uses the link up and signs out sessions that
// were open with an old password. NotFound when the link cannot be used.
func AcceptInvite(ctx context.Context, db *models.DB, cmd AcceptInviteCmd) (SignedIn, error) {
	var p Person
	q := db.Query(ctx).Raw(`select p.id, p.email, p.name from people p join access_links l on l.person_id = p.id
		where l.token_hash = ? and l.kind = 'invite'`, hashToken(cmd.Token)).Scan(&p)
	if q.Error != nil {
		return SignedIn{}, q.Error
	}
	if q.RowsAffected == 0 {
		return SignedIn{}, errNoLink("invite")
	}
	var c models.Check
	checkPassword(&c, "password", cmd.Password, p.Email)
	if err := c.Err(); err != nil {
		return SignedIn{}, err
	}
	hash, err := hashPassword(ctx, cmd.Password)
	if err != nil {
		return SignedIn{}, err
	}
	return models.Do(ctx, db, models.Actor{}, cmd, func(tx *models.Tx) (SignedIn, error) {
		p, err := lock(tx, p.ID)
		if err != nil {
			return SignedIn{}, err
		}
		if !p.Active {
			return SignedIn{}, errNoLink("invite")
		}
		if err := useLink(tx, cmd.Token, "invite"); err != nil {
			return SignedIn{}, err
		}
		if err := noteSignIn(tx, p.Email, cmd.Address); err != nil {
			return SignedIn{}, err
		}
		tx.By.ID = p.ID // whoever holds the link acts as this person
		tx.Audit("person.password_chosen", p.object(), nil, nil)
		return SignedIn{PersonID: p.ID, Epoch: p.Epoch + 1}, setPassword(tx, p, hash)
	})
}

// setPassword stores the hash and ends every session.
func setPassword(tx *models.Tx, p Person, hash string) error {
	return tx.Exec("update people set password_hash = ?, session_epoch = session_epoch + 1 where id = ?", hash, p.ID).Error
}
