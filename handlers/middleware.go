package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/models"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// contentPolicy lets pages load from their own origin only and run no inline
// script or style; data: is for the chevron and tick that basecoat.css draws.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Server) secureHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		if s.Config.secure() {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		return next(c)
	}
}

// sameOrigin refuses changes that another site's page asks for (CSRF), from the
// Sec-Fetch-Site and Origin headers that browsers send.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	guard := http.NewCrossOriginProtection()
	if u, err := url.Parse(s.Config.BaseURL); err == nil && u.Host != "" {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	return func(c echo.Context) error {
		if guard.Check(c.Request()) != nil {
			return echo.NewHTTPError(http.StatusForbidden, "This form was sent from another site, so nothing was changed. Open the page here and send it again.")
		}
		return next(c)
	}
}

// readable refuses addresses that no link of ours has, and forms that no page of
// ours sends: bytes that are not text, other content types, hostile field names.
// What is typed into a field is for the field's own check.
func readable(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !plain(r.URL.Path) {
			return models.BadRequestf("This address holds characters that are not text.")
		}
		for name, values := range r.URL.Query() {
			if !plain(name) || !plain(strings.Join(values, "")) {
				return models.BadRequestf("This address holds characters that are not text.")
			}
		}
		if r.Method != http.MethodPost {
			return next(c)
		}
		switch kind, _, _ := strings.Cut(r.Header.Get(echo.HeaderContentType), ";"); {
		case r.ContentLength == 0 && kind == "":
		case kind != echo.MIMEApplicationForm && kind != echo.MIMEMultipartForm:
			return echo.NewHTTPError(http.StatusUnsupportedMediaType, "This page takes forms only.")
		}
		if streamed(c) {
			return next(c) // its own handler reads it, part by part
		}
		form, err := c.FormParams()
		var told *echo.HTTPError
		if err != nil && !errors.As(err, &told) {
			return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err) // cut off, or not a form
		}
		if err != nil {
			return err
		}
		for name := range form {
			if !plain(name) {
				return models.BadRequestf("This form has a field that no page of ours sends.")
			}
		}
		return next(c)
	}
}

func plain(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// signedIn lets only signed-in people through. A page asks to sign in and comes
// back; a form says that it was not saved, and can be sent again by reloading.
func (s *Server) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.actor(c).ID != 0 {
			return next(c)
		}
		if m := c.Request().Method; m == http.MethodGet || m == http.MethodHead {
			return c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(c.Request().URL.RequestURI()))
		}
		return echo.NewHTTPError(http.StatusUnauthorized, "You were signed out before this was saved. Sign in in another tab, then reload this page to send it again.")
	}
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

func newRequestID() string { return uuid.NewString() }

func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// observe logs and counts every request. It names the route, never the address
// as typed: links can carry one-time tokens and searches personal data.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		if !plainID.MatchString(requestID(c)) { // a proxy may give one, but it goes into the log and the audit log
			c.Response().Header().Set(echo.HeaderXRequestID, newRequestID())
		}
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		status, took := c.Response().Status, time.Since(start)
		if c.Path() != eventsPath { // which lasts as long as somebody looks
			s.metrics.seen(c.Request().Method, c.Path(), status, took)
		}
		if c.Path() != "/healthz" && c.Path() != "/readyz" && c.Path() != "/metrics" {
			s.Log.Info("request", "method", c.Request().Method, "route", c.Path(), "status", status,
				"ms", took.Milliseconds(), "person", s.actor(c).ID, "request_id", requestID(c))
		}
		return nil
	}
}

func (s *Server) logPanic(c echo.Context, err error, stack []byte) error {
	s.Log.Error("panic", "error", fmt.Sprint(err), "route", c.Path(), "request_id", requestID(c), "stack", string(stack))
	return err
}
