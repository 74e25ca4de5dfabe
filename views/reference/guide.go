package reference

// Guide says how to connect an automation.
type Guide struct {
	Base     string
	Steps    []Step
	Meanings []Meaning
	Tools    []Tool
}

// Step is one step of an automation, as plain HTTP.
type Step struct {
	ID, Title, Text string
	HTTP            string // "" where there is nothing to send
}

// Meaning is what an answer to a claim means for the automation.
type Meaning struct{ Answer, Do string }

// Tool is how an automation tool makes the same calls.
type Tool struct {
	ID, Name, Text string
	Settings       []Setting
	After          string // how to go on by the answer's status
}

// Setting is one field of the tool's HTTP step.
type Setting struct{ Field, Value string }

const claimBody = `{"control": "create-crm-task", "environment": "sandbox",
 "input": {"request_id": "request-demo-01"}, "worker": "run-7f3c"}`

func request(method, path, body string) string {
	return method + " /api/v1/" + path + "\nAuthorization: Bearer cs_...\nContent-Type: application/json\nIdempotency-Key: (random, new for each call)\n\n" + body
}

// NewGuide is the guide for the server at base.
func NewGuide(base string) Guide {
	g := Guide{Base: base, Steps: []Step{
		{"token", "Get a token", "An administrator makes one for the workflow and the environment it runs in. A test run needs a token of its own. Keep it where your tool keeps credentials.", ""},
		{"deliver", "Report what arrived", "The first thing that the automation does with a notification. Go on when it is accepted. A duplicate ends here; stale and needs_review wait for a person.",
			request("POST", "deliveries", `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form",
 "event_id": "event-demo-01", "business_record_id": "request-demo-01", "source_version": 1}`)},
		{"claim", "Claim each effect before acting", "One claim for each thing that the automation changes: the task, the message, the visit. Act only when the answer is 201.", request("POST", "actions/claim", claimBody)},
		{"act", "Act, with the destination key", "Send destination_key as the destination's own idempotency key, where it has one. It is the same for every attempt. While the work takes longer than the lease, send a heartbeat.",
			request("POST", "actions/17/heartbeat", `{"claim_token": "..."}`)},
		{"report", "Report the outcome, always", "succeeded with the id that the destination gave. failed only when there is certainly no effect, with how you know. Everything else, a timeout above all, is unknown.",
			request("POST", "actions/17/outcome", `{"claim_token": "...", "outcome": "succeeded", "destination_result_id": "task-901"}`)},
		{"lookup", "When it is unknown, look before trying again", "Look the action up at the destination and report what is there. found settles it. not_found lets a person approve another attempt.",
			request("POST", "actions/17/lookups", `{"method": "GET /tasks?external_reference=", "result": "not_found"}`)},
		{"again", "Trying again", "A failed action can be retried as often as was signed for. Anything else is asked for, and a person decides; poll the request, then start it with its authorization.",
			request("POST", "actions/17/replay-requests", `{"reason": "The CRM did not answer.", "uncertain_result": "Whether the task exists."}`)},
	}}
	g.Meanings = []Meaning{
		{"201", "The action is yours. Carry it out, then report the outcome."},
		{"409, state succeeded", "It was done before. Use destination_result_id and go on with the next effect."},
		{"409, state pending", "Another worker is at it. Stop here."},
		{"409, state failed or unknown", "It was tried. See “Trying again”; never act on your own."},
		{"409 stale_version or in_review, 422", "A person looks at it. Stop here; nothing was claimed."},
		{"423", "The workflow is stopped or not approved. Stop here and try again later."},
		{"401, 403, 404", "The set-up is wrong. Stop here and tell whoever looks after the automation."},
		{"503, 429, or no answer", "Nobody knows yet whether the claim was recorded. Wait for the seconds in Retry-After and send the same call with the same Idempotency-Key. Do not act meanwhile."},
	}
	url := base + "/api/v1/actions/claim"
	g.Tools = []Tool{
		{"n8n", "n8n", "An HTTP Request node before each node that changes something.", []Setting{
			{"Method", "POST"}, {"URL", url}, {"Authentication", "Generic Credential Type, Header Auth: name Authorization, value Bearer cs_..."},
			{"Send Headers", "Idempotency-Key: {{ $execution.id }}-{{ $itemIndex }}-create-crm-task, with the control that is claimed"}, {"Send Body", "Body Content Type JSON, Specify Body Using JSON"},
			{"JSON", "worker: {{ $execution.id }}-{{ $itemIndex }}, and input with the fields that the identity rule reads"},
			{"Options, Response", "Include Response Headers and Status on, Never Error on"}, {"Settings, Retry On Fail", "on, for when no answer comes: a repeat carries the same Idempotency-Key"},
		}, "A Switch node on {{ $json.statusCode }}: 201 leads to the node that acts, 429 and 503 to a Wait node and back to the claim, everything else to an end of its own. {{ $json.body.destination_key }}, {{ $json.body.action_id }} and {{ $json.body.claim_token }} go into the nodes after it. The node that acts leads on error to a report of unknown."},
		{"make", "Make", "An HTTP module, Make a request, before each module that changes something.", []Setting{
			{"URL", url}, {"Method", "POST"}, {"Headers", "Authorization: Bearer cs_... and Idempotency-Key: {{var.scenario.executionId}}-create-crm-task, or a keychain of the type API key"},
			{"Body type", "Raw, content type JSON (application/json)"}, {"Request content", "the body above, with worker {{var.scenario.executionId}}"},
			{"Parse response", "Yes"}, {"Evaluate all states as errors", "No, so that 409 reaches the router; “Return error if HTTP request fails” in the newer module"},
		}, "A Router with filters on Status code: 201 leads to the module that acts, everything else stops. Add an error handler to the module that acts which reports unknown. Bundles of one run need a worker and an Idempotency-Key of their own: append the record’s position."},
		{"zapier", "Zapier", "Webhooks by Zapier, Custom Request, before each action that changes something.", []Setting{
			{"Method", "POST"}, {"URL", url}, {"Data", "the body above, with worker set to the run’s own id from an earlier step"},
			{"Headers", "Authorization | Bearer cs_..., Content-Type | application/json, Idempotency-Key | the same run id with -create-crm-task"},
		}, "An answer of 400 and above ends the Zap at this step, so nothing acts. To go on after 409 with the winner’s result, make the call in a Code by Zapier step with fetch, and branch with Paths on its status."},
	}
	return g
}
