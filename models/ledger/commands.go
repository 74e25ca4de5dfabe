package ledger

import (
	"encoding/json"
	"time"

	"countersign/models"
)

// Longest texts, in characters, and bounds of a lease, in seconds.
const (
	MaxID        = 500 // event, record, result id, worker, method
	MaxVersion   = 100
	MaxDetail    = 4000
	MaxResults   = 20
	MinLease     = 10
	MaxLease     = 3600
	DefaultLease = 60
	StalledAfter = time.Hour // held for longer is shown as stalled
)

// DeliverCmd is one notification that arrived. An identifier that is absent,
// null or empty is "": that is never an error, and goes to review.
type DeliverCmd struct {
	models.Once
	Workflow, Environment, Sender string          // slugs; NotFound
	Event                         string          // event_id
	Record                        string          // business_record_id
	Version                       string          // source_version as text: an integer or RFC 3339 by the workflow's order
	Unreadable                    bool            // source_version is no text and no number: Version is how it was written
	Payload                       json.RawMessage // the body as it came; nil: not sent. Kept only if the workflow says so
}

// Disposition is what a delivery counts as.
type Disposition string

const (
	Accepted    Disposition = "accepted"
	Duplicate   Disposition = "duplicate"
	Stale       Disposition = "stale"
	NeedsReview Disposition = "needs_review"
)

// Delivered is what came of a delivery. HTTP: accepted 201, duplicate 200,
// stale and needs_review 202.
type Delivered struct {
	Delivery    int64       `json:"delivery_id,string"`
	Disposition Disposition `json:"disposition"`
	First       int64       `json:"first_delivery_id,string,omitempty"` // duplicate: the first of its kind
	Reason      string      `json:"reason,omitempty"`                   // stale, needs_review: in words
	Review      string      `json:"review,omitempty"`                   // needs_review, or a duplicate of one: RV-n
}

// ClaimCmd asks for the one action that an input stands for.
type ClaimCmd struct {
	models.Once
	Control, Environment string          // slugs; NotFound
	Input                json.RawMessage // one JSON document
	Worker               string          // unique per execution; required
	Delivery             int64           // 0: none
	Version              string          // approved_version; "" : the delivery's, if any
	LeaseSeconds         int             // 0: DefaultLease
	Repeat               string          // LR-n, an approved legitimate repeat
}

// Warning is something that the caller should know and that refuses nothing.
type Warning struct {
	Code   string `json:"code"` // docs/ledger.md lists them
	Detail string `json:"detail"`
}

// WouldHave is what mode enforce would have answered.
type WouldHave struct {
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
	Action int64  `json:"action_id,string,omitempty"`
	Review string `json:"review,omitempty"`
}

// Attempted is a new attempt that the caller owns: the answer (201) of claim,
// retry and start. A repeated call gets it again only while the lease lives,
// else Conflict with CodeLeaseEnded.
type Attempted struct {
	Standing
	Attempt        int64      `json:"attempt_id,string"`
	Number         int        `json:"attempt"` // 1 is the first of its action
	IdentityKey    string     `json:"identity_key"`
	DestinationKey string     `json:"destination_key"` // the same for every attempt of the action
	ClaimToken     string     `json:"-"`               // not in what is stored; made again from the caller's own key
	LeaseUntil     time.Time  `json:"lease_expires_at"`
	Warnings       []Warning  `json:"warnings"` // never nil
	Observed       bool       `json:"observed,omitempty"`
	WouldHave      *WouldHave `json:"would_have,omitempty"`
	Nonce          string     `json:"nonce,omitempty"` // how the claim token is made again; not for the outside
}

// HeartbeatCmd extends a lease by its own length, from now.
type HeartbeatCmd struct {
	Action     int64
	ClaimToken string
}

// Beat is a living lease.
type Beat struct {
	Standing
	LeaseUntil time.Time `json:"lease_expires_at"`
}

// OutcomeCmd reports what became of an attempt.
type OutcomeCmd struct {
	models.Once
	Action     int64
	ClaimToken string
	Outcome    State  // succeeded, failed or unknown
	Result     string // destination_result_id
	Detail     string // failed: not sent, rejected, looked up; without one it is kept as unknown
}

// Reported is what a report came to. HTTP: 202 when Late, else 200.
type Reported struct {
	Standing
	Late      bool   `json:"late,omitempty"`      // the lease had ended: kept, and handled by the rule for late outcomes
	Kept      State  `json:"kept_as"`             // what the attempt counts as now
	Duplicate string `json:"duplicate,omitempty"` // possible or confirmed: what this report opened
	Detail    string `json:"detail,omitempty"`    // in words, where it is not what was reported
}

// LookupCmd records a check of the destination's real state.
type LookupCmd struct {
	models.Once
	Action  int64
	Method  string     // how it was looked up; required
	Result  Looked     // found, not_found or inconclusive
	Results []string   // destination_result_ids; found needs at least one
	Began   *time.Time // nil: now
	Detail  string
}

// Looked is what a lookup came to.
type Looked string

const (
	Found        Looked = "found"
	NotFound     Looked = "not_found"
	Inconclusive Looked = "inconclusive"
)

// LookedUp is a recorded lookup (201).
type LookedUp struct {
	Standing
	Lookup    int64  `json:"lookup_id,string"`
	Counts    bool   `json:"counts"`              // begun after the last attempt ended
	Duplicate string `json:"duplicate,omitempty"` // possible or confirmed: what it opened
	Detail    string `json:"detail,omitempty"`    // in words: why it does not count, or what it settled
}

// RetryCmd tries a failed action again within the gate's automatic retries.
type RetryCmd struct {
	models.Once
	Action       int64
	Worker       string // required
	LeaseSeconds int    // 0: DefaultLease
}

// StartCmd uses an authorization: one attempt of one action.
type StartCmd struct {
	models.Once
	Request       string // RR-n, as the authorization names it
	Authorization string // its code
	Worker        string
	LeaseSeconds  int
}
