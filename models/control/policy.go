package control

import "countersign/models"

// MayCreate is nil when by may create a control.
func MayCreate(by models.Actor) error {
	if by.Has(models.BusinessOwner, models.Implementer, models.Reviewer) {
		return nil
	}
	return models.Forbiddenf("A control is created by a business owner, implementer or reviewer.")
}

// MayAnswer is nil when by may answer the fields of the record. The sentence of
// the business owner may be typed by anyone of them, and stays a proposal.
func MayAnswer(by models.Actor, p Parties) error {
	if by.Has(models.BusinessOwner, models.Implementer) || by.ActsAs(p.Owner.ID, models.BusinessOwner) || by.ActsAs(p.Implementer.ID, models.Implementer) {
		return nil
	}
	if by.Has(models.Reviewer) || by.Is(p.Reviewer.ID) {
		return models.Forbiddenf("A reviewer asks and signs. Answers are written by the business owner or an implementer.")
	}
	return models.Forbiddenf("Answers are written by the business owner or an implementer.")
}

// MayOpenDraft is nil when by may open the next draft.
func MayOpenDraft(by models.Actor, p Parties) error { return MayAnswer(by, p) }

// MayConfirm is nil when by may make the sentence the business owner's own.
func MayConfirm(by models.Actor, p Parties) error {
	if by.ActsAs(p.Owner.ID, models.BusinessOwner) {
		return nil
	}
	return models.Forbiddenf("Only the business owner of this control, or their delegate, confirms the sentence.")
}

// MayKeep is nil when by may keep what the rule checker found, with a reason.
func MayKeep(by models.Actor, p Parties) error {
	if by.ActsAs(p.Owner.ID, models.BusinessOwner) {
		return nil
	}
	return models.Forbiddenf("Only the business owner of this control, or their delegate, keeps a finding.")
}

// MaySavePair is nil when by may save and archive pairs of the identity lab.
func MaySavePair(by models.Actor, p Parties) error {
	if MayDiscuss(by, p) == nil {
		return nil
	}
	return models.Forbiddenf("Pairs are saved by business owners, implementers and reviewers. Anybody may compare.")
}

// MayObserve is nil when by may take a control from enforce to observe.
func MayObserve(by models.Actor, p Parties) error {
	if by.ActsAs(p.Owner.ID, models.BusinessOwner) {
		return nil
	}
	return models.Forbiddenf("Only the business owner of this control, or their delegate, takes it from enforce to observe.")
}

// MayDiscuss is nil when by may ask, comment and reply.
func MayDiscuss(by models.Actor, p Parties) error {
	if by.Has(models.BusinessOwner, models.Implementer, models.Reviewer) ||
		by.ActsAs(p.Owner.ID, models.BusinessOwner) || by.ActsAs(p.Implementer.ID, models.Implementer) || by.ActsAs(p.Reviewer.ID, models.Reviewer) {
		return nil
	}
	return models.Forbiddenf("Questions and comments come from business owners, implementers and reviewers.")
}

// Asker is who asked a question.
type Asker struct {
	ID, For int64 // For: whom they stood for
	Active  bool  // whether their account is
}

// MayClose is nil when by may close a question: its asker or their delegate,
// or the business owner once the asker's account is no longer active.
func MayClose(by models.Actor, p Parties, asker Asker) error {
	if by.Is(asker.ID) || by.Is(asker.For) || (!asker.Active && by.ActsAs(p.Owner.ID, models.BusinessOwner)) {
		return nil
	}
	if !asker.Active {
		return models.Forbiddenf("Whoever asked this has left. The business owner of this control closes it.")
	}
	return models.Forbiddenf("A question is closed by whoever asked it, or their delegate.")
}

// closesFor is whom by stands for when closing a question.
func closesFor(by models.Actor, p Parties, asker Asker) int64 {
	for _, id := range []int64{asker.ID, asker.For, p.Owner.ID} {
		if forPerson, ok := by.ActsFor(id); ok {
			return forPerson
		}
	}
	return 0
}

// standsFor is whom by stands for when working on the record: 0 when it is
// theirs to do as themselves.
func standsFor(by models.Actor, p Parties) int64 {
	if by.Has(models.BusinessOwner, models.Implementer, models.Reviewer) {
		return 0
	}
	for _, id := range []int64{p.Owner.ID, p.Implementer.ID, p.Reviewer.ID} {
		if forPerson, ok := by.ActsFor(id); ok {
			return forPerson
		}
	}
	return 0
}
