package catalogue

import (
	"regexp"
	"strconv"
	"strings"

	"countersign/models/workflow"
)

// Start is what the form of a new operation starts with. Nobody has checked it:
// what the form has no field for, or the source does not say plainly, is in the notes.
func (o Operation) Start() workflow.OperationFacts {
	f := workflow.OperationFacts{Mechanism: workflow.Documented, RepeatReturns: said(o.RepeatReturns), SameKeyOtherData: said(o.ConflictBehaviour),
		LookupMethod: said(o.Lookup), DocURL: o.link(), DocumentedAt: o.Text()}
	f.Name, f.Call = nameAndCall(o.Operation)
	notes := notes{}
	notes.add("", o.Caveats)
	if o.Mechanism == NoneDocumented {
		f.Mechanism = workflow.NoMechanism
	} else {
		f.KeyField, f.KeyLifetimeHours = named(o.Field), lifetimeHours(o.KeyLifetime)
		notes.add("Mechanism", MechanismWords(o.Mechanism))
	}
	notes.addUnless(f.KeyField == o.Field, "Key field", o.Field)
	notes.addUnless(f.KeyLifetimeHours != "" && plainHours.MatchString(o.KeyLifetime), "Key lifetime", o.KeyLifetime)
	notes.addUnless(f.RepeatReturns != "", "A repeat returns", o.RepeatReturns)
	notes.addUnless(f.SameKeyOtherData != "", "Same key, other data", o.ConflictBehaviour)
	notes.addUnless(f.LookupMethod != "", "Lookup", o.Lookup)
	f.Notes = notes.text(o.Source)
	return f
}

// Start is what the form of a new sender starts with, as an operation's does. A
// promise is never filled in: that order is guaranteed, or that there are no
// duplicates, a person has to say.
func (s Sender) Start() workflow.SenderFacts {
	f := workflow.SenderFacts{Name: s.Sender, EventIDField: named(s.EventID), Duplicates: workflow.NotChecked, Ordering: workflow.NotChecked,
		RetrySchedule: said(s.Retries), RetryHorizonHours: horizonHours(s.Retries), Signature: said(s.Signature), VersionField: named(s.VersionField),
		DocURL: s.link(), DocumentedAt: s.Text()}
	if said(s.Duplicates) != "" {
		f.Duplicates = workflow.DuplicatesPossible
	}
	if unordered.MatchString(s.Ordering) {
		f.Ordering = workflow.OrderNotGuaranteed
	}
	notes := notes{}
	notes.add("", s.Caveats)
	notes.add("Duplicates", remark(s.Duplicates))
	notes.add("Order", remark(s.Ordering))
	notes.addUnless(f.EventIDField != "", "Event ID", s.EventID)
	notes.addUnless(f.RetrySchedule != "", "Retries", s.Retries)
	notes.addUnless(f.Signature != "", "Signature", s.Signature)
	notes.addUnless(f.VersionField != "", "Version", s.VersionField)
	f.Notes = notes.text(s.Source)
	return f
}

var unordered = regexp.MustCompile(`^Not guaranteed|out of order|may arrive after a later one`)

// notes are the lines under an entry's facts.
type notes struct{ lines []string }

func (n *notes) add(label, text string) {
	if text == "" {
		return
	}
	if label != "" {
		text = label + ": " + text
	}
	n.lines = append(n.lines, text)
}

func (n *notes) addUnless(held bool, label, text string) {
	if !held {
		n.add(label, remark(text))
	}
}

func (n *notes) text(s Source) string {
	if s.Confidence == Partly {
		n.add("Confidence", s.ConfidenceWords()+".")
	}
	return strings.Join(n.lines, "\n")
}

// "Create order (POST /v2/checkout/orders)"; a call has a method, a path or a
// name written as programs do.
var (
	bracketed = regexp.MustCompile(`^(.+) \(([^()]+)\)$`)
	aCall     = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE)\b|/|[a-z][A-Z]|\w\.\w`)
)

func nameAndCall(operation string) (name, call string) {
	if m := bracketed.FindStringSubmatch(operation); m != nil && aCall.MatchString(m[2]) {
		return m[1], m[2]
	}
	return operation, ""
}

var (
	plainHours = regexp.MustCompile(`^\d+ (hours?|days?)$`)
	anyHours   = regexp.MustCompile(`\b\d+ (hours?|days?)\b`)
	leading    = regexp.MustCompile(`^(\d+) (hour|day)s?\b`)
	lasting    = regexp.MustCompile(`(?i)(?:(?:^|: |\bfor )up to|\bover|\bfor|\bfor the next) (\d+) (hour|day)s?\b`)
	aside      = regexp.MustCompile(`\([^)]*\)`)
)

// lifetimeHours is a key's lifetime in hours where the text starts with it; ""
// where it could be read in more than one way.
func lifetimeHours(text string) string { return soleHours(text, leading) }

// horizonHours is for how long a sender retries, where the text says it once.
func horizonHours(text string) string { return soleHours(aside.ReplaceAllString(text, ""), lasting) }

// soleHours reads the first part of a text, up to its first semicolon. Two
// durations there, or an older page that says something else, are no answer.
func soleHours(text string, pattern *regexp.Regexp) string {
	first, _, _ := strings.Cut(text, ";")
	m := pattern.FindStringSubmatch(first)
	if m == nil || len(anyHours.FindAllString(first, 2)) != 1 || strings.Contains(strings.ToLower(text), "older") {
		return ""
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return ""
	}
	if m[2] == "day" {
		n *= 24
	}
	return strconv.Itoa(n)
}
