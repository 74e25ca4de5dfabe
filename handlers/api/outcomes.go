package api

import (
	"context"
	"net/http"

	"countersign/models/ledger"
	"countersign/models/people"
)

type outcomeIn struct {
	Repeatable
	Addressed
	Body OutcomeRequest
}

// OutcomeRequest says how an attempt ended.
type OutcomeRequest struct {
	ClaimToken string  `json:"claim_token" minLength:"1" maxLength:"200" doc:"From the 201 answer of the claim, retry or start."`
	Outcome    string  `json:"outcome" enum:"succeeded,failed,unknown" doc:"failed means certainly no effect; when that is not certain, it is unknown."`
	Result     scalar  `json:"destination_result_id,omitempty" doc:"What the destination calls the result: text or a number."`
	Detail     *string `json:"detail,omitempty" nullable:"true" maxLength:"4000" doc:"failed: how you know that there is no effect: not sent, rejected, looked up. Without it the outcome is kept as unknown."`
}

// Outcome is what a report came to.
type Outcome struct {
	Standing
	Late      bool   `json:"late,omitempty" doc:"true when the lease had ended. The report is kept; a success counts."`
	KeptAs    string `json:"kept_as" enum:"pending,succeeded,failed,unknown" doc:"What the attempt counts as now."`
	Duplicate string `json:"duplicate,omitempty" doc:"possible or confirmed: another attempt may have had, or had, an effect of its own. A person looks at it."`
	Detail    string `json:"detail,omitempty" doc:"In words, where it is not what was reported."`
}

func (a *API) outcomes() {
	register(a, operation{id: "report-outcome", method: http.MethodPost, path: Prefix + "actions/{id}/outcome", scope: people.ScopeOutcomes, tag: "Actions",
		summary: "Report what became of an attempt",
		text:    "Always report, also when the lease has ended. A success is never thrown away: it is taken after unknown and failed, and settles the action. The same report again gets the same answer.",
		ok: []success{{http.StatusOK, "Recorded, or reported before."},
			{http.StatusAccepted, "The lease had ended: kept as late evidence. A success settles the action if no later attempt started."}},
		conflicts: []string{"succeeded", "wrong_claim_token"}, curl: curlOutcome}, func(ctx context.Context, in *outcomeIn) (int, Outcome, error) {
		once, err := in.once(ctx, nil)
		if err != nil {
			return 0, Outcome{}, err
		}
		r, err := ledger.Outcome(ctx, a.DB, caller(ctx), ledger.OutcomeCmd{Once: once, Action: in.action(), ClaimToken: in.Body.ClaimToken,
			Outcome: ledger.State(in.Body.Outcome), Result: string(in.Body.Result), Detail: said(in.Body.Detail)})
		status := http.StatusOK
		if r.Late {
			status = http.StatusAccepted
		}
		return status, Outcome{Standing: standing(r.Standing), Late: r.Late, KeptAs: string(r.Kept), Duplicate: r.Duplicate, Detail: r.Detail}, err
	})
}
