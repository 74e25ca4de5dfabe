package ledger

import (
	"context"
	"errors"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

var errNotYet = errors.New("not built yet")

// Deliver records a notification. NotFound for an unknown workflow, environment
// or sender; Forbidden outside the token's; Invalid for what is too long or no
// text.
func Deliver(ctx context.Context, db *models.DB, by Caller, cmd DeliverCmd) (Delivered, error) {
	return Delivered{}, errNotYet
}

// Heartbeat extends a lease. NotFound, Forbidden; a Refusal with CodeEnded,
// CodeAlreadySucceeded or CodeWrongToken.
func Heartbeat(ctx context.Context, db *models.DB, by Caller, cmd HeartbeatCmd) (Beat, error) {
	return Beat{}, errNotYet
}

// Outcome records a report. NotFound, Forbidden, Invalid; a Refusal with
// CodeSucceeded (failed or unknown after succeeded) or CodeWrongToken.
func Outcome(ctx context.Context, db *models.DB, by Caller, cmd OutcomeCmd) (Reported, error) {
	return Reported{}, errNotYet
}

// Lookup records a check of the destination. NotFound, Forbidden, Invalid.
func Lookup(ctx context.Context, db *models.DB, by Caller, cmd LookupCmd) (LookedUp, error) {
	return LookedUp{}, errNotYet
}

// Retry tries a failed action again. NotFound, Forbidden, Invalid; a Refusal
// with CodePending, CodeSucceeded, CodeLookupRequired, CodeReplayRequired,
// CodeRetriesUsedUp, CodeStaleVersion (409), CodeStopped or CodeBlocked (423).
func Retry(ctx context.Context, db *models.DB, by Caller, cmd RetryCmd) (Attempted, error) {
	return Attempted{}, errNotYet
}

// Start uses an authorization. NotFound when no authorization of that request
// has that code; Forbidden, Invalid; a Refusal with CodeUsed, CodeLapsed,
// CodeOvertaken, CodeStale, CodePending, CodeStaleVersion (409), CodeStopped or
// CodeBlocked (423).
func Start(ctx context.Context, db *models.DB, by Caller, cmd StartCmd) (Attempted, error) {
	return Attempted{}, errNotYet
}

// LoadFacts reads what decides whether an action may be tried again. NotFound.
func LoadFacts(q *gorm.DB, action int64) (Facts, error) { return Facts{}, errNotYet }

// LockFacts is LoadFacts with the action's row held until the transaction ends,
// so that nothing newer comes between a decision and its commit. NotFound.
func LockFacts(tx *models.Tx, action int64) (Facts, error) { return Facts{}, errNotYet }

// IssueAuthorization issues the single-use permission of an approval. The caller
// holds LockFacts and has decided. Conflict with CodeStale when what stands is
// not what was seen.
func IssueAuthorization(tx *models.Tx, cmd IssueCmd) (Authorization, error) {
	return Authorization{}, errNotYet
}

// WithdrawAuthorization ends an open authorization of a request; nothing when
// there is none.
func WithdrawAuthorization(tx *models.Tx, request string) error { return errNotYet }

// AuthorizationOf finds the newest authorization of a request; ok is false when
// there is none.
func AuthorizationOf(q *gorm.DB, request string) (a Authorization, ok bool, err error) {
	return a, false, errNotYet
}

// ReviewByRef loads a review item. NotFound; Forbidden outside the token's place.
func ReviewByRef(ctx context.Context, db *models.DB, by Caller, ref string) (ReviewItem, error) {
	return ReviewItem{}, errNotYet
}

// DecideReview settles a review item. NotFound; Forbidden by MayDecideReview;
// Conflict when it is decided or changed; Invalid without a reason, or when the
// linked action is not of the same control and environment.
func DecideReview(ctx context.Context, db *models.DB, by models.Actor, cmd DecideReviewCmd) (ReviewItem, error) {
	return ReviewItem{}, errNotYet
}

// Appeal makes a review item of a refusal. NotFound; Forbidden by MayAppeal;
// Invalid without a reason. Asking again answers with the first.
func Appeal(ctx context.Context, db *models.DB, by models.Actor, cmd AppealCmd) (ReviewItem, error) {
	return ReviewItem{}, errNotYet
}

// ReportDuplicate opens a confirmed duplicate. NotFound; Forbidden; Invalid.
func ReportDuplicate(ctx context.Context, db *models.DB, by models.Actor, cmd ReportDuplicateCmd) (DuplicateRef, error) {
	return DuplicateRef{}, errNotYet
}

// SettleDuplicate closes a duplicate with what was done. NotFound; Forbidden;
// Conflict when it is settled or changed; Invalid.
func SettleDuplicate(ctx context.Context, db *models.DB, by models.Actor, cmd SettleDuplicateCmd) (DuplicateRef, error) {
	return DuplicateRef{}, errNotYet
}

// Sweep notes leases that ended, and duplicates that followed from one. Nothing
// depends on it; several servers may run it at once. It returns how many it noted.
func Sweep(ctx context.Context, db *models.DB) (int, error) { return 0, errNotYet }

// RemovePayloads takes out stored payloads whose retention is over.
func RemovePayloads(ctx context.Context, db *models.DB, now time.Time) (int, error) {
	return 0, errNotYet
}
