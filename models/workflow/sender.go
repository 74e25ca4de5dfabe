package workflow

import (
	"time"

	"countersign/models"
)

// Sender is a source of a workflow's notifications, with what its own
// documentation says. Slug never changes.
type Sender struct {
	ID                 int64
	WorkflowID         int64
	Slug               string
	Name               string
	EventIDField       string
	Duplicates         string
	Ordering           string
	RetrySchedule      string
	RetryHorizonHours  *int // how long it may retry by itself; nil: not known
	ResendHorizonHours *int // how long a person may resend by hand; nil: not known
	Signature          string
	VersionField       string
	ChangingFields     string
	DocURL             string
	DocumentedAt       string // title and address of the source that the facts were copied from
	Notes              string
	CheckedOn          *time.Time // the day somebody read the documentation
	CheckedBy          *int64
	ArchivedAt         *time.Time
	Version            int64
}

// NotChecked is the answer to a documented fact that nobody has looked up yet.
const NotChecked = "not_checked"

// What a sender's documentation may say about duplicates and order.
const (
	DuplicatesPossible    = "possible"
	DuplicatesNotPossible = "not_possible"
	OrderGuaranteed       = "guaranteed"
	OrderNotGuaranteed    = "not_guaranteed"
)

// DuplicatesWords says whether duplicates are possible.
func DuplicatesWords(d string) string {
	switch d {
	case DuplicatesPossible:
		return "Possible"
	case DuplicatesNotPossible:
		return "Documented as not possible"
	}
	return "Not yet checked"
}

// OrderingWords says whether order is guaranteed.
func OrderingWords(o string) string {
	switch o {
	case OrderGuaranteed:
		return "Guaranteed"
	case OrderNotGuaranteed:
		return "Not guaranteed"
	}
	return "Not yet checked"
}

// SenderFacts are what a person edits; hours are as typed, "" means not known.
type SenderFacts struct {
	Name               string `json:"name"`
	EventIDField       string `json:"event_id_field"`
	Duplicates         string `json:"duplicates"`
	Ordering           string `json:"ordering"`
	RetrySchedule      string `json:"retry_schedule"`
	RetryHorizonHours  string `json:"retry_horizon_hours"`
	ResendHorizonHours string `json:"resend_horizon_hours"`
	Signature          string `json:"signature"`
	VersionField       string `json:"version_field"`
	ChangingFields     string `json:"changing_fields"`
	DocURL             string `json:"doc_url"`
	DocumentedAt       string `json:"documented_at"`
	Notes              string `json:"notes"`
}

// Facts returns what can be edited about s.
func (s Sender) Facts() SenderFacts {
	return SenderFacts{Name: s.Name, EventIDField: s.EventIDField, Duplicates: s.Duplicates, Ordering: s.Ordering,
		RetrySchedule: s.RetrySchedule, RetryHorizonHours: hoursText(s.RetryHorizonHours),
		ResendHorizonHours: hoursText(s.ResendHorizonHours), Signature: s.Signature, VersionField: s.VersionField,
		ChangingFields: s.ChangingFields, DocURL: s.DocURL, DocumentedAt: s.DocumentedAt, Notes: s.Notes}
}

func (f *SenderFacts) clean() {
	for _, text := range []*string{&f.Name, &f.EventIDField, &f.RetrySchedule, &f.RetryHorizonHours, &f.ResendHorizonHours,
		&f.Signature, &f.VersionField, &f.ChangingFields, &f.DocURL, &f.DocumentedAt, &f.Notes} {
		*text = models.Clean(*text)
	}
	if f.Duplicates == "" {
		f.Duplicates = NotChecked
	}
	if f.Ordering == "" {
		f.Ordering = NotChecked
	}
}

// check notes what must change, and returns the horizons in hours. With tick
// the person says that they read the documentation, so it must be named and
// have an answer.
func (f SenderFacts) check(c *models.Check, tick bool) (retry, resend *int) {
	required(c, "name", f.Name, 200, "Enter a name.")
	c.Line("event_id_field", f.EventIDField, 500)
	oneOf(c, "duplicates", f.Duplicates, []string{DuplicatesPossible, DuplicatesNotPossible, NotChecked}, "Choose what the documentation says about duplicates.")
	oneOf(c, "ordering", f.Ordering, []string{OrderGuaranteed, OrderNotGuaranteed, NotChecked}, "Choose what the documentation says about order.")
	c.Text("retry_schedule", f.RetrySchedule, 2000)
	const tenYears = 87600
	retry = hours(c, "retry_horizon_hours", f.RetryHorizonHours, tenYears)
	resend = hours(c, "resend_horizon_hours", f.ResendHorizonHours, tenYears)
	c.Text("signature", f.Signature, 2000)
	c.Line("version_field", f.VersionField, 500)
	c.Text("changing_fields", f.ChangingFields, 2000)
	c.URL("doc_url", f.DocURL)
	c.Text("documented_at", f.DocumentedAt, 2000)
	c.Text("notes", f.Notes, 4000)
	if tick {
		if f.DocURL == "" {
			c.Add("doc_url", "Enter the address of the documentation page you checked.")
		}
		if f.Duplicates == NotChecked {
			c.Add("duplicates", "Say whether duplicates are possible. Choose possible when the documentation does not say.")
		}
		if f.Ordering == NotChecked {
			c.Add("ordering", "Say whether order is guaranteed. Choose not guaranteed when the documentation does not say.")
		}
	}
	return retry, resend
}

// documented is f without what the documentation has no say in.
func (f SenderFacts) documented() SenderFacts {
	f.Name, f.Notes = "", ""
	return f
}

func (s Sender) object(workflowSlug string) models.Object {
	return models.Object{Type: "sender", ID: s.ID, Label: s.Name, Path: SenderPath(workflowSlug, s.Slug)}
}

// SenderPath is the page of a sender.
func SenderPath(workflowSlug, slug string) string { return Path(workflowSlug) + "/senders/" + slug }
