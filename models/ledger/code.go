package ledger

import (
	"countersign/models"
	"countersign/models/identity"
	"countersign/models/signoff"
)

// Code says, for programs, why a call was refused. Stable: part of the outside
// contract.
type Code string

const (
	// Conflicts (409).
	CodeAlready          Code = "already"              // somebody else's claim won; Standing is the winner's
	CodeEarlierRule      Code = "matches_earlier_rule" // only an earlier version of the rule finds an action; Review is set
	CodeStaleVersion     Code = "stale_version"        // the record has a newer version, accepted or claimed
	CodeInReview         Code = "in_review"            // the delivery waits for a person, or was dismissed; Review is set
	CodePending          Code = "pending"              // a worker holds it
	CodeSucceeded        Code = "succeeded"            // it succeeded: never tried again, and no failure is taken
	CodeLookupRequired   Code = "lookup_required"      // unknown, and no lookup that counts
	CodeReplayRequired   Code = "replay_required"      // only an approved replay may try it again
	CodeRetriesUsedUp    Code = "retries_used_up"      // as many automatic retries as were signed
	CodeEnded            Code = "ended"                // the lease ended, or its outcome is known
	CodeAlreadySucceeded Code = "already_succeeded"    // heartbeat: an earlier attempt turned out to have succeeded
	CodeWrongToken       Code = "wrong_claim_token"
	CodeUsed             Code = "used"         // the authorization was used
	CodeLapsed           Code = "lapsed"       // the authorization's time is over
	CodeOvertaken        Code = "overtaken"    // the action succeeded meanwhile
	CodeStale            Code = "stale"        // something is newer than what the approver saw
	CodeNotApproved      Code = "not_approved" // the legitimate repeat was not approved, or dismissed
	CodeLeaseEnded       Code = "lease_ended"  // a repeated call: its first answer was a lease that is over

	// Invalid (422).
	CodeIdentityMissing Code = "identity_missing" // Reasons say which component; Review is set

	// Locked (423).
	CodeStopped Code = "stopped" // the workflow's stop switch
	CodeBlocked Code = "blocked" // the gate: no revision was ever approved, or no rule makes a key
)

// Standing is where an action stands: what every answer about it carries.
type Standing struct {
	Action int64  `json:"action_id,string"`
	State  State  `json:"state"`                 // by the database's clock
	Result string `json:"destination_result_id"` // "" while none is known
}

// Refusal is a refused call. It unwraps to the *models.Error, whose kind gives
// the HTTP status, whose Code is the same code and whose message is a sentence.
type Refusal struct {
	Code       Code
	Standing   *Standing         // nil when it is about no action
	Review     string            // RV-n or LR-n: what a person must settle
	Suppressed int64             // the suppressed claim that can be appealed as a real second request; 0: none
	Reasons    []identity.Reason // CodeIdentityMissing
	Gate       []signoff.Reason  // CodeStopped, CodeBlocked, CodeReplayRequired
	err        *models.Error
}

func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap lets errors.As find the domain error.
func (r *Refusal) Unwrap() error { return r.err }

// refuse makes a refusal of a kind.
func refuse(kind models.Kind, code Code, standing *Standing, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Standing: standing, err: models.Coded(kind, string(code), format, args...)}
}

// conflict is a refusal with 409.
func conflict(code Code, standing *Standing, format string, args ...any) *Refusal {
	return refuse(models.KindConflict, code, standing, format, args...)
}
