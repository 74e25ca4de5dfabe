package reference

const fixedKeys = "Fixed keys: worker and Idempotency-Key are made of the run, the place in it and the call. A repeat within the run sends the same, and no other run ever does."

func n8n(base string) Tool {
	send := func(path, key, body string) ([]Setting, string) {
		return []Setting{{"Method, URL", "`POST` `" + base + "/api/v1/" + path + "`"}, {"Authentication", "Generic Credential Type, Header Auth: name `Authorization`, value `Bearer cs_...`"},
			{"Send Headers", "`Idempotency-Key`: `{{ $('Call').item.json.run }}-" + key + "`"}, {"Send Body", "JSON, Using JSON, as an expression: the text below"},
			{"Options, Response", "Include Response Headers and Status on, Never Error on"}, {"Settings", "Retry On Fail on, for when no answer comes"}}, body
	}
	part := func(title, text, path, key, body string) Part {
		settings, body := send(path, key, body)
		return Part{title, text, settings, body}
	}
	return Tool{"n8n", "n8n", "Nodes in this order, with exactly these names: later nodes read from them by name. `$json` and `$itemIndex` mean something else after a Switch or on the way back from a Wait, so only the first node uses them. " + fixedKeys, []Part{
		{"Call, an Edit Fields node", "Behind the Webhook node. It gives each record its run.", []Setting{{"run", "`{{ $execution.id }}-{{ $itemIndex }}`"}, {"event_id", "`{{ $json.body.event_id }}`"},
			{"request_id", "`{{ $json.body.request_id }}`"}, {"version", "`{{ $json.body.approved_version }}`"}}, ""},
		part("Deliver, an HTTP Request node", "", "deliveries", "deliver", `{{ JSON.stringify({
  workflow: 'service-request', environment: 'sandbox', sender: 'web-form',
  event_id: $('Call').item.json.event_id,
  business_record_id: $('Call').item.json.request_id,
  source_version: $('Call').item.json.version
}) }}`),
		{"Arrived, a Switch node", "", []Setting{{"Go on", "`{{ [200, 201].includes($json.statusCode) }}` leads to Claim"}, {"Otherwise", "An end of its own: a person looks at it, or the set-up is wrong"}}, ""},
		part("Claim, an HTTP Request node", "One for each effect. `lease_seconds` is longer than the node that acts can take, its Timeout option included: 3600 at most. A heartbeat cannot be sent while one node runs.", "actions/claim", "claim-create-crm-task", `{{ JSON.stringify({
  control: 'create-crm-task', environment: 'sandbox',
  delivery_id: $('Deliver').item.json.body.first_delivery_id || $('Deliver').item.json.body.delivery_id,
  input: { request_id: $('Call').item.json.request_id, approved_version: $('Call').item.json.version },
  worker: 'n8n-' + $('Call').item.json.run,
  lease_seconds: 300
}) }}`),
		{"Claimed, a Switch node", "The first rule that holds.", []Setting{{"Act", "`{{ $json.statusCode === 201 }}` leads to the node that acts"},
			{"Done before", "`{{ $json.body.code === 'already' && $json.body.state === 'succeeded' }}` leads past it, to the next effect, with `{{ $('Claim').item.json.body.destination_result_id }}`"},
			{"Again", "`{{ $runIndex < 10 && ($json.body.code === 'idempotency_running' || [408, 429, 500, 503].includes($json.statusCode)) }}` leads to a Wait node of 30 seconds and back to Claim"},
			{"Otherwise", "An end of its own; the table above says who looks at it"}}, ""},
		{"Act, the node that changes something", "On Error: Continue (using error output).", []Setting{{"Idempotency key", "`{{ $('Claim').item.json.body.destination_key }}`, where the destination takes one"},
			{"Success", "leads to Report success"}, {"Error", "leads to Report unknown"}}, ""},
		part("Report success, an HTTP Request node", "`$json` is what Act answered.", "actions/{{ $('Claim').item.json.body.action_id }}/outcome", "outcome-create-crm-task", `{{ JSON.stringify({
  claim_token: $('Claim').item.json.body.claim_token,
  outcome: 'succeeded',
  destination_result_id: $json.id
}) }}`),
		part("Report unknown, an HTTP Request node", "Also for what is probably a failure: a person or a lookup finds out.", "actions/{{ $('Claim').item.json.body.action_id }}/outcome", "unknown-create-crm-task", `{{ JSON.stringify({
  claim_token: $('Claim').item.json.body.claim_token,
  outcome: 'unknown',
  detail: 'The destination did not answer as expected.'
}) }}`),
	}}
}

func makeTool(base string) Tool {
	part := func(title, text, path, key, body string) Part {
		return Part{title, text, []Setting{{"URL, Method", "`" + base + "/api/v1/" + path + "` `POST`"}, {"Headers", "`Authorization`: `Bearer cs_...`, `Idempotency-Key`: `{{var.scenario.executionId}}-{{1.request_id}}-" + key + "`"},
			{"Body type", "Raw, content type JSON (application/json)"}, {"Parse response", "Yes"}, {"Evaluate all states as errors", "No, so that 409 reaches the router; “Return error if HTTP request fails” in the newer module"}}, body}
	}
	return Tool{"make", "Make", "Module 1 is the webhook; the numbers in the texts are those of the modules. Where a value may hold quotation marks, build the same text with Create JSON. " + fixedKeys, []Part{
		part("2, HTTP: Make a request (deliver)", "", "deliveries", "deliver", `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form",
 "event_id": "{{1.event_id}}", "business_record_id": "{{1.request_id}}", "source_version": "{{1.approved_version}}"}`),
		part("3, HTTP: Make a request (claim)", "Behind a filter: Status code of 2 is 200 or 201. One for each effect. `lease_seconds` is longer than the module that acts can take: 3600 at most. A heartbeat cannot be sent while a module runs.", "actions/claim", "claim-create-crm-task", `{"control": "create-crm-task", "environment": "sandbox",
 "delivery_id": "{{ifempty(2.data.first_delivery_id; 2.data.delivery_id)}}",
 "input": {"request_id": "{{1.request_id}}", "approved_version": {{1.approved_version}}},
 "worker": "make-{{var.scenario.executionId}}-{{1.request_id}}", "lease_seconds": 300}`),
		{"4, a Router", "", []Setting{{"Act", "Status code of 3 is 201: leads to the module that acts"}, {"Done before", "`{{3.data.code}}` is `already` and `{{3.data.state}}` is `succeeded`: leads past it, to the next effect, with `{{3.data.destination_result_id}}`"},
			{"Again", "Status code is 408, 429, 500 or 503, or `{{3.data.code}}` is `idempotency_running`: a Sleep module of 30 seconds, then module 3 and the Router once more, with the same key and body"}, {"Fallback", "Ends here; the table above says who looks at it"}}, ""},
		part("6, HTTP: Make a request (outcome)", "Behind the module that acts, here 5, which sends `{{3.data.destination_key}}` where the destination takes an idempotency key.", "actions/{{3.data.action_id}}/outcome", "outcome-create-crm-task", `{"claim_token": "{{3.data.claim_token}}", "outcome": "succeeded", "destination_result_id": "{{5.data.id}}"}`),
		{"Error handler of 5", "The same request with another body, then Ignore.", nil, `{"claim_token": "{{3.data.claim_token}}", "outcome": "unknown", "detail": "The destination did not answer as expected."}`},
	}}
}

func zapier(base string) Tool {
	return Tool{"zapier", "Zapier", "Webhooks by Zapier ends the Zap at an answer of 400 and above, also at 409 `already`. A Code by Zapier step with fetch reads every answer. It makes its own run, so a replay of the Zap is a new run, and the claim tells it what was done before.", []Part{
		{"Claim, Code by Zapier (JavaScript)", "", []Setting{{"Input Data", "`token`, `event_id`, `request_id` and `version`, from the trigger and your storage"}}, `const run = 'zapier-' + require('crypto').randomUUID();
async function call(path, body) {
  let answer = {status: 0, body: {}};
  for (let i = 0; i < 3; i++) {
    try {
      const r = await fetch('` + base + `/api/v1/' + path, {
        method: 'POST', body: JSON.stringify(body),
        headers: {'Authorization': 'Bearer ' + inputData.token, 'Content-Type': 'application/json',
                  'Idempotency-Key': run + '-' + path.replaceAll('/', '-')}});
      answer = {status: r.status, body: await r.json()};
    } catch (e) { answer = {status: 0, body: {}}; }
    const again = [0, 408, 429, 500, 503].includes(answer.status) || answer.body.code === 'idempotency_running';
    if (!again) break;
    await new Promise(done => setTimeout(done, 2000));
  }
  return answer;
}
const delivery = await call('deliveries', {
  workflow: 'service-request', environment: 'sandbox', sender: 'web-form',
  event_id: inputData.event_id, business_record_id: inputData.request_id, source_version: inputData.version});
if (![200, 201].includes(delivery.status)) return {go: 'stop', status: delivery.status};
const claim = await call('actions/claim', {
  control: 'create-crm-task', environment: 'sandbox',
  delivery_id: delivery.body.first_delivery_id || delivery.body.delivery_id,
  input: {request_id: inputData.request_id, approved_version: Number(inputData.version)},
  worker: run, lease_seconds: 600});
const done = claim.body.code === 'already' && claim.body.state === 'succeeded';
return {go: claim.status === 201 ? 'act' : done ? 'done' : 'stop', status: claim.status, run, ...claim.body};`},
		{"Paths", "", []Setting{{"Act", "`go` is `act`: the step that acts, with `destination_key` where the destination takes one, then Report"}, {"Done before", "`go` is `done`: the next effect, with `destination_result_id`"}, {"Otherwise", "`stop` ends here; the table above says who looks at it"}}, ""},
		{"Report, Webhooks by Zapier, Custom Request", "Also as the error handler of the step that acts, with outcome unknown, a detail and no result. `lease_seconds` above is longer than that step can take: 3600 at most. A Zap sends no heartbeat.", []Setting{{"Method, URL", "`POST` `" + base + "/api/v1/actions/` and `action_id` of Claim and `/outcome`"},
			{"Headers", "`Authorization`: `Bearer cs_...`, `Content-Type`: `application/json`, `Idempotency-Key`: `run` of Claim and `-outcome`"}, {"Data", "The text below, with the fields of Claim and of the step that acts"}}, `{"claim_token": "(claim_token of Claim)", "outcome": "succeeded", "destination_result_id": "(id of the step that acts)"}`},
	}}
}
