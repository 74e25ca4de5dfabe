// Package help explains the words and the two things that people ask most.
package help

// Word is an entry of the glossary.
type Word struct{ ID, Word, Means string }

// group is a titled part of the glossary.
type group struct {
	Title string
	Words []Word
}

// Glossary is the language of the product, in the order of the work.
var Glossary = []group{
	{"What is agreed", []Word{
		{"workflow", "Workflow", "One automation, with its senders, its three people, a review date and a stop switch."},
		{"sender", "Sender", "Where notifications come from, with what its documentation says: whether it repeats itself, in which order, and for how long."},
		{"environment", "Environment", "Where a workflow runs. What matters is whether it can reach real customers. Keys of one environment mean nothing in another."},
		{"destination", "Destination", "A system and one account in it. An operation is one call there, with what its documentation says about calling it twice."},
		{"control", "Control", "Everything that is agreed about one effect of one workflow: what a duplicate is, how it is recognised, and what may be tried again."},
		{"revision", "Revision", "A numbered state of a control. Once it is submitted its content is frozen; changes begin the next one."},
		{"answer", "Answer", "One field of a control: unresolved, answered, or not applicable with a reason. Unresolved stays visible until somebody settles it."},
		{"rule", "Identity rule", "How one of four things is recognised: a notification, a business record, an intended effect, or a repeat that is meant."},
		{"key", "Identity key", "What a rule makes of an input. Two inputs with the same key ask for the same action."},
		{"policy", "Escalation policy", "Who decides about another try, how long each level has to answer, and who comes next."},
	}},
	{"What is proven", []Word{
		{"scenario", "Scenario and test case", "A situation that goes wrong in practice, such as a repeated notification. A test case is that scenario for one control, with the result that was agreed before it is run."},
		{"run", "Run", "One try of a test case. Its start is written down before anything happens; its result is never edited."},
		{"discrepancy", "Discrepancy", "What a failed run opens. Only a passing, accepted retest closes it."},
		{"waiver", "Waiver", "A signed decision not to run a scenario, with a reason and an end of 90 days at most."},
		{"evidence", "Evidence", "A file, text or link with its hash, what it proves, who attached it and until when it is kept."},
	}},
	{"What is signed", []Word{
		{"fingerprint", "Fingerprint", "A hash of a revision's content. A signature belongs to it, so what was signed cannot change afterwards."},
		{"signature", "Signature", "One person's decision on one fingerprint, in one of three places: business owner, implementer, reviewer."},
		{"gate", "Gate", "What a control allows now: blocked, manual replay only, or automatic up to a number of tries."},
		{"mode", "Mode", "Enforce refuses a repeat. Observe refuses nothing and counts what it would have refused."},
		{"stop", "Stop switch", "Refuses new claims, retries and starts of a workflow at once. Results that arrive are still taken."},
		{"delegate", "Delegate", "Who decides in the place of somebody who is away, until a date. Both names are shown."},
	}},
	{"What happens", []Word{
		{"delivery", "Delivery", "One notification that arrived. It is a receipt, never proof that anything was done."},
		{"claim", "Claim", "A worker asking whether it may act. One gets the action; everybody else gets the state it is in."},
		{"action", "Action", "One intended change at a destination: pending, succeeded, failed or unknown."},
		{"attempt", "Attempt", "One try of an action by one worker, with a lease: the time it has to report."},
		{"unknown", "Unknown", "Nobody can say whether it happened: no answer came, or the lease ended. It is not a failure."},
		{"lookup", "Lookup", "A check of what is really at the destination. It counts only if it began after the last attempt ended."},
		{"duplicate", "Duplicate", "A second effect of one action: possible while nobody has looked, confirmed once two are seen."},
		{"repeat", "Legitimate repeat", "A second request that is meant. It is an action of its own, with its reason."},
		{"review", "Review item", "Something a person must settle: a notification that cannot be told apart, an input without identity, a refusal that somebody appeals."},
		{"replay", "Replay request", "A request to try one action again. Approving it allows one attempt, once, for a limited time."},
	}},
}

// step is one line of an explanation.
type step struct{ Strong, Text, Link, Href string }

var signOff = []step{
	{"Every field is settled.", "The implementer answers, the business owner writes what a duplicate is in their own words. A question on a field waits until whoever asked it closes it.", "Controls", "/controls"},
	{"Every expected result is agreed.", "The implementer proposes what each scenario must show, the business owner agrees. Only then can it be run.", "Test matrix", "/matrix"},
	{"The revision is submitted.", "Its content is frozen and gets two fingerprints. The three people it names must be three different people.", "", ""},
	{"Every scenario passes.", "A run counts once somebody else accepted it. A failure stays visible with its correction and its retest. What cannot be run is waived by owner and reviewer, with an end.", "", ""},
	{"Three people sign.", "Business owner, implementer and reviewer, each the full fingerprint, in any order. Nobody signs two places; a delegate signs for somebody and both names are kept. Any of the three can ask for changes instead.", "", ""},
	{"It is in force.", "The gate opens as far as was signed. An approved revision never changes: editing begins the next one while this one stays in force.", "", ""},
	{"It ends by itself.", "When its review date passes, a waiver ends or required evidence expires, nothing is tried again automatically any more. First tries go on.", "", ""},
}

var unknownOutcome = []step{
	{"Do not start it again by hand.", "Unknown means that it may have worked. Whoever repeats it now may make the second effect.", "", ""},
	{"Look at the destination.", "Search there for the record, or by the destination key that every attempt of the action sent. Begin after the last attempt ended: an earlier look proves nothing.", "Actions nobody knows the result of", "/ledger?state=unknown"},
	{"Record what you found.", "Found: enter its ID, and the action is settled as succeeded. Not found: say how you searched. Not sure: say so; that never allows another try.", "", ""},
	{"If two are there,", "report a duplicate. It heads the queue until somebody says what was done about it.", "", ""},
	{"If nothing is there, ask to try it again.", "Say which effect needs protection and what is uncertain. An approver sees the lookup, the other effects of the same request, and every condition that stands in the way.", "The queue", "/queue"},
	{"One attempt is approved.", "It is for this action only and lapses after a while. If a late success arrives first, the approval ends by itself.", "", ""},
	{"If you cannot look it up,", "the approver has to acknowledge that in writing, next to the delivery evidence.", "", ""},
	{"If many are unknown at once,", "stop the workflow. Results that are still on their way are taken; nothing new begins.", "Workflows", "/workflows"},
}
