package people

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"countersign/models"

	"github.com/alexedwards/argon2id"
)

// hashing is argon2id with 19 MiB and two passes: about 30 ms.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashSlots bounds the memory that a flood of sign-ins can take: 19 MiB each.
var hashSlots = make(chan struct{}, max(2, runtime.NumCPU()))

const (
	minPassword  = 12  // characters
	maxPassword  = 200 // bytes
	hashPatience = 10 * time.Second
)

// inSlot runs one hash computation. TooMany when none of the slots gets free in time.
func inSlot(ctx context.Context, compute func() error) error {
	wait, cancel := context.WithTimeout(ctx, hashPatience)
	defer cancel()
	select {
	case hashSlots <- struct{}{}:
		defer func() { <-hashSlots }()
		return compute()
	case <-wait.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &models.Error{Kind: models.KindTooMany, Message: "Too many people are signing in right now. Try again in a moment.", RetryAfter: 10}
	}
}

func hashPassword(ctx context.Context, password string) (hash string, err error) {
	err = inSlot(ctx, func() (err error) {
		hash, err = argon2id.CreateHash(password, hashing)
		return err
	})
	return hash, err
}

// nobodysHash is compared against when there is no such account, so that the
// answer takes as long as for one that exists.
var nobodysHash = sync.OnceValues(func() (string, error) {
	return argon2id.CreateHash("nobody has this password", hashing)
})

// passwordMatches is false for an empty hash, in the time a real one takes.
func passwordMatches(ctx context.Context, password, hash string) (ok bool, err error) {
	real := hash != ""
	if !real {
		if hash, err = nobodysHash(); err != nil {
			return false, err
		}
	}
	err = inSlot(ctx, func() (err error) {
		ok, err = argon2id.ComparePasswordAndHash(password, hash)
		return err
	})
	return ok && real, err
}

// checkPassword notes why a new password cannot be used.
func checkPassword(c *models.Check, field, password, email string) {
	switch {
	case password == "":
		c.Add(field, "Enter a password of at least %d characters.", minPassword)
	case !utf8.ValidString(password):
		c.Add(field, "Remove the characters that are not valid text.")
	case utf8.RuneCountInString(password) < minPassword:
		c.Add(field, "Enter at least %d characters. This has %d.", minPassword, utf8.RuneCountInString(password))
	case len(password) > maxPassword:
		c.Add(field, "Shorten the password to %d bytes.", maxPassword)
	case strings.EqualFold(strings.TrimSpace(password), email):
		c.Add(field, "Enter a password that is not your e-mail address.")
	}
}
