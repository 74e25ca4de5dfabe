// Package notice tells people what waits for them or happened to what is theirs:
// in their inbox, by e-mail, and other systems by webhook. Who is told, in what
// words and where it leads is given by the command that calls Tell.
package notice

// Event is what can be told. Its value is the type of a webhook message.
type Event string

const (
	SignatureWanted   Event = "signature.wanted"
	RevisionDecided   Event = "revision.decided"   // approved, or changes requested
	ExpectationWanted Event = "expectation.wanted" // somebody must agree an expected result
	RunToReview       Event = "run.recorded"
	ReplayRequested   Event = "replay.requested"
	ReplayEscalated   Event = "replay.escalated"
	ReplayDecided     Event = "replay.decided"
	ReplayLapsed      Event = "replay.lapsed"
	OutcomeUnknown    Event = "action.unknown"
	OwnerStalled      Event = "action.stalled"    // an attempt is held for too long
	DuplicateFound    Event = "action.duplicate"  // possible or confirmed
	ReviewDateNear    Event = "review_date.near"  // or passed
	EvidenceExpiring  Event = "evidence.expiring" // or a waiver
	DiscrepancyOpened Event = "discrepancy.opened"
	WorkflowStopped   Event = "workflow.stopped"
	WorkflowLifted    Event = "workflow.stop_lifted"
)

// Group is events that a person chooses e-mail for together.
type Group struct {
	Key     string
	Name    string
	Default Choice
	Events  []Event
}

// Choice is when an e-mail follows what stands in the inbox.
type Choice string

const (
	Now    Choice = "now"
	Hourly Choice = "hourly" // one summary, at the full hour
	Daily  Choice = "daily"  // one summary, at 07:00 in the person's time zone
	Off    Choice = "off"
)

// Choices in the order they are offered.
var Choices = []Choice{Now, Hourly, Daily, Off}

// Groups in the order they are shown. Every event is in one of them.
var Groups = []Group{
	{"agree", "Signatures and expected results", Now, []Event{SignatureWanted, RevisionDecided, ExpectationWanted}},
	{"replay", "Replay requests", Now, []Event{ReplayRequested, ReplayEscalated, ReplayDecided, ReplayLapsed}},
	{"trouble", "Stopped workflows, unknown outcomes, stalled owners, duplicates", Now, []Event{WorkflowStopped, WorkflowLifted, OutcomeUnknown, OwnerStalled, DuplicateFound}},
	{"tests", "Runs to review and discrepancies", Now, []Event{RunToReview, DiscrepancyOpened}},
	{"dates", "Dates that run out", Daily, []Event{ReviewDateNear, EvidenceExpiring}},
}

// group is the group of an event; nil for an event that does not exist.
func (e Event) group() *Group {
	for i, g := range Groups {
		for _, member := range g.Events {
			if member == e {
				return &Groups[i]
			}
		}
	}
	return nil
}

// Events lists every event, by group.
func Events() (all []Event) {
	for _, g := range Groups {
		all = append(all, g.Events...)
	}
	return all
}

// Name is the event in words: "Signature wanted".
func (e Event) Name() string { return names[e] }

var names = map[Event]string{
	SignatureWanted:   "Signature wanted",
	RevisionDecided:   "Revision approved or changes requested",
	ExpectationWanted: "Expected result to agree",
	RunToReview:       "Run to review",
	ReplayRequested:   "Replay requested",
	ReplayEscalated:   "Replay request escalated",
	ReplayDecided:     "Replay request decided",
	ReplayLapsed:      "Replay approval lapsed",
	OutcomeUnknown:    "Outcome unknown",
	OwnerStalled:      "Owner stalled",
	DuplicateFound:    "Possible or confirmed duplicate",
	ReviewDateNear:    "Review date near or passed",
	EvidenceExpiring:  "Evidence or waiver expiring",
	DiscrepancyOpened: "Discrepancy opened",
	WorkflowStopped:   "Workflow stopped",
	WorkflowLifted:    "Stop lifted",
	TestEvent:         "Test message",
}
