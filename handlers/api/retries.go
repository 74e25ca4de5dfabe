package api

import (
	"context"
	"net/http"

	"countersign/models/ledger"
	"countersign/models/people"
)

type retryIn struct {
	Repeatable
	Addressed
	Body RetryRequest
}

// RetryRequest asks for another attempt.
type RetryRequest struct {
	Worker string   `json:"worker" minLength:"1" maxLength:"500" doc:"Names this execution, and no other." example:"run-7f3d"`
	Lease  *seconds `json:"lease_seconds,omitempty" nullable:"true" minimum:"10" maximum:"3600" doc:"How long the attempt holds without a heartbeat. 60 when it is left out."`
}

func (a *API) retries() {
	register(a, operation{id: "retry-action", method: http.MethodPost, path: Prefix + "actions/{id}/retry", scope: people.ScopeClaims, tag: "Actions",
		summary:   "Try a failed action again",
		text:      "Within the automatic retries that the control's gate allows. Anything else needs a person: ask for a replay.",
		ok:        []success{{http.StatusCreated, claimed}},
		conflicts: []string{"pending", "succeeded", "lookup_required", "replay_required", "retries_used_up", "stale_version", "lease_ended"}, locked: true, curl: curlRetry},
		func(ctx context.Context, in *retryIn) (int, Attempt, error) {
			once, err := in.once(ctx, nil)
			if err != nil {
				return 0, Attempt{}, err
			}
			t, err := ledger.Retry(ctx, a.DB, caller(ctx), ledger.RetryCmd{Once: once, Action: in.action(), Worker: in.Body.Worker, LeaseSeconds: lease(in.Body.Lease)})
			return http.StatusCreated, attempt(t), err
		})
}
