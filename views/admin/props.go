// Package admin shows what an administrator looks after.
package admin

import (
	"fmt"

	"countersign/models/home"
	"countersign/models/retention"
	"countersign/views/ui"
)

// Props is the overview.
type Props struct {
	home.Overview
	MailServer string // host:port; "" when none is set
	Rules      retention.Rules
}

// RetentionProps is the form of how long things are kept.
type RetentionProps struct {
	retention.Typed
	Version    int64
	Submission string
	Conflict   string // what happened meanwhile
	Pairs      []ui.VersionPair
	Problems   []ui.FieldProblem
}

// NewRetention is the form with t in it.
func NewRetention(t retention.Typed, version int64, submission string) RetentionProps {
	return RetentionProps{Typed: t, Version: version, Submission: submission}
}

// Beside shows what is saved next to what was typed, where they differ.
func (p *RetentionProps) Beside(saved retention.Typed) {
	for _, v := range []ui.VersionPair{{Label: "Evidence, in days", Saved: saved.EvidenceDays, Yours: p.EvidenceDays}, {Label: "Why that long", Saved: saved.EvidenceBasis, Yours: p.EvidenceBasis},
		{Label: "Bodies of notifications, at most", Saved: saved.PayloadDays, Yours: p.PayloadDays}, {Label: "Read notices and delivered messages", Saved: saved.NoticeDays, Yours: p.NoticeDays}} {
		if v.Saved != v.Yours {
			p.Pairs = append(p.Pairs, v)
		}
	}
}

// item is one page, with what is worth knowing before it is opened.
type item struct {
	Icon, Title, Href, Text string
	Tone                    string // warn when something wants a look
}

func (p Props) items() []item {
	mail := item{"mail", "E-mail", "/admin/mail", "Sent through " + p.MailServer + ".", ""}
	switch {
	case p.MailServer == "":
		mail.Text, mail.Tone = "No mail server is set, so nobody is told by e-mail. Set SMTP_HOST and its companions.", "warn"
	case p.MailsFailed > 0:
		mail.Text, mail.Tone = mail.Text+" "+number(p.MailsFailed, "e-mail")+" failed.", "warn"
	}
	return []item{
		warn(item{"users", "People", "/admin/people", fmt.Sprintf("%s, %d invited and not here yet, %d deactivated.", number(p.People, "active account"), p.Invited, p.Inactive), ""},
			p.WithoutOwner, "%s somebody who left.", "workflow names", "workflows name"),
		warn(item{"globe", "Environments", "/admin/environments", number(p.Environments, "environment") + ".", ""}, p.Unconfirmed, "%s confirmed by a business owner yet.", "is not", "are not"),
		warn(item{"key-round", "Tokens", "/admin/tokens", number(p.Tokens, "token") + " not revoked.", ""}, p.Orphaned, "%s made by somebody who left.", "was", "were"),
		{"layers", "Escalation policies", "/admin/policies", number(p.Policies, "policy") + " in use or ready.", ""},
		warn(item{"webhook", "Webhooks", "/admin/webhooks", number(p.Webhooks, "webhook") + " enabled.", ""}, p.WebhooksFailed, "%s given up.", "delivery was", "deliveries were"),
		mail,
		{"scroll-text", "Audit log", "/audit", "Every change and every refusal, chained. Check it with countersign audit verify.", ""},
	}
}

// warn adds what wants a look, when there is any.
func warn(i item, n int, words, one, many string) item {
	if n == 0 {
		return i
	}
	what := fmt.Sprintf("%d %s", n, many)
	if n == 1 {
		what = "1 " + one
	}
	i.Text, i.Tone = i.Text+" "+fmt.Sprintf(words, what), "warn"
	return i
}

func number(n int, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case word == "policy":
		word = "policie"
	}
	if n >= home.Many {
		return fmt.Sprintf("%d or more %ss", home.Many, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// kept is one line of what is kept for how long.
type kept struct{ What, How, Where, Href string }

func (p Props) kept() []kept {
	evidence := "Until the date that was given when it was attached; then its bytes go and its hash, size, names and dates stay."
	if p.Rules.EvidenceDays > 0 {
		evidence += fmt.Sprintf(" %s are proposed where its control does not say.", number(p.Rules.EvidenceDays, "day"))
	}
	payloads := fmt.Sprintf("Not kept by any workflow. A workflow may keep them for up to %s.", number(p.Rules.PayloadDays, "day"))
	if p.Payloads > 0 {
		payloads = fmt.Sprintf("Kept by %d of %s, for %s at most. A workflow may choose up to %s.", p.Payloads, number(p.Workflows, "workflow"), number(p.PayloadDaysTo, "day"), number(p.Rules.PayloadDays, "day"))
	}
	return []kept{
		{"Controls, runs, signatures, the ledger and the audit log", "For good. The database refuses to change or delete them.", "", ""},
		{"Evidence", evidence, "Evidence", "/evidence"},
		{"Bodies of notifications", payloads, "Workflows", "/workflows"},
		{"Read notices, delivered e-mails and webhook messages", number(p.Rules.NoticeDays, "day") + ". What is unread or did not arrive stays.", "", ""},
		{"Files with personal data that nobody decided about", "One hour.", "", ""},
		{"First answers of API calls", "24 hours.", "API", "/api/guide"},
		{"First answers of forms, and sign-ins", "30 days.", "", ""},
		{"Sessions", "12 hours without use, 7 days at most.", "", ""},
	}
}
