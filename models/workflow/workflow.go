// Package workflow holds what a control rests on: workflows with their people,
// senders and stop switch, environments, and destinations with what the
// documentation of each operation says.
package workflow

import (
	"strconv"
	"time"

	"countersign/models"
)

// Workflow is one automation. Slug never changes.
type Workflow struct {
	ID              int64
	Slug            string
	Name            string
	Description     string
	BusinessOwnerID int64
	ImplementerID   int64
	ReviewerID      int64
	ReviewDate      *time.Time // in force through the end of that day, UTC
	IncidentPlanURL string
	HelpContact     string
	VersionOrder    string
	ArchivedAt      *time.Time
	Version         int64
	// Who decides its replays; nil while nobody chose a policy.
	EscalationPolicyID *int64
	// How many days the payloads of its deliveries are kept; nil: only their digests are.
	PayloadDays *int
}

// How the versions of one business record are ordered.
const (
	VersionsInteger = "integer"
	VersionsRFC3339 = "rfc3339"
	VersionsNone    = "none"
)

// VersionOrders in the order they are offered.
var VersionOrders = []string{VersionsInteger, VersionsRFC3339, VersionsNone}

// VersionOrderWords says what a version order means.
func VersionOrderWords(order string) string {
	switch order {
	case VersionsInteger:
		return "Whole numbers, the higher is newer"
	case VersionsRFC3339:
		return "Timestamps (RFC 3339), the later is newer"
	default:
		return "None, an older update cannot be told from a newer one"
	}
}

// Facts are what a person edits about a workflow. The dates are as a browser
// sends them (2026-05-31); "" means none.
type Facts struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	BusinessOwnerID int64  `json:"business_owner"`
	ImplementerID   int64  `json:"implementer"`
	ReviewerID      int64  `json:"reviewer"`
	ReviewDate      string `json:"review_date"`
	IncidentPlanURL string `json:"incident_plan"`
	HelpContact     string `json:"help_contact"`
	VersionOrder    string `json:"version_order"`
	PolicyID        int64  `json:"escalation_policy"` // 0: none chosen
	PayloadDays     string `json:"payload_days"`      // "": payloads are not kept
}

// Facts returns what can be edited about w.
func (w Workflow) Facts() Facts {
	var policy int64
	if w.EscalationPolicyID != nil {
		policy = *w.EscalationPolicyID
	}
	days := ""
	if w.PayloadDays != nil {
		days = strconv.Itoa(*w.PayloadDays)
	}
	return Facts{PolicyID: policy, PayloadDays: days, Name: w.Name, Description: w.Description, BusinessOwnerID: w.BusinessOwnerID,
		ImplementerID: w.ImplementerID, ReviewerID: w.ReviewerID, ReviewDate: dateText(w.ReviewDate),
		IncidentPlanURL: w.IncidentPlanURL, HelpContact: w.HelpContact, VersionOrder: w.VersionOrder}
}

// SamePerson says which roles one person would hold at once, in words, or "".
// That is allowed here; submitting a control needs three different people.
func (f Facts) SamePerson() string {
	o, i, r := f.BusinessOwnerID, f.ImplementerID, f.ReviewerID
	switch {
	case o == 0 || i == 0 || r == 0:
		return ""
	case o == i && i == r:
		return "One person is business owner, implementer and reviewer. A control can be submitted only when these are three people."
	case o == i:
		return "One person is business owner and implementer. A control can be submitted only when these are different people."
	case o == r:
		return "One person is business owner and reviewer. A control can be submitted only when these are different people."
	case i == r:
		return "One person is implementer and reviewer. A control can be submitted only when these are different people."
	}
	return ""
}

// days is how long payloads are kept; nil when they are not, or no number stands there.
func (f Facts) days() *int {
	n, err := strconv.Atoi(f.PayloadDays)
	if err != nil {
		return nil
	}
	return &n
}

func (f *Facts) clean() {
	f.Name, f.Description = models.Clean(f.Name), models.Clean(f.Description)
	f.ReviewDate, f.IncidentPlanURL = models.Clean(f.ReviewDate), models.Clean(f.IncidentPlanURL)
	f.HelpContact, f.PayloadDays = models.Clean(f.HelpContact), models.Clean(f.PayloadDays)
	if f.VersionOrder == "" {
		f.VersionOrder = VersionsNone
	}
}

// Ref names what a command made or changed.
type Ref struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
}

func (w Workflow) object() models.Object {
	return models.Object{Type: "workflow", ID: w.ID, Label: w.Name, Path: Path(w.Slug)}
}

// Path is the page of the workflow with slug.
func Path(slug string) string { return "/workflows/" + slug }
