package models

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Idempotency is the Idempotency-Key of one call of the API. The first call with
// a key runs; a repeat of it gets the first answer, for 24 hours. The key counts
// per token and route. Only what succeeded is kept, in the same transaction as
// its effect.
//
// What is kept is the command's answer as JSON, and not the bytes of an HTTP
// response: whoever renders an answer must render the same answer the same way.
// WatchRepeats tells whether an answer is a first one.
//
// Errors, all with a code: Conflict CodeIdempotencyRunning while the first call
// still runs, which is known by a lock that dies with its connection; Invalid
// CodeIdempotencyMismatch when the key came with another body before.
type Idempotency struct {
	Token int64    // whose key it is
	Route string   // method and path, such as "POST /api/v1/actions/12/outcome"
	Key   string   // as the caller sent it; only its digest is stored
	Body  [32]byte // SHA-256 of the request body
}

// Codes of the errors that Idempotency brings.
const (
	CodeIdempotencyRunning  = "idempotency_running"
	CodeIdempotencyMismatch = "idempotency_mismatch"
)

// Digest names the key in the database: token, route and key together.
func (i Idempotency) Digest() [32]byte {
	var head [8]byte
	binary.BigEndian.PutUint64(head[:], uint64(i.Token))
	return sha256.Sum256([]byte(string(head[:]) + i.Route + "\x00" + i.Key))
}

// Lock is the number of the advisory lock that is held while the call runs.
func (i Idempotency) Lock() int64 {
	d := i.Digest()
	return int64(binary.BigEndian.Uint64(d[:8]))
}

// ErrIdempotencyRunning says that the first call with this key still runs.
func ErrIdempotencyRunning() error {
	return Coded(KindConflict, CodeIdempotencyRunning, "The first call with this Idempotency-Key is still running. Send it again in a moment.")
}

// ErrIdempotencyMismatch says that the key belongs to another body.
func ErrIdempotencyMismatch() error {
	return Coded(KindInvalid, CodeIdempotencyMismatch, "This Idempotency-Key was used with another body. Use a new random key for each call.")
}

// claimIdempotency returns the first answer, or nil when this is the first call.
func (tx *Tx) claimIdempotency(i Idempotency) ([]byte, error) {
	var free bool
	if err := tx.Raw("select pg_try_advisory_xact_lock(?)", i.Lock()).Row().Scan(&free); err != nil {
		return nil, err
	}
	if !free {
		return nil, ErrIdempotencyRunning()
	}
	digest := i.Digest()
	var kept struct {
		Body, Answer string
	}
	r := tx.Raw("select encode(body, 'hex') as body, answer from idempotency_keys where key = decode(?, 'hex') and at > now() - interval '24 hours'",
		hex.EncodeToString(digest[:])).Scan(&kept)
	switch {
	case r.Error != nil || r.RowsAffected == 0:
		return nil, r.Error
	case kept.Body != hex.EncodeToString(i.Body[:]):
		return nil, ErrIdempotencyMismatch()
	}
	return []byte(kept.Answer), nil
}

func (tx *Tx) keepIdempotency(i Idempotency, answer []byte) error {
	digest := i.Digest()
	return tx.Exec(`insert into idempotency_keys (key, body, answer) values (decode(?, 'hex'), decode(?, 'hex'), ?)
		on conflict (key) do update set body = excluded.body, answer = excluded.answer, at = now()`,
		hex.EncodeToString(digest[:]), hex.EncodeToString(i.Body[:]), string(answer)).Error
}

// PruneIdempotency forgets the keys of calls made over 24 hours ago.
func PruneIdempotency(ctx context.Context, db *DB) error {
	return Classify(db.Query(ctx).Exec("delete from idempotency_keys where at < now() - interval '24 hours'").Error)
}
