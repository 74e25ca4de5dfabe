package people

import (
	"context"
	"encoding/base64"
	"slices"

	"countersign/models"
)

// EnsureSetupLink makes a fresh set-up link, good for one use within
// SetupLasts, while there are no people; ok is false when there are some.
// Earlier unused links end. The token goes into /setup/{token}.
func EnsureSetupLink(ctx context.Context, db *models.DB) (token string, ok bool, err error) {
	token = base64.RawURLEncoding.EncodeToString(randomBytes(32))
	ok, err = models.Do(ctx, db, models.Actor{}, nil, func(tx *models.Tx) (bool, error) {
		if err := lockAdmins(tx); err != nil {
			return false, err
		}
		some, err := anybody(tx)
		if err != nil || some {
			return false, err
		}
		if err := tx.Exec("update access_links set expires_at = ? where kind = 'setup' and used_at is null and expires_at > ?", tx.Now, tx.Now).Error; err != nil {
			return false, err
		}
		return true, tx.Exec("insert into access_links (kind, token_hash, created_at, expires_at) values ('setup', ?, ?, ?)",
			hashToken(token), tx.Now, tx.Now.Add(SetupLasts)).Error
	})
	if !ok {
		token = ""
	}
	return token, ok, err
}

// Empty reports whether nobody is there yet, so that nobody can sign in.
func Empty(ctx context.Context, db *models.DB) (empty bool, err error) {
	err = db.Query(ctx).Raw("select not exists (select from people)").Row().Scan(&empty)
	return empty, err
}

func anybody(tx *models.Tx) (some bool, err error) {
	err = tx.Raw("select exists (select from people)").Row().Scan(&some)
	return some, err
}

// SetupCmd names the first person. Roles are further ones besides administrator.
type SetupCmd struct {
	models.Once
	Token, Name, Email, Password, TimeZone string
	Roles                                  []models.Role
	Address                                string // the caller's network address
}

// CompleteSetup makes the first person, an administrator, and uses the link up.
// NotFound when the link cannot be used or somebody is there already.
func CompleteSetup(ctx context.Context, db *models.DB, cmd SetupCmd) (SignedIn, error) {
	p := newPerson{Name: cmd.Name, Email: cmd.Email, TimeZone: cmd.TimeZone, Roles: append(slices.Clone(cmd.Roles), models.Admin), Password: &cmd.Password}
	if err := linkExists(ctx, db, cmd.Token, "setup"); err != nil {
		return SignedIn{}, err
	}
	if err := p.check(ctx); err != nil {
		return SignedIn{}, err
	}
	return models.Do(ctx, db, models.Actor{}, cmd, func(tx *models.Tx) (SignedIn, error) {
		if err := lockAdmins(tx); err != nil {
			return SignedIn{}, err
		}
		some, err := anybody(tx)
		if err != nil {
			return SignedIn{}, err
		}
		if some {
			return SignedIn{}, errNoLink("setup")
		}
		if err := useLink(tx, cmd.Token, "setup"); err != nil {
			return SignedIn{}, err
		}
		id, err := p.insert(tx, "workspace.set_up")
		if err == nil {
			err = noteSignIn(tx, p.Email, cmd.Address)
		}
		return SignedIn{PersonID: id, Epoch: 1}, err
	})
}
