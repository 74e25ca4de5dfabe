package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/people"
	"countersign/views/layout"
	"countersign/views/session"

	"github.com/labstack/echo/v4"
)

type setupForm struct {
	Submission string   `form:"submission"`
	Name       string   `form:"name"`
	Email      string   `form:"email"`
	Password   string   `form:"password"`
	Again      string   `form:"again"`
	Roles      []string `form:"roles"`
}

// setup is GET /setup/:token, in a workspace without people.
func (s *Server) setup(c echo.Context) error {
	if err := people.OpenSetup(s.ctx(c), s.DB, c.Param("token")); err != nil {
		return err
	}
	return s.showSetup(c, http.StatusOK, setupForm{}, nil)
}

func (s *Server) showSetup(c echo.Context, status int, f setupForm, problems []models.FieldError) error {
	return s.page(c, status, layout.Page{Title: "Set up", Bare: true}, session.Setup(session.SetupProps{
		Token: c.Param("token"), Name: f.Name, Email: f.Email, Roles: f.Roles, Options: roleOptions(models.Roles[:4]), Problems: problems}))
}

// completeSetup is POST /setup/:token: the first administrator, signed in at once.
func (s *Server) completeSetup(c echo.Context) error {
	var f setupForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	err := sameAgain(f.Password, f.Again)
	var in people.SignedIn
	if err == nil {
		in, err = people.CompleteSetup(s.ctx(c), s.DB, people.SetupCmd{Once: models.Once{Submission: f.Submission}, Token: c.Param("token"),
			Name: f.Name, Email: f.Email, Password: f.Password, Roles: asRoles(f.Roles), Address: c.RealIP()})
	}
	if models.IsKind(err, models.KindInvalid) {
		return s.showSetup(c, http.StatusUnprocessableEntity, f, models.AsError(err).Fields)
	}
	if err != nil {
		return err
	}
	if err := s.startSession(c, in); err != nil {
		return err
	}
	return s.see(c, "/", "Countersign is yours.", "Invite the people who agree, prove and decide.")
}

type inviteForm struct {
	Submission string `form:"submission"`
	Password   string `form:"password"`
	Again      string `form:"again"`
}

// invite is GET /invite/:token. Opening it changes nothing.
func (s *Server) invite(c echo.Context) error {
	return s.showInvite(c, http.StatusOK, nil)
}

func (s *Server) showInvite(c echo.Context, status int, problems []models.FieldError) error {
	p, err := people.OpenInvite(s.ctx(c), s.DB, c.Param("token"))
	if err != nil {
		return err
	}
	return s.page(c, status, layout.Page{Title: "Choose a password", Bare: true}, session.Invite(session.InviteProps{
		Token: c.Param("token"), Name: p.Name, Email: p.Email, Again: !p.Invited, Problems: problems}))
}

// acceptInvite is POST /invite/:token: sets the password and signs in.
func (s *Server) acceptInvite(c echo.Context) error {
	var f inviteForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	err := sameAgain(f.Password, f.Again)
	var in people.SignedIn
	if err == nil {
		in, err = people.AcceptInvite(s.ctx(c), s.DB, people.AcceptInviteCmd{Once: models.Once{Submission: f.Submission}, Token: c.Param("token"), Password: f.Password, Address: c.RealIP()})
	}
	if models.IsKind(err, models.KindInvalid) {
		return s.showInvite(c, http.StatusUnprocessableEntity, models.AsError(err).Fields)
	}
	if err != nil {
		return err
	}
	if err := s.startSession(c, in); err != nil {
		return err
	}
	return s.see(c, "/", "Your password is saved.", "You are signed in.")
}

// sameAgain catches a slip of the keyboard in a new password, which nobody can see.
func sameAgain(password, again string) error {
	if password == again {
		return nil
	}
	return models.Invalid("again", "Enter the same password in both fields.")
}
