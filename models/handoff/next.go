package handoff

import (
	"fmt"

	"countersign/models/control"
	"countersign/models/workflow"
)

// approvers says who can approve what may come next for the revision.
func approvers(r Record, policy *workflow.PolicyVersion) []Approver {
	all := []Approver{}
	p := r.content.People
	switch control.RevisionState(r.Revision.State) {
	case control.Draft:
		all = append(all, Approver{Action: fmt.Sprintf("Submit revision %d for review", r.Revision.Number), Who: names(p.Implementer),
			Note: "The implementer submits it once nothing is unresolved and no question is open. Then three people sign."})
	case control.ChangesRequested:
		all = append(all, Approver{Action: "Start the next revision with the changes", Who: names(p.BusinessOwner, p.Implementer)})
	}
	if s := control.RevisionState(r.Revision.State); s == control.Draft || s == control.InReview {
		all = append(all, r.signers())
	}
	replay := Approver{Action: "Approve one more attempt of an action that failed or whose outcome is unknown", Who: []string{},
		Note: "Never the person who asked for it, and only on a replay request in Countersign."}
	if policy == nil {
		replay.Note = "Unresolved: the record names no escalation policy. " + replay.Note
	} else {
		for _, l := range policy.Levels {
			replay.Who = append(replay.Who, fmt.Sprintf("Level %d: %s", l.Number, l.Names()))
		}
	}
	return append(all, replay, Approver{Action: "Lift a stop, or let repeats through (mode observe)", Who: names(p.BusinessOwner)})
}

// signers are the people whose signatures are missing.
func (r Record) signers() Approver {
	a := Approver{Action: fmt.Sprintf("Approve and sign revision %d", r.Revision.Number), Who: []string{}, Note: "All three sign, or their delegates. It counts once the last of them did."}
	signed := map[string]bool{}
	for _, s := range r.Signatures {
		signed[s.Slot] = signed[s.Slot] || s.VoidedAt == ""
	}
	p := r.content.People
	for _, slot := range []struct {
		key, word string
		person    control.ContentPerson
	}{{"implementer", "Implementer", p.Implementer}, {"reviewer", "Reviewer", p.Reviewer}, {"business_owner", "Business owner", p.BusinessOwner}} {
		switch {
		case signed[slot.key]:
		case slot.person.ID == 0:
			a.Who = append(a.Who, slot.word+": unresolved, nobody is named")
		default:
			a.Who = append(a.Who, slot.word+": "+slot.person.Name)
		}
	}
	return a
}

func names(people ...control.ContentPerson) []string {
	all := []string{}
	for _, p := range people {
		if p.ID != 0 {
			all = append(all, p.Name)
		}
	}
	return all
}
