package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/ledger"
	"countersign/views/layout"
	views "countersign/views/ledger"

	"github.com/labstack/echo/v4"
)

// refusedShow is GET /ledger/claims/{id}: a claim that was refused before there
// was an action.
func (s *Server) refusedShow(c echo.Context) error {
	return s.showRefused(c, http.StatusOK, views.Form{}, "")
}

// refusedAppeal is POST /ledger/claims/{id}: it must go on.
func (s *Server) refusedAppeal(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no claim
	if _, err := ledger.RefusedOf(s.ctx(c), s.DB, id); err != nil {
		return err
	}
	submission, reason := c.FormValue("submission"), c.FormValue("reason")
	item, err := ledger.Appeal(s.ctx(c), s.DB, s.actor(c), ledger.AppealCmd{Once: models.Once{Submission: submission}, Suppressed: id, Reason: reason})
	form := views.Form{Name: "appeal", Values: map[string]string{"reason": reason}, Submission: submission}
	switch {
	case models.IsKind(err, models.KindInvalid):
		form.Problems = problems(err, "reason")
		return s.showRefused(c, http.StatusUnprocessableEntity, form, "")
	case models.IsKind(err, models.KindConflict):
		form.Submission = ""
		return s.showRefused(c, http.StatusConflict, form, models.AsError(err).Message)
	case err != nil:
		return err
	}
	return s.see(c, ledger.ReviewPath(item.Ref()), item.Ref()+" waits for a decision.", "A reviewer or the business owner decides it, not whoever asked.")
}

func (s *Server) showRefused(c echo.Context, status int, form views.Form, problem string) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no claim
	claim, err := ledger.RefusedOf(s.ctx(c), s.DB, id)
	if err != nil {
		return err
	}
	p := views.Refused{RefusedClaim: claim, Form: form, WhyNoAppeal: why(ledger.MayAppeal(s.actor(c))), Problem: problem, Zone: s.zone(c)}
	return s.page(c, status, layout.Page{Title: formTitle("Refused claim", form.Problems), Nav: "ledger", Crumbs: underLedger("Refused claim"), Width: "read"}, views.RefusedPage(p))
}
