package demo

import (
	"countersign/models/control"
	"countersign/models/identity"
)

// story is one control of the demo workflow: what its people answered.
type story struct {
	slug, name string
	system     string // slug part of its destinations
	sentence   string // the business owner's own words
	operation  string // slug of the operation in each environment
	retries    string
	reviewIn   int               // days from the first load to its review date
	texts      map[string]string // text answers by field
	rules      map[string]control.Input
}

// common are the answers that the three controls share.
var common = map[string]string{
	"approved_version":   "$.approved_version, an integer that rises with each approved change of a request. Absent means 1.",
	"missing_identifier": "A notification without event ID or request ID goes to review. Nothing is guessed from names, addresses or times.",
	"atomic_claim":       "One claim in Countersign before the call. The unique key is the identity of the action.",
	"late_update":        "The approved version is compared with the newest one accepted for the request. An older one is stale, whatever the order of arrival.",
	"outcome_tracking":   "Succeeded needs the ID that the destination gave. Failed needs proof that nothing was sent or that it was refused. Everything else, time-outs included, is unknown.",
	"partial_success":    "Each effect of a request has its own action. Only the unresolved one is taken up again; the others are out of reach.",
	"escalation_trigger": "A request that nobody decided within 60 minutes moves up to the Lead approver. Time passing approves nothing.",
	"after_expiry":       "An undecided request expires after 7 days and is listed for the Business owner, who asks again or closes it with the customer.",
	"stop_condition":     "No further attempt while the outcome is unknown and no lookup made after the last attempt says that nothing was created.",
	"input_validation":   "The form's fields are checked against its published schema. What does not match is kept and never acted on.",
	"authorization":      "Only the workflow's own token may claim this action. It is bound to one environment.",
	"signature_checks":   "The sender signs each notification with a shared secret. A wrong or missing signature is refused before anything else is read.",
	"monitoring":         "The implementer is told about unknown outcomes and stalled owners at once, and reads the daily count of duplicates.",
}

var stories = []story{
	{
		slug: "create-crm-task", reviewIn: 180, name: "Create CRM task", system: "crm", operation: "create-task", retries: "0",
		sentence: "If the same request arrives twice, our team must see one task, not two. When nobody knows whether the task was created, a person looks before anything is tried again.",
		rules: map[string]control.Input{
			"action_identity": rule(identity.IntendedEffect, "One task for one request in one CRM account. The same request again means the same task.",
				"Two requests of one customer, and the same request in another environment.", request),
			"legitimate_repeat": rule(identity.LegitimateRepeat, "A new request from the same customer has its own request ID and gets its own task.",
				"A new request and the same request sent again.", request, approved),
		},
		texts: map[string]string{
			"exact_effect":          "One task is created in the CRM for each service request.",
			"simultaneous_workers":  "The first worker's state and, once known, the task ID. It does not call the CRM.",
			"same_operation":        "The CRM documents no idempotency key. A retry is allowed only after a lookup by request ID found no task.",
			"stalled_owner":         "Its lease ends after a minute and the outcome is unknown. The implementer searches the CRM by request ID before work resumes.",
			"lookup_method":         "GET /tasks?external_reference= with the request ID. Found: the task ID is recorded. Not found: it goes to the queue.",
			"destination_result_id": "The task ID that the CRM returns.",
		},
	},
	{
		slug: "send-confirmation", reviewIn: 120, name: "Send confirmation", system: "mail", operation: "send-message", retries: "2",
		sentence: "A customer must not get the same confirmation twice. Two confirmations with different times are worse than none.",
		rules: map[string]control.Input{
			"action_identity": rule(identity.IntendedEffect, "One confirmation for one approved version of a request in one mail account.",
				"A changed request and the same request sent again.", request, approved),
			"legitimate_repeat": rule(identity.LegitimateRepeat, "An approved change of the request gets a new confirmation with the changed details.",
				"An approved change and the same version sent again.", request, approved),
		},
		texts: map[string]string{
			"exact_effect":          "One confirmation message is handed to the mail service for each request and approved version.",
			"simultaneous_workers":  "The first worker's state and, once known, the message ID. It does not call the mail service.",
			"same_operation":        "Each attempt sends the same idempotency key. The mail service documents that it keeps keys for 24 hours.",
			"stalled_owner":         "The message is looked up by its key. Without a result the Approver decides.",
			"lookup_method":         "GET /messages?key= with the destination key, for 24 hours after the first attempt.",
			"destination_result_id": "The message ID that the mail service returns.",
		},
	},
	{
		slug: "book-visit", reviewIn: 0, name: "Book visit", system: "booking", operation: "book-visit", retries: "0",
		sentence: "The customer must not find two visits in the calendar because our form was sent twice.",
		rules: map[string]control.Input{
			"action_identity": rule(identity.IntendedEffect, "One visit for one request in one booking account.",
				"Two requests of one customer.", request),
		},
		texts: map[string]string{
			"exact_effect":          "One confirmed appointment in the booking system for the request, at the agreed time slot.",
			"simultaneous_workers":  "The first worker's state and, once known, the visit ID. It does not call the booking system.",
			"same_operation":        "Not documented by the booking system. A retry is allowed only after a lookup by reference found no visit.",
			"destination_result_id": "The visit ID that the booking system returns.",
		},
	},
}

// open are the fields of the draft that nobody has answered yet.
var open = map[string]bool{"late_update": true, "stalled_owner": true, "lookup_method": true, "legitimate_repeat": true, "after_expiry": true, "monitoring": true, "review_date": true}

// input turns one answer of a story into what a person would type.
func (s story) input(f control.Field, operations map[string]int64, reviewDate string) (control.Input, bool) {
	in := control.Input{State: control.Answered}
	switch f.Key {
	case "environment":
		in.Environments = []string{"sandbox", "production"}
	case "review_date":
		in.Date = reviewDate
	case "sender":
		in.Sender = "web-form"
	case "operation":
		in.Operations = operations
	case "manual_approver":
		in.Policy = policySlug + "@1"
	case "mode":
		in.Mode = "enforce"
	case "automatic_retries":
		in.Number = s.retries
	case "retry_window":
		in.Number, in.Basis = "24", "The web form sends a notification again for up to 24 hours."
	case "evidence_retention":
		in.Number, in.Basis = "90", "Longer than the sender's manual resend horizon of 30 days."
	case "transport_event", "business_record", "action_identity", "legitimate_repeat":
		typed, ok := s.rules[f.Key]
		if !ok {
			typed, ok = commonRules[f.Key]
		}
		return typed, ok
	default:
		in.Text = s.texts[f.Key]
		if in.Text == "" {
			in.Text = common[f.Key]
		}
		return in, in.Text != ""
	}
	return in, true
}
