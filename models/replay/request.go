// Package replay decides whether one action is tried again: requests with the
// levels of people who may decide, bounded decisions, and the queue of
// everything that waits for a person.
//
// A request never makes an attempt by itself. An approval issues a single-use
// authorization, which is a row of the ledger; what became of it, and whether
// the action succeeded without it, a request learns from the ledger on every
// read. No state depends on a job having run, and nothing is approved by time.
package replay

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/models"
)

// State is where a request stands.
type State string

const (
	Pending        State = "pending"         // waits for a decision
	EvidenceWanted State = "evidence_wanted" // the asker's turn; the clock is stopped
	Approved       State = "approved"        // one attempt may be started
	Rejected       State = "rejected"
	Withdrawn      State = "withdrawn"
	Expired        State = "expired"   // nobody decided in time
	Started        State = "started"   // its one attempt is under way
	Finished       State = "finished"  // its attempt ended, whatever the outcome
	Lapsed         State = "lapsed"    // approved, and not started in time or overtaken by something newer than was seen
	Overtaken      State = "overtaken" // the action succeeded without it
)

// States in the order they are shown.
var States = []State{Pending, EvidenceWanted, Approved, Started, Finished, Rejected, Withdrawn, Expired, Lapsed, Overtaken}

// Open reports whether the request keeps others of its action from being asked.
func (s State) Open() bool {
	return s == Pending || s == EvidenceWanted || s == Approved || s == Started
}

// Words say the state in a sentence: "This request is already ...".
func (s State) Words() string {
	switch s {
	case Pending:
		return "waiting for a decision"
	case EvidenceWanted:
		return "returned for evidence"
	}
	return string(s)
}

// Decision is what a person does to a request.
type Decision string

const (
	Approve  Decision = "approve"
	Reject   Decision = "reject"
	Return   Decision = "return" // for evidence
	Supply   Decision = "supply" // what was wanted
	Withdraw Decision = "withdraw"
)

// Decisions in the order they are offered.
var Decisions = []Decision{Approve, Return, Reject, Supply, Withdraw}

// Event is what happens to a request without anybody deciding.
type Event string

const (
	Expire   Event = "expire"
	Lapse    Event = "lapse"
	Overtake Event = "overtake"
	Begin    Event = "begin"  // its authorization was used
	Finish   Event = "finish" // its attempt ended
)

// Events in the order of a request's life.
var Events = []Event{Expire, Overtake, Lapse, Begin, Finish}

// A missing pair is illegal.
var transitions = map[State]map[Decision]State{
	Pending:        {Approve: Approved, Reject: Rejected, Return: EvidenceWanted, Withdraw: Withdrawn},
	EvidenceWanted: {Supply: Pending, Withdraw: Withdrawn},
}

var happenings = map[State]map[Event]State{
	Pending:        {Expire: Expired, Overtake: Overtaken},
	EvidenceWanted: {Overtake: Overtaken},
	Approved:       {Begin: Started, Lapse: Lapsed, Overtake: Overtaken},
	Started:        {Finish: Finished},
}

// Request asks to try one action once more.
type Request struct {
	ID              int64
	ActionID        int64
	WorkflowID      int64
	EnvironmentID   int64
	ControlID       int64
	State           State
	Reason          string // why the action should be tried again
	Uncertain       string // what is not known about its result
	PolicyID        int64  // the version of the escalation policy that counts for it
	AskedBy         int64  // the person, or the creator of the token
	AskedFor        int64  // whom a delegate asked for; 0: for themselves
	TokenID         int64  // 0: asked on a page
	AskedAt         time.Time
	Level           int        // the highest level whose people were told
	Unanswered      bool       // the time of the last level passed
	NextAt          time.Time  // pending: when the level is due; evidence wanted: when it would expire if the clock ran; approved: when it lapses
	ExpiresAt       *time.Time // nil while evidence is wanted
	Paused          Pause      `gorm:"embedded;embeddedPrefix:paused_"`
	AuthorizationID int64      // 0 before an approval
	AttemptID       int64      // the attempt it started; 0 before
	Ending          string     // why it ended without a decision, in words
	ClosedAt        *time.Time
	Version         int64
}

// Pause is what the stopped clock goes on with; At is nil while it runs.
type Pause struct {
	At      *time.Time
	Minutes int   // that the level had left, of the policy's hours
	Seconds int64 // until it would have expired
}

// Ref is the request's number as people say it.
func (r Request) Ref() string { return Ref(r.ID) }

// Ref is RR-n.
func Ref(id int64) string { return fmt.Sprintf("RR-%d", id) }

// ParseRef reads RR-n; ok is false for anything else.
func ParseRef(text string) (id int64, ok bool) {
	number, found := strings.CutPrefix(text, "RR-")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, found && err == nil && id > 0 && Ref(id) == text
}

// Path is the page of the request called ref.
func Path(ref string) string { return "/queue/" + ref }

// Decide returns the state after d. Conflict when the state does not allow it,
// Invalid when anything but an approval gives no reason.
func (r Request) Decide(d Decision, note string) (State, error) {
	to, ok := transitions[r.State][d]
	if !ok {
		return r.State, models.Conflictf("This request is %s, so nothing was done. Read where it stands now.", r.State.Words())
	}
	if d != Approve && note == "" {
		return r.State, models.Invalid("note", "%s", wanted[d])
	}
	return to, nil
}

// wanted says what the note of a decision must say.
var wanted = map[Decision]string{
	Reject:   "Say why this is not tried again.",
	Return:   "Say what evidence is missing.",
	Supply:   "Say what you found out.",
	Withdraw: "Say why this is no longer asked for.",
}

func (r Request) object() models.Object {
	return models.Object{Type: "replay", ID: r.ID, Label: r.Ref(), Path: Path(r.Ref())}
}
