package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/people"
	"countersign/views/layout"
	"countersign/views/session"

	"github.com/labstack/echo/v4"
)

type signInForm struct {
	Email    string `form:"email"`
	Password string `form:"password"`
	Next     string `form:"next"`
}

// login is GET /login?next=: next is a path of ours to go on to.
func (s *Server) login(c echo.Context) error {
	next := localPath(c.QueryParam("next"))
	if s.actor(c).ID != 0 {
		return c.Redirect(http.StatusSeeOther, next)
	}
	return s.showLogin(c, http.StatusOK, session.LoginProps{Next: next})
}

func (s *Server) showLogin(c echo.Context, status int, p session.LoginProps) error {
	var err error
	if p.Empty, err = people.Empty(s.ctx(c), s.DB); err != nil {
		return err
	}
	return s.page(c, status, layout.Page{Title: "Sign in", Bare: true}, session.Login(p))
}

// signIn is POST /login.
func (s *Server) signIn(c echo.Context) error {
	var f signInForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	in, err := people.SignIn(s.ctx(c), s.DB, people.SignInCmd{Email: f.Email, Password: f.Password, Address: c.RealIP()})
	p := session.LoginProps{Email: f.Email, Next: localPath(f.Next)}
	switch e := models.AsError(err); {
	case models.IsKind(err, models.KindInvalid):
		p.Problems = e.Fields
		return s.showLogin(c, http.StatusUnprocessableEntity, p)
	case models.IsKind(err, models.KindTooMany):
		c.Response().Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
		p.Wait = e.Message
		return s.showLogin(c, http.StatusTooManyRequests, p)
	case err != nil:
		return err
	}
	if err := s.startSession(c, in); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, p.Next)
}

// startSession gives the browser a new session id, so that one that somebody
// else knew is worth nothing, and forgets what was in the old session.
func (s *Server) startSession(c echo.Context, in people.SignedIn) error {
	if err := s.sessions.Clear(s.ctx(c)); err != nil {
		return err
	}
	return s.continueSession(c, in)
}

// continueSession is startSession for a person who stays: what waits to be
// shown is kept.
func (s *Server) continueSession(c echo.Context, in people.SignedIn) error {
	if err := s.sessions.RenewToken(s.ctx(c)); err != nil {
		return err
	}
	s.sessions.Put(s.ctx(c), sessionPerson, in.PersonID)
	s.sessions.Put(s.ctx(c), sessionEpoch, in.Epoch)
	s.sessions.Put(s.ctx(c), sessionDevice, device(c.Request().UserAgent()))
	s.sessions.Put(s.ctx(c), sessionAddress, c.RealIP())
	return nil
}

// logout is POST /logout. It works when the session ended already, too.
func (s *Server) logout(c echo.Context) error {
	by := s.actor(c).ID
	if err := s.sessions.Destroy(s.ctx(c)); err != nil {
		return err
	}
	if err := models.TellPages(s.ctx(c), s.DB, "P-"+strconv.FormatInt(by, 10)); err != nil {
		return err
	}
	return s.see(c, "/login", "Signed out.", "")
}
