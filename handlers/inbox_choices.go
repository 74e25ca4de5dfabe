package handlers

import (
	"fmt"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/notice"
	"countersign/views/account"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// mailChoices is what a person chose, as the account page asks for it.
func (s *Server) mailChoices(c notice.Chosen) account.MailChoices {
	m := account.MailChoices{Version: fmt.Sprint(c.Version), Off: !s.Config.SMTP.On()}
	for _, g := range notice.Groups {
		var events []string
		for _, e := range g.Events {
			events = append(events, e.Name())
		}
		m.Groups = append(m.Groups, account.MailGroup{Name: "mail_" + g.Key, Label: g.Name, Help: strings.Join(events, ", ") + ".", Value: string(c.ByGroup[g.Key])})
	}
	return m
}

// fillMail puts back what was chosen in a form that was not saved, beside what
// is saved.
func fillMail(p *account.Props, typed map[string]string) {
	for i, g := range p.Mail.Groups {
		chosen, sent := typed[strings.TrimPrefix(g.Name, "mail_")]
		if !sent || chosen == g.Value {
			continue
		}
		if p.Conflict != "" {
			p.Pairs = append(p.Pairs, ui.VersionPair{Label: g.Label, Saved: account.MailWord(g.Value), Yours: account.MailWord(chosen)})
		}
		p.Mail.Groups[i].Value = chosen
	}
}

// setMailChoices is POST /account/mail.
func (s *Server) setMailChoices(c echo.Context) error {
	return s.accountCommand(c, "E-mail choices saved.", func(f accountForm, by models.Actor) error {
		typed := prefixed(c, "mail_")
		version, err := strconv.ParseInt(typed["version"], 10, 64)
		if err != nil {
			return models.BadRequestf("This form has no version that a page of ours sends.")
		}
		cmd := notice.ChooseMailCmd{Once: f.once(), PersonID: by.ID, Version: version, ByGroup: map[string]notice.Choice{}}
		for key, choice := range typed {
			if key != "version" {
				cmd.ByGroup[key] = notice.Choice(choice)
			}
		}
		_, err = notice.ChooseMail(s.ctx(c), s.DB, by, cmd)
		return err
	})
}
