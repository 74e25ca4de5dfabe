// Package models is the ground floor of the domain: the database handle, the
// transaction that carries a command, errors, the actor, the audit log and
// keyset paging. The packages below models/ hold the rules.
package models

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Kind says what went wrong in terms a person can act on. handlers/errors.go
// maps each kind to one HTTP status.
type Kind string

const (
	KindInvalid     Kind = "invalid"     // 422: something typed must change; Fields says what
	KindConflict    Kind = "conflict"    // 409: the state does not allow it, or somebody was first
	KindForbidden   Kind = "forbidden"   // 403: this person may not; Message says why
	KindNotFound    Kind = "not_found"   // 404: nothing there, or nothing this person may see
	KindTooMany     Kind = "too_many"    // 429: slow down; RetryAfter says how long, in seconds
	KindUnavailable Kind = "unavailable" // 503: the database is away
	KindBadRequest  Kind = "bad_request" // 400: not a request this page understands
	KindLocked      Kind = "locked"      // 423: a workflow is stopped, or a gate blocked
)

// FieldError says what must change in one field.
type FieldError struct{ Field, Message string }

// Error is the one error type of the domain. Message is a sentence for a
// person; it never holds an internal detail.
type Error struct {
	Kind       Kind
	Code       string // a stable word for programs, where a kind has several; "" otherwise
	Message    string
	Fields     []FieldError
	RetryAfter int // seconds, for KindTooMany
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// Field returns the message for one field, or "".
func (e *Error) Field(name string) string {
	if e == nil {
		return ""
	}
	for _, f := range e.Fields {
		if f.Field == name {
			return f.Message
		}
	}
	return ""
}

// Invalid reports one field that must change.
func Invalid(field, format string, args ...any) error {
	m := fmt.Sprintf(format, args...)
	return &Error{Kind: KindInvalid, Message: m, Fields: []FieldError{{field, m}}}
}

// Conflictf reports a state that does not allow the command.
func Conflictf(format string, args ...any) error {
	return &Error{Kind: KindConflict, Message: fmt.Sprintf(format, args...)}
}

// Forbiddenf reports who may not do what, and why. A command refused this way
// is recorded in the audit log.
func Forbiddenf(format string, args ...any) error {
	return &Error{Kind: KindForbidden, Message: fmt.Sprintf(format, args...)}
}

// NotFoundf reports that something is not there for this person.
func NotFoundf(format string, args ...any) error {
	return &Error{Kind: KindNotFound, Message: fmt.Sprintf(format, args...)}
}

// BadRequestf reports a request no form of ours can have sent.
func BadRequestf(format string, args ...any) error {
	return &Error{Kind: KindBadRequest, Message: fmt.Sprintf(format, args...)}
}

// Coded is an error with a stable code for programs.
func Coded(k Kind, code, format string, args ...any) *Error {
	return &Error{Kind: k, Code: code, Message: fmt.Sprintf(format, args...)}
}

// AsError returns the domain error inside err, or nil.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// IsKind reports whether err is a domain error of kind k.
func IsKind(err error, k Kind) bool {
	e := AsError(err)
	return e != nil && e.Kind == k
}

// Retryable reports whether the person can put it right on the same page:
// invalid input, or a conflict to look at.
func Retryable(err error) bool { return IsKind(err, KindInvalid) || IsKind(err, KindConflict) }

// Violates reports whether err is the database refusing through the named
// constraint or unique index.
func Violates(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.ConstraintName == constraint
}

// Classify turns what the database driver says into a domain error where a
// person can do something about it, and leaves everything else alone.
func Classify(err error) error {
	if err == nil || AsError(err) != nil {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03" || pg.Code == "53300":
			return &Error{Kind: KindUnavailable, Message: "The database is not available right now.", cause: err}
		case pg.Code == "23505":
			return &Error{Kind: KindConflict, Message: "Somebody else just saved the same thing.", cause: err}
		case pg.Code == "40001" || pg.Code == "40P01":
			return &Error{Kind: KindConflict, Message: "Somebody else changed this at the same moment.", cause: err}
		}
		return err
	}
	if lostDatabase(err) {
		return &Error{Kind: KindUnavailable, Message: "The database is not available right now.", cause: err}
	}
	return err
}

// lostDatabase reports whether err says that the connection was never made,
// broke, or was given up because no answer came in time.
func lostDatabase(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, context.DeadlineExceeded) || strings.HasSuffix(err.Error(), "conn closed") || strings.HasSuffix(err.Error(), "closed pool")
}
