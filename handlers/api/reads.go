package api

import (
	"context"
	"net/http"
	"time"

	"countersign/models/ledger"
	"countersign/models/people"
)

// Review is something that a person must settle.
type Review struct {
	Ref            string     `json:"ref" doc:"RV-n, or LR-n for a legitimate repeat."`
	Kind           string     `json:"kind" enum:"delivery,identity_missing,earlier_rule,stale_version,repeat" doc:"What must be settled."`
	State          string     `json:"state" enum:"open,accepted,linked,dismissed" doc:"Where it stands."`
	Reason         string     `json:"reason" doc:"Why it is here."`
	Decision       string     `json:"decision,omitempty" doc:"The reason of whoever decided."`
	DecidedAt      *time.Time `json:"decided_at,omitempty" doc:"When it was decided."`
	ActionID       *string    `json:"action_id,omitempty" doc:"The action that it is about."`
	DeliveryID     *string    `json:"delivery_id,omitempty" doc:"The delivery that it is about."`
	LinkedActionID *string    `json:"linked_action_id,omitempty" doc:"linked: the action that this is."`
	Allows         string     `json:"allows" enum:"wait,claim,claim_with_repeat,nothing" doc:"What may be done now: wait for the decision, claim again, claim with repeat set to this ref, or nothing more."`
}

func (a *API) reads() {
	a.records()
	a.gates()
	register(a, operation{id: "read-review", method: http.MethodGet, path: Prefix + "reviews/{ref}", scope: people.ScopeRead, tag: "Reading",
		summary: "Read a review item", text: "What a person decided, and what it allows now.",
		ok: []success{{http.StatusOK, "The item."}}, curl: curlReview}, func(ctx context.Context, in *refIn) (int, Review, error) {
		r, err := ledger.ReviewByRef(ctx, a.DB, caller(ctx), in.Ref)
		return http.StatusOK, review(r), err
	})
}

func review(r ledger.ReviewItem) Review {
	return Review{Ref: r.Ref(), Kind: string(r.Kind), State: string(r.State), Reason: r.Reason, Decision: r.Decision, DecidedAt: r.DecidedAt,
		ActionID: some(r.Action), DeliveryID: some(r.Delivery), LinkedActionID: some(r.Linked), Allows: allows(r)}
}

// allows says what an automation may do about a review item.
func allows(r ledger.ReviewItem) string {
	switch {
	case r.State == ledger.ReviewOpen:
		return "wait"
	case r.State != ledger.ReviewAccepted || r.Carried != 0 && r.Kind != ledger.ReviewStale:
		return "nothing"
	case r.Kind == ledger.ReviewRepeat:
		return "claim_with_repeat"
	}
	return "claim"
}

// some is nil for no id.
func some(id int64) *string {
	if id == 0 {
		return nil
	}
	text := idText(id)
	return &text
}
