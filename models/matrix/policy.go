package matrix

import (
	"countersign/models"
	"countersign/models/control"
)

// MayAdd is nil when by may add a scenario of its own to the control.
func MayAdd(by models.Actor, p control.Parties) error {
	if _, ok := party(by, p); ok {
		return nil
	}
	return models.Forbiddenf("Scenarios are added by the business owner, implementer or reviewer of this control, or their delegate.")
}

// MayPropose is nil when by may propose what a case must show.
func MayPropose(by models.Actor, p control.Parties) error {
	if by.ActsAs(p.Implementer.ID, models.Implementer) {
		return nil
	}
	return models.Forbiddenf("Only the implementer of this control, or their delegate, proposes what a scenario must show.")
}

// MayDecide is nil when by may agree or decline e: the business owner, or their
// delegate, and never whoever proposed it.
func MayDecide(by models.Actor, p control.Parties, e Expectation) error {
	switch {
	case !by.ActsAs(p.Owner.ID, models.BusinessOwner):
		return models.Forbiddenf("Only the business owner of this control, or their delegate, agrees what a scenario must show.")
	case by.Is(e.By.ID) || by.Is(e.For.ID):
		return models.Forbiddenf("You, or whom you stand in for, proposed this. Somebody else agrees it.")
	}
	return nil
}

// MayRun is nil when by may start, record and abandon runs.
func MayRun(by models.Actor, p control.Parties) error {
	if by.ActsAs(p.Implementer.ID, models.Implementer) {
		return nil
	}
	return models.Forbiddenf("Only the implementer of this control, or their delegate, starts and records its runs.")
}

// MayReview is nil when by may accept or return r: the reviewer, or their
// delegate, and never whoever started or recorded it.
func MayReview(by models.Actor, p control.Parties, r Run) error {
	if !by.ActsAs(p.Reviewer.ID, models.Reviewer) {
		return models.Forbiddenf("Only the reviewer of this control, or their delegate, accepts or returns its runs.")
	}
	for _, id := range []int64{r.StartedBy.ID, r.StartedFor.ID, r.RecordedBy.ID, r.RecordedFor.ID} {
		if by.Is(id) {
			return models.Forbiddenf("You, or whom you stand in for, started or recorded this run. Somebody else reviews it.")
		}
	}
	return nil
}

// MayAttach is nil when by may attach evidence to the control's runs.
func MayAttach(by models.Actor, p control.Parties) error {
	if _, ok := party(by, p); ok {
		return nil
	}
	return models.Forbiddenf("Evidence is attached by the business owner, implementer or reviewer of this control, or their delegate.")
}

// MayAskWaiver is nil when by may ask for a waiver.
func MayAskWaiver(by models.Actor, p control.Parties) error {
	if _, ok := party(by, p); ok {
		return nil
	}
	return models.Forbiddenf("A waiver is asked for by the business owner, implementer or reviewer of this control, or their delegate.")
}

// MaySignWaiver finds the place that by would sign w in, and whom they stand
// for in it (0: themselves). Their own place comes before one they stand in for.
//
// Forbidden for anybody but the owner and the reviewer, or their delegates, and
// for whoever, counting delegates as both people, signed the other place.
// Conflict when the place is signed.
func MaySignWaiver(by models.Actor, p control.Parties, w Waiver) (place models.Role, forPerson int64, err error) {
	err = models.Forbiddenf("A waiver is signed by the business owner and the reviewer of this control, or their delegates.")
	for _, own := range []bool{true, false} {
		for _, role := range []models.Role{models.BusinessOwner, models.Reviewer} {
			id := placeOf(p, role)
			if !by.ActsAs(id, role) || (by.ID == id) != own {
				continue
			}
			forPerson, _ := by.ActsFor(id)
			refusal := maySignAs(by, role, forPerson, w)
			if refusal == nil || own {
				return role, forPerson, refusal
			}
			err = refusal
		}
	}
	return "", 0, err
}

func placeOf(p control.Parties, role models.Role) int64 {
	if role == models.BusinessOwner {
		return p.Owner.ID
	}
	return p.Reviewer.ID
}

func maySignAs(by models.Actor, role models.Role, forPerson int64, w Waiver) error {
	here, other := []control.Ref{w.OwnerBy, w.OwnerFor}, []control.Ref{w.ReviewerBy, w.ReviewerFor}
	if role == models.Reviewer {
		here, other = other, here
	}
	if here[0].ID != 0 {
		return models.Conflictf("%s signed this waiver as %s already.", here[0].Name, role.Word())
	}
	for _, signed := range other {
		if signed.ID != 0 && (signed.ID == by.ID || signed.ID == forPerson) {
			return models.Forbiddenf("A waiver needs two people, and a delegate counts as both. You, or whom you stand for, signed it already.")
		}
	}
	return nil
}

// MayEndWaiver is nil when by may end w or turn it down: the owner, the
// reviewer, whoever asked for it, or a delegate of theirs.
func MayEndWaiver(by models.Actor, p control.Parties, w Waiver) error {
	if by.ActsAs(p.Owner.ID, models.BusinessOwner) || by.ActsAs(p.Reviewer.ID, models.Reviewer) || by.Is(w.AskedBy.ID) || by.Is(w.AskedFor.ID) {
		return nil
	}
	return models.Forbiddenf("A waiver is ended by the business owner or the reviewer of this control, by whoever asked for it, or their delegate.")
}

// party is whom by stands for among the three people of the control: 0 when
// one of them is by. ok is false when by is neither.
func party(by models.Actor, p control.Parties) (forPerson int64, ok bool) {
	for _, place := range []struct {
		id   int64
		role models.Role
	}{{p.Implementer.ID, models.Implementer}, {p.Owner.ID, models.BusinessOwner}, {p.Reviewer.ID, models.Reviewer}} {
		switch {
		case !by.ActsAs(place.id, place.role):
		case by.ID == place.id:
			return 0, true
		case !ok:
			forPerson, ok = place.id, true
		}
	}
	return forPerson, ok
}
