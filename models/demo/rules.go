package demo

import (
	"countersign/models/control"
	"countersign/models/identity"
)

// example is a made-up input of the web form.
const example = `{
  "event_id": "event-demo-01",
  "request_id": "request-demo-01",
  "approved_version": 1
}`

var (
	one      = "1"
	event    = identity.Component{Name: "event_id", Path: "$.event_id"}
	request  = identity.Component{Name: "request_id", Path: "$.request_id"}
	approved = identity.Component{Name: "approved_version", Path: "$.approved_version", Default: &one}
)

// rule is what a person types for one identity rule. An intended effect starts
// with its scope.
func rule(kind identity.Kind, statement, boundary string, parts ...identity.Component) control.Input {
	if kind == identity.IntendedEffect {
		parts = append(identity.ScopeComponents(), parts...)
	}
	return control.Input{State: control.Answered, Rule: identity.Rule{Statement: statement, Components: parts, Boundary: boundary, Example: example}}
}

// commonRules are those that the three controls share.
var commonRules = map[string]control.Input{
	"transport_event": rule(identity.TransportEvent, "Two deliveries with the same event ID of the web form are one notification, sent again.",
		"Two notifications about one request.", event),
	"business_record": rule(identity.BusinessRecord, "The request ID names the request. The web form gives it once, when the customer sends it, and never reuses it.",
		"Two requests of one customer.", request),
}

// keptRepeat is why the owner keeps that the repeat rule reads nothing beyond
// the intended effect.
const keptRepeat = "A new request and an approved change each have an intended effect of their own, so a wanted second action is never held under the first one's key."

// pair is a saved pair of the identity lab.
type pair struct {
	name, a, b string
	expected   identity.VerdictCode
	note       string
}

var pairs = []pair{
	{"The same event twice", example, example, identity.SameDelivery, "The web form sends again for up to 24 hours."},
	{"Sent again by hand", example, `{"event_id": "event-demo-02", "request_id": "request-demo-01", "approved_version": 1}`, identity.SameAction,
		"A manual resend has a new event ID and is still the same request."},
	{"Same customer, new request", example, `{"event_id": "event-demo-03", "request_id": "request-demo-02", "approved_version": 1}`, identity.RepeatVerdict, ""},
	{"No request ID", example, `{"event_id": "event-demo-04", "approved_version": 1}`, identity.ToReview, "Nothing is guessed from names or times."},
}
