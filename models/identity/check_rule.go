package identity

import (
	"slices"
	"strings"

	"countersign/internal/pii"
)

// what one key of this kind stands for.
func (k Kind) one() string {
	switch k {
	case TransportEvent:
		return "delivery"
	case BusinessRecord:
		return "business record"
	case LegitimateRepeat:
		return "repeat"
	}
	return "action"
}

// checkRule looks at a rule as a whole.
func (c *checker) checkRule(r *readRule) {
	if r.Kind == IntendedEffect && !scoped(r.Components) {
		c.add(r, nil, FoundUnscoped, Block,
			"A key without environment, account and effect at its start crosses places: a test would hold back an action in production. Put these three first.",
			"sandbox, request-demo-01: done in a test\nproduction, request-demo-01: would be held as already done")
	}
	var reads, optional int
	for _, p := range r.parts {
		if p.Scope == "" {
			reads++
			if p.Default != nil {
				optional++
			}
		}
	}
	switch {
	case len(r.parts) == 0:
	case reads == 0 && r.Kind == LegitimateRepeat:
		c.add(r, nil, FoundNoRepeat, Block,
			"No component is read from the input, so a wanted second action could never differ from the original. Add what sets it apart, such as a new request or an approved version.",
			"request-demo-01, version 1: done\nrequest-demo-01, version 2: nothing sets it apart")
	case reads == 0:
		c.add(r, nil, FoundConstant, Block,
			"No component is read from the input, so every input would be the same "+r.Kind.one()+". Add the identifier that the business uses.",
			"request-demo-01: done\nrequest-demo-02: would be held as the same "+r.Kind.one())
	case reads == optional:
		c.add(r, nil, FoundAllDefault, Block,
			"Every component has a default, so an input that identifies nothing would still get a key. Remove the default of the main identifier.",
			"an input without any identifier: gets a key\nanother one: would be held as the same "+r.Kind.one())
	}
	if r.Kind == LegitimateRepeat && reads > 0 && c.insideEffect(r) {
		c.add(r, nil, FoundRepeatInside, ReasonAllowed,
			"Every component is also in the intended effect, so under one intended effect a repeat can never differ from the original. Add what sets it apart, or say why a repeat always has an intended effect of its own.",
			"request-demo-01, wanted a second time: held as the same action\nrequest-demo-02: an action of its own")
	}
}

// insideEffect reports whether the intended effect reads all that r reads.
func (c *checker) insideEffect(r *readRule) bool {
	i := slices.IndexFunc(c.rules, func(o readRule) bool { return o.Kind == IntendedEffect })
	if i < 0 {
		return false
	}
	for _, p := range r.parts {
		if p.Scope == "" && (!p.ok || !c.rules[i].readsPath(p.path)) {
			return false
		}
	}
	return true
}

func (r *readRule) readsPath(wanted path) bool {
	return slices.ContainsFunc(r.parts, func(p readPart) bool {
		return p.Scope == "" && p.ok && p.path.normalized == wanted.normalized
	})
}

// checkEvent looks for the identity of a notification where that of the business
// is wanted.
func (c *checker) checkEvent(r *readRule, p *readPart) {
	if r.Kind == TransportEvent {
		return
	}
	const example = "event-demo-01 about request-demo-01: done\nevent-demo-02 about request-demo-01, sent by hand: would be done again"
	words := "An event ID names one notification. When the sender sends the same request under a new event ID, it would be another " + r.Kind.one() +
		". Use the identifier of the business record."
	switch {
	case c.isEvent(r, p.path):
		c.add(r, p, FoundEvent, Block, words, example)
	case eventName(p.path):
		c.add(r, p, FoundEventName, ReasonAllowed, "The name suggests an event ID. "+words, example)
	}
}

// isEvent reports whether wanted is what names a notification: a sender's event
// ID, or what the transport rule reads, when it reads one thing only or r reads
// all of it.
func (c *checker) isEvent(r *readRule, wanted path) bool {
	for _, s := range c.about.Senders {
		if namesField(s.EventIDField, wanted) {
			return true
		}
	}
	for _, t := range c.rules {
		if t.Kind != TransportEvent || !t.readsPath(wanted) {
			continue
		}
		all := true
		for _, p := range t.parts {
			if p.Scope == "" && p.ok && !r.readsPath(p.path) {
				all = false
			}
		}
		if all {
			return true
		}
	}
	return false
}

// namesField reports whether field, as a sender's page has it, means the path.
func namesField(field string, wanted path) bool {
	field = strings.TrimSpace(field)
	if field == "" {
		return false
	}
	if read, problem := parsePath(field); problem == "" {
		return read.normalized == wanted.normalized
	}
	names := wanted.members()
	return wanted.endsInMember() && strings.EqualFold(names[len(names)-1], field)
}

// eventName reports whether the last name reads like an event ID.
func eventName(p path) bool {
	names := p.members()
	if len(names) == 0 {
		return false
	}
	words := pii.Words(names[len(names)-1])
	if len(words) == 1 && len(names) > 1 && words[0] == "id" {
		words = append(pii.Words(names[len(names)-2]), "id")
	}
	last := len(words) - 1
	return last > 0 && (words[last] == "id" || words[last] == "uuid" || words[last] == "key") &&
		slices.Contains([]string{"event", "delivery", "webhook", "message", "notification", "idempotency"}, words[last-1])
}
