package demo

// expectation is what a control's story says about one scenario.
type expectation struct {
	key           string
	expected      string
	changes       map[string]string // of the own effect and of others, by control
	notApplicable string            // the reason, when it cannot happen
	waits         bool              // proposed, and not agreed yet
}

var expectations = map[string][]expectation{
	"create-crm-task": {
		{key: "repeated-delivery", expected: "The second delivery is recorded as a duplicate of the first. No second task exists.", changes: change("create-crm-task", "0")},
		{key: "simultaneous-workers", expected: "One worker creates the task. The other gets the state of the first and creates nothing.", changes: change("create-crm-task", "+1")},
		{key: "timeout-after-success", expected: "The task that was created without an answer is found by its request ID and recorded. No second one is created.", changes: change("create-crm-task", "+1")},
		{key: "out-of-order-update", expected: "The older version is recorded as stale. The task keeps the details of the newer one.", changes: change("create-crm-task", "0")},
		{key: "partial-success", expected: "The task exists once. Only the confirmation that failed is taken up again, and it is sent once.", changes: change("create-crm-task", "+1", "send-confirmation", "+1")},
		{key: "legitimate-second-request", expected: "Each of the two requests has its own task.", changes: change("create-crm-task", "+2")},
	},
	"send-confirmation": {
		{key: "repeated-delivery", expected: "The second delivery is recorded as a duplicate of the first. No second message is sent.", changes: change("send-confirmation", "0")},
		{key: "simultaneous-workers", expected: "One worker sends the confirmation. The other records that it was already claimed and sends nothing.", changes: change("send-confirmation", "+1")},
		{key: "timeout-after-success", expected: "The message that was sent without an answer is found by its key and recorded. It is not sent again.", changes: change("send-confirmation", "+1")},
		{key: "out-of-order-update", notApplicable: "A message has no later version. A changed request gets a confirmation of its own."},
		{key: "partial-success", expected: "The confirmation is sent once. Only the task that failed is taken up again, and it is created once.", changes: change("send-confirmation", "+1", "create-crm-task", "+1")},
		{key: "legitimate-second-request", expected: "Each of the two requests has its own confirmation.", changes: change("send-confirmation", "+2")},
	},
	"book-visit": {
		{key: "repeated-delivery", expected: "The second delivery changes nothing in the calendar.", changes: change("book-visit", "0"), waits: true},
		{key: "simultaneous-workers", expected: "One worker books the visit. The other gets the state of the first and books nothing.", changes: change("book-visit", "+1"), waits: true},
		{key: "timeout-after-success", expected: "The visit that was booked without an answer is found by its reference and recorded.", changes: change("book-visit", "+1")},
	},
}

func change(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// proofs are what the demo attaches to each required item.
var proofs = map[string]string{
	"event-id":                "Both deliveries carry event-demo-01.",
	"receipts":                "Received twice, 40 seconds apart. The second one is marked as a duplicate of the first.",
	"original-destination-id": "The first delivery created crm-demo-01.",
	"counts":                  "Counted at the destination itself, before the second delivery and a minute after it.",
	"worker-traces":           "worker-a claimed and went on. worker-b asked 30 milliseconds later and stopped.",
	"claim-result":            "worker-a: claimed. worker-b: already claimed, with the state of worker-a.",
	"destination-records":     "The list of the destination for this request, as it stands after the run.",
	"destination-success":     "The destination shows the record although its answer was held back.",
	"timeout":                 "The answer was dropped at the proxy. The worker waited 10 seconds and recorded the outcome as unknown.",
	"lookup":                  "The lookup by request ID found one record.",
	"replay-decision":         "Nobody had to decide: the record that was found was taken as the result.",
	"source-versions":         "Version 2 and then version 1 of request-demo-04.",
	"arrival-order":           "Version 2 arrived first, version 1 half a minute later.",
	"comparison":              "Version 1 is older than version 2, which was accepted: stale.",
	"final-values":            "The destination holds the time slot of version 2.",
	"separate-outcomes":       "One effect succeeded. The other failed: its call was refused before anything was sent.",
	"scoped-recovery":         "The request names the failed effect only. The other one is shown with it, out of reach.",
	"distinct-ids":            "request-demo-05 and request-demo-06 have two actions.",
	"approved-results":        "The owner expects one result for each of the two requests.",
}
