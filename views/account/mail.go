package account

import "countersign/views/ui"

// MailChoices is what a person chose about e-mail.
type MailChoices struct {
	Groups  []MailGroup
	Version string // 0: never changed
	Off     bool   // no mail server is set
}

// MailGroup is one question: when e-mail about these events is wanted.
type MailGroup struct{ Name, Label, Help, Value string }

var mailOptions = []ui.Option{{Value: "now", Label: "At once"}, {Value: "hourly", Label: "One summary an hour"}, {Value: "daily", Label: "One summary a day, at 7:00"}, {Value: "off", Label: "No e-mail"}}

// MailWord is a choice in words.
func MailWord(choice string) string {
	for _, o := range mailOptions {
		if o.Value == choice {
			return o.Label
		}
	}
	return choice
}

func (m MailChoices) note() string {
	if m.Off {
		return "No mail server is set, so nothing is sent by e-mail yet."
	}
	return "The inbox has everything in any case."
}
