package models

import (
	"context"
	"maps"
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
	StandsFor map[int64][]Role // people whose delegate this person is today, with the roles those hold
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
func (a Actor) Is(id int64) bool {
	_, standsIn := a.StandsFor[id]
	return id != 0 && (a.ID == id || standsIn)
}

// ActsAs reports whether the actor may act as role in id's place: as id in
// person, or as their delegate, and only while id holds the role. Who was named
// and lost the role since acts in it no longer, and neither does a delegate.
func (a Actor) ActsAs(id int64, role Role) bool {
	if id != 0 && a.ID == id {
		return a.Has(role)
	}
	return slices.Contains(a.StandsFor[id], role)
}

// StandIns are the ids of the people the actor stands in for, in order.
func (a Actor) StandIns() []int64 { return slices.Sorted(maps.Keys(a.StandsFor)) }

// ActsFor returns whom the actor would stand for when doing something that is
// id's to do: 0 when it is the actor's own, id when as a delegate. ok is false
// when the actor is neither.
func (a Actor) ActsFor(id int64) (forPerson int64, ok bool) {
	if id != 0 && a.ID == id {
		return 0, true
	}
	_, standsIn := a.StandsFor[id]
	return id, standsIn && id != 0
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
