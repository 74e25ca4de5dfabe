package replay

import (
	"slices"

	"countersign/models"
	"countersign/models/workflow"
)

// Every policy function returns nil, or a Forbidden that says why. Pages call
// them to show a button, commands to allow what the button does.

// Parties are who a request concerns, as they stand today.
type Parties struct {
	Implementer int64            // of the workflow
	Asked       []int64          // who asked or supplied evidence, and whom they stood for
	Levels      []workflow.Level // of the frozen policy, people as they stand today
	Reached     int              // level
}

// MayAsk: an implementer, or the delegate of the workflow's.
func MayAsk(by models.Actor, p Parties) error {
	if by.Has(models.Implementer) || by.ActsAs(p.Implementer, models.Implementer) {
		return nil
	}
	return models.Forbiddenf("Only an implementer asks to try an action again.")
}

// MayDecide: somebody of a level that was reached, in person or as a delegate,
// who still holds the role approver, and neither asked nor supplied the
// evidence, nor stands in for somebody who did. People of the frozen policy who
// left or lost the role are skipped.
func MayDecide(by models.Actor, p Parties) error {
	if err := notAsker(by, p); err != nil {
		return err
	}
	return onLevel(by, p)
}

func notAsker(by models.Actor, p Parties) error {
	if slices.ContainsFunc(p.Asked, by.Is) {
		return models.Forbiddenf("You, or somebody you stand in for, asked for this or supplied its evidence. Somebody else decides it.")
	}
	return nil
}

func onLevel(by models.Actor, p Parties) error {
	if _, ok := standing(by, p.Levels, p.Reached); ok {
		return nil
	}
	if _, later := standing(by, p.Levels, len(p.Levels)); later {
		return models.Forbiddenf("Your level has not been reached yet. It is asked when nobody before it answers in time.")
	}
	for _, l := range p.Levels {
		for _, person := range l.People {
			if by.Is(person.ID) && !person.Able() {
				return models.Forbiddenf("You stand on level %d of the escalation policy. %s", l.Number, person.WhyNot())
			}
		}
	}
	return models.Forbiddenf("Only an approver on a level that was reached decides this request.")
}

// MaySupply: who asked, an implementer, or the delegate of the workflow's.
func MaySupply(by models.Actor, p Parties) error {
	if slices.ContainsFunc(p.Asked, by.Is) || MayAsk(by, p) == nil {
		return nil
	}
	return models.Forbiddenf("Only who asked for this, or an implementer, supplies the evidence.")
}

// MayWithdraw: who asked, an implementer, or the delegate of the workflow's.
func MayWithdraw(by models.Actor, p Parties) error {
	if slices.ContainsFunc(p.Asked, by.Is) || MayAsk(by, p) == nil {
		return nil
	}
	return models.Forbiddenf("Only who asked for this, or an implementer, withdraws it.")
}

// MayStart: who asked, an implementer, or the delegate of the workflow's.
func MayStart(by models.Actor, p Parties) error {
	if slices.ContainsFunc(p.Asked, by.Is) || MayAsk(by, p) == nil {
		return nil
	}
	return models.Forbiddenf("Only who asked for this, or an implementer, starts the approved attempt by hand.")
}

// May says whether by may make a decision.
func May(by models.Actor, d Decision, p Parties) error {
	switch d {
	case Supply:
		return MaySupply(by, p)
	case Withdraw:
		return MayWithdraw(by, p)
	}
	return MayDecide(by, p)
}
