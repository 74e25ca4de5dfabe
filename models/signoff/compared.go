package signoff

import (
	"fmt"
	"strings"

	"countersign/models/control"
)

// fact is one thing of a content that is compared, as text.
type fact struct{ Key, Label, Text string }

// facts lists what two contents are compared by, in the order of the record.
// Who answered and when is no difference.
func facts(c control.Content) []fact {
	var all []fact
	for _, a := range c.Answers {
		label := a.Field
		if f, ok := control.FieldByKey(a.Field); ok {
			label = f.Label
		}
		all = append(all, fact{a.Field, label, answerText(a)})
	}
	for _, a := range c.Accounts {
		reach := "cannot reach real customers"
		if a.ReachesCustomers {
			reach = "can reach real customers"
		}
		all = append(all, fact{"account." + a.Environment, "Account in " + a.EnvironmentName,
			fmt.Sprintf("%s, %s, %s. %s %s.", a.System, a.Account, a.Destination, a.EnvironmentName, reach)})
	}
	for _, o := range c.Operations {
		all = append(all, fact{"operation." + o.Environment, "Documentation of the operation in " + o.Environment, operationText(o)})
	}
	for _, k := range c.Kept {
		all = append(all, fact{"kept." + k.Finding, "Finding that the owner keeps", k.Words + "\nWhy it stays: " + k.Reason})
	}
	if c.Sender != nil {
		all = append(all, fact{"sender.facts", "Documentation of the sender", senderText(*c.Sender)})
	}
	w := c.Workflow
	all = append(all, fact{"workflow.facts", "Workflow details", lines("Name", w.Name, "Description", w.Description, "Version order", w.VersionOrder,
		"Incident plan", w.IncidentPlanURL, "Help", w.HelpContact)})
	return append(all, agreements(c)...)
}

func answerText(a control.ContentAnswer) string {
	switch {
	case a.State == control.NotApplicable:
		return "Not applicable: " + a.Reason
	case a.State != control.Answered:
		return "Unresolved"
	case a.Reason != "":
		return a.Value + "\nWhy: " + a.Reason
	}
	return a.Value
}

func operationText(o control.ContentOperation) string {
	return lines("Operation", o.Name, "Call", o.Call, "Idempotency", mechanism(o.Mechanism), "Key field", o.KeyField, "Key lifetime", hours(o.KeyLifetimeHours),
		"A repeat returns", o.RepeatReturns, "Same key, other data", o.SameKeyOtherData, "Lookup", o.LookupMethod, "Documentation", o.DocURL,
		"Documented at", o.DocumentedAt, "Notes", o.Notes, "Checked", checked(o.CheckedOn, o.CheckedBy))
}

func senderText(s control.ContentSender) string {
	return lines("Sender", s.Name, "Event ID", s.EventIDField, "Duplicates", words(s.Duplicates), "Order", words(s.Ordering), "Retries", s.RetrySchedule,
		"Retries for", hours(s.RetryHorizonHours), "Manual resends for", hours(s.ResendHorizonHours), "Signature", s.Signature,
		"Version", s.VersionField, "Changing fields", s.ChangingFields, "Documentation", s.DocURL,
		"Documented at", s.DocumentedAt, "Notes", s.Notes, "Checked", checked(s.CheckedOn, s.CheckedBy))
}

// lines puts labelled values on lines of their own, leaving out empty ones.
func lines(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", pairs[i], pairs[i+1])
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func words(state string) string { return strings.ReplaceAll(state, "_", " ") }

func mechanism(m string) string {
	if m == "not_checked" {
		return "not yet checked"
	}
	return m
}

func hours(n *int) string {
	if n == nil {
		return ""
	}
	return plural(*n, "hour")
}

func checked(on string, by *control.ContentPerson) string {
	if by == nil {
		return ""
	}
	return on + " by " + by.Name
}
