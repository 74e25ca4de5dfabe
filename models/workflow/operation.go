package workflow

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"
)

// Operation is one call on a destination, with what its own documentation
// says. Nothing is carried from one operation to another. Slug never changes.
type Operation struct {
	ID               int64
	DestinationID    int64
	Slug             string
	Name             string
	Call             string
	Mechanism        string
	KeyField         string
	KeyLifetimeHours *int // nil: not known
	RepeatReturns    string
	SameKeyOtherData string
	LookupMethod     string
	DocURL           string
	DocumentedAt     string     // title and address of the source that the facts were copied from
	CheckedOn        *time.Time // the day somebody read the documentation
	CheckedBy        *int64
	Notes            string
	ArchivedAt       *time.Time
	Version          int64
}

// Idempotency mechanisms of an operation; NotChecked is the third.
const (
	Documented  = "documented"
	NoMechanism = "none"
)

// MechanismWords names a mechanism.
func MechanismWords(m string) string {
	switch m {
	case Documented:
		return "Documented"
	case NoMechanism:
		return "None"
	}
	return "Not yet checked"
}

// Words are an operation's facts as sentences.
type Words struct {
	Repeat  string   // what sending the same call again would do
	Unknown []string // what nobody knows yet
}

// InWords says what a repeat would do, and what is not known about it.
func (o Operation) InWords() Words {
	var w Words
	unknown := func(missing bool, text string) {
		if missing {
			w.Unknown = append(w.Unknown, text)
		}
	}
	switch o.Mechanism {
	case Documented:
		key := "the same key"
		if o.KeyField != "" {
			key = "the same key in " + o.KeyField
		}
		within := ""
		if o.KeyLifetimeHours != nil {
			within = fmt.Sprintf(" within %s", HoursWords(*o.KeyLifetimeHours))
		}
		w.Repeat = fmt.Sprintf("%s a repeat with %s%s returns: %s", o.basis(), key, within, o.RepeatReturns)
		unknown(o.KeyField == "", "Where the key is sent.")
		unknown(o.KeyLifetimeHours == nil, "How long a key is remembered, in hours.")
		unknown(o.SameKeyOtherData == "", "What the same key with other data does.")
	case NoMechanism:
		w.Repeat = o.noMechanism()
	default:
		w.Repeat = "Nobody has checked what a repeat does. Treat each call as another effect."
		unknown(true, "Whether the destination recognises a repeat.")
	}
	unknown(o.LookupMethod == "", "How to look up the result afterwards.")
	unknown(o.CheckedOn == nil, "Whether this matches the documentation as it is now."+o.unchecked())
	return w
}

// basis says whose word a fact is: the documentation's only once it was checked.
func (o Operation) basis() string {
	switch {
	case o.CheckedOn != nil:
		return "The documentation says that"
	case o.DocumentedAt != "":
		return "The source it was copied from says, and nobody has checked it, that"
	}
	return "It is written down here, and nobody has checked it, that"
}

func (o Operation) noMechanism() string {
	switch {
	case o.CheckedOn != nil:
		return "The destination does not recognise a repeat. Each call can make another effect."
	case o.DocumentedAt != "":
		return "The source it was copied from names no way to recognise a repeat, and nobody has checked it. Treat each call as another effect."
	}
	return "The destination does not recognise a repeat. Each call can make another effect. Nobody has checked this."
}

// unchecked names the facts that were written down and that nobody has checked.
func (o Operation) unchecked() string {
	var facts []string
	for _, f := range []struct {
		there bool
		name  string
	}{{o.Mechanism != NotChecked, "the mechanism"}, {o.KeyField != "", "the key field"}, {o.KeyLifetimeHours != nil, "the key lifetime"},
		{o.RepeatReturns != "", "what a repeat returns"}, {o.SameKeyOtherData != "", "what the same key with other data does"}, {o.LookupMethod != "", "the lookup"}} {
		if f.there {
			facts = append(facts, f.name)
		}
	}
	if len(facts) == 0 {
		return ""
	}
	return " Nobody has checked: " + strings.Join(facts, ", ") + "."
}

// HoursWords says a number of hours, in days where that is a whole number of them.
func HoursWords(n int) string {
	switch {
	case n == 1:
		return "1 hour"
	case n >= 48 && n%24 == 0:
		return fmt.Sprintf("%d days", n/24)
	}
	return fmt.Sprintf("%d hours", n)
}

// OperationFacts are what a person edits; hours are as typed, "" means not known.
type OperationFacts struct {
	Name             string `json:"name"`
	Call             string `json:"call"`
	Mechanism        string `json:"mechanism"`
	KeyField         string `json:"key_field"`
	KeyLifetimeHours string `json:"key_lifetime_hours"`
	RepeatReturns    string `json:"repeat_returns"`
	SameKeyOtherData string `json:"same_key_other_data"`
	LookupMethod     string `json:"lookup_method"`
	DocURL           string `json:"doc_url"`
	DocumentedAt     string `json:"documented_at"`
	Notes            string `json:"notes"`
}

// Facts returns what can be edited about o.
func (o Operation) Facts() OperationFacts {
	return OperationFacts{Name: o.Name, Call: o.Call, Mechanism: o.Mechanism, KeyField: o.KeyField,
		KeyLifetimeHours: hoursText(o.KeyLifetimeHours), RepeatReturns: o.RepeatReturns, SameKeyOtherData: o.SameKeyOtherData,
		LookupMethod: o.LookupMethod, DocURL: o.DocURL, DocumentedAt: o.DocumentedAt, Notes: o.Notes}
}

func (f *OperationFacts) clean() {
	for _, text := range []*string{&f.Name, &f.Call, &f.KeyField, &f.KeyLifetimeHours, &f.RepeatReturns, &f.SameKeyOtherData,
		&f.LookupMethod, &f.DocURL, &f.DocumentedAt, &f.Notes} {
		*text = models.Clean(*text)
	}
	if f.Mechanism == "" {
		f.Mechanism = NotChecked
	}
}

// check notes what must change, and returns the key lifetime in hours. With
// tick the person says that they read the documentation.
func (f OperationFacts) check(c *models.Check, tick bool) (lifetime *int) {
	required(c, "name", f.Name, 200, "Enter a name, such as Create task.")
	c.Line("call", f.Call, 500)
	oneOf(c, "mechanism", f.Mechanism, []string{Documented, NoMechanism, NotChecked}, "Choose what the documentation says about repeats.")
	c.Line("key_field", f.KeyField, 500)
	lifetime = hours(c, "key_lifetime_hours", f.KeyLifetimeHours, 876000)
	c.Text("repeat_returns", f.RepeatReturns, 4000)
	c.Text("same_key_other_data", f.SameKeyOtherData, 4000)
	c.Text("lookup_method", f.LookupMethod, 2000)
	c.URL("doc_url", f.DocURL)
	c.Text("documented_at", f.DocumentedAt, 2000)
	c.Text("notes", f.Notes, 4000)
	switch {
	case f.Mechanism == Documented && f.DocURL == "":
		c.Add("doc_url", "Enter the address of the documentation page.")
	case tick && f.DocURL == "":
		c.Add("doc_url", "Enter the address of the documentation page you checked.")
	}
	if f.Mechanism == Documented && f.RepeatReturns == "" {
		c.Add("repeat_returns", "Say what a repeat returns, errors included.")
	}
	if f.Mechanism == NoMechanism && f.KeyField != "" {
		c.Add("key_field", "Remove the key field, or choose Documented. Without a mechanism no key is read.")
	}
	if f.Mechanism == NoMechanism && f.KeyLifetimeHours != "" {
		c.Add("key_lifetime_hours", "Remove the key lifetime, or choose Documented. Without a mechanism no key is kept.")
	}
	if tick && f.Mechanism == NotChecked {
		c.Add("mechanism", "Choose Documented or None. You said that you checked the documentation.")
	}
	return lifetime
}

// documented is f without what the documentation has no say in.
func (f OperationFacts) documented() OperationFacts {
	f.Name, f.Notes = "", ""
	return f
}

func (o Operation) object(destinationSlug string) models.Object {
	return models.Object{Type: "operation", ID: o.ID, Label: o.Name, Path: OperationPath(destinationSlug, o.Slug)}
}

// OperationPath is the page of an operation.
func OperationPath(destinationSlug, slug string) string {
	return DestinationPath(destinationSlug) + "/operations/" + slug
}
