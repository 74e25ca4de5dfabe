package catalogue

import (
	"regexp"
	"strings"
)

// MechanismWords names a mechanism.
func MechanismWords(mechanism string) string {
	switch mechanism {
	case IdempotencyKey:
		return "Idempotency key"
	case ClientSuppliedID:
		return "ID chosen by the caller"
	case UpsertByExternalID:
		return "Update by an external ID"
	case DedupWindow:
		return "Deduplication window"
	case ConditionalWrite:
		return "Conditional write"
	}
	return "None documented"
}

// ConfidenceWords says how far the facts were read in the provider's own words.
func (s Source) ConfidenceWords() string {
	if s.Confidence == Verified {
		return "Read in the provider’s own text, specification or client, or in a stored copy of it"
	}
	return "Partly: at least one main fact comes from a quotation or from somebody else’s code, or the source was only seen in part"
}

// Text is the source as an operation or a sender keeps it: title and address.
func (s Source) Text() string { return s.Title + "\n" + s.Address }

// link is the address when it is one that a browser can open; "" otherwise.
func (s Source) link() string {
	if strings.HasPrefix(s.Address, "https://") {
		return s.Address
	}
	return ""
}

// Repeat says in a sentence what sending the call again does.
func (o Operation) Repeat() string {
	said := said(o.RepeatReturns)
	switch {
	case o.Mechanism == NoneDocumented && said == "":
		return "The source names no way to recognise a repeat. Treat each call as another effect."
	case o.Mechanism == NoneDocumented:
		return "The source names no way to recognise a repeat. " + said + "."
	case said == "":
		return "The source does not say what a repeat returns."
	}
	return "A repeat returns: " + said + "."
}

// Words is a text as a person reads it, the silence of a source included.
func Words(text string) string {
	switch {
	case text == "not_documented":
		return "Not documented in the source"
	case text == "not read":
		return "Not looked up"
	}
	return strings.Replace(text, "not_documented", "Not documented", 1)
}

// said is a text, or "" where the source is silent.
func said(text string) string {
	if strings.HasPrefix(text, "not_documented") || text == "not read" {
		return ""
	}
	return text
}

// named is what a text names, or "" where it says that there is none.
func named(text string) string {
	if nothing.MatchString(text) {
		return ""
	}
	return said(text)
}

var nothing = regexp.MustCompile(`^(none|no)\b`)

var silence = regexp.MustCompile(`^(none|not read|not_documented( as such)?( in (the|this) [a-z ]+)?)$`)

// remark is a text that a field of a form cannot hold and that says more than
// that there is nothing.
func remark(text string) string {
	if silence.MatchString(text) {
		return ""
	}
	return Words(text)
}
