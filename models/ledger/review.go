package ledger

import (
	"time"

	"countersign/models"
)

// ReviewKind is what a person must settle.
type ReviewKind string

const (
	ReviewDelivery    ReviewKind = "delivery"         // RV-n: a delivery without identifiers, or one that contradicts an earlier one
	ReviewIdentity    ReviewKind = "identity_missing" // RV-n: a claim's input gives no key
	ReviewEarlierRule ReviewKind = "earlier_rule"     // RV-n: found only by an earlier version of the rule
	ReviewStale       ReviewKind = "stale_version"    // RV-n: appeal against stale_version
	ReviewRepeat      ReviewKind = "repeat"           // LR-n: appeal "this was a real second request"
)

// ReviewState is where a review item stands.
type ReviewState string

const (
	ReviewOpen      ReviewState = "open"
	ReviewAccepted  ReviewState = "accepted"
	ReviewLinked    ReviewState = "linked"
	ReviewDismissed ReviewState = "dismissed"
)

// ReviewItem is something a person must settle, one for each input however
// often it comes. The zero ids and times mean there is none.
type ReviewItem struct {
	ID          int64
	Kind        ReviewKind
	State       ReviewState
	Workflow    int64
	Environment int64
	Control     int64 // 0 for a delivery
	Delivery    int64
	Action      int64   // repeat, earlier_rule, stale_version: the one it is about
	Suppressed  int64   // the suppressed claim that is appealed
	Reason      string  // why it is here, or the asker's reason
	AskedBy     int64   // the first who asked: the person, or the token's creator
	AskedFor    int64   // whom a delegate asked for
	Askers      []int64 `gorm:"serializer:json"` // everybody who asked, and the creator of every token that did
	AskedAt     time.Time
	Decision    string // the reason of whoever decided
	DecidedBy   int64
	DecidedFor  int64
	DecidedAt   *time.Time
	Linked      int64 // the action it was linked to
	Carried     int64 // the action that carried it: an LR-n works once
	Times       int   // how often the same came
	Version     int64 // raised by every change; a decision names the one it saw
}

// Ref is RV-n, or LR-n for a legitimate repeat.
func (r ReviewItem) Ref() string { return ref(r.Kind, r.ID) }

// ReviewDecision is what a reviewer or owner decides.
type ReviewDecision string

const (
	AcceptReview  ReviewDecision = "accept"
	LinkReview    ReviewDecision = "link"
	DismissReview ReviewDecision = "dismiss"
)

// DecideReviewCmd settles a review item.
type DecideReviewCmd struct {
	models.Once
	Ref      string // NotFound
	Version  int64  // the one the person saw
	Decision ReviewDecision
	Action   int64  // link: the action that it is
	Reason   string // required
}

// AppealCmd says "this was a real second request", or that a stale version must
// go on nevertheless. Which of the two follows from the refusal appealed.
type AppealCmd struct {
	models.Once
	Suppressed int64  // the suppressed claim; or
	Action     int64  // the action that a second request will repeat
	Reason     string // required
}

// ReportDuplicateCmd reports a duplicate that somebody saw at the destination.
type ReportDuplicateCmd struct {
	models.Once
	Action  int64
	Results []string // the ids seen at the destination; may be empty
	Detail  string   // what was seen; required
}

// SettleDuplicateCmd says what was done about a possible or confirmed duplicate.
type SettleDuplicateCmd struct {
	models.Once
	Duplicate int64
	Version   int64
	Done      string // what was done; required
}

// DuplicateRef names a duplicate of an action.
type DuplicateRef struct {
	ID     int64  `json:"id,string"`
	Action int64  `json:"action_id,string"`
	Kind   string `json:"kind"` // possible or confirmed
}

// Choices are what a decision about an item of this kind is called where it is made.
func (k ReviewKind) Choices() (accept, link, dismiss string) {
	accept = map[ReviewKind]string{ReviewDelivery: "Accept it", ReviewIdentity: "Accept it", ReviewEarlierRule: "Accept it as a new action", ReviewStale: "Let it go on", ReviewRepeat: "Approve a second one"}[k]
	return accept, "Link it to an action", "Dismiss it"
}

// Words is the state in a sentence.
func (s ReviewState) Words() string {
	if s == ReviewOpen {
		return "not decided yet"
	}
	return string(s)
}
