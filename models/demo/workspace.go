package demo

import (
	"countersign/models/workflow"
)

// The demo workflow.
const workflowSlug = "service-request"

var environments = []string{"sandbox", "production"}

// account is the slug of a system's account in an environment.
func account(system, environment string) string {
	if environment == "production" {
		return system + "-demo-01"
	}
	return system + "-sandbox-01"
}

func (l *loader) environments() error {
	for _, e := range []struct {
		slug string
		workflow.EnvironmentFacts
	}{
		{"sandbox", workflow.EnvironmentFacts{Name: "Sandbox", Kind: workflow.KindTest, Reach: workflow.ReachCannot}},
		{"production", workflow.EnvironmentFacts{Name: "Production", Kind: workflow.KindProduction, Reach: workflow.ReachCan}},
	} {
		if _, err := workflow.CreateEnvironment(l.ctx, l.db, l.admin, workflow.CreateEnvironmentCmd{Once: once("environment"), Slug: e.slug, EnvironmentFacts: e.EnvironmentFacts}); err != nil {
			return err
		}
		if _, err := workflow.ConfirmReach(l.ctx, l.db, l.owner, workflow.EnvironmentCmd{Once: once("reach"), Slug: e.slug, Version: 1}); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) workflow() error {
	_, err := workflow.Create(l.ctx, l.db, l.implementer, workflow.CreateCmd{Once: once("workflow"), Slug: workflowSlug, Facts: workflow.Facts{
		Name:            "Service request intake",
		Description:     "A customer asks for a visit in the web form. A task is created for the team, a confirmation is sent and the visit is booked.",
		BusinessOwnerID: l.owner.ID, ImplementerID: l.implementer.ID, ReviewerID: l.reviewer.ID, ReviewDate: l.day(180),
		IncidentPlanURL: "https://docs.example.test/service-request/incidents", HelpContact: "Service desk, extension 100", PolicyID: l.policyID, VersionOrder: workflow.VersionsInteger,
	}})
	if err != nil {
		return err
	}
	_, err = workflow.CreateSender(l.ctx, l.db, l.implementer, workflow.CreateSenderCmd{Once: once("sender"), Workflow: workflowSlug, Slug: "web-form", Checked: true, SenderFacts: workflow.SenderFacts{
		Name: "Web form", EventIDField: "$.event_id", Duplicates: workflow.DuplicatesPossible, Ordering: workflow.OrderNotGuaranteed,
		RetrySchedule: "After 1, 5 and 30 minutes, then hourly", RetryHorizonHours: "24", ResendHorizonHours: "720",
		Signature: "HMAC-SHA256 of the body in the header x-form-signature", VersionField: "$.approved_version", ChangingFields: "sent_at, attempt",
		DocURL: "https://docs.example.test/web-form/webhooks",
	}})
	return err
}

// destinations makes an account in each environment with its one operation.
func (l *loader) destinations() error {
	for _, d := range []struct {
		key, system, opSlug string
		operation           workflow.OperationFacts
		checked             bool
	}{
		{"crm", "CRM", "create-task", workflow.OperationFacts{Name: "Create task", Call: "POST /tasks", Mechanism: workflow.NoMechanism,
			RepeatReturns: "A second task with its own ID.", LookupMethod: "GET /tasks?external_reference=", DocURL: "https://docs.example.test/crm/tasks"}, true},
		{"mail", "Mail service", "send-message", workflow.OperationFacts{Name: "Send message", Call: "POST /messages", Mechanism: workflow.Documented, KeyField: "Idempotency-Key header",
			KeyLifetimeHours: "24", RepeatReturns: "The first answer, errors included.", SameKeyOtherData: "Refused with status 422.", LookupMethod: "GET /messages?key=",
			DocURL: "https://docs.example.test/mail/messages"}, true},
		{"booking", "Booking system", "book-visit", workflow.OperationFacts{Name: "Book visit", Call: "POST /visits", Mechanism: workflow.NotChecked,
			LookupMethod: "GET /visits?reference=", DocURL: "https://docs.example.test/booking/visits"}, false},
	} {
		for _, environment := range environments {
			account := account(d.key, environment)
			if _, err := workflow.CreateDestination(l.ctx, l.db, l.implementer, workflow.CreateDestinationCmd{Once: once("destination"), Slug: account, Environment: environment,
				DestinationFacts: workflow.DestinationFacts{System: d.system, Account: account}}); err != nil {
				return err
			}
			if _, err := workflow.CreateOperation(l.ctx, l.db, l.implementer, workflow.CreateOperationCmd{Once: once("operation"), Destination: account, Slug: d.opSlug,
				Checked: d.checked, OperationFacts: d.operation}); err != nil {
				return err
			}
		}
	}
	return nil
}
