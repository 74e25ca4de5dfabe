package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"countersign/handlers/api"
	"countersign/models"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// statusOf maps what went wrong to HTTP, in this one place.
var statusOf = map[models.Kind]int{
	models.KindBadRequest:  http.StatusBadRequest,
	models.KindForbidden:   http.StatusForbidden,
	models.KindNotFound:    http.StatusNotFound,
	models.KindConflict:    http.StatusConflict,
	models.KindInvalid:     http.StatusUnprocessableEntity,
	models.KindTooMany:     http.StatusTooManyRequests,
	models.KindUnavailable: http.StatusServiceUnavailable,
	models.KindLocked:      http.StatusLocked,
}

// statusGone is counted when a browser stopped waiting, as after a double click
// without JavaScript: it hears the second answer.
const statusGone = 499

// titles are the headings of the error pages.
var titles = map[int]string{
	http.StatusBadRequest:            "That address or form is not readable",
	http.StatusUnauthorized:          "You were signed out",
	http.StatusForbidden:             "You cannot do this",
	http.StatusNotFound:              "Nothing here",
	http.StatusMethodNotAllowed:      "That cannot be done here",
	http.StatusConflict:              "This changed in the meantime",
	http.StatusRequestEntityTooLarge: "That is too large",
	http.StatusUnprocessableEntity:   "Something needs to change first",
	http.StatusLocked:                "This is stopped",
	http.StatusTooManyRequests:       "Too many tries",
	http.StatusServiceUnavailable:    "Countersign is not available right now",
	http.StatusInternalServerError:   "Something went wrong on our side",
}

var sentences = map[int]string{
	http.StatusNotFound:              "There is no page at this address, or it is not yours to see.",
	http.StatusMethodNotAllowed:      "This page does not take that kind of request.",
	http.StatusRequestEntityTooLarge: "What was sent is larger than this form takes. Nothing was saved. Go back and shorten it.",
	http.StatusServiceUnavailable:    "The database did not answer. Nothing was changed. Try again in a moment.",
	http.StatusInternalServerError:   "Nothing was saved. Try again; when it keeps happening, give your administrator the request number below.",
}

// fail turns an error that a handler returned into a page, or into
// problem+json for programs. Internal details go to the log only.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if errors.Is(s.ctx(c).Err(), context.Canceled) && errors.Is(err, context.Canceled) {
		s.Log.Info("the browser went away", "route", c.Path(), "request_id", requestID(c))
		_ = c.NoContent(statusGone)
		return
	}
	// The request's time limit is over by now, and its context with it.
	c.SetRequest(c.Request().WithContext(context.WithoutCancel(s.ctx(c))))
	status, message, fields := s.describe(err)
	if status >= 500 {
		s.Log.Error("request failed", "error", err.Error(), "route", c.Path(), "request_id", requestID(c))
	}
	if e := models.AsError(err); e != nil && e.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	} else if status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	title := titles[status]
	if title == "" {
		title = http.StatusText(status)
	}
	var sent error
	switch {
	case c.Request().Method == http.MethodHead:
		sent = c.NoContent(status)
	case api.Answers(c.Request().URL.Path):
		sent = api.Fail(c, status, message)
	case strings.Contains(c.Request().Header.Get("Accept"), "json"):
		c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
		sent = c.JSON(status, map[string]any{"title": title, "status": status, "detail": message, "instance": requestID(c)})
	default:
		sent = s.page(c, status, layout.Page{Title: title, Width: "read"}, ui.ErrorPage(status, title, message, fields, requestID(c)))
	}
	if sent != nil {
		s.Log.Error("error page", "error", sent, "request_id", requestID(c))
	}
}

// describe gives the status, the sentence a person reads, and the fields to change.
func (s *Server) describe(err error) (int, string, []models.FieldError) {
	var he *echo.HTTPError
	if !errors.As(err, &he) {
		err = models.Classify(err) // a query may bring the driver's own error
	}
	if e := models.AsError(err); e != nil {
		return statusOf[e.Kind], e.Message, e.Fields
	}
	if he != nil {
		if text, ok := he.Message.(string); ok && text != http.StatusText(he.Code) && he.Internal == nil {
			return he.Code, text, nil
		}
		if he.Code == http.StatusBadRequest {
			return he.Code, "A part of this form could not be read. Go back, reload the page and try again.", nil
		}
		return he.Code, sentences[he.Code], nil
	}
	return http.StatusInternalServerError, sentences[http.StatusInternalServerError], nil
}
