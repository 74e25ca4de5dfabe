package api

import (
	"context"
	"net/http"
	"time"

	"countersign/models/ledger"
	"countersign/models/people"
	"countersign/models/replay"
)

type askIn struct {
	Repeatable
	Addressed
	Body AskRequest
}

// AskRequest asks for another attempt.
type AskRequest struct {
	Reason    string `json:"reason" minLength:"1" maxLength:"4000" doc:"Why it should be tried again." example:"The CRM did not answer."`
	Uncertain string `json:"uncertain_result" minLength:"1" maxLength:"4000" doc:"What is not known about its result." example:"Whether the task exists."`
}

// Asked is a request to try an action again.
type Asked struct {
	Ref                 string  `json:"ref" doc:"RR-n. Follow it there." example:"RR-12"`
	State               string  `json:"state" enum:"pending,evidence_wanted,approved,rejected,withdrawn,expired,started,finished,lapsed,overtaken" doc:"Where the request stands."`
	ActionID            string  `json:"action_id" doc:"The action."`
	ActionState         string  `json:"action_state" enum:"pending,succeeded,failed,unknown" doc:"Where the action stands."`
	DestinationResultID *string `json:"destination_result_id" doc:"What the destination calls the result; null while none is known."`
}

// ReplayRequest is where a request stands.
type ReplayRequest struct {
	Asked
	Reason        string     `json:"reason,omitempty" doc:"The reason of the last decision, or why it ended without one."`
	Authorization *string    `json:"authorization,omitempty" doc:"approved: send it to start the one attempt. It works once."`
	ExpiresAt     *time.Time `json:"authorization_expires_at,omitempty" doc:"approved: start before this."`
}

func asked(ref string, state replay.State, s ledger.Standing) Asked {
	at := standing(s)
	return Asked{Ref: ref, State: string(state), ActionID: at.ActionID, ActionState: at.State, DestinationResultID: at.DestinationResultID}
}

func (a *API) replays() {
	register(a, operation{id: "ask-replay", method: http.MethodPost, path: Prefix + "actions/{id}/replay-requests", scope: people.ScopeReplays, tag: "Replays",
		summary: "Ask a person for another attempt",
		text:    "One request is open for each action: asking again answers with it. People decide in the queue; nothing is approved by time.",
		ok:      []success{{http.StatusCreated, "Asked."}, {http.StatusOK, "The request that is open already."}}, conflicts: []string{"pending", "succeeded", "no_policy"}, curl: curlAsk},
		func(ctx context.Context, in *askIn) (int, Asked, error) {
			once, err := in.once(ctx, nil)
			if err != nil {
				return 0, Asked{}, err
			}
			r, err := replay.Ask(ctx, a.DB, caller(ctx), replay.AskCmd{Once: once, Action: in.action(), Reason: in.Body.Reason, Uncertain: in.Body.Uncertain})
			status := http.StatusOK
			if r.First {
				status = http.StatusCreated
			}
			return status, asked(r.Ref, r.State, ledger.Standing{Action: r.Action, State: r.Stands, Result: r.Result}), err
		})
	register(a, operation{id: "read-replay", method: http.MethodGet, path: Prefix + "replay-requests/{ref}", scope: people.ScopeReplays, tag: "Replays",
		summary: "Read a replay request", text: "Poll it until it is decided. While it is approved the answer carries the authorization.",
		ok: []success{{http.StatusOK, "Where it stands."}}, curl: curlReplay}, func(ctx context.Context, in *refIn) (int, ReplayRequest, error) {
		s, err := replay.StatusOf(ctx, a.DB, caller(ctx), in.Ref)
		out := ReplayRequest{Asked: asked(s.Ref, s.State, s.Standing), Reason: s.Note}
		if s.Ending != "" {
			out.Reason = s.Ending
		}
		if s.Permit != nil {
			out.Authorization, out.ExpiresAt = &s.Permit.Code, &s.Permit.Expires
		}
		return http.StatusOK, out, err
	})
	register(a, operation{id: "start-replay", method: http.MethodPost, path: Prefix + "replay-requests/{ref}/start", scope: people.ScopeReplays, tag: "Replays",
		summary: "Start an approved attempt", text: "Uses the authorization, once. It is checked again that nothing is newer than what the approver saw.",
		ok:        []success{{http.StatusCreated, claimed}},
		conflicts: []string{"used", "lapsed", "overtaken", "stale", "stale_version", "lease_ended"}, locked: true, curl: curlStart},
		func(ctx context.Context, in *startIn) (int, Attempt, error) {
			once, err := in.once(ctx, nil)
			if err != nil {
				return 0, Attempt{}, err
			}
			t, err := replay.Start(ctx, a.DB, caller(ctx), replay.StartCmd{Once: once, Ref: in.Ref, Authorization: in.Body.Authorization, Worker: in.Body.Worker, LeaseSeconds: lease(in.Body.Lease)})
			return http.StatusCreated, attempt(t), err
		})
}

type refIn struct {
	Ref string `path:"ref" doc:"From an earlier answer." example:"RR-12"`
}

type startIn struct {
	Repeatable
	Ref  string `path:"ref" doc:"RR-n, from the answer that asked." example:"RR-12"`
	Body StartRequest
}

// action is known to the ledger only.
func (startIn) action() int64 { return 0 }

// StartRequest starts an approved attempt.
type StartRequest struct {
	Authorization string   `json:"authorization" maxLength:"200" doc:"From the approved request."`
	Worker        string   `json:"worker" minLength:"1" maxLength:"500" doc:"Names this execution, and no other." example:"run-7f3e"`
	Lease         *seconds `json:"lease_seconds,omitempty" nullable:"true" minimum:"10" maximum:"3600" doc:"How long the attempt holds without a heartbeat. 60 when it is left out."`
}
