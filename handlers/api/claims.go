package api

import (
	"context"
	"net/http"
	"time"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/people"
)

type claimIn struct {
	Repeatable
	Body ClaimRequest
}

// action is none yet.
func (claimIn) action() int64 { return 0 }

// ClaimRequest asks for an action.
type ClaimRequest struct {
	Control     string   `json:"control" maxLength:"80" doc:"Short name of the control: which effect is wanted." example:"create-crm-task"`
	Environment string   `json:"environment" maxLength:"80" doc:"Short name of the environment." example:"sandbox"`
	Input       document `json:"input" doc:"What the identity rule reads: any JSON. Its numbers are read as they are written."`
	Worker      string   `json:"worker" minLength:"1" maxLength:"500" doc:"Names this execution, and no other." example:"run-7f3c"`
	DeliveryID  *string  `json:"delivery_id,omitempty" nullable:"true" doc:"The delivery that led to this claim. Its record, its version where it is the older one, and its review count for the claim."`
	Version     scalar   `json:"approved_version,omitempty" doc:"The record's version that is acted on: text or a number. Without it, the delivery's."`
	Lease       *seconds `json:"lease_seconds,omitempty" nullable:"true" minimum:"10" maximum:"3600" doc:"How long the claim holds without a heartbeat. 60 when it is left out."`
	Repeat      *string  `json:"repeat,omitempty" nullable:"true" doc:"LR-n: an approved legitimate repeat, which this claim carries out."`
}

// Attempt is a new attempt that the caller owns, until its lease ends.
type Attempt struct {
	Standing
	AttemptID      string     `json:"attempt_id" doc:"Names this attempt."`
	Attempt        int        `json:"attempt" doc:"1 is the first of its action."`
	IdentityKey    string     `json:"identity_key" doc:"What the action is recognised by."`
	DestinationKey string     `json:"destination_key" maxLength:"64" doc:"Send it as the destination's own idempotency key: the same for every attempt of the action."`
	ClaimToken     string     `json:"claim_token" doc:"Shows that this attempt is yours, in heartbeats and the outcome. Keep it to yourself."`
	LeaseExpiresAt time.Time  `json:"lease_expires_at" doc:"When the claim ends unless a heartbeat comes, by the database's clock. Afterwards the action is unknown, never free."`
	Warnings       []Warning  `json:"warnings" nullable:"false" doc:"What you should know and what refuses nothing."`
	Observed       bool       `json:"observed,omitempty" doc:"true in mode observe, when enforce would have refused this."`
	WouldHave      *WouldHave `json:"would_have,omitempty" doc:"What mode enforce would have answered."`
}

// Warning is something that the caller should know.
type Warning struct {
	Code   string `json:"code" doc:"The warning as one word: version_unread, version_differs, delivery_of_another_record, default_used, observing, or a reason of the gate."`
	Detail string `json:"detail" doc:"The warning in words."`
}

// WouldHave is what mode enforce would have answered.
type WouldHave struct {
	Code     string `json:"code" doc:"The kind of problem it would have been."`
	Detail   string `json:"detail" doc:"In words."`
	ActionID string `json:"action_id,omitempty" doc:"The action that won."`
	Review   string `json:"review,omitempty" doc:"The review item."`
}

func attempt(t ledger.Attempted) Attempt {
	out := Attempt{Standing: standing(t.Standing), AttemptID: idText(t.Attempt), Attempt: t.Number, IdentityKey: t.IdentityKey, DestinationKey: t.DestinationKey,
		ClaimToken: t.ClaimToken, LeaseExpiresAt: t.LeaseUntil.UTC(), Warnings: []Warning{}, Observed: t.Observed}
	for _, w := range t.Warnings {
		out.Warnings = append(out.Warnings, Warning(w))
	}
	if w := t.WouldHave; w != nil {
		out.WouldHave = &WouldHave{Code: string(w.Code), Detail: w.Detail, Review: w.Review}
		if w.Action != 0 {
			out.WouldHave.ActionID = idText(w.Action)
		}
	}
	return out
}

const claimed = "Yours: carry it out now, with destination_key as the destination's idempotency key, then report the outcome."

func (a *API) claims() {
	register(a, operation{id: "claim-action", method: http.MethodPost, path: Prefix + "actions/claim", scope: people.ScopeClaims, tag: "Actions",
		summary: "Claim an action before acting",
		text: "Ask for the one action that the input stands for. Act only on 201. Everybody who comes later with the same identity gets 409 with the winner's state, however many come at once. " +
			"In mode observe nothing is refused for a repeat: the answer is 201 with observed and would_have.",
		ok:        []success{{http.StatusCreated, claimed}},
		conflicts: []string{"already", "matches_earlier_rule", "stale_version", "in_review", "not_approved", "lease_ended"},
		invalid:   []string{"identity_missing"}, locked: true, curl: curlClaim}, func(ctx context.Context, in *claimIn) (int, Attempt, error) {
		b := in.Body
		once, err := in.once(ctx, nil, b.Input)
		if err != nil {
			return 0, Attempt{}, err
		}
		cmd := ledger.ClaimCmd{Once: once, Control: b.Control, Environment: b.Environment, Input: []byte(b.Input), Worker: b.Worker, Version: string(b.Version),
			LeaseSeconds: lease(b.Lease), Repeat: said(b.Repeat)}
		if id := said(b.DeliveryID); id != "" {
			if cmd.Delivery = number(id); cmd.Delivery == 0 {
				return 0, Attempt{}, models.Invalid("delivery_id", "Send the delivery_id of a delivery's answer.")
			}
		}
		t, err := a.Desk.Claim(ctx, caller(ctx), cmd)
		return http.StatusCreated, attempt(t), err
	})
	a.heartbeats()
}

type heartbeatIn struct {
	Repeatable
	Addressed
	Body HeartbeatRequest
}

// HeartbeatRequest keeps a claim alive.
type HeartbeatRequest struct {
	ClaimToken string `json:"claim_token" minLength:"1" maxLength:"200" doc:"From the 201 answer of the claim, retry or start."`
}

// Beat is a living lease.
type Beat struct {
	Standing
	LeaseExpiresAt time.Time `json:"lease_expires_at" doc:"When the claim ends unless another heartbeat comes."`
}

func (a *API) heartbeats() {
	register(a, operation{id: "heartbeat", method: http.MethodPost, path: Prefix + "actions/{id}/heartbeat", scope: people.ScopeClaims, tag: "Actions",
		summary:   "Keep a claim alive",
		text:      "Extends the lease by its own length, from now. It never revives a lease that ended. Repeating it is harmless with or without an Idempotency-Key, which it does not keep.",
		ok:        []success{{http.StatusOK, "The new lease."}},
		conflicts: []string{"ended", "already_succeeded", "wrong_claim_token"}, curl: curlHeartbeat}, func(ctx context.Context, in *heartbeatIn) (int, Beat, error) {
		if _, err := in.once(ctx, nil); err != nil {
			return 0, Beat{}, err
		}
		b, err := ledger.Heartbeat(ctx, a.DB, caller(ctx), ledger.HeartbeatCmd{Action: in.action(), ClaimToken: in.Body.ClaimToken})
		return http.StatusOK, Beat{Standing: standing(b.Standing), LeaseExpiresAt: b.LeaseUntil.UTC()}, err
	})
}
