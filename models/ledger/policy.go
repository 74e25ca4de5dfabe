package ledger

import (
	"slices"

	"countersign/models"
)

// Every policy function returns nil, or a Forbidden that says why. Pages call
// them to show a button, commands to allow what the button does.

// Parties are the people of the workflow that a review item or action belongs to.
type Parties struct{ Owner, Reviewer int64 }

// MayDecideReview: a reviewer or the workflow's business owner, or a delegate,
// who did not ask, nor whose automation did, nor who stands in for such a one.
func MayDecideReview(by models.Actor, p Parties, item ReviewItem) error {
	switch {
	case !by.Has(models.Reviewer) && !by.ActsAs(p.Owner, models.BusinessOwner) && !by.ActsAs(p.Reviewer, models.Reviewer):
		return models.Forbiddenf("Only a reviewer or the workflow’s business owner decides a review item.")
	case by.Is(item.AskedBy) || by.Is(item.AskedFor) || slices.ContainsFunc(item.Askers, by.Is):
		return models.Forbiddenf("You, or somebody you stand in for, asked for this. Somebody else decides it.")
	}
	return nil
}

// MayAppeal: anybody but a viewer or somebody who is only an admin.
func MayAppeal(by models.Actor) error { return works(by, "appeals a refusal") }

// MayLookUp: an implementer, reviewer, approver or business owner.
func MayLookUp(by models.Actor) error { return works(by, "records a lookup") }

// MayReportDuplicate: an implementer, reviewer, approver or business owner.
func MayReportDuplicate(by models.Actor) error { return works(by, "reports a duplicate") }

// MaySettleDuplicate: an implementer, reviewer, approver or business owner.
func MaySettleDuplicate(by models.Actor) error { return works(by, "settles a duplicate") }

// MayAttach: an implementer, reviewer, approver or business owner.
func MayAttach(by models.Actor) error { return works(by, "attaches evidence") }

// mayKeep: a reviewer lets personal data stay in evidence, with a reason.
func mayKeep(by models.Actor) error {
	if by.Has(models.Reviewer) {
		return nil
	}
	return models.Forbiddenf("Only a reviewer lets personal data stay, with a reason.")
}

func works(by models.Actor, what string) error {
	if by.Has(models.Implementer, models.Reviewer, models.Approver, models.BusinessOwner) {
		return nil
	}
	return models.Forbiddenf("A viewer or admin does not do this. An implementer, reviewer, approver or business owner %s.", what)
}
