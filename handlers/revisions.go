package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/signoff"
	controlviews "countersign/views/control"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

// draftStart is POST /controls/{slug}/draft: the next revision of a decided control.
func (s *Server) draftStart(c echo.Context) error {
	var f revisionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := control.OpenDraft(s.ctx(c), s.DB, s.actor(c), control.OpenDraftCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug")})
	if err != nil {
		return err
	}
	return s.see(c, "/controls/"+c.Param("slug"), fmt.Sprintf("Revision %d started.", done.Revision), "If a revision is in force, it stays so until this one is signed.")
}

// revisionShow is GET /controls/{slug}/revisions/{n}: what was frozen. A draft is
// read on the control's own page.
func (s *Server) revisionShow(c echo.Context) error {
	number, err := strconv.Atoi(c.Param("n"))
	if err != nil || number < 1 || number > 1<<31-1 {
		return models.NotFoundf("There is no revision %s.", c.Param("n"))
	}
	f, err := control.LoadRevision(s.ctx(c), s.DB, c.Param("slug"), number)
	if err != nil {
		return err
	}
	if f.Revision.State == control.Draft {
		return c.Redirect(http.StatusSeeOther, "/controls/"+f.Slug)
	}
	d, err := control.Show(s.ctx(c), s.DB, f.Slug)
	if err != nil {
		return err
	}
	signatures, err := signoff.Signatures(s.ctx(c), s.DB, f.Revision.ID)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("Revision %d of %s", number, f.Name)
	return s.page(c, http.StatusOK, layout.Page{Title: title, Nav: "controls", Crumbs: underControl(f.Slug, f.Name, fmt.Sprintf("Revision %d", number)), Width: "wide"},
		controlviews.FrozenPage(controlviews.NewFrozen(controlviews.Reader{Actor: s.actor(c), Zone: s.zone(c)}, d, f, signatures)))
}
