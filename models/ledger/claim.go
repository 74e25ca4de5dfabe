package ledger

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"countersign/models"

	"github.com/jackc/pgx/v5/pgconn"
)

// Claim asks for an action. Everything is decided in one statement.
//
// NotFound for an unknown control or environment; Forbidden outside the token's
// workflow or environment; Invalid for the input, worker, lease_seconds,
// delivery_id, approved_version, repeat or environment; a Refusal with
// CodeAlready, CodeEarlierRule, CodeStaleVersion, CodeInReview or
// CodeNotApproved (409), CodeIdentityMissing (422), CodeStopped or CodeBlocked
// (423); Unavailable when others were first again and again. In mode observe
// only those with 423 are refused.
func (d *Desk) Claim(ctx context.Context, by Caller, cmd ClaimCmd) (Attempted, error) {
	for try := range claimTries {
		if err := pause(ctx, try); err != nil {
			return Attempted{}, models.Classify(err)
		}
		p, err := d.place(ctx, cmd.Control, cmd.Environment)
		if err != nil {
			return Attempted{}, models.Classify(err)
		}
		if err := by.within(p.Workflow, p.Environment); err != nil {
			return Attempted{}, err
		}
		claim, err := p.prepare(by, cmd)
		if err != nil {
			return Attempted{}, err
		}
		r, err := d.run(ctx, claim.row)
		var pg *pgconn.PgError
		switch {
		case errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01"):
			continue // another claim was first: look again
		case err != nil:
			return Attempted{}, models.Classify(err)
		case r.R == "reload":
			d.forget(p)
			continue
		}
		if r.Repeated {
			models.NoteRepeat(ctx)
		}
		return claim.answer(r)
	}
	return Attempted{}, &models.Error{Kind: models.KindUnavailable, Message: "This control is being changed right now. Send the claim again.", RetryAfter: 1}
}

// claimTries is how often a claim looks again when another one was first or the
// control changed under it.
const claimTries = 20

// pause waits a random time before a further try, up to 64 ms, so that many
// claims of one key don't meet again and again.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(1+mathrand.Int64N(1<<min(try, 6))) * time.Millisecond):
		return nil
	}
}
