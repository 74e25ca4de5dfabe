package control

import "encoding/json"

// contentFormat rises when the shape of Content changes.
const contentFormat = 1

// Content is everything a signer sees, as a revision freezes it. Its RFC 8785
// form gives the full fingerprint. Ids are strings, times RFC 3339 in UTC.
type Content struct {
	Format       int                `json:"format"`
	Control      ContentControl     `json:"control"`
	Workflow     ContentWorkflow    `json:"workflow"`
	People       ContentPeople      `json:"people"`
	Answers      []ContentAnswer    `json:"answers"`
	Accounts     []ContentAccount   `json:"accounts"`
	Operations   []ContentOperation `json:"operations"`
	Sender       *ContentSender     `json:"sender"`
	Expectations json.RawMessage    `json:"expectations"` // agreed in the test matrix; null without one
	Kept         []ContentKept      `json:"kept_findings,omitempty"`
}

// ContentControl is the control itself.
type ContentControl struct {
	Slug   string `json:"slug"`
	Name   string `json:"name"`
	Effect string `json:"effect"`
}

// ContentWorkflow is the automation as it was described at that moment.
type ContentWorkflow struct {
	Slug            string `json:"slug"`
	Name            string `json:"name"`
	Description     string `json:"description"`
	VersionOrder    string `json:"version_order"`
	IncidentPlanURL string `json:"incident_plan_url"`
	HelpContact     string `json:"help_contact"`
}

// ContentPerson is a person by id and by the name they had.
type ContentPerson struct {
	ID   int64  `json:"id,string"`
	Name string `json:"name"`
}

// ContentPeople are the people whose signatures the revision needs.
type ContentPeople struct {
	BusinessOwner ContentPerson `json:"business_owner"`
	Implementer   ContentPerson `json:"implementer"`
	Reviewer      ContentPerson `json:"reviewer"`
}

// ContentAnswer is one field as it stood.
type ContentAnswer struct {
	Section     int             `json:"section"`
	Field       string          `json:"field"`
	State       AnswerState     `json:"state"`
	Value       string          `json:"value"`
	Data        json.RawMessage `json:"data"`
	Reason      string          `json:"reason"`
	AnsweredBy  *ContentPerson  `json:"answered_by"`
	AnsweredFor *ContentPerson  `json:"answered_for"`
	AnsweredAt  string          `json:"answered_at"`
}

// ContentAccount is where the effect happens in one environment.
type ContentAccount struct {
	Environment      string `json:"environment"`
	EnvironmentName  string `json:"environment_name"`
	EnvironmentKind  string `json:"environment_kind"`
	ReachesCustomers bool   `json:"reaches_customers"`
	Destination      string `json:"destination"`
	System           string `json:"system"`
	Account          string `json:"account"`
}

// Behaviour is what an operation's documentation says it does.
type Behaviour struct {
	Call             string `json:"call"`
	Mechanism        string `json:"mechanism"`
	KeyField         string `json:"key_field"`
	KeyLifetimeHours *int   `json:"key_lifetime_hours"`
	RepeatReturns    string `json:"repeat_returns"`
	SameKeyOtherData string `json:"same_key_other_data"`
	LookupMethod     string `json:"lookup_method"`
}

// ContentOperation is the call that makes the change in one environment.
type ContentOperation struct {
	Environment string `json:"environment"`
	Destination string `json:"destination"`
	Operation   string `json:"operation"`
	Name        string `json:"name"`
	Behaviour
	DocURL       string         `json:"doc_url"`
	DocumentedAt string         `json:"documented_at,omitempty"` // the source that the facts were copied from
	Notes        string         `json:"notes"`
	CheckedOn    string         `json:"checked_on"` // "" when nobody has
	CheckedBy    *ContentPerson `json:"checked_by"`
}

// ContentSender is what the sender's documentation says.
type ContentSender struct {
	Slug               string         `json:"slug"`
	Name               string         `json:"name"`
	EventIDField       string         `json:"event_id_field"`
	Duplicates         string         `json:"duplicates"`
	Ordering           string         `json:"ordering"`
	RetrySchedule      string         `json:"retry_schedule"`
	RetryHorizonHours  *int           `json:"retry_horizon_hours"`
	ResendHorizonHours *int           `json:"resend_horizon_hours"`
	Signature          string         `json:"signature"`
	VersionField       string         `json:"version_field"`
	ChangingFields     string         `json:"changing_fields"`
	DocURL             string         `json:"doc_url"`
	DocumentedAt       string         `json:"documented_at,omitempty"`
	Notes              string         `json:"notes,omitempty"`
	CheckedOn          string         `json:"checked_on"`
	CheckedBy          *ContentPerson `json:"checked_by" gorm:"-"`
}

// ContentKept is a finding of the rule checker that the owner keeps.
type ContentKept struct {
	Field   string         `json:"field"`
	Finding string         `json:"finding"` // its key
	Words   string         `json:"words"`
	Reason  string         `json:"reason"`
	KeptBy  *ContentPerson `json:"kept_by"`
	KeptFor *ContentPerson `json:"kept_for"`
	KeptAt  string         `json:"kept_at"`
}

// Answer returns the answer to a field; ok is false when the content has none.
func (c Content) Answer(field string) (ContentAnswer, bool) {
	for _, a := range c.Answers {
		if a.Field == field {
			return a, true
		}
	}
	return ContentAnswer{}, false
}
