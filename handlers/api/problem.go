package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/people"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"
)

// Problem is every answer that is no success (RFC 9457).
type Problem struct {
	Type      string         `json:"type" format:"uri-reference" doc:"What kind of problem this is: the address of a page about it. Stable." example:"/api/problems/already"`
	Title     string         `json:"title" doc:"The kind in words. Stable."`
	Status    int            `json:"status" doc:"The HTTP status."`
	Code      string         `json:"code" doc:"The kind as one word: the last part of type. Stable."`
	Detail    string         `json:"detail" doc:"This problem in words, for a person."`
	RequestID string         `json:"request_id" doc:"Names this request in the server's log and in the audit log."`
	Errors    []ProblemField `json:"errors,omitempty" nullable:"false" doc:"What must change, and where."`
	*ProblemStanding
	Review string `json:"review,omitempty" doc:"The review item that a person settles: RV-n, or LR-n for a legitimate repeat."`
	// Of a refused claim, retry or start.
	SuppressedClaim string       `json:"suppressed_claim,omitempty" doc:"What was refused, as it was kept: an appeal refers to it."`
	Appeal          string       `json:"appeal,omitempty" doc:"The page on which a person says that this was a real second request, or must go on."`
	Gate            []GateReason `json:"gate,omitempty" nullable:"false" doc:"Why the gate is where it is."`

	headers http.Header
}

// ProblemField is one member of the request that must change.
type ProblemField struct {
	Location string `json:"location" doc:"Where it is, such as body.worker." example:"body.worker"`
	Message  string `json:"message" doc:"What to do."`
}

// GateReason is one reason of a gate.
type GateReason struct {
	Key    string `json:"key" doc:"The reason as one word."`
	Detail string `json:"detail" doc:"The reason in words."`
	Path   string `json:"path" doc:"The page to put it right."`
}

// Standing is where an action stands: in every answer about one.
type Standing struct {
	ActionID            string  `json:"action_id" doc:"The action."`
	State               string  `json:"state" enum:"pending,succeeded,failed,unknown" doc:"Where it stands, by the database's clock."`
	DestinationResultID *string `json:"destination_result_id" doc:"What the destination calls the result; null while none is known."`
}

// ProblemStanding is a Standing in a problem about an action; each is null where
// there is no action yet.
type ProblemStanding struct {
	ActionID            *string `json:"action_id" required:"false" doc:"The action; null where there is none."`
	State               *string `json:"state" required:"false" doc:"Where it stands: pending, succeeded, failed or unknown; null where there is no action."`
	DestinationResultID *string `json:"destination_result_id" required:"false" doc:"What the destination calls the result; null while none is known."`
}

func (p *Problem) Error() string             { return p.Detail }
func (p *Problem) GetStatus() int            { return p.Status }
func (p *Problem) GetHeaders() http.Header   { return p.headers }
func (p *Problem) ContentType(string) string { return "application/problem+json" }
func (p *Problem) header(name, value string) { p.headers.Set(name, value) }

// problem is a problem of a kind; its meaning stands in for an empty detail.
func problem(slug, detail string) *Problem {
	k, ok := FindKind(slug)
	if !ok {
		k, _ = FindKind("internal")
	}
	p := &Problem{Type: k.Path(), Title: k.Title, Status: k.Status, Code: k.Slug, Detail: detail, headers: http.Header{}}
	if detail == "" {
		p.Detail = strings.ReplaceAll(k.Meaning, "`", "")
	}
	switch k.Status {
	case http.StatusUnauthorized:
		p.header("WWW-Authenticate", `Bearer realm="countersign"`)
	case http.StatusServiceUnavailable:
		p.header("Retry-After", "5")
	}
	return p
}

// slugs of errors that bring no code of their own.
var byErrorKind = map[models.Kind]string{
	models.KindBadRequest: "malformed", models.KindForbidden: "forbidden", models.KindNotFound: "not_found", models.KindConflict: "conflict",
	models.KindInvalid: "invalid", models.KindTooMany: "rate_limited", models.KindUnavailable: "unavailable", models.KindLocked: "blocked",
}

// problemOf turns any error into a problem. ok is false for what nobody expected.
func problemOf(err error) (p *Problem, ok bool) {
	if errors.As(err, &p) {
		return p, true
	}
	var bad people.ErrBadToken
	if errors.As(err, &bad) {
		return problem("unauthorized", bad.Message), true
	}
	e := models.AsError(models.Classify(err))
	if e == nil {
		return problem("internal", ""), false
	}
	slug := e.Code
	if k, known := FindKind(slug); !known || k.Status != statusOf(e.Kind) {
		slug = byErrorKind[e.Kind]
	}
	p = problem(slug, e.Message)
	if e.RetryAfter > 0 {
		p.header("Retry-After", strconv.Itoa(e.RetryAfter))
	} else if slug == models.CodeIdempotencyRunning {
		p.header("Retry-After", "1")
	}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, ProblemField{Location: "body." + f.Field, Message: f.Message})
	}
	var refusal *ledger.Refusal
	if errors.As(err, &refusal) {
		p.refused(refusal)
	}
	return p, true
}

func statusOf(k models.Kind) int {
	kind, _ := FindKind(byErrorKind[k])
	return kind.Status
}

// refused adds what a refusal knows. An answer about an action always says where
// it stands, even when there is none.
func (p *Problem) refused(r *ledger.Refusal) {
	p.ProblemStanding = &ProblemStanding{}
	if r.Standing != nil {
		at := standing(*r.Standing)
		p.ProblemStanding = &ProblemStanding{&at.ActionID, &at.State, at.DestinationResultID}
	}
	p.Review = r.Review
	if r.Suppressed != 0 {
		p.SuppressedClaim = idText(r.Suppressed)
		switch {
		case r.Review != "":
		case r.Standing != nil:
			p.Appeal = fmt.Sprintf("%s?do=appeal&claim=%d#appeal", ledger.ActionPath(r.Standing.Action), r.Suppressed)
		case r.Code == ledger.CodeStaleVersion:
			p.Appeal = ledger.RefusedPath(r.Suppressed)
		}
	}
	for _, reason := range r.Gate {
		p.Gate = append(p.Gate, GateReason{reason.Key, reason.Words, reason.Path})
	}
	for _, reason := range r.Reasons {
		p.Errors = append(p.Errors, ProblemField{Location: "body.input", Message: reason.Words})
	}
}

// stands adds where the action stands to a problem that does not say so yet.
func (a *API) stands(ctx context.Context, p *Problem, action int64) {
	if p.ProblemStanding != nil || p.Status != http.StatusConflict && p.Status != http.StatusLocked {
		return
	}
	p.ProblemStanding = &ProblemStanding{}
	if s, err := ledger.StandingOf(ctx, a.DB, action); err == nil {
		at := standing(s)
		p.ProblemStanding = &ProblemStanding{&at.ActionID, &at.State, at.DestinationResultID}
	}
}

func standing(s ledger.Standing) Standing {
	out := Standing{ActionID: idText(s.Action), State: string(s.State)}
	if s.Result != "" {
		out.DestinationResultID = &s.Result
	}
	return out
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }

// refuse writes a problem before the call itself was reached.
func (a *API) refuse(ctx huma.Context, err error) {
	p := a.told(ctx.Context(), err, requestID(humaecho.Unwrap(ctx)))
	for name, values := range p.headers {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", p.ContentType(""))
	ctx.SetStatus(p.Status)
	_ = writeJSON(ctx.BodyWriter(), p)
}

// told is the problem as it is sent, after the log was told of what nobody expected.
func (a *API) told(ctx context.Context, err error, request string) *Problem {
	p, expected := problemOf(err)
	if !expected && errors.Is(err, context.Canceled) && ctx.Err() != nil {
		expected = true // the caller went away
	}
	if (!expected || p.Status >= http.StatusInternalServerError) && a.Log != nil {
		a.Log.Error("call failed", "error", err.Error(), "request_id", request)
	}
	p.RequestID = request
	return p
}

// Fail writes a problem for what never reached a call: an unknown address, a
// wrong method, a panic. It is the API's part of the web's error handler.
func Fail(c echo.Context, status int, detail string) error {
	slug := byStatus[status]
	if slug == "" {
		slug = "internal"
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status >= http.StatusInternalServerError {
		detail = "" // what a page would say
	}
	p := problem(slug, detail)
	p.RequestID = requestID(c)
	for name, values := range p.headers {
		c.Response().Header().Set(name, values[0])
	}
	c.Response().Header().Set(echo.HeaderContentType, p.ContentType(""))
	c.Response().WriteHeader(p.Status)
	return writeJSON(c.Response(), p)
}

// What huma refuses by itself takes the same form. It never repeats a value: it
// may be personal data.
func init() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		p := problem(byStatus[status], "")
		for _, err := range errs {
			var d huma.ErrorDetailer
			if errors.As(err, &d) {
				p.Errors = append(p.Errors, ProblemField{Location: d.ErrorDetail().Location, Message: d.ErrorDetail().Message})
			}
		}
		switch {
		case status == http.StatusBadRequest && len(p.Errors) > 0:
			p.Detail, p.Errors = p.Errors[0].Message, nil
		case status == http.StatusBadRequest:
			p.Detail = "Send a JSON object as the body."
		case len(p.Errors) > 0:
			p.Detail = p.Errors[0].Location + ": " + p.Errors[0].Message
		}
		return p
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, detail string, errs ...error) huma.StatusError {
		p := huma.NewError(status, detail, errs...).(*Problem)
		p.RequestID = requestID(humaecho.Unwrap(ctx))
		return p
	}
}
