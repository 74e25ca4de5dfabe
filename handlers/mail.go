package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/notice"
	"countersign/views/layout"
	"countersign/views/mail"

	"github.com/labstack/echo/v4"
)

type mailFilter struct {
	State string `query:"state"`
	At    string `query:"at"`
}

// tlsWords say how the connection to the mail server is kept secret.
var tlsWords = map[string]string{"starttls": "STARTTLS, required", "tls": "From the first byte", "none": "None"}

// mailIndex is GET /admin/mail.
func (s *Server) mailIndex(c echo.Context) error {
	var f mailFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := notice.Mails(s.ctx(c), s.DB, s.actor(c), f.State, f.At)
	if err != nil {
		return err
	}
	smtp := s.Config.SMTP
	p := mail.Props{On: smtp.On(), TLS: tlsWords[smtp.TLS], From: smtp.From, User: smtp.User, To: s.actor(c).Email, State: f.State,
		Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	if p.On {
		p.Server = smtp.Address()
	}
	p.Pager.PrevWord, p.Pager.NextWord = "Newer", "Older"
	for _, m := range page.Items {
		p.Mails = append(p.Mails, mailRow(m))
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "E-mail", Nav: "mail", Crumbs: []layout.Crumb{{Text: "E-mail"}}}, mail.Index(p))
}

func mailRow(m notice.Mail) mail.Mail {
	row := mail.Mail{ID: m.ID, About: m.About, Person: m.Person, State: m.State, Attempts: attempts(m.Attempts), Problem: m.LastError, At: timeOf(m.TriedAt),
		Again: m.State == "failed" || m.State == "skipped"}
	switch m.Kind {
	case "test":
		row.About = "Test message"
	case "summary":
		row.About = "Summary: " + row.About
	}
	return row
}

func attempts(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 attempt"
	}
	return strconv.Itoa(n) + " attempts"
}

type mailForm struct {
	Submission string `form:"submission"`
}

// mailTest is POST /admin/mail/test.
func (s *Server) mailTest(c echo.Context) error {
	var f mailForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	if _, err := notice.SendTest(s.ctx(c), s.DB, s.actor(c), notice.SendTestCmd{Once: models.Once{Submission: f.Submission}}); err != nil {
		return err
	}
	return s.see(c, "/admin/mail", "A test message is on its way.", "What becomes of it stands in the list; load this page again to see it.")
}

// mailResend is POST /admin/mail/:id/resend.
func (s *Server) mailResend(c echo.Context) error {
	var f mailForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no message
	if _, err := notice.SendAgain(s.ctx(c), s.DB, s.actor(c), notice.SendAgainCmd{Once: models.Once{Submission: f.Submission}, ID: id}); err != nil {
		return err
	}
	return s.see(c, s.backTo(c), "The message is on its way again.", "")
}
