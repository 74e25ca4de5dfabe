package api

import (
	"context"
	"net/http"
	"time"

	"countersign/models/ledger"
	"countersign/models/people"
)

// Record is one action with its attempts and lookups.
type Record struct {
	Standing
	Control        string    `json:"control" doc:"Short name of the control."`
	Workflow       string    `json:"workflow" doc:"Short name of the workflow."`
	Environment    string    `json:"environment" doc:"Short name of the environment."`
	Account        string    `json:"account" doc:"Short name of the destination account."`
	IdentityKey    string    `json:"identity_key" doc:"What the action is recognised by."`
	DestinationKey string    `json:"destination_key" maxLength:"64" doc:"The destination's own idempotency key, the same for every attempt."`
	BusinessRecord string    `json:"business_record_id,omitempty" doc:"The record that it is about, where that is known."`
	Version        string    `json:"approved_version,omitempty" doc:"The record's version that is acted on, where it was stated."`
	DeliveryID     *string   `json:"delivery_id,omitempty" doc:"The delivery that led to it."`
	RepeatOf       *string   `json:"repeat_of,omitempty" doc:"A legitimate repeat: the first action."`
	CreatedAt      time.Time `json:"created_at" doc:"When it was claimed first."`
	Duplicate      string    `json:"duplicate,omitempty" doc:"possible or confirmed, while a person has not settled it."`
	Attempts       []Try     `json:"attempts" nullable:"false" doc:"The latest 200 attempts, oldest first."`
	Lookups        []Check   `json:"lookups" nullable:"false" doc:"The latest 200 lookups, oldest first."`
}

// Try is one attempt of a record.
type Try struct {
	AttemptID           string     `json:"attempt_id" doc:"Names the attempt."`
	Attempt             int        `json:"attempt" doc:"1 is the first."`
	Kind                string     `json:"kind" enum:"first,retry,replay,observed" doc:"What let it happen."`
	Worker              string     `json:"worker" doc:"The execution that made it."`
	StartedAt           time.Time  `json:"started_at" doc:"When it began."`
	LeaseExpiresAt      time.Time  `json:"lease_expires_at" doc:"When its lease ends, or ended."`
	Outcome             *string    `json:"outcome" doc:"succeeded, failed or unknown; null while nothing was reported."`
	DestinationResultID *string    `json:"destination_result_id" doc:"What the destination calls its result; null while none is known."`
	Detail              string     `json:"detail,omitempty" doc:"What was reported with it."`
	EndedAt             *time.Time `json:"ended_at" doc:"When the outcome was reported; null before."`
}

// Check is one lookup of a record.
type Check struct {
	LookupID string    `json:"lookup_id" doc:"Names the lookup."`
	Method   string    `json:"method" doc:"How the destination was looked at."`
	Result   string    `json:"result" enum:"found,not_found,inconclusive" doc:"What it came to."`
	Results  []string  `json:"destination_result_ids" nullable:"false" doc:"What was found."`
	BeganAt  time.Time `json:"began_at" doc:"When it began."`
	Counts   bool      `json:"counts" doc:"Whether it began after the attempt before it ended."`
	Detail   string    `json:"detail,omitempty" doc:"What was seen."`
	At       time.Time `json:"at" doc:"When it was reported."`
}

func (a *API) records() {
	register(a, operation{id: "read-action", method: http.MethodGet, path: Prefix + "actions/{id}", scope: people.ScopeRead, tag: "Reading",
		summary: "Read an action", text: "Where it stands now, with its attempts and lookups.",
		ok: []success{{http.StatusOK, "The record."}}, curl: curlRecord}, func(ctx context.Context, in *Addressed) (int, Record, error) {
		r, err := ledger.ActionRecord(ctx, a.DB, caller(ctx), in.action())
		return http.StatusOK, record(r), err
	})
}

func record(r ledger.Record) Record {
	out := Record{Standing: standing(r.Standing), Control: r.Control, Workflow: r.Workflow, Environment: r.Environment, Account: r.Account, IdentityKey: r.IdentityKey,
		DestinationKey: r.DestinationKey, BusinessRecord: r.Business, Version: r.Version, DeliveryID: some(r.Delivery), RepeatOf: some(r.RepeatOf), CreatedAt: r.CreatedAt.UTC(),
		Duplicate: r.Duplicate, Attempts: []Try{}, Lookups: []Check{}}
	for _, t := range r.Attempts {
		out.Attempts = append(out.Attempts, Try{AttemptID: idText(t.ID), Attempt: t.Number, Kind: t.Kind, Worker: t.Worker, StartedAt: t.StartedAt.UTC(), LeaseExpiresAt: t.LeaseUntil.UTC(),
			Outcome: orNull(string(t.Outcome)), DestinationResultID: orNull(t.ResultID), Detail: t.Detail, EndedAt: inUTC(t.EndedAt)})
	}
	for _, l := range r.Lookups {
		out.Lookups = append(out.Lookups, Check{LookupID: idText(l.ID), Method: l.Method, Result: string(l.Result), Results: l.Results, BeganAt: l.BeganAt.UTC(), Counts: l.Counts, Detail: l.Detail, At: l.At.UTC()})
	}
	return out
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

type gateIn struct {
	Slug        string `path:"slug" doc:"Short name of the control." example:"create-crm-task"`
	Environment string `query:"environment" doc:"Short name of the environment; the token's when it is left out." example:"sandbox"`
}

// Gate is what a control allows now.
type Gate struct {
	Control          string       `json:"control" doc:"Short name of the control."`
	Environment      string       `json:"environment" doc:"Short name of the environment."`
	State            string       `json:"state" enum:"blocked,manual,automatic,observing" doc:"blocked: claims, retries and starts are refused. manual: first claims go on, tries again only by approved replay. automatic: up to automatic_retries. observing: repeats are not refused."`
	AutomaticRetries int          `json:"automatic_retries" doc:"How often a failed action may be tried again without a person."`
	Mode             *string      `json:"mode" doc:"observe or enforce; null while no revision serves."`
	Revision         *int         `json:"revision" doc:"The revision that serves in this environment; null while none does."`
	Approved         *int         `json:"approved_revision" doc:"The approved revision; null while there is none."`
	Reasons          []GateReason `json:"reasons" nullable:"false" doc:"Why."`
}

func (a *API) gates() {
	register(a, operation{id: "read-gate", method: http.MethodGet, path: Prefix + "controls/{slug}/gate", scope: people.ScopeRead, tag: "Reading",
		summary: "Read the gate of a control", text: "What it allows in one environment at this moment, and why.",
		ok: []success{{http.StatusOK, "The gate."}}, curl: curlGate}, func(ctx context.Context, in *gateIn) (int, Gate, error) {
		if in.Environment == "" {
			in.Environment = callFrom(ctx).automation.Environment
		}
		g, err := ledger.GateAt(ctx, a.DB, caller(ctx), in.Slug, in.Environment)
		out := Gate{Control: g.Control, Environment: g.Environment, State: string(g.State), AutomaticRetries: g.N, Mode: orNull(g.Mode), Revision: orNone(g.Revision), Approved: orNone(g.Approved), Reasons: []GateReason{}}
		for _, r := range g.Reasons {
			out.Reasons = append(out.Reasons, GateReason{r.Key, r.Words, r.Path})
		}
		return http.StatusOK, out, err
	})
}

func orNone(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
