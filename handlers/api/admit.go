package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/people"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"
)

// call is one request that was let in.
type call struct {
	automation people.Automation
	route      string // method and path
	body       [32]byte
}

type callKey struct{}

func callFrom(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// caller is who asks, as the ledger knows it.
func caller(ctx context.Context) ledger.Caller {
	a := callFrom(ctx).automation
	return ledger.Caller{Person: a.Actor, Token: a.TokenID, Workflow: a.WorkflowID, Environment: a.EnvironmentID}
}

const scopeKey = "scope"

// admit lets a call in: the token, its limit, its scope, and then the body, which
// must be there before anything is done.
func (a *API) admit(ctx huma.Context, next func(huma.Context)) {
	web := humaecho.Unwrap(ctx)
	c, err := a.letIn(web, ctx.Operation())
	if err != nil {
		a.refuse(ctx, err)
		return
	}
	r := web.Request()
	web.SetRequest(r.WithContext(context.WithValue(models.WithActor(r.Context(), c.automation.Actor), callKey{}, c)))
	next(ctx)
}

func (a *API) letIn(web echo.Context, op *huma.Operation) (c call, err error) {
	r := web.Request()
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return c, people.ErrBadToken{Message: "Send the header Authorization: Bearer cs_... with a token; an administrator makes one under Tokens."}
	}
	if c.automation, err = a.tokens.find(r.Context(), a.DB, strings.TrimSpace(token)); err != nil {
		return c, err
	}
	c.automation.Actor.RequestID = requestID(web)
	if !plain(r.URL) {
		return c, problem("malformed", "The address holds characters that are not text.")
	}
	c.route = r.Method + " " + r.URL.Path
	if err = c.automation.Spend(r.Context(), a.DB); err != nil {
		return c, err
	}
	if scope, _ := op.Metadata[scopeKey].(people.Scope); scope != "" {
		if err = c.automation.May(scope); err != nil {
			return c, err
		}
	}
	if op.RequestBody == nil {
		return c, nil
	}
	if err := readsJSON(r.Header); err != nil {
		return c, err
	}
	body, err := a.readBody(web.Response(), r)
	if err != nil {
		return c, err
	}
	if err = givenOnce(body); err != nil {
		return c, err
	}
	c.body = sha256.Sum256(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return c, nil
}

// readsJSON gives the content type its one form, or says which is needed.
func readsJSON(h http.Header) error {
	kind := h.Get("Content-Type")
	if kind == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(kind)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return problem("unsupported_media_type", "Send JSON, with the header Content-Type: application/json.")
	}
	h.Set("Content-Type", kind)
	return nil
}

// plain reports whether an address holds text only: the database takes no NUL.
func plain(u *url.URL) bool {
	query, err := url.QueryUnescape(u.RawQuery)
	return err == nil && utf8.ValidString(u.Path+query) && !strings.Contains(u.Path+query, "\x00")
}

// readBody reads a whole body of at most maxBody bytes, within the time for it.
func (a *API) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, problem("body_too_large", "")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(a.BodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	var timeout net.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, problem("body_too_large", "")
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, problem("body_timeout", "")
	}
	return nil, problem("malformed", "The body was cut off before its end.")
}

func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }
