package workflow

import "countersign/models"

// Every policy function returns nil, or a Forbidden that says why. Pages call
// them to show a button, commands to allow what the button does.

// MayCreate: implementers, business owners and admins.
func MayCreate(by models.Actor) error {
	if by.Has(models.Implementer, models.BusinessOwner, models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an implementer, a business owner or an admin may write a workflow.")
}

// MayEdit: an implementer, an admin, the workflow's business owner or their
// delegate. It covers the workflow's senders and archiving too.
func MayEdit(by models.Actor, w Workflow) error {
	if by.Has(models.Implementer, models.Admin) || ownsInPersonOrFor(by, w) {
		return nil
	}
	return models.Forbiddenf("Only an implementer, an admin or the workflow’s business owner may change it.")
}

// MayStop: anyone but a viewer.
func MayStop(by models.Actor) error {
	if by.Has(models.BusinessOwner, models.Implementer, models.Reviewer, models.Approver, models.Admin) {
		return nil
	}
	return models.Forbiddenf("A viewer may not stop a workflow. Tell somebody with another role.")
}

// MayLift: the workflow's business owner, or their delegate.
func MayLift(by models.Actor, w Workflow) error {
	if ownsInPersonOrFor(by, w) {
		return nil
	}
	return models.Forbiddenf("Only the workflow’s business owner, or their delegate, may lift a stop.")
}

func ownsInPersonOrFor(by models.Actor, w Workflow) bool {
	return by.ActsAs(w.BusinessOwnerID, models.BusinessOwner)
}

// standingFor is the person a delegate stands for when they change w: 0 when
// they may do it as themselves.
func standingFor(by models.Actor, w Workflow) int64 {
	if by.Has(models.Implementer, models.Admin) {
		return 0
	}
	forPerson, _ := by.ActsFor(w.BusinessOwnerID)
	return forPerson
}

// MaySetEnvironments: admins make, edit and archive environments.
func MaySetEnvironments(by models.Actor) error {
	if by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an admin may set up environments.")
}

// MayConfirmReach: a business owner who did not say it themselves, nor stands
// in for whoever did.
func MayConfirmReach(by models.Actor, e Environment) error {
	switch {
	case !by.Has(models.BusinessOwner):
		return models.Forbiddenf("Only a business owner may confirm whether an environment can reach customers.")
	case by.Is(e.ReachSetBy):
		return models.Forbiddenf("You, or the person you stand in for, said this. Another business owner confirms it.")
	}
	return nil
}

// MaySetPolicies: admins make, edit and archive escalation policies.
func MaySetPolicies(by models.Actor) error {
	if by.Has(models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an admin may set up escalation policies.")
}

// MaySetDestinations: implementers and admins make, edit and archive destinations.
func MaySetDestinations(by models.Actor) error {
	if by.Has(models.Implementer, models.Admin) {
		return nil
	}
	return models.Forbiddenf("Only an implementer or an admin may change a destination.")
}

// MaySetOperations: implementers write down what an operation's documentation says.
func MaySetOperations(by models.Actor) error {
	if by.Has(models.Implementer) {
		return nil
	}
	return models.Forbiddenf("Only an implementer may write down what an operation’s documentation says.")
}
