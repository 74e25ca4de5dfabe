package api

import (
	"context"
	"net/http"
	"time"

	"countersign/models/ledger"
	"countersign/models/people"
)

type lookupIn struct {
	Repeatable
	Addressed
	Body LookupRequest
}

// LookupRequest says what the destination holds.
type LookupRequest struct {
	Method  string     `json:"method" minLength:"1" maxLength:"500" doc:"How the destination was looked at." example:"GET /tasks?external_reference="`
	Result  string     `json:"result" enum:"found,not_found,inconclusive" doc:"found needs an id. inconclusive never allows another try."`
	Results []scalar   `json:"destination_result_ids,omitempty" nullable:"true" maxItems:"20" doc:"found: everything that was found. Several are a confirmed duplicate."`
	One     scalar     `json:"destination_result_id,omitempty" doc:"found: the one id, in place of a list."`
	BeganAt *time.Time `json:"began_at,omitempty" nullable:"true" doc:"When the lookup began, RFC 3339. A lookup counts only if it began after the last attempt ended. Without it: now."`
	Detail  *string    `json:"detail,omitempty" nullable:"true" maxLength:"4000" doc:"What was seen, in words."`
}

// results are the ids that were found, from both members, each once.
func (in lookupIn) results() (ids []string) {
	seen := map[scalar]bool{"": true}
	for _, id := range append(in.Body.Results, in.Body.One) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, string(id))
		}
	}
	return ids
}

// Lookup is a recorded check of the destination.
type Lookup struct {
	Standing
	LookupID  string `json:"lookup_id" doc:"Names this lookup."`
	Counts    bool   `json:"counts" doc:"Whether it began after the last attempt ended."`
	Duplicate string `json:"duplicate,omitempty" doc:"possible or confirmed: what it opened. A person looks at it."`
	Detail    string `json:"detail,omitempty" doc:"Why it does not count, or what it settled."`
}

func (a *API) lookups() {
	register(a, operation{id: "report-lookup", method: http.MethodPost, path: Prefix + "actions/{id}/lookups", scope: people.ScopeLookups, tag: "Actions",
		summary: "Report what the destination really holds",
		text:    "Look before trying again. found settles an unknown or failed action as succeeded; not_found lets a person approve another try; inconclusive allows nothing. No result found is not proof that none exists.",
		ok:      []success{{http.StatusCreated, "Recorded, with the action's state after it."}}, curl: curlLookup}, func(ctx context.Context, in *lookupIn) (int, Lookup, error) {
		once, err := in.once(ctx, nil)
		if err != nil {
			return 0, Lookup{}, err
		}
		l, err := ledger.Lookup(ctx, a.DB, caller(ctx), ledger.LookupCmd{Once: once, Action: in.action(), Method: in.Body.Method, Result: ledger.Looked(in.Body.Result),
			Results: in.results(), Began: in.Body.BeganAt, Detail: said(in.Body.Detail)})
		return http.StatusCreated, Lookup{Standing: standing(l.Standing), LookupID: idText(l.Lookup), Counts: l.Counts, Duplicate: l.Duplicate, Detail: l.Detail}, err
	})
}
