package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
	"countersign/models/ledger"
)

// form is a delivered form of the published payloads.
type form struct {
	raw            json.RawMessage
	event, request string
	version        int
	service        string
}

func readForm(t *testing.T, name string) form {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../models/identity/testdata/payloads", name))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Headers map[string]string
		Body    struct {
			Data struct {
				Submission string `json:"submission_id"`
				Version    int    `json:"approved_version"`
				Answers    []struct{ Field, Value string }
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return form{raw: raw, event: p.Headers["webhook-id"], request: p.Body.Data.Submission, version: p.Body.Data.Version, service: p.Body.Data.Answers[0].Value}
}

// destination is a CRM without any protection of its own: every call is an effect.
type destination struct {
	mu    sync.Mutex
	made  []record
	hides bool // the effect happens, and its answer is lost
	down  bool // nothing happens
}

type record struct{ id, effect, request, service string }

// do carries out a call; ok is false when the caller sees no success.
func (d *destination) do(effect string, f form) (id string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return "", false
	}
	id = fmt.Sprintf("record-%d", len(d.made)+1)
	d.made = append(d.made, record{id, effect, f.request, f.service})
	if d.hides {
		return "", false
	}
	return id, true
}

func (d *destination) count(effect string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.made {
		if r.effect == effect {
			n++
		}
	}
	return n
}

// automation handles forms over HTTP and misbehaves wherever it can: it claims
// whatever its delivery was answered with, and never remembers what it did before.
type automation struct {
	*world
	t   *testing.T
	crm *destination
}

func newAutomation(t *testing.T) *automation {
	a := &automation{world: newWorld(t), t: t, crm: &destination{}}
	a.Exec("update senders set changing_fields = $$$.headers['webhook-timestamp']$$")
	a.reads(a.slug)
	return a
}

// reads lets a control's rules read the form.
func (a *automation) reads(slug string) {
	a.t.Helper()
	request := identity.Component{Name: "submission_id", Path: "$.body.data.submission_id"}
	version := identity.Component{Name: "approved_version", Path: "$.body.data.approved_version"}
	for key, components := range map[string][]identity.Component{
		"transport_event":   {{Name: "event", Path: "$.headers['webhook-id']"}},
		"business_record":   {request},
		"action_identity":   append(identity.ScopeComponents(), request, version),
		"legitimate_repeat": {request, version},
	} {
		f, _ := control.FieldByKey(key)
		rule := controltest.Rule(f)
		rule.Components = components
		rule.Example = `{"headers": {"webhook-id": "event-demo-01"}, "body": {"data": {"submission_id": "request-demo-01", "approved_version": 1}}}`
		a.Answer(a.Implementer, slug, key, control.Input{State: control.Answered, Rule: rule})
	}
}

func (a *automation) deliver(f form) reply {
	a.t.Helper()
	body := object{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": f.event, "source_version": f.version, "payload": f.raw}
	if f.request != "" {
		body["business_record_id"] = f.request
	}
	return a.post("deliveries", body)
}

func (a *automation) claims(control, worker string, f form, more object) reply {
	a.t.Helper()
	body := object{"control": control, "environment": "sandbox", "input": f.raw, "worker": worker, "approved_version": f.version}
	for k, v := range more {
		body[k] = v
	}
	return a.post("actions/claim", body)
}

// handle takes a form from its delivery to its effect, as far as it is let.
func (a *automation) handle(worker string, f form) (delivered, claimed reply) {
	a.t.Helper()
	delivered = a.deliver(f)
	claimed = a.claims(a.slug, worker, f, object{"delivery_id": delivered.text("delivery_id")})
	if claimed.status == 201 {
		a.act(a.slug, claimed, f)
	}
	return delivered, claimed
}

// act does what was claimed and reports what it saw.
func (a *automation) act(effect string, claimed reply, f form) {
	a.t.Helper()
	id, ok := a.crm.do(effect, f)
	switch {
	case ok:
		a.outcome(claimed, "succeeded", id, "").is(200)
	case a.crm.down:
		a.outcome(claimed, "failed", "", "Not sent: the connection was refused.").is(200)
	default:
		a.outcome(claimed, "unknown", "", "No answer in 30 s.").is(200)
	}
}

func (a *automation) effects(want int) {
	a.t.Helper()
	if n := a.crm.count(a.slug); n != want {
		a.t.Errorf("the destination has %d records, want %d", n, want)
	}
}

func TestScenarioRepeatedDelivery(t *testing.T) {
	a := newAutomation(t)
	first, second := readForm(t, "01-form-first-delivery.json"), readForm(t, "02-form-same-event-again.json")
	d1, c1 := a.handle("run-1", first)
	d1.is(201)
	c1.is(201)
	for i := range 5 {
		d2, c2 := a.handle(fmt.Sprint("run-again-", i), second)
		if d2.is(200).text("first_delivery_id") != d1.text("delivery_id") {
			t.Errorf("%s", d2.raw)
		}
		c2.refused(409, "already").standing(c1.text("action_id"), "succeeded", "record-1")
	}
	d3, c3 := a.handle("run-other", readForm(t, "06-form-event-id-reused-for-other-request.json"))
	if d3.is(202).text("disposition") != "needs_review" {
		t.Errorf("%s", d3.raw)
	}
	c3.refused(409, "in_review")
	d4, c4 := a.handle("run-missing", readForm(t, "05-form-missing-request-id.json"))
	if d4.is(202).text("disposition") != "needs_review" {
		t.Errorf("%s", d4.raw)
	}
	c4.refused(422, "identity_missing")
	a.effects(1)
}

func TestScenarioSimultaneousWorkers(t *testing.T) {
	a := newAutomation(t)
	f := readForm(t, "01-form-first-delivery.json")
	var racing sync.WaitGroup
	var mu sync.Mutex
	owners, losers := []reply{}, []reply{}
	start := make(chan struct{})
	for i := range 20 {
		racing.Go(func() {
			<-start
			body := object{"control": a.slug, "environment": "sandbox", "input": f.raw, "worker": fmt.Sprint("run-", i)}
			r, err := a.try(call{method: "POST", path: "/api/v1/actions/claim", body: body})
			if err != nil {
				t.Error(err)
				return
			}
			if r.status == 201 {
				a.crm.do(a.slug, f)
			}
			mu.Lock()
			defer mu.Unlock()
			if r.status == 201 {
				owners = append(owners, r)
			} else {
				losers = append(losers, r)
			}
		})
	}
	close(start)
	racing.Wait()
	if len(owners) != 1 || len(losers) != 19 {
		t.Fatalf("%d owners, %d others", len(owners), len(losers))
	}
	for _, r := range losers {
		r.refused(409, "already").standing(owners[0].text("action_id"), "pending", "")
	}
	a.outcome(owners[0], "succeeded", "record-1", "").is(200)
	a.effects(1)
}

func TestScenarioTimeoutAfterSuccess(t *testing.T) {
	a := newAutomation(t)
	f := readForm(t, "01-form-first-delivery.json")
	a.crm.hides = true
	_, c := a.handle("run-1", f)
	action := c.is(201).text("action_id")
	a.crm.hides = false

	// The impatient way: claim it again, try again, ask for a replay at once.
	_, again := a.handle("run-2", f)
	again.refused(409, "already").standing(action, "unknown", "")
	a.post("actions/"+action+"/retry", object{"worker": "run-3"}).refused(409, "lookup_required").standing(action, "unknown", "")
	request := a.post("actions/"+action+"/replay-requests", object{"reason": "It timed out.", "uncertain_result": "Whether the record is there."}).is(201)

	// The lookup finds what the answer hid: it is reconciled, not made again.
	a.post("actions/"+action+"/lookups", object{"method": "GET /tasks by reference", "result": "found", "destination_result_id": a.crm.made[0].id}).is(201).standing(action, "succeeded", "record-1")
	if r := a.get("replay-requests/" + request.text("ref")).is(200); r.text("state") != "overtaken" || r.text("authorization") != "" {
		t.Errorf("%s", r.raw)
	}
	a.post("actions/"+action+"/retry", object{"worker": "run-4"}).refused(409, "succeeded").standing(action, "succeeded", "record-1")
	a.handle("run-5", f)
	a.effects(1)
}

func TestScenarioOutOfOrderUpdate(t *testing.T) {
	a := newAutomation(t)
	newer, older := readForm(t, "04-form-approved-revision.json"), readForm(t, "01-form-first-delivery.json")
	_, c := a.handle("run-1", newer)
	c.is(201)
	d, late := a.handle("run-2", older)
	if d.is(202).text("disposition") != "stale" {
		t.Errorf("%s", d.raw)
	}
	if late.status != 409 {
		t.Errorf("%s", late.raw)
	}
	// Without naming its delivery it is as old.
	a.claims(a.slug, "run-3", older, nil).refused(409, "stale_version")
	a.effects(1)
	if got := a.crm.made[0].service; got != newer.service {
		t.Errorf("the destination says %q", got)
	}
}

func TestScenarioPartialSuccess(t *testing.T) {
	a := newAutomation(t)
	confirm := a.Create("Send confirmation")
	a.FillQuickly(confirm)
	a.reads(confirm)
	f := readForm(t, "01-form-first-delivery.json")
	_, task := a.handle("run-1", f)
	task.is(201)
	a.crm.down = true
	sent := a.claims(confirm, "run-1", f, nil).is(201)
	a.act(confirm, sent, f)
	a.crm.down = false

	// It runs again from the start: the effect that succeeded stays out of reach.
	_, again := a.handle("run-2", f)
	again.refused(409, "already").standing(task.text("action_id"), "succeeded", "record-1")
	a.claims(confirm, "run-2", f, nil).refused(409, "already").standing(sent.text("action_id"), "failed", "")
	a.post("actions/"+task.text("action_id")+"/retry", object{"worker": "run-2"}).refused(409, "succeeded")
	retry := a.post("actions/"+sent.text("action_id")+"/retry", object{"worker": "run-2"}).is(201)
	if retry.text("destination_key") != sent.text("destination_key") || retry.text("destination_key") == task.text("destination_key") {
		t.Errorf("%s", retry.raw)
	}
	a.act(confirm, retry, f)
	a.effects(1)
	if n := a.crm.count(confirm); n != 1 {
		t.Errorf("%d confirmations", n)
	}
	a.get("actions/"+task.text("action_id")).is(200).standing(task.text("action_id"), "succeeded", "record-1")
}

func TestScenarioLegitimateSecondRequest(t *testing.T) {
	a := newAutomation(t)
	first, second, revised := readForm(t, "01-form-first-delivery.json"), readForm(t, "03-form-same-person-new-request.json"), readForm(t, "04-form-approved-revision.json")
	seen := map[string]bool{}
	for i, f := range []form{first, second, revised} {
		d, c := a.handle(fmt.Sprint("run-", i), f)
		d.is(201)
		seen[c.is(201).text("action_id")] = true
	}
	if len(seen) != 3 {
		t.Errorf("actions %v", seen)
	}
	a.effects(3)

	// The same request again is refused, until a person says that it is a real
	// second one: then one claim may carry it, and no other.
	refused := a.claims(a.slug, "run-3", revised, nil).refused(409, "already")
	item, err := ledger.Appeal(t.Context(), a.DB, a.Implementer, ledger.AppealCmd{Suppressed: number(t, refused.text("suppressed_claim")), Reason: "The customer asked for a second visit."})
	if err != nil {
		t.Fatal(err)
	}
	carry := object{"repeat": item.Ref()}
	a.claims(a.slug, "run-4", revised, carry).refused(409, "not_approved")
	if _, err := ledger.DecideReview(t.Context(), a.DB, a.Reviewer, ledger.DecideReviewCmd{Ref: item.Ref(), Version: item.Version, Decision: ledger.AcceptReview, Reason: "Confirmed by telephone."}); err != nil {
		t.Fatal(err)
	}
	carried := a.claims(a.slug, "run-5", revised, carry).is(201)
	if seen[carried.text("action_id")] {
		t.Errorf("%s", carried.raw)
	}
	a.act(a.slug, carried, revised)
	a.claims(a.slug, "run-6", revised, carry).is(409)
	a.effects(4)
}

func number(t *testing.T, text string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatalf("%q is no number: %v", text, err)
	}
	return n
}
