package signoff

import (
	"countersign/models"
	"countersign/models/control"
)

// MaySubmit is nil when by may submit the control's draft: its business owner
// or implementer, or a delegate of theirs.
func MaySubmit(by models.Actor, p control.Parties) error {
	if by.ActsAs(p.Owner.ID, models.BusinessOwner) || by.ActsAs(p.Implementer.ID, models.Implementer) {
		return nil
	}
	return models.Forbiddenf("Only the business owner or implementer of this control, or their delegate, submits it.")
}

// MayWithdraw is nil when by may take a revision back from review: any
// implementer, so that none is stuck when the named people have left, the
// business owner, whoever submitted it, or a delegate of theirs.
func MayWithdraw(by models.Actor, p control.Parties, submitter int64) error {
	if by.Has(models.Implementer) || MaySubmit(by, p) == nil || by.Is(submitter) && by.Has(models.BusinessOwner) {
		return nil
	}
	return models.Forbiddenf("Only an implementer, the business owner of this control or whoever submitted it, or their delegate, withdraws a revision.")
}

// actsFor is whom by stands for among people: 0 when one of them is by.
func actsFor(by models.Actor, people ...int64) int64 {
	stands := int64(0)
	for _, id := range people {
		forPerson, ok := by.ActsFor(id)
		if ok && forPerson == 0 {
			return 0
		}
		if ok && stands == 0 {
			stands = forPerson
		}
	}
	return stands
}

func partiesOf(p control.ContentPeople) control.Parties {
	ref := func(p control.ContentPerson) control.Ref { return control.Ref{ID: p.ID, Name: p.Name} }
	return control.Parties{Owner: ref(p.BusinessOwner), Implementer: ref(p.Implementer), Reviewer: ref(p.Reviewer)}
}

// person is who signs in the slot.
func (s Slot) person(p control.Parties) control.Ref {
	switch s {
	case OwnerSlot:
		return p.Owner
	case ImplementerSlot:
		return p.Implementer
	}
	return p.Reviewer
}

// ChooseSlot finds the slot that by may sign in, and whom they stand for in it
// (0: themselves). Their own slot comes before one they stand in for.
//
// Forbidden for anybody who is neither named nor a delegate, and for whoever,
// counting delegates as both people, signed another slot. Conflict when by
// signed already or the slot is taken. signatures are those not void.
func ChooseSlot(by models.Actor, p control.Parties, signatures []Signature) (slot Slot, forPerson int64, err error) {
	for _, s := range signatures {
		if s.By.ID == by.ID {
			return "", 0, models.Conflictf("You already signed as %s.", s.Slot.Words())
		}
	}
	err = models.Forbiddenf("A revision is signed by the business owner, implementer and reviewer it names, or their delegates.")
	for _, own := range []bool{true, false} {
		for _, s := range Slots {
			stands, ok := by.ActsFor(s.person(p).ID)
			if !ok || (stands == 0) != own {
				continue
			}
			refusal := maySignIn(by, s, stands, signatures)
			if refusal == nil {
				return s, stands, nil
			}
			err = refusal
			if own {
				return "", 0, err // nobody leaves their own slot for another
			}
		}
	}
	return "", 0, err
}

// taken is the slot other than s that somebody signs in: the one they signed,
// else the one that is their own. "" when there is none.
func taken(person int64, s Slot, p control.Parties, signatures []Signature) Slot {
	for _, g := range signatures {
		if g.By.ID == person && g.Slot != s {
			return g.Slot
		}
	}
	for _, own := range Slots {
		if own != s && own.person(p).ID == person {
			return own
		}
	}
	return ""
}

func maySignIn(by models.Actor, slot Slot, forPerson int64, signatures []Signature) error {
	switch {
	case forPerson == 0 && !by.Has(models.Role(slot)):
		return models.Forbiddenf("You no longer hold the role %s. Somebody who does has to be named.", slot.Words())
	case forPerson != 0 && !by.ActsAs(forPerson, models.Role(slot)):
		return models.Forbiddenf("Whom you stand in for no longer holds the role %s. Somebody who does has to be named.", slot.Words())
	}
	for _, s := range signatures {
		if s.Slot == slot {
			return models.Conflictf("%s already signed as %s.", s.By.Name, slot.Words())
		}
		for _, id := range []int64{s.By.ID, s.For.ID} {
			if id != 0 && (id == by.ID || id == forPerson) {
				return models.Forbiddenf("Nobody signs two slots, and a delegate counts as both people. You, or whom you stand for, are in the %s slot already.", s.Slot.Words())
			}
		}
	}
	return nil
}
