package ledger

import (
	"context"
	"encoding/json"
	"time"

	"countersign/models"
)

// Heartbeat extends a lease. NotFound, Forbidden, Invalid; a Refusal with
// CodeEnded, CodeAlreadySucceeded or CodeWrongToken. It never revives a lease.
func Heartbeat(ctx context.Context, db *models.DB, by Caller, cmd HeartbeatCmd) (Beat, error) {
	if cmd.ClaimToken == "" {
		return Beat{}, models.Invalid("claim_token", "Enter the claim_token that the claim, retry or start was answered with.")
	}
	var answer []byte
	err := db.Pool.QueryRow(ctx, "select ledger_heartbeat($1, $2, nullif($3, 0), nullif($4, 0))::text", cmd.Action, tokenHash(cmd.ClaimToken), by.Workflow, by.Environment).Scan(&answer)
	if err != nil {
		return Beat{}, models.Classify(err)
	}
	if answer == nil {
		return Beat{}, models.NotFoundf("There is no action %d.", cmd.Action)
	}
	var r struct {
		R                     string
		State                 State
		Result                string
		LeaseUntil            time.Time `json:"lease_until"`
		Workflow, Environment int64
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return Beat{}, err
	}
	standing := &Standing{cmd.Action, r.State, r.Result}
	switch Code(r.R) {
	case "outside":
		return Beat{}, by.within(r.Workflow, r.Environment)
	case CodeWrongToken:
		return Beat{}, wrongToken(standing)
	case CodeAlreadySucceeded:
		return Beat{}, conflict(CodeAlreadySucceeded, standing, "Stop: an earlier attempt of action %d turned out to have succeeded. Report what this attempt did.", cmd.Action)
	case CodeEnded:
		return Beat{}, conflict(CodeEnded, standing, "The lease of this attempt has ended, and a heartbeat does not bring it back. Report what it did.")
	}
	return Beat{Standing: *standing, LeaseUntil: r.LeaseUntil.UTC()}, nil
}
