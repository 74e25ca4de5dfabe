package demo

import (
	"countersign/models/workflow"
)

// The escalation policy of the demo workflow.
const policySlug = "service-request-replays"

func (l *loader) policy() error {
	ref, err := workflow.CreatePolicy(l.ctx, l.db, l.admin, workflow.CreatePolicyCmd{Once: once("policy"), Slug: policySlug, PolicyFacts: workflow.PolicyFacts{
		Name: "Service request replays", ExpiryDays: "7", AuthorizationMinutes: "30",
		Levels: []workflow.LevelFacts{{People: []int64{l.approver.ID}, Minutes: "60"}, {People: []int64{l.lead.ID}, Minutes: "30"}},
	}})
	l.policyID = ref.ID
	return err
}
