package ledger

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"

	"countersign/models"
)

// token makes the claim token from what only the caller knows, so that a
// repeated call gets the same one and the database gives none away.
func (c *prepared) token(once models.Once) {
	c.row.Nonce, c.secret = rand.Text(), secretOf(once)
	c.row.TokenHash = tokenHash(claimToken(c.secret, c.row.Nonce))
	if i := c.idempotency(once); i != nil {
		digest := i.Digest()
		c.row.Lock, c.row.Idem, c.row.Body = i.Lock(), hex.EncodeToString(digest[:]), hex.EncodeToString(i.Body[:])
	}
}

// idempotency is the caller's key; that of a form stands for one.
func (c *prepared) idempotency(once models.Once) *models.Idempotency {
	if once.Idempotency != nil || once.Submission == "" {
		return once.Idempotency
	}
	what := fmt.Sprintf("%d %d %s %s %d %s %d", c.row.Control, c.row.Environment, c.row.Input, c.row.Version, c.row.Delivery, c.row.Worker, c.row.Repeat)
	return &models.Idempotency{Token: -c.row.Asker, Route: "claim", Key: once.Submission, Body: sha256.Sum256([]byte(what))}
}

// secretOf is what makes a claim token that can be made again: the caller's own
// key, or the form's. Without one nobody can ask again, and chance does.
func secretOf(once models.Once) string {
	switch {
	case once.Idempotency != nil:
		return once.Idempotency.Key
	case once.Submission != "":
		return once.Submission
	}
	return rand.Text()
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func claimToken(secret, nonce string) string {
	sum := sha256.Sum256([]byte("countersign claim token 1\x00" + nonce + "\x00" + secret))
	return "ct_" + base32Lower.EncodeToString(sum[:])
}

// tokenHash is what the database keeps of a claim token.
func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
