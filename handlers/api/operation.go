package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/people"

	"github.com/danielgtaylor/huma/v2"
)

// operation describes one call: what huma cannot see from its types.
type operation struct {
	id, method, path string
	scope            people.Scope
	tag, summary     string
	text             string
	ok               []success
	conflicts        []string // slugs of 409
	locked           bool     // 423 while the workflow is stopped or the gate blocked
	invalid          []string // slugs of 422, besides invalid
	curl             string   // an example that works as it is pasted, with $URL and $TOKEN set
}

// success is a status that the call answers with when it did what was asked.
type success struct {
	status int
	means  string
}

// answer is what a call answers with.
type answer[T any] struct {
	Status   int
	Replayed string `header:"Idempotency-Replayed" doc:"true when this is the first answer to an earlier call with the same Idempotency-Key. Nothing was done again."`
	Body     T
}

// Repeatable is the header of every POST.
type Repeatable struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Random for each call, such as a UUID; send the same again when you repeat the call. Kept for 24 hours for each token, method and path. Never an event, record or identity value."`
}

// Addressed is a call about one action.
type Addressed struct {
	ID string `path:"id" doc:"The action_id of a claim's answer." example:"17"`
}

// action is the number of the action; 0, which is none, for what is no number.
func (a Addressed) action() int64 { return number(a.ID) }

// unnamed is what was sent in place of an action's number; "" when it is one.
func (a Addressed) unnamed() string {
	if number(a.ID) != 0 {
		return ""
	}
	return a.ID
}

func number(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != id {
		return 0
	}
	return n
}

// register adds a call. run gets a context that notes whether the answer is an
// earlier call's.
func register[I, O any](a *API, o operation, run func(context.Context, *I) (int, O, error)) {
	op := huma.Operation{OperationID: o.id, Method: o.method, Path: o.path, Summary: o.summary, Description: o.text, Tags: []string{o.tag},
		DefaultStatus: o.ok[0].status, MaxBodyBytes: -1, BodyReadTimeout: -1, Metadata: map[string]any{scopeKey: o.scope},
		Extensions: map[string]any{"x-scope": string(o.scope), "x-codeSamples": []map[string]string{{"lang": "Shell", "label": "curl", "source": o.curl}}}}
	schemas := a.huma.OpenAPI().Components.Schemas
	op.Responses = o.responses(schemas, reflect.TypeFor[O]())
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*answer[O], error) {
		ctx, repeated := models.WatchRepeats(ctx)
		if about, ok := any(in).(interface{ unnamed() string }); ok && about.unnamed() != "" {
			return nil, a.told(ctx, models.NotFoundf("There is no action %.100s.", about.unnamed()), callFrom(ctx).automation.Actor.RequestID)
		}
		status, body, err := run(ctx, in)
		if err != nil {
			p := a.told(ctx, err, callFrom(ctx).automation.Actor.RequestID)
			if about, ok := any(in).(interface{ action() int64 }); ok {
				a.stands(ctx, p, about.action())
			}
			return nil, p
		}
		out := &answer[O]{Status: status, Body: body}
		if *repeated {
			out.Replayed = "true"
		}
		return out, nil
	})
}

// responses documents every status that the call answers with.
func (o operation) responses(r huma.Registry, body reflect.Type) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	for _, s := range o.ok {
		all[strconv.Itoa(s.status)] = &huma.Response{Description: s.means, Content: map[string]*huma.MediaType{"application/json": {Schema: r.Schema(body, true, "")}}}
	}
	slugs := []string{"unauthorized", "forbidden", "not_found", "rate_limited", "unavailable", "malformed", "invalid"}
	if o.method == http.MethodPost {
		slugs = append(slugs, "body_timeout", "body_too_large", "unsupported_media_type", "idempotency_key")
		if o.id != "heartbeat" {
			slugs = append(slugs, "idempotency_mismatch", "idempotency_running")
		}
	}
	slugs = append(append(slugs, o.conflicts...), o.invalid...)
	if o.locked {
		slugs = append(slugs, "stopped", "blocked")
	}
	for _, slug := range slugs {
		k, ok := FindKind(slug)
		if !ok {
			panic("api: no kind of problem " + slug)
		}
		status := strconv.Itoa(k.Status)
		if all[status] == nil {
			all[status] = problemResponse(r, k.Status)
		}
		all[status].Description = strings.TrimPrefix(all[status].Description+fmt.Sprintf("; `%s`: %s", k.Slug, k.Title), "; ")
		known, _ := all[status].Extensions["x-problems"].([]string)
		all[status].Extensions = map[string]any{"x-problems": append(known, slug)}
	}
	return all
}

func problemResponse(r huma.Registry, status int) *huma.Response {
	res := &huma.Response{Content: map[string]*huma.MediaType{"application/problem+json": {Schema: r.Schema(reflect.TypeFor[Problem](), true, "")}}}
	header := func(name, means string) {
		res.Headers = map[string]*huma.Param{name: {Description: means, Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	switch {
	case slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, status):
		header("Retry-After", "Seconds to wait before the call is sent again.")
	case status == http.StatusUnauthorized:
		header("WWW-Authenticate", "Bearer")
	}
	return res
}
