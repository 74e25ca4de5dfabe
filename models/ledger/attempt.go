package ledger

import (
	"crypto/rand"
	"time"

	"countersign/models"
	"countersign/models/identity"
)

// newAttempt is an attempt that is about to be written.
type newAttempt struct {
	kind          string // retry, replay or observed
	worker        string
	lease         int
	authorization int64
	would         *WouldHave
}

// begin writes an attempt and, unless it is observed, makes it the latest: the
// action is pending again. Its state allowed that.
func (l *locked) begin(tx *models.Tx, by Caller, once models.Once, n newAttempt, s serving) (Attempted, error) {
	nonce, secret := rand.Text(), secretOf(once)
	token := claimToken(secret, nonce)
	out := Attempted{IdentityKey: l.Key, DestinationKey: identity.DestinationKey(l.Key), ClaimToken: token, Nonce: nonce, Warnings: []Warning{}, Observed: n.kind == "observed", WouldHave: n.would}
	out.LeaseUntil = l.Now.Add(time.Duration(n.lease) * time.Second)
	var would *string
	if n.would != nil {
		text := n.would.json()
		would = &text
	}
	err := tx.Raw(`insert into attempts (action_id, number, kind, worker, token_hash, revision_id, lease_seconds, lease_until, authorization_id, would_have, token_id, person_id, started_at)
		select @action, max(number) + 1, @kind, @worker, decode(@hash, 'hex'), @revision, @lease, @until, nullif(@authorization, 0), cast(@would as jsonb), nullif(@token, 0), nullif(@person, 0), @now
		from attempts where action_id = @action returning id, number`,
		map[string]any{"action": l.ID, "kind": n.kind, "worker": n.worker, "hash": tokenHash(token), "revision": s.Revision.ID, "lease": n.lease, "until": out.LeaseUntil,
			"authorization": n.authorization, "would": would, "token": by.Token, "person": by.person(), "now": l.Now}).Row().Scan(&out.Attempt, &out.Number)
	if err != nil {
		return out, err
	}
	if n.kind == "observed" {
		out.Standing = *l.standing()
		return out, nil
	}
	l.State = Pending
	out.Standing = *l.standing()
	automatic := 0
	if n.kind == "retry" {
		automatic = 1
	}
	return out, tx.Exec(`update actions set state = 'pending', attempt_id = ?, attempts = attempts + 1, automatic = automatic + ?, replayed = ?, lease_until = ?, ended_at = null, changed_at = ? where id = ?`,
		out.Attempt, automatic, n.kind == "replay", out.LeaseUntil, l.Now, l.ID).Error
}

// Again gives a repeated call its first answer while the lease lives, with the
// claim token made again. A Refusal with CodeLeaseEnded otherwise.
func (a *Attempted) Again(tx *models.Tx, once models.Once) error {
	l, err := seeAction(tx.DB, a.Action)
	if err != nil {
		return err
	}
	var lives bool
	if err := tx.Raw("select outcome is null and lease_until > clock_timestamp() from attempts where id = ?", a.Attempt).Row().Scan(&lives); err != nil {
		return err
	}
	if !lives {
		return conflict(CodeLeaseEnded, l.standing(), "This call was answered before, and its lease is over. Action %d is %s.", l.ID, l.State.Words())
	}
	a.ClaimToken = claimToken(secretOf(once), a.Nonce)
	return nil
}
