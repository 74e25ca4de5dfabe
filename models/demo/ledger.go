package demo

import (
	"encoding/json"
	"errors"
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/people"
	"countersign/models/replay"
)

// played is one request as its automation played it: what arrived, who claimed
// it and what became of that.
type played struct {
	event, record, version string
	environment, control   string
	worker                 string
	lease                  int // seconds; 0: long enough to be reported
	outcome                ledger.State
	result, detail         string
	lookups                []ledger.LookupCmd
	again                  string // the event of a second notification whose claim is refused
}

const task = "create-crm-task"

// plays leave request-demo-01 to 20 free in the sandbox, for whoever tries the API there.
var plays = []played{
	{event: "event-demo-01", record: "request-demo-01", environment: "production", control: task, worker: "worker-a", outcome: ledger.Unknown, detail: "No answer in 30 s. The CRM may have created the task.", again: "event-demo-02",
		lookups: []ledger.LookupCmd{{Method: "GET /tasks?external_id=request-demo-01", Result: ledger.Inconclusive, Detail: "The CRM answered 503."},
			{Method: "GET /tasks?external_id=request-demo-01", Result: ledger.NotFound, Detail: "0 records. The count is 412, unchanged."}}},
	{event: "event-demo-03", record: "request-demo-02", environment: "production", control: task, worker: "worker-b", outcome: ledger.Succeeded, result: "task-demo-02", again: "event-demo-03"},
	{event: "event-demo-04", record: "request-demo-03", environment: "production", control: task, worker: "worker-a", outcome: ledger.Failed, detail: "The CRM rejected it: 422, the owner of the account is missing."},
	{event: "event-demo-05", record: "request-demo-04", environment: "production", control: task, worker: "worker-d", lease: ledger.MinLease},
	{event: "event-demo-09", record: "request-demo-05", environment: "production", control: task, worker: "worker-b", lease: ledger.MaxLease},
	{event: "event-demo-21", record: "request-demo-21", environment: "sandbox", control: task, worker: "worker-a", outcome: ledger.Succeeded, result: "task-demo-21"},
	{record: "request-demo-21", environment: "sandbox", control: "send-confirmation", worker: "worker-a", outcome: ledger.Failed, detail: "Not sent: the mail service answered 503 before it took the message."},
	{record: "request-demo-21", environment: "sandbox", control: "book-visit", worker: "worker-a", outcome: ledger.Unknown, detail: "The connection broke after the booking was sent."},
}

// ledger plays what automations recorded: deliveries, claims, outcomes and
// lookups, and what waits for a person.
func (l *loader) ledger() error {
	desk := ledger.NewDesk(l.db, false)
	l.tokens = map[string]int64{}
	for _, e := range environments {
		made, err := people.CreateTokenByCommand(l.ctx, l.db, people.CreateTokenByCommandCmd{Once: once("token"), TokenFacts: people.TokenFacts{Name: "Intake flow", Workflow: workflowSlug, Environment: e}})
		if err != nil {
			return err
		}
		l.tokens[e] = made.ID
	}
	for _, p := range plays {
		if err := l.play(desk, p); err != nil {
			return fmt.Errorf("%s of %s: %w", p.control, p.record, err)
		}
	}
	for _, d := range []ledger.DeliverCmd{
		{Event: "event-demo-06", Version: "1"},                            // no record: needs review
		{Event: "event-demo-03", Record: "request-demo-07", Version: "1"}, // the same event with another record: needs review
		{Event: "event-demo-07", Record: "request-demo-06", Version: "2"}, // accepted
		{Event: "event-demo-08", Record: "request-demo-06", Version: "1"}, // stale
	} {
		if _, err := l.deliver("other", "production", d); err != nil {
			return err
		}
	}
	if err := l.askAgain("request-demo-01"); err != nil {
		return err
	}
	return l.appeal("request-demo-02", "The customer called and asked for a second visit to another address.")
}

// askAgain asks for another try of a record's task. Asked twice it is one request.
func (l *loader) askAgain(record string) error {
	var action int64
	err := l.db.Query(l.ctx).Raw("select a.id from actions a join environments e on e.id = a.environment_id where a.record_id = ? and e.slug = 'production' order by a.id limit 1", record).Row().Scan(&action)
	if err != nil {
		return err
	}
	_, err = replay.Ask(l.ctx, l.db, l.automation("production"), replay.AskCmd{Once: once("ask %d", action), Action: action,
		Reason: "The customer waits, and the CRM shows no task for this request.", Uncertain: "The attempt got no answer within 30 seconds. The CRM may or may not have created the task."})
	return err
}

func (l *loader) deliver(step, environment string, cmd ledger.DeliverCmd) (ledger.Delivered, error) {
	cmd.Once = once("%s delivery %s %s", step, cmd.Event, cmd.Record)
	cmd.Workflow, cmd.Environment, cmd.Sender = workflowSlug, environment, "web-form"
	cmd.Payload = payload(cmd.Event, cmd.Record, cmd.Version)
	return ledger.Deliver(l.ctx, l.db, l.automation(environment), cmd)
}

// automation is the caller of an environment's token, which counts as the implementer.
func (l *loader) automation(environment string) ledger.Caller {
	return ledger.Caller{Person: l.implementer, Token: l.tokens[environment]}
}

func payload(event, record, version string) json.RawMessage {
	body, _ := json.Marshal(map[string]string{"event_id": event, "request_id": record, "approved_version": version})
	return body
}

// play takes one request as far as its story goes. What a load that was killed
// did before is not done again; an attempt whose lease ended meanwhile stays so.
func (l *loader) play(desk *ledger.Desk, p played) error {
	if p.version == "" {
		p.version = "1"
	}
	var delivery int64
	if p.event != "" {
		d, err := l.deliver("first", p.environment, ledger.DeliverCmd{Event: p.event, Record: p.record, Version: p.version})
		if err != nil {
			return err
		}
		delivery = d.Delivery
	}
	claim := ledger.ClaimCmd{Once: once("claim %s %s", p.control, p.record), Control: p.control, Environment: p.environment, Worker: p.worker, Delivery: delivery, LeaseSeconds: p.lease,
		Input: json.RawMessage(fmt.Sprintf(`{"request_id": %q}`, p.record))}
	if p.outcome != "" {
		claim.LeaseSeconds = ledger.MaxLease
	}
	by := l.automation(p.environment)
	a, err := desk.Claim(l.ctx, by, claim)
	var refused *ledger.Refusal
	switch {
	case errors.As(err, &refused) && (refused.Code == ledger.CodeLeaseEnded || refused.Code == ledger.CodeAlready): // or a load that was killed a day ago
		return nil
	case err != nil || p.outcome == "":
		return err
	}
	if _, err := ledger.Outcome(l.ctx, l.db, by, ledger.OutcomeCmd{Once: once("outcome %d", a.Action), Action: a.Action, ClaimToken: a.ClaimToken, Outcome: p.outcome, Result: p.result, Detail: p.detail}); err != nil {
		return err
	}
	for i, look := range p.lookups {
		look.Once, look.Action = once("lookup %d %d", a.Action, i), a.Action
		if _, err := ledger.Lookup(l.ctx, l.db, by, look); err != nil {
			return err
		}
	}
	if p.again == "" {
		return nil
	}
	return l.again(desk, p, claim, a.Action)
}

// again is a second notification of the same request, whose claim is refused.
func (l *loader) again(desk *ledger.Desk, p played, claim ledger.ClaimCmd, action int64) error {
	d, err := l.deliver("second", p.environment, ledger.DeliverCmd{Event: p.again, Record: p.record, Version: p.version})
	if err != nil {
		return err
	}
	var kept bool
	if err := l.db.Query(l.ctx).Raw("select exists (select 1 from suppressed_claims where action_id = ?)", action).Row().Scan(&kept); err != nil || kept {
		return err
	}
	claim.Once, claim.Worker, claim.Delivery = models.Once{}, "worker-c", d.Delivery
	_, err = desk.Claim(l.ctx, l.automation(p.environment), claim)
	var refused *ledger.Refusal
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// appeal says that the refused claim of a record was a real second request.
func (l *loader) appeal(record, why string) error {
	var claim int64
	if err := l.db.Query(l.ctx).Raw("select coalesce(min(id), 0) from suppressed_claims where record_id = ? and code = 'already'", record).Row().Scan(&claim); err != nil || claim == 0 {
		return err
	}
	_, err := ledger.Appeal(l.ctx, l.db, l.implementer, ledger.AppealCmd{Once: once("appeal %s", record), Suppressed: claim, Reason: why})
	return err
}
