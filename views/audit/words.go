package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/views/ui"
)

// done says what was done where the action's own name does not read well.
var done = map[string]string{
	"command.refused": "Refused", "workspace.set_up": "Set the workspace up",
	"control.created": "Wrote the control", "control.answered": "Answered", "control.confirmed": "Confirmed", "control.asked": "Asked about",
	"control.commented": "Commented on", "control.replied": "Replied about", "control.question_closed": "Closed the question about", "control.finding_kept": "Kept a finding about",
	"revision.opened": "Opened the draft", "revision.submitted": "Submitted for review", "revision.withdrawn": "Withdrew from review",
	"revision.signed": "Signed", "revision.changes_requested": "Requested changes", "revision.approved": "Approved: in force",
	"revision.superseded": "Superseded by a later revision", "revision.expired": "Review date passed",
	"workflow.stopped": "Stopped", "workflow.stop_lifted": "Lifted the stop", "environment.reach_confirmed": "Confirmed the reach",
	"evidence.attached": "Attached", "evidence.removed": "Removed the bytes of expired", "upload.flagged": "Found personal data in", "upload.discarded": "Discarded", "upload.expired": "Removed, undecided for an hour",
	"scenario.added": "Added the scenario", "scenario.expectation_proposed": "Proposed the expected result of", "scenario.expectation_agreed": "Agreed the expected result of",
	"scenario.expectation_declined": "Declined the expected result of", "waiver.asked": "Asked for the",
	"policy.created": "Wrote the escalation policy", "policy.edited": "Changed the escalation policy",
	"replay.requested": "Asked to try again", "replay.approved": "Approved one attempt", "replay.rejected": "Rejected", "replay.evidence_wanted": "Returned for evidence",
	"replay.pending": "Supplied evidence", "replay.withdrawn": "Withdrew", "replay.escalated": "Asked the next level", "replay.expired": "Expired without a decision",
	"replay.lapsed": "Approval lapsed", "replay.overtaken": "Overtaken: the action succeeded", "replay.started": "Started the approved attempt", "replay.finished": "The approved attempt ended",
	"person.added": "Added", "person.link_made": "Made an invitation link", "person.password_chosen": "Chose a password", "person.password_changed": "Changed the password",
	"person.roles_set": "Set the roles", "person.signed_out_everywhere": "Signed out everywhere", "person.delegate_named": "Named a delegate", "person.delegation_ended": "Ended the delegation",
	"person.mail_chosen": "Chose what comes by e-mail", "mail.tested": "Sent a test message", "mail.sent_again": "Sent again", "webhook.tested": "Sent a test message to",
	"webhook.resent": "Sent again to", "webhook.secret_rotated": "Made a new secret for",
}

// Done is an action as a person reads it; about is the field it was about, or "".
func Done(action, about string) string {
	words, ok := done[action]
	if !ok {
		_, verb, _ := strings.Cut(action, ".")
		words = Words(verb)
	}
	if about != "" {
		return words + " “" + about + "”"
	}
	return words
}

// Words turns object_name into "Object name".
func Words(action string) string {
	s := strings.NewReplacer(".", " ", "_", " ").Replace(action)
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// Member is a text member of a JSON object; "" when it has none of that name.
func Member(json, name string) string {
	s, _ := object(json)[name].(string)
	return s
}

// Compare lists the fields in which two JSON objects differ, by name. Text that
// is no JSON object gives nothing.
func Compare(before, after string) []ui.Change {
	was, is := object(before), object(after)
	names := map[string]bool{}
	for k := range was {
		names[k] = true
	}
	for k := range is {
		names[k] = true
	}
	var changes []ui.Change
	for k := range names {
		if k == "field" {
			continue // it stands beside the action
		}
		if a, b := text(was[k]), text(is[k]); a != b {
			changes = append(changes, ui.Changed(Words(k), a, b))
		}
	}
	slices.SortFunc(changes, func(a, b ui.Change) int { return strings.Compare(a.Label, b.Label) })
	return changes
}

func object(s string) map[string]any {
	m := map[string]any{}
	if s == "" {
		return m
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	_ = d.Decode(&m)
	return m
}

// text is a JSON value as a person reads it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case json.Number:
		return v.String()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}
