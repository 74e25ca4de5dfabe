package ledger

import (
	"time"

	"countersign/models/signoff"
)

// Seen is what an approver saw of an action. Approval covers exactly this:
// anything newer makes it stale, at approval and again at the start.
type Seen struct {
	Attempt int64  `json:"attempt,string"` // the latest; 0: none
	Outcome State  `json:"outcome"`        // of the action, by the clock
	Report  int64  `json:"report,string"`  // the latest report, late ones included; 0: none
	Lookup  int64  `json:"lookup,string"`  // the latest; 0: none
	Rule    string `json:"rule"`           // digest of the identity rule that serves now
	// Duplicate is the latest duplicate, open or settled; 0: none.
	Duplicate int64 `json:"duplicate,string"`
}

// Facts is everything that decides whether an action may be tried again.
// One reading of the database, consistent in itself.
type Facts struct {
	Standing
	Seen Seen
	Now  time.Time // the database's clock

	Control, Workflow, Environment int64
	ControlSlug, ControlName       string
	WorkflowSlug, WorkflowName     string
	EnvironmentSlug                string
	Account                        string // destination slug
	Record                         string // business record; "" when not known
	Version                        string // of the record, as claimed; "" when not stated
	Newest                         string // the newest version accepted or claimed of that record
	StaleVersion                   bool   // Version is older than Newest, and no appeal was accepted

	Gate             signoff.Gate // in this environment
	ReachesCustomers bool
	Approved         bool // some revision of the control was approved

	Attempts      int        // without observed ones
	FirstAttempt  time.Time  // when the first began: from when a destination remembers the key
	LastEnded     *time.Time // when the last attempt ended; nil while it is held
	AutomaticUsed int        // automatic retries so far
	Replayed      bool       // the latest attempt was an approved replay: no automatic ones after it

	LookupDocumented bool   // the operation documents a lookup
	LookupMethod     string // as documented
	Counting         Looked // result of the latest lookup that counts; "" when none does
	CountingAt       *time.Time
	FoundUncounted   bool // a lookup that does not count found a result

	Mechanism        string     // of the operation: documented, none, not_checked
	KeyLifetimeHours *int       // nil: not documented
	WindowEnds       *time.Time // FirstAttempt and the key lifetime; nil when there is none
	Duplicate        string     // an open possible or confirmed duplicate; "" none
}

// Authorization is the permission to try one action once: a row of the ledger.
type Authorization struct {
	ID       int64
	Code     string // what start sends
	Action   int64
	Request  string // RR-n
	Seen     Seen
	IssuedBy int64
	IssuedAt time.Time
	Expires  time.Time
	UsedAt   *time.Time
	Attempt  int64      // the attempt it started; 0: none
	EndedAt  *time.Time // overtaken or withdrawn
	EndedAs  string     // overtaken or withdrawn
}

// AuthorizationState is what an authorization can still do.
type AuthorizationState string

const (
	Open      AuthorizationState = "open"
	Used      AuthorizationState = "used"
	Lapsed    AuthorizationState = "lapsed"    // its time is over; read from the clock
	Overtaken AuthorizationState = "overtaken" // the action succeeded without it
	Withdrawn AuthorizationState = "withdrawn"
)

// State is what a can still do at now.
func (a Authorization) State(now time.Time) AuthorizationState {
	switch {
	case a.UsedAt != nil:
		return Used
	case a.EndedAt != nil:
		return AuthorizationState(a.EndedAs)
	case !now.Before(a.Expires):
		return Lapsed
	}
	return Open
}

// Doubt is what speaks for an effect that nobody counted: an open duplicate, or a
// result that only a lookup found which does not count. No attempt begins on the
// ledger's own word while it stands: an approver sees all of it.
type Doubt struct {
	Key     string // duplicate or found; "" none
	Words   string // the reason
	Instead string // what to do
	Code    Code   // what a retry is refused with
	Known   bool   // an approver may go on, having read it
}

// DoubtOfDuplicate is about an open duplicate. Pure.
func (f Facts) DoubtOfDuplicate() Doubt {
	if f.Duplicate == "" {
		return Doubt{}
	}
	return Doubt{Key: "duplicate", Words: "A " + f.Duplicate + " duplicate of this action is open.", Instead: "Say first what was done about it.", Code: CodeReplayRequired}
}

// DoubtOfFound is about a result that a lookup found which does not count. Pure.
func (f Facts) DoubtOfFound() Doubt {
	switch {
	case !f.FoundUncounted || f.Counting == Found:
		return Doubt{}
	case f.Counting == NotFound:
		return Doubt{Key: "found", Words: "An earlier lookup found a result, and the latest found none.", Instead: "Ask for a replay.", Code: CodeReplayRequired, Known: true}
	}
	return Doubt{Key: "found", Words: "A lookup found a result, and was begun before the last attempt ended.", Instead: "Look it up again now.", Code: CodeLookupRequired}
}

// doubt is the first there is.
func (f Facts) doubt() Doubt {
	if d := f.DoubtOfDuplicate(); d.Key != "" {
		return d
	}
	return f.DoubtOfFound()
}

// IssueCmd issues an authorization within the transaction of an approval.
type IssueCmd struct {
	Action  int64
	Request string // RR-n; one open authorization for each
	Seen    Seen   // what the approver saw
	Valid   time.Duration
}
