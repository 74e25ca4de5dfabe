package control

import (
	"time"

	"countersign/models/control"
	"countersign/models/workflow"
)

// operationFacts are what a call does beside its mechanism and its lookup.
func operationFacts(b control.Behaviour) []Fact {
	return []Fact{{"Call", b.Call}, {"Key field", b.KeyField}, {"Key lifetime", hours(b.KeyLifetimeHours)},
		{"A repeat returns", b.RepeatReturns}, {"Same key, other data", b.SameKeyOtherData}}
}

// senderLine is the sender as its documentation was written down; nil without one.
func senderLine(s *control.ContentSender) *SenderLine {
	if s == nil {
		return nil
	}
	return &SenderLine{Name: s.Name, Source: frozenSource(s.DocURL, s.DocumentedAt, s.Notes, s.CheckedOn, s.CheckedBy), Facts: []Fact{
		{"Event ID", s.EventIDField}, {"Duplicates", workflow.DuplicatesWords(s.Duplicates)}, {"Order", workflow.OrderingWords(s.Ordering)},
		{"Retries", s.RetrySchedule}, {"Retries for", hours(s.RetryHorizonHours)}, {"Manual resends for", hours(s.ResendHorizonHours)},
		{"Signature", s.Signature}, {"Version", s.VersionField}, {"Changing fields", s.ChangingFields}}}
}

func frozenSource(docURL, documentedAt, notes, checkedOn string, by *control.ContentPerson) Source {
	s := Source{DocURL: docURL, DocumentedAt: documentedAt, Notes: notes}
	if d, err := time.Parse(time.DateOnly, checkedOn); err == nil {
		s.CheckedOn = &d
	}
	if by != nil {
		s.CheckedBy = by.Name
	}
	return s
}

func hours(n *int) string {
	if n == nil {
		return ""
	}
	return workflow.HoursWords(*n)
}
