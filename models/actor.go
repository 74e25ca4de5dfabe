package models

import (
	"context"
	"slices"
)

// Role is what a person comes to do; design.md section 1 says what each may.
type Role string

const (
	BusinessOwner Role = "business_owner"
	Implementer   Role = "implementer"
	Reviewer      Role = "reviewer"
	Approver      Role = "approver"
	Viewer        Role = "viewer"
	Admin         Role = "admin"
)

// Roles in the order they are shown.
var Roles = []Role{BusinessOwner, Implementer, Reviewer, Approver, Viewer, Admin}

// Word is the role as a person reads it in a sentence.
func (r Role) Word() string {
	switch r {
	case BusinessOwner:
		return "business owner"
	default:
		return string(r)
	}
}

// Actor is who a command is done by. The zero Actor is the system itself
// (a periodic job); it holds no role.
type Actor struct {
	ID        int64
	Name      string
	Email     string
	TimeZone  string
	Roles     []Role
	StandsFor []int64 // people whose delegate this person is today
	RequestID string
}

// Has reports whether the actor holds one of roles in person.
func (a Actor) Has(roles ...Role) bool {
	for _, r := range roles {
		if slices.Contains(a.Roles, r) {
			return true
		}
	}
	return false
}

// Is reports whether the actor is, or stands in for, the person with id.
// Separation of duties counts a delegate as both.
func (a Actor) Is(id int64) bool { return id != 0 && (a.ID == id || slices.Contains(a.StandsFor, id)) }

// ActsFor returns whom the actor would stand for when doing something that is
// id's to do: 0 when it is the actor's own, id when as a delegate. ok is false
// when the actor is neither.
func (a Actor) ActsFor(id int64) (forPerson int64, ok bool) {
	if id != 0 && a.ID == id {
		return 0, true
	}
	return id, slices.Contains(a.StandsFor, id) && id != 0
}

type actorKey struct{}

// WithActor returns ctx carrying a.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns the actor in ctx; the zero Actor when there is none.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
