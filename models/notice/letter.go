package notice

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"net/mail"
	"strings"
	texttemplate "text/template"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Mailer is how e-mail leaves: the server that takes it, and where its links lead.
type Mailer struct {
	SMTP    SMTP
	BaseURL string // https://countersign.example.test
}

// letter is what one e-mail says.
type letter struct {
	MessageID string // before the @
	Name      string // whom it is for
	Email     string
	Kind      string // one, summary or test
	Items     []item
	More      int // items that are not listed
	At        time.Time
	Base      string
}

// item is one notice in a letter.
type item struct {
	Event         Event
	Title         string
	Text          string
	StandingInFor string
	Path          string
}

//go:embed mail.html mail.txt
var templates embed.FS

var (
	htmlMail = htmltemplate.Must(htmltemplate.ParseFS(templates, "mail.html"))
	textMail = texttemplate.Must(texttemplate.ParseFS(templates, "mail.txt"))
)

// Subject is one line.
func (l letter) Subject() string {
	switch {
	case l.Kind == "test":
		return "Test message from Countersign"
	case len(l.Items)+l.More == 1:
		return line(l.Items[0].Title)
	}
	return fmt.Sprintf("%d new in Countersign: %s", len(l.Items)+l.More, line(l.Items[0].Title))
}

// URL is a page of ours as a whole address.
func (l letter) URL(path string) string { return l.Base + path }

// message is the letter as the mail server gets it. The same letter has the
// same Message-ID each time, so that a mailbox can tell a repeat.
func (l letter) message(from string) (*gomail.Msg, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg()
	m.SetAddrHeaderFromMailAddress(gomail.HeaderFrom, sender)
	m.SetAddrHeaderFromMailAddress(gomail.HeaderTo, &mail.Address{Name: line(l.Name), Address: l.Email})
	m.Subject(l.Subject())
	m.SetDateWithValue(l.At)
	_, domain, _ := strings.Cut(sender.Address, "@")
	m.SetMessageIDWithValue(l.MessageID + "@" + domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	var plain, rich bytes.Buffer
	if err := textMail.Execute(&plain, l); err != nil {
		return nil, err
	}
	if err := htmlMail.Execute(&rich, l); err != nil {
		return nil, err
	}
	m.SetBodyString(gomail.TypeTextPlain, plain.String())
	m.AddAlternativeString(gomail.TypeTextHTML, rich.String())
	return m, nil
}
