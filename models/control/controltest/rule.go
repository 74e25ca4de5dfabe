package controltest

import (
	"countersign/models/control"
	"countersign/models/identity"
)

// Rule is an acceptable rule for a field, with nothing for the checker to find.
func Rule(f control.Field) identity.Rule {
	one := "1"
	request := identity.Component{Name: "request_id", Path: "$.request_id"}
	r := identity.Rule{Kind: f.Recognises(), Missing: identity.Review, Statement: "Words about " + f.Label + ".", Boundary: "Two requests of one customer.",
		Example: `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 1}`}
	switch r.Kind {
	case identity.TransportEvent:
		r.Components = []identity.Component{{Name: "event_id", Path: "$.event_id"}}
	case identity.BusinessRecord:
		r.Components = []identity.Component{request}
	case identity.IntendedEffect:
		r.Components = append(identity.ScopeComponents(), request)
	case identity.LegitimateRepeat:
		r.Components = []identity.Component{request, {Name: "approved_version", Path: "$.approved_version", Default: &one}}
	}
	return r
}
