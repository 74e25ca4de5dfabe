package reference

// Guide says how to connect an automation. Its texts mark code and links.
type Guide struct {
	Base     string
	Steps    []Step
	Meanings []Meaning
	Tools    []Tool
}

// Step is one step of an automation, as plain HTTP.
type Step struct {
	ID, Title string
	Text      []string // paragraphs
	HTTP      string   // "" where there is nothing to send
}

// Meaning is what an answer to a claim means for the automation.
type Meaning struct{ Answer, Do string }

// Tool is how an automation tool makes the same calls.
type Tool struct {
	ID, Name, Text string
	Parts          []Part
}

// Part is one node, module or step of a tool.
type Part struct {
	Title, Text string
	Settings    []Setting
	Body        string // to paste; "" for none
}

// Setting is one field of a tool's step.
type Setting struct{ Field, Value string }

func request(method, path, body string) string {
	head := method + " /api/v1/" + path + "\nAuthorization: Bearer cs_...\n"
	if body == "" {
		return head
	}
	return head + "Content-Type: application/json\nIdempotency-Key: (random, new for each call, the same when the call is repeated)\n\n" + body
}

// NewGuide is the guide for the server at base.
func NewGuide(base string) Guide {
	return Guide{Base: base, Steps: steps, Meanings: meanings, Tools: []Tool{n8n(base), makeTool(base), zapier(base)}}
}

var steps = []Step{
	{"token", "Get a token", []string{"An administrator makes one under [Tokens](/admin/tokens), for the workflow and the environment that the automation runs in. A test run needs a token of its own. Keep it where your tool keeps credentials."}, ""},
	{"deliver", "Report what arrived", []string{"The first thing that the automation does with a notification. 201 `accepted` goes on. 200 `duplicate` may go on too, with its `first_delivery_id`: the claim knows what was done before, and a run that broke off is finished. 202 `stale` and `needs_review` end here; a person sees them under [Review items](/ledger/reviews).",
		"Keep `delivery_id` from the answer: the claim names it."},
		request("POST", "deliveries", `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form",
 "event_id": "event-demo-01", "business_record_id": "request-demo-01", "source_version": 1}`)},
	{"claim", "Claim each effect before acting", []string{"One claim for each thing that the automation changes: the task, the message, the visit. Act only when the answer is 201.",
		"`delivery_id` is the one of the step before. Without it a delivery that is stale or in review does not hold the claim up, and the ledger shows no claim for it.",
		"`input` is what the [identity rule](/identity-rules) reads, and all that it reads. The demo’s rules read `$.request_id` and `$.approved_version`; a version that belongs to the identity is put here.",
		"`approved_version` beside `input` is something else: the version of the record that is acted on, held against the newest that is known. Without it the version counts that the sender documents in the input, then the delivery’s `source_version`."},
		request("POST", "actions/claim", `{"control": "create-crm-task", "environment": "sandbox",
 "delivery_id": "8", "input": {"request_id": "request-demo-01", "approved_version": 1},
 "worker": "run-7f3c", "lease_seconds": 300}`)},
	{"act", "Act, with the destination key", []string{"Send `destination_key` as the destination’s own idempotency key, where it has one. It is the same for every attempt.",
		"The claim holds for `lease_seconds`: 10 to 3600, 60 when it is left out. Ask for longer than the work can take. Work without such a limit sends a heartbeat before the lease ends, again and again:"},
		request("POST", "actions/17/heartbeat", `{"claim_token": "..."}`)},
	{"report", "Report the outcome, always", []string{"`succeeded` with the id that the destination gave. `failed` only when there is certainly no effect, with how you know in `detail`; without it the outcome is kept as unknown. Everything else, a timeout above all, is `unknown`."},
		request("POST", "actions/17/outcome", `{"claim_token": "...", "outcome": "succeeded", "destination_result_id": "task-901"}`)},
	{"lookup", "When it is unknown, look before trying again", []string{"Look the action up at the destination and report what is there. `found` settles it. `not_found` lets a person approve another attempt."},
		request("POST", "actions/17/lookups", `{"method": "GET /tasks?external_reference=", "result": "not_found"}`)},
	{"again", "Trying again", []string{"A failed action can be [retried](/api/docs#retry-action) as often as was signed for. Anything else is asked for, and a person decides; [poll the request](/api/docs#read-replay), then [start it](/api/docs#start-replay) with its authorization."},
		request("POST", "actions/17/replay-requests", `{"reason": "The CRM did not answer.", "uncertain_result": "Whether the task exists."}`)},
	{"review", "When a person decides first", []string{"An answer with the member `review` (RV-4, LR-3) waits for a person. Poll the item, and claim again once it is accepted:"},
		request("GET", "reviews/RV-4", "")},
	{"second", "A real second request", []string{"A refused claim carries `appeal`: the page on which a person says that this was a real second request, or that an older version must go on. A legitimate repeat gets a number, LR-3. Once it is approved, one claim with the same input carries it and is a new action:"},
		request("POST", "actions/claim", `{"control": "create-crm-task", "environment": "sandbox", "delivery_id": "9",
 "input": {"request_id": "request-demo-01", "approved_version": 1}, "worker": "run-81d0", "repeat": "LR-3"}`)},
}

var meanings = []Meaning{
	{"201", "The action is yours. Carry it out, then report the outcome."},
	{"409 `already`, state succeeded", "It was done before. Use `destination_result_id` and go on with the next effect."},
	{"409 `already`, state pending", "Another worker is at it, or an earlier run of yours that still holds its lease. Stop here. When the lease ends without a report, the action is unknown."},
	{"409 `already`, state failed or unknown", "It was tried. See [Trying again](#again); never act on your own."},
	{"409 `lease_ended`", "A repeat of your own claim came after its lease was over. Read the action: its state says how to go on."},
	{"409 `stale_version`, `in_review`, `matches_earlier_rule`", "A person looks at it. Stop here; nothing was claimed. With `review`, claim again once the item is accepted; an older version is appealed first."},
	{"409 `not_approved`", "The LR-n in `repeat` is open, dismissed, or about another action. Poll it, and send the claim again once it is accepted."},
	{"409 `already`, claimed with `repeat`", "The LR-n was carried by an action already, and the answer is about that one. Never send it again."},
	{"409 `idempotency_running`, 408, 429, 500, 503, or no answer", "Nobody knows yet whether the claim was recorded. Wait for the seconds in `Retry-After`, or half a minute, and send the same call with the same `Idempotency-Key`. Do not act meanwhile."},
	{"422 `identity_missing`", "A person looks at it: the answer names the review item. Stop here; nothing was claimed."},
	{"422 `invalid`, `idempotency_key`, `idempotency_mismatch`, 400, 413, 415", "The call itself is wrong, and nobody else will put it right. Stop here and correct it; the same call gets the same answer."},
	{"423", "The workflow is stopped or not approved. Stop here and claim again later."},
	{"401, 403, 404", "The set-up is wrong. Stop here and tell whoever looks after the automation."},
}
