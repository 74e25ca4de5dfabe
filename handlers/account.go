package handlers

import (
	"net/http"
	"strconv"
	"time"

	"countersign/models"
	"countersign/models/notice"
	"countersign/models/people"
	"countersign/views/account"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type accountForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	TimeZone   string `form:"time_zone"`
	Current    string `form:"current"`
	Password   string `form:"password"`
	Again      string `form:"again"`
	Seen       int64  `form:"seen"`
	Delegate   int64  `form:"delegate"`
	Until      string `form:"until"`
	Reason     string `form:"reason"`
}

func (f accountForm) once() models.Once { return models.Once{Submission: f.Submission} }

// account is GET /account.
func (s *Server) account(c echo.Context) error { return s.showAccount(c, accountForm{}, nil) }

// showAccount shows the account, again with what was typed when failed says
// what must change.
func (s *Server) showAccount(c echo.Context, f accountForm, failed error) error {
	d, err := people.Account(s.ctx(c), s.DB, s.actor(c))
	if err != nil {
		return err
	}
	delegates, err := people.Delegates(s.ctx(c), s.DB, d.ID)
	if err != nil {
		return err
	}
	now, err := s.DB.Now(s.ctx(c))
	if err != nil {
		return err
	}
	p := accountProps(d, now)
	p.Delegates, p.Zone = personOptions("Choose a colleague", delegates), s.zone(c)
	p.WhyNoName = why(people.MayNameDelegate(s.actor(c), d.ID))
	if err := s.overlaps(c, d, &p); err != nil {
		return err
	}
	if err := s.sessionsOf(c, &p); err != nil {
		return err
	}
	chosen, err := notice.MailChoices(s.ctx(c), s.DB, d.ID)
	if err != nil {
		return err
	}
	p.Mail = s.mailChoices(chosen)
	status := http.StatusOK
	if e := models.AsError(failed); e != nil {
		status = statusOf[e.Kind]
		fillAccount(&p, f, e)
		fillMail(&p, prefixed(c, "mail_"))
	}
	p.Zones = zoneOptions(p.TimeZone)
	return s.page(c, status, layout.Page{Title: "Your account", Crumbs: []layout.Crumb{{Text: "Your account"}}, Width: "read"}, account.Show(p))
}

// overlapsShown is how many controls the warning about a delegate names.
const overlapsShown = 5

// overlaps says where the delegate in force cannot sign for the person.
func (s *Server) overlaps(c echo.Context, d people.Detail, p *account.Props) error {
	if p.Open == nil || !p.Open.InForce {
		return nil
	}
	found, err := people.Overlaps(s.ctx(c), s.DB, d.ID, d.Open().DelegateID, overlapsShown+1)
	for i, o := range found {
		if i == overlapsShown {
			p.MoreOverlap = true
			break
		}
		p.Overlaps = append(p.Overlaps, account.Control{Name: o.Name, Path: "/controls/" + o.Slug})
	}
	return err
}

func accountProps(d people.Detail, now time.Time) account.Props {
	p := account.Props{Name: d.Name, Email: d.Email, Roles: roleWords(d.Roles), LastIn: timeOf(d.LastIn), Version: d.Version, TimeZone: d.TimeZone,
		FirstDay: now.Format(time.DateOnly), LastDay: now.AddDate(1, 0, 0).Format(time.DateOnly)}
	for _, g := range d.Delegations {
		line := account.Delegation{ID: g.ID, Name: g.DelegateName, Until: g.Until, Reason: g.Reason, InForce: g.InForce(now)}
		switch {
		case g.EndedAt != nil:
		case g.PersonID == d.ID:
			line.Mine = true
			p.Open = &line
		case line.InForce:
			line.Name = g.PersonName
			p.StandsFor = append(p.StandsFor, line)
		}
	}
	return p
}

// fillAccount puts back what was typed and says why it was not saved.
func fillAccount(p *account.Props, f accountForm, e *models.Error) {
	p.Problems = e.Fields
	p.Form = account.DelegateForm{Delegate: idText(f.Delegate), Until: f.Until, Reason: f.Reason}
	if e.Kind == models.KindConflict {
		p.Conflict = e.Message
		if f.TimeZone != "" {
			p.Pairs = []ui.VersionPair{{Label: "Time zone", Saved: p.TimeZone, Yours: f.TimeZone}}
		}
	}
	if f.TimeZone != "" {
		p.TimeZone = f.TimeZone
	}
}

// setTimeZone is POST /account/time-zone.
func (s *Server) setTimeZone(c echo.Context) error {
	return s.accountCommand(c, "Time zone saved.", func(f accountForm, by models.Actor) error {
		_, err := people.SetTimeZone(s.ctx(c), s.DB, by, people.SetTimeZoneCmd{Once: f.once(), ID: by.ID, Version: f.Version, TimeZone: f.TimeZone})
		return err
	})
}

// changePassword is POST /account/password. This session goes on under a new id.
func (s *Server) changePassword(c echo.Context) error {
	return s.accountCommand(c, "Password changed.", func(f accountForm, by models.Actor) error {
		if err := sameAgain(f.Password, f.Again); err != nil {
			return err
		}
		in, err := people.ChangePassword(s.ctx(c), s.DB, by, people.ChangePasswordCmd{Once: f.once(), ID: by.ID, Current: f.Current, New: f.Password, Address: c.RealIP()})
		if err != nil {
			return err
		}
		return s.continueSession(c, in)
	})
}

// setDelegate is POST /account/delegate.
func (s *Server) setDelegate(c echo.Context) error {
	return s.accountCommand(c, "Delegate saved.", func(f accountForm, by models.Actor) error {
		_, err := people.SetDelegate(s.ctx(c), s.DB, by, people.SetDelegateCmd{Once: f.once(), PersonID: by.ID, DelegateID: f.Delegate, Seen: f.Seen, Until: f.Until, Reason: f.Reason})
		return err
	})
}

// accountCommand runs one command of the account page: what must change is
// shown on the page, success leads back to it.
func (s *Server) accountCommand(c echo.Context, done string, run func(accountForm, models.Actor) error) error {
	var f accountForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	err := run(f, s.actor(c))
	if models.Retryable(err) {
		return s.showAccount(c, f, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, "/account", done, "")
}

// endDelegation is POST /delegations/:id/end, by either side or an administrator.
func (s *Server) endDelegation(c echo.Context) error {
	var f accountForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64)
	if _, err := people.EndDelegation(s.ctx(c), s.DB, s.actor(c), people.EndDelegationCmd{Once: f.once(), ID: id}); err != nil {
		return err
	}
	return s.see(c, s.backTo(c), "Delegation ended.", "")
}

// sessionsOf are the sessions of the person, this one marked.
func (s *Server) sessionsOf(c echo.Context, p *account.Props) error {
	found, err := people.Sessions(s.ctx(c), s.DB, s.actor(c), inStore(s.sessions.Token(s.ctx(c))))
	for _, f := range found {
		p.Sessions = append(p.Sessions, account.Session{ID: f.ID, Device: f.Device, Address: f.Address, BeganAt: f.BeganAt, SeenAt: f.SeenAt, This: f.This})
	}
	return err
}

// endSession is POST /account/sessions/:id/end, for another browser than this one.
func (s *Server) endSession(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64)
	return s.accountCommand(c, "Session ended.", func(f accountForm, by models.Actor) error {
		_, err := people.EndSession(s.ctx(c), s.DB, by, people.EndSessionCmd{Once: f.once(), ID: id})
		return err
	})
}

// signOutEverywhere is POST /account/sign-out.
func (s *Server) signOutEverywhere(c echo.Context) error {
	var f accountForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	by := s.actor(c)
	if _, err := people.SignOutEverywhere(s.ctx(c), s.DB, by, people.SignOutEverywhereCmd{Once: f.once(), ID: by.ID}); err != nil {
		return err
	}
	if err := s.sessions.Destroy(s.ctx(c)); err != nil {
		return err
	}
	return s.see(c, "/login", "Signed out everywhere.", "Sign in again to go on.")
}
