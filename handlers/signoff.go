package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
	controlviews "countersign/views/control"
	"countersign/views/layout"
	matrixviews "countersign/views/matrix"
	signoffviews "countersign/views/signoff"

	"github.com/labstack/echo/v4"
)

type revisionForm struct {
	Version    int64  `form:"version"`
	Revision   int    `form:"revision"`
	Reason     string `form:"reason"`
	Submission string `form:"submission"`
}

// controlSubmit is POST /controls/{slug}/submit.
func (s *Server) controlSubmit(c echo.Context) error {
	var f revisionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := signoff.Submit(s.ctx(c), s.DB, s.actor(c), signoff.SubmitCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Version: f.Version})
	var blocked *signoff.Blocked
	if errors.As(err, &blocked) {
		return s.showControl(c, http.StatusConflict, controlviews.Open{}, blocked)
	}
	if err != nil {
		return err
	}
	return s.see(c, "/controls/"+c.Param("slug")+"/sign-off", fmt.Sprintf("Revision %d is in review.", done.Revision), "Three people sign it: the implementer, the reviewer and the business owner.")
}

// controlWithdraw is POST /controls/{slug}/withdraw.
func (s *Server) controlWithdraw(c echo.Context) error {
	var f revisionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := signoff.Withdraw(s.ctx(c), s.DB, s.actor(c), signoff.WithdrawCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Revision: f.Revision, Reason: f.Reason})
	if models.IsKind(err, models.KindInvalid) {
		return s.showSignoff(c, http.StatusUnprocessableEntity, signForm{}, f.Reason, err)
	}
	if err != nil {
		return err
	}
	text := "It is a draft again."
	if done.Voided > 0 {
		text = fmt.Sprintf("It is a draft again. Signatures that are void now: %d.", done.Voided)
	}
	return s.see(c, "/controls/"+c.Param("slug"), fmt.Sprintf("Revision %d was withdrawn.", done.Revision), text)
}

// signoffShow is GET /controls/{slug}/sign-off. It decides nothing.
func (s *Server) signoffShow(c echo.Context) error {
	return s.showSignoff(c, http.StatusOK, signForm{}, "", nil)
}

type signForm struct {
	Revision   int    `form:"revision"`
	FullHash   string `form:"full_hash"`
	Note       string `form:"note"`
	Decision   string `form:"decision"`
	Submission string `form:"submission"`
}

func (f signForm) cmd(slug string) signoff.SignCmd {
	return signoff.SignCmd{Once: models.Once{Submission: f.Submission}, Control: slug, Revision: f.Revision, Decision: f.Decision, Note: f.Note, FullHash: f.FullHash}
}

// signoffDecide is POST /controls/{slug}/sign-off.
func (s *Server) signoffDecide(c echo.Context) error {
	var f signForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := signoff.Sign(s.ctx(c), s.DB, s.actor(c), f.cmd(c.Param("slug")))
	switch {
	case models.IsKind(err, models.KindInvalid):
		return s.showSignoff(c, http.StatusUnprocessableEntity, f, "", err)
	case models.IsKind(err, models.KindConflict):
		return s.showSignoff(c, http.StatusConflict, f, "", err)
	case err != nil:
		return err
	}
	page := "/controls/" + c.Param("slug") + "/sign-off"
	switch done.State {
	case control.Approved:
		return s.see(c, page, fmt.Sprintf("Revision %d is approved.", done.Revision), "Yours was the last of three signatures. It is in force now.")
	case control.ChangesRequested:
		return s.see(c, page, "Changes requested.", "The review ended. The next revision starts with the first answer that is changed.")
	}
	return s.see(c, page, "Signed.", "Your signature as "+done.Slot.Words()+" is recorded on this fingerprint.")
}

// showSignoff renders the page again with what was typed; refused is why it was
// not taken.
func (s *Server) showSignoff(c echo.Context, status int, f signForm, withdrawal string, refused error) error {
	page, err := signoff.Show(s.ctx(c), s.DB, s.actor(c), c.Param("slug"))
	if err != nil {
		return err
	}
	p := signoffviews.NewShow(page, s.zone(c))
	tests, err := matrix.Show(s.ctx(c), s.DB, s.actor(c), page.Slug)
	if err != nil {
		return err
	}
	p.Reason, p.Tests = withdrawal, matrixviews.NewTests(tests, s.zone(c))
	if p.Decision != nil {
		p.Decision.Note = f.Note
		if status == http.StatusUnprocessableEntity {
			p.Decision.Submission = f.Submission
		}
	}
	var blocked *signoff.Blocked
	switch e := models.AsError(refused); {
	case errors.As(refused, &blocked):
		for _, b := range blocked.Conditions {
			p.Problems = append(p.Problems, models.FieldError{Message: b.Words})
		}
	case e != nil && len(e.Fields) > 0:
		p.Problems = e.Fields
	case e != nil:
		p.Refused, p.LostNote = e.Message, f.Note
	}
	return s.page(c, status, layout.Page{Title: "Sign off " + page.Name, Nav: "controls", Crumbs: underControl(page.Slug, page.Name, "Sign-off")}, signoffviews.ShowPage(p))
}
