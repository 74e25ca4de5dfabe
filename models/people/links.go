package people

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"countersign/models"
)

// How long a link can be used.
const (
	SetupLasts  = 24 * time.Hour
	InviteLasts = 7 * 24 * time.Hour
)

// Invitation is a person who was given a link to choose a password.
//
// Token is shown once and stored nowhere. It is made from the form's submission
// id, which is not stored either, and Salt, which is: so a form sent twice
// shows the same link, and the database alone gives none away.
type Invitation struct {
	PersonID int64
	Salt     []byte
	Token    string `json:"-"` // for /invite/{token}
}

// linkKey is what tokens of one command are made from. Without a proper
// submission id it is random, and a repeat is no repeat.
func linkKey(o *models.Once) []byte {
	if len(o.Submission) >= 16 {
		return []byte(o.Submission)
	}
	o.Submission = ""
	return randomBytes(32)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func tokenFrom(key, salt []byte) string {
	m := hmac.New(sha256.New, key)
	m.Write(salt)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// newInvite makes the person's only usable link; earlier ones end.
func newInvite(tx *models.Tx, id int64, key []byte) (Invitation, error) {
	if err := endLinks(tx, id); err != nil {
		return Invitation{}, err
	}
	inv := Invitation{PersonID: id, Salt: randomBytes(16)}
	err := tx.Exec(`insert into access_links (kind, token_hash, person_id, created_by, created_at, expires_at)
		values ('invite', ?, ?, nullif(?, 0), ?, ?)`,
		hashToken(tokenFrom(key, inv.Salt)), id, tx.By.ID, tx.Now, tx.Now.Add(InviteLasts)).Error
	return inv, err
}

// endLinks makes a person's unused links unusable.
func endLinks(tx *models.Tx, id int64) error {
	return tx.Exec("update access_links set expires_at = ? where person_id = ? and used_at is null and expires_at > ?", tx.Now, id, tx.Now).Error
}

// useLink marks a link as used. NotFound when it was used, replaced or has run
// out, also by somebody else a moment ago.
func useLink(tx *models.Tx, token, kind string) error {
	r := tx.Exec("update access_links set used_at = ? where token_hash = ? and kind = ? and used_at is null and expires_at > ?",
		tx.Now, hashToken(token), kind, tx.Now)
	if r.Error == nil && r.RowsAffected != 1 {
		return errNoLink(kind)
	}
	return r.Error
}

// noteSignIn keeps that a link signed somebody in: their address is known from now on.
func noteSignIn(tx *models.Tx, email, address string) error {
	if address == "" {
		return nil
	}
	return tx.Exec("insert into sign_ins (email, address, succeeded, at) values (?, ?, true, ?)", email, address, tx.Now).Error
}

func errNoLink(kind string) error {
	if kind == "setup" {
		return models.NotFoundf("This set-up link was used already, was replaced or has run out. Start the server again to get a new one.")
	}
	return models.NotFoundf("This link was used already, was replaced or has run out. Ask an administrator for a new one.")
}

// linkExists keeps strangers from making the server hash passwords. NotFound.
func linkExists(ctx context.Context, db *models.DB, token, kind string) error {
	var some bool
	err := db.Query(ctx).Raw("select exists (select from access_links where token_hash = ? and kind = ?)", hashToken(token), kind).Row().Scan(&some)
	if err == nil && !some {
		return errNoLink(kind)
	}
	return err
}

// OpenInvite says whom a usable invitation is for. NotFound otherwise.
func OpenInvite(ctx context.Context, db *models.DB, token string) (Person, error) {
	var r personRow
	q := db.Query(ctx).Raw(selectPerson+`join access_links l on l.person_id = p.id
		where l.token_hash = ? and l.kind = 'invite' and l.used_at is null and l.expires_at > now() and p.active`, hashToken(token)).Scan(&r)
	if q.Error == nil && q.RowsAffected == 0 {
		return Person{}, errNoLink("invite")
	}
	return r.person(), q.Error
}

// OpenSetup is nil while a set-up link can be used, and NotFound otherwise.
func OpenSetup(ctx context.Context, db *models.DB, token string) error {
	var usable bool
	err := db.Query(ctx).Raw(`select exists (select from access_links where token_hash = ? and kind = 'setup'
		and used_at is null and expires_at > now()) and not exists (select from people)`, hashToken(token)).Row().Scan(&usable)
	if err == nil && !usable {
		return errNoLink("setup")
	}
	return err
}
