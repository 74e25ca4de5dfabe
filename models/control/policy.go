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
	if by.Has(models.BusinessOwner, models.Implementer) || by.Is(p.Owner.ID) || by.Is(p.Implementer.ID) {
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
	if by.Is(p.Owner.ID) {
		return nil
	}
	return models.Forbiddenf("Only the business owner of this control, or their delegate, confirms the sentence.")
}

// MayObserve is nil when by may take a control from enforce to observe.
func MayObserve(by models.Actor, p Parties) error {
	if by.Is(p.Owner.ID) {
		return nil
	}
	return models.Forbiddenf("Only the business owner of this control, or their delegate, takes it from enforce to observe.")
}

// MayDiscuss is nil when by may ask, comment and reply.
func MayDiscuss(by models.Actor, p Parties) error {
	if by.Has(models.BusinessOwner, models.Implementer, models.Reviewer) ||
		by.Is(p.Owner.ID) || by.Is(p.Implementer.ID) || by.Is(p.Reviewer.ID) {
		return nil
	}
	return models.Forbiddenf("Questions and comments come from business owners, implementers and reviewers.")
}

// MayClose is nil when by may close a question: its asker, or the business
// owner once the asker's account is no longer active.
func MayClose(by models.Actor, p Parties, asker int64, askerActive bool) error {
	if by.Is(asker) || (!askerActive && by.Is(p.Owner.ID)) {
		return nil
	}
	if !askerActive {
		return models.Forbiddenf("Whoever asked this has left. The business owner of this control closes it.")
	}
	return models.Forbiddenf("A question is closed by whoever asked it, or their delegate.")
}
