package handlers

import (
	"net/http"
	"slices"

	"countersign/models"
	"countersign/models/matrix"
	"countersign/views/layout"
	views "countersign/views/matrix"

	"github.com/labstack/echo/v4"
)

type waiverForm struct {
	Waiver     int64  `form:"waiver"` // the one that was read
	Reason     string `form:"reason"`
	Until      string `form:"until"`
	Submission string `form:"submission"`
}

// waiverAsk is POST /controls/{slug}/matrix/{case}/waiver.
func (s *Server) waiverAsk(c echo.Context) error {
	var f waiverForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := matrix.AskWaiver(s.ctx(c), s.DB, s.actor(c), matrix.AskWaiverCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"), Reason: f.Reason, Until: f.Until})
	if err != nil {
		return s.reopen(c, views.Open{Do: "waive", Case: c.Param("case"), Submission: f.Submission, Typed: &views.Typed{Reason: f.Reason, Until: f.Until}}, err)
	}
	return s.toCard(c, "Waiver asked for.", "It counts once the business owner and the reviewer both signed.")
}

// waiverSign is POST /controls/{slug}/matrix/{case}/waiver/signature.
func (s *Server) waiverSign(c echo.Context) error {
	var f waiverForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	if err := s.waiverHere(c, f.Waiver); err != nil {
		return err
	}
	done, err := matrix.SignWaiver(s.ctx(c), s.DB, s.actor(c), matrix.SignWaiverCmd{Once: models.Once{Submission: f.Submission}, Waiver: f.Waiver})
	switch {
	case err != nil:
		return s.reopen(c, views.Open{}, err)
	case done.Signed:
		return s.toCard(c, "Waiver signed.", "Both signatures are in: the scenario is waived until its date.")
	}
	return s.toCard(c, "Waiver signed.", "It counts once the other signature is in.")
}

// waiverHere is NotFound unless the waiver is one of the case in the address.
func (s *Server) waiverHere(c echo.Context, id int64) error {
	_, v, err := s.caseOf(c)
	here := v.Waivers
	if v.Waiver != nil {
		here = append(here, *v.Waiver)
	}
	if err == nil && !slices.ContainsFunc(here, func(w matrix.Waiver) bool { return w.ID == id }) {
		err = models.NotFoundf("This scenario has no such waiver.")
	}
	return err
}

// waiverEndAsk is GET /controls/{slug}/matrix/{case}/waiver/end.
func (s *Server) waiverEndAsk(c echo.Context) error {
	return s.showWaiverEnd(c, http.StatusOK, waiverForm{}, nil)
}

// waiverEnd is POST /controls/{slug}/matrix/{case}/waiver/end.
func (s *Server) waiverEnd(c echo.Context) error {
	var f waiverForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	if err := s.waiverHere(c, f.Waiver); err != nil {
		return err
	}
	_, err := matrix.EndWaiver(s.ctx(c), s.DB, s.actor(c), matrix.EndWaiverCmd{Once: models.Once{Submission: f.Submission}, Waiver: f.Waiver, Reason: f.Reason})
	switch {
	case models.IsKind(err, models.KindInvalid):
		return s.showWaiverEnd(c, http.StatusUnprocessableEntity, f, err)
	case err != nil:
		return s.reopen(c, views.Open{Do: "end", Case: c.Param("case"), Typed: &views.Typed{Reason: f.Reason}}, err)
	}
	_, v, err := s.caseOf(c)
	if err != nil {
		return err
	}
	for _, w := range v.Waivers {
		if w.ID == f.Waiver && !w.Signed() {
			return s.toCard(c, "Waiver turned down.", "Somebody can ask for another.")
		}
	}
	return s.toCard(c, "Waiver ended.", "The scenario stands where its runs put it.")
}

// showWaiverEnd asks before a waiver ends. Conflict when there is none.
func (s *Server) showWaiverEnd(c echo.Context, status int, f waiverForm, problem error) error {
	page, v, err := s.caseOf(c)
	if err != nil {
		return err
	}
	if v.EndRefusal != nil {
		return v.EndRefusal
	}
	p := views.EndWaiver{Slug: page.Slug, Key: v.Key, Scenario: v.Title, Waiver: *v.Waiver, Reason: f.Reason, Submission: f.Submission, Problems: problems(problem)}
	return s.page(c, status, layout.Page{Title: formTitle("End a waiver", p.Problems), Nav: "matrix", Crumbs: underMatrix(page.Slug, page.Name, "End the waiver"), Width: "read"}, views.EndWaiverPage(p))
}
