// Package identity says what counts as the same: rules, the keys they derive
// from an input, the comparison of two inputs and the checks made while a rule
// is designed. It is pure: nothing here knows the database or the web.
package identity

import "slices"

// Kind is which of the four identities a rule recognises.
type Kind string

const (
	TransportEvent   Kind = "transport_event"   // one notification, however often it is sent
	BusinessRecord   Kind = "business_record"   // the thing the notification is about
	IntendedEffect   Kind = "intended_effect"   // one wanted change at one destination
	LegitimateRepeat Kind = "legitimate_repeat" // what sets a wanted second action apart
)

// Kinds lists the four in the order in which they are shown.
var Kinds = []Kind{TransportEvent, BusinessRecord, IntendedEffect, LegitimateRepeat}

// Known reports whether k is one of the four.
func (k Kind) Known() bool { return slices.Contains(Kinds, k) }

// Words is the kind as people read it.
func (k Kind) Words() string {
	switch k {
	case TransportEvent:
		return "transport event"
	case BusinessRecord:
		return "business record"
	case IntendedEffect:
		return "intended effect"
	case LegitimateRepeat:
		return "legitimate repeat"
	}
	return string(k)
}

// Review is the only way to handle a missing identifier: a person looks.
const Review = "review"

// Rule is one identity rule as it is written, stored and signed. The JSON names
// are part of the design fingerprint and never change.
type Rule struct {
	Kind       Kind        `json:"kind"`
	Statement  string      `json:"statement"` // the owner's own words
	Components []Component `json:"components"`
	Boundary   string      `json:"boundary"` // what must never be mixed up
	Missing    string      `json:"missing"`  // always Review
	Example    string      `json:"example"`  // JSON text, made up
}

// Component is one part of a key: read from the input by Path, or given by Scope.
// The name is in the key, so renaming a component changes every key.
type Component struct {
	Name    string  `json:"name"`
	Path    string  `json:"path,omitempty"`    // RFC 9535, at most one node
	Scope   Scoped  `json:"scope,omitempty"`   // instead of a path
	Value   string  `json:"value,omitempty"`   // the text of a Fixed component
	Default *string `json:"default,omitempty"` // JSON text that stands in for an absent member, and for nothing else
}

// Scoped is a value that does not come from the input.
type Scoped string

const (
	ScopeEnvironment Scoped = "environment"
	ScopeAccount     Scoped = "account"
	ScopeEffect      Scoped = "effect"
	ScopeFixed       Scoped = "fixed"
)

// Words is the scope as people read it.
func (s Scoped) Words() string {
	switch s {
	case ScopeEnvironment:
		return "the environment"
	case ScopeAccount:
		return "the destination account"
	case ScopeEffect:
		return "the effect"
	case ScopeFixed:
		return "a fixed value"
	}
	return string(s)
}

// ScopeComponents are what the key of every intended effect starts with.
func ScopeComponents() []Component {
	return []Component{
		{Name: "environment", Scope: ScopeEnvironment},
		{Name: "account", Scope: ScopeAccount},
		{Name: "effect", Scope: ScopeEffect},
	}
}

// scoped reports whether components start with environment, account and effect.
func scoped(components []Component) bool {
	want := ScopeComponents()
	if len(components) < len(want) {
		return false
	}
	for i, w := range want {
		if components[i].Scope != w.Scope {
			return false
		}
	}
	return true
}

// Scope is where a claim happens: slugs, taken from the claim and never from
// its input.
type Scope struct{ Environment, Account, Effect string }

func (s Scope) value(which Scoped) string {
	switch which {
	case ScopeEnvironment:
		return s.Environment
	case ScopeAccount:
		return s.Account
	case ScopeEffect:
		return s.Effect
	}
	return ""
}

// VersionedRule is one version of a rule, ready to derive keys.
type VersionedRule struct {
	Version int
	Rule    *Compiled
}
