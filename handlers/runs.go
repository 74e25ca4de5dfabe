package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"
	evidenceviews "countersign/views/evidence"
	"countersign/views/layout"
	views "countersign/views/matrix"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

type startForm struct {
	Version       int    `form:"version"`
	Revision      int    `form:"revision"`
	Environment   string `form:"environment"`
	StartingState string `form:"starting_state"`
	RetestOf      int64  `form:"retest_of"`
	Correction    string `form:"correction"`
	Submission    string `form:"submission"`
}

// runNew is GET /controls/{slug}/matrix/{case}/start; ?revision= names the
// approved one while a later one is open.
func (s *Server) runNew(c echo.Context) error {
	return s.showStart(c, http.StatusOK, nil, nil, "")
}

// runStart is POST /controls/{slug}/matrix/{case}/start.
func (s *Server) runStart(c echo.Context) error {
	var f startForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	before := prefixed(c, "before.")
	done, err := matrix.StartRun(s.ctx(c), s.DB, s.actor(c), matrix.StartRunCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"),
		Version: f.Version, Revision: f.Revision, Environment: f.Environment, StartingState: f.StartingState, Before: before, RetestOf: f.RetestOf, Correction: f.Correction})
	typed := &views.TypedStart{Environment: f.Environment, StartingState: f.StartingState, Correction: f.Correction, Before: before, Submission: f.Submission}
	switch e := models.AsError(err); {
	case models.IsKind(err, models.KindInvalid):
		return s.showStart(c, http.StatusUnprocessableEntity, typed, e.Fields, "")
	case models.IsKind(err, models.KindConflict):
		typed.Submission = ""
		return s.showStart(c, http.StatusConflict, typed, nil, e.Message)
	case err != nil:
		return err
	}
	return s.see(c, matrix.RunPath(done.Run), "Run started.", "Run the scenario now. Attach what it shows and record the result here.")
}

// showStart is the form that starts a run. What does not allow one at all is
// its own page, unless something was typed.
func (s *Server) showStart(c echo.Context, status int, typed *views.TypedStart, fields []models.FieldError, refused string) error {
	page, v, err := s.caseOf(c)
	if err != nil {
		return err
	}
	revision, _ := strconv.Atoi(c.FormValue("revision"))
	agreed, refusal := page.On(v, revision)
	if refusal != nil && typed == nil {
		return refusal
	}
	if agreed == nil || !agreed.Applies {
		if refusal == nil || refused != "" {
			refusal = models.Conflictf("%s", refused)
		}
		return s.reopen(c, views.Open{Typed: &views.Typed{Correction: typed.Correction, StartingState: typed.StartingState, Before: typed.Before}}, refusal)
	}
	p := views.NewStart(page, v, revision, typed, fields, s.zone(c))
	p.Refused = refused
	return s.page(c, status, layout.Page{Title: formTitle("Start a run", fields), Nav: "matrix", Crumbs: underMatrix(page.Slug, page.Name, "Start a run"), Width: "read"}, views.StartPage(p))
}

// runShow is GET /runs/{id}.
func (s *Server) runShow(c echo.Context) error {
	return s.showRun(c, http.StatusOK, views.OpenRun{})
}

func runID(c echo.Context) int64 {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no run
	return id
}

// showRun is the page of a run with what was typed into its forms.
func (s *Server) showRun(c echo.Context, status int, open views.OpenRun) error {
	page, err := matrix.ShowRun(s.ctx(c), s.DB, s.actor(c), runID(c))
	if err != nil {
		return err
	}
	var ids []int64
	for _, slot := range page.Slots {
		ids = append(ids, slot.Evidence...)
	}
	attached, err := evidence.Of(s.DB.Query(s.ctx(c)), ids...)
	if err != nil {
		return err
	}
	open.Evidence = map[int64]evidence.Attachment{}
	for _, a := range attached {
		open.Evidence[a.ID] = a
	}
	if open.Attach, err = s.attachForms(c, page); err != nil {
		return err
	}
	p := views.NewRun(page, open, s.zone(c))
	return s.page(c, status, layout.Page{Title: formTitle("Run "+c.Param("id"), open.Problems), Nav: "matrix",
		Crumbs: underMatrix(page.Control.Slug, page.Control.Name, "Run "+c.Param("id"))}, views.RunPage(p))
}

// attachForms are the forms that attach evidence to each item of a run; none
// when the reader may not.
func (s *Server) attachForms(c echo.Context, page matrix.RunPage) (map[string]templ.Component, error) {
	if page.AttachRefusal != nil {
		return nil, nil
	}
	place, err := matrix.EvidencePlace(s.ctx(c), s.DB, s.actor(c), page.ID)
	if err != nil {
		return nil, err
	}
	forms := map[string]templ.Component{}
	for _, slot := range place.Slots {
		forms[slot.Key] = evidenceviews.AttachForm(evidenceviews.NewAttach(place, slot.Key, page.Now))
	}
	return forms, nil
}

type recordForm struct {
	Outcome       string `form:"outcome"`
	Observed      string `form:"observed"`
	Inspected     bool   `form:"inspected"`
	InspectedWhat string `form:"inspected_what"`
	LogReference  string `form:"log_reference"`
	Submission    string `form:"submission"`
}

// runRecord is POST /runs/{id}/result.
func (s *Server) runRecord(c echo.Context) error {
	var f recordForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	after := prefixed(c, "after.")
	done, err := matrix.RecordRun(s.ctx(c), s.DB, s.actor(c), matrix.RecordRunCmd{Once: models.Once{Submission: f.Submission}, Run: runID(c), Claimed: matrix.Outcome(f.Outcome),
		Observed: f.Observed, After: after, LogReference: f.LogReference, Inspected: f.Inspected, InspectedWhat: f.InspectedWhat})
	if err = chooses(err, "claimed", "outcome", "Choose how it went: passed, failed or inconclusive."); err != nil {
		return s.reopenRun(c, views.OpenRun{Submission: f.Submission,
			Typed: &views.TypedRun{Observed: f.Observed, LogReference: f.LogReference, InspectedWhat: f.InspectedWhat, Inspected: f.Inspected, After: after}}, err)
	}
	flash := layout.Flash{Tone: "ok", Strong: "Recorded as " + string(done.Outcome) + ".", Text: "Somebody else reviews it now."}
	switch {
	case string(done.Outcome) != f.Outcome && done.Outcome == matrix.Failed:
		flash.Tone, flash.Text = "warn", "The count differs from the agreed change, so it is not "+f.Outcome+". A retest has to answer it."
	case string(done.Outcome) != f.Outcome:
		flash.Tone, flash.Text = "warn", "Nobody looked at the destination itself, so it is not "+f.Outcome+"."
	case done.Outcome == matrix.Failed:
		flash.Text = "It opened a discrepancy. A retest that says what was corrected has to answer it."
	}
	return s.seeFlash(c, matrix.RunPath(done.Run), flash)
}

// chooses is err with what a form says when none of its deciding buttons was
// pressed: Enter in a field sends no decision.
func chooses(err error, from, field, words string) error {
	e := models.AsError(err)
	if e == nil || e.Kind != models.KindInvalid {
		return err
	}
	for i := range e.Fields {
		if e.Fields[i].Field == from {
			e.Fields[i] = models.FieldError{Field: field, Message: words}
		}
	}
	return err
}

// reopenRun shows the page of the run again, with the form that was not taken.
func (s *Server) reopenRun(c echo.Context, open views.OpenRun, err error) error {
	switch e := models.AsError(err); {
	case models.IsKind(err, models.KindInvalid):
		open.Problems = e.Fields
		return s.showRun(c, http.StatusUnprocessableEntity, open)
	case models.IsKind(err, models.KindConflict):
		open.Refused, open.Submission = e.Message, ""
		return s.showRun(c, http.StatusConflict, open)
	}
	return err
}

type reviewForm struct {
	Decision   string `form:"decision"`
	Reason     string `form:"reason"`
	Submission string `form:"submission"`
}

// runReview is POST /runs/{id}/review.
func (s *Server) runReview(c echo.Context) error {
	var f reviewForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := matrix.ReviewRun(s.ctx(c), s.DB, s.actor(c), matrix.ReviewRunCmd{Once: models.Once{Submission: f.Submission}, Run: runID(c), Decision: f.Decision, Reason: f.Reason})
	switch {
	case err != nil:
		return s.reopenRun(c, views.OpenRun{Submission: f.Submission, Typed: &views.TypedRun{Reason: f.Reason}}, err)
	case done.Closed != 0:
		return s.see(c, matrix.RunPath(done.Run), "Run accepted.", "The discrepancy is closed: this retest answers it.")
	case done.Decision == matrix.Return:
		return s.returned(c, done.Run)
	}
	return s.see(c, matrix.RunPath(done.Run), "Run accepted.", "", layout.Crumb{Text: "Runs waiting for your review", Href: "/matrix#reviews"})
}

// returned says what a returned run still means: a failure is not undone by it.
func (s *Server) returned(c echo.Context, run int64) error {
	page, err := matrix.ShowRun(s.ctx(c), s.DB, s.actor(c), run)
	if err != nil {
		return err
	}
	text := "It does not count. Your reason stands with it."
	if page.Outcome == matrix.Failed {
		text = "Its failure stays open, and a retest has to answer it. Your reason stands with it."
	}
	return s.see(c, matrix.RunPath(run), "Run returned.", text)
}

// runAbandonAsk is GET /runs/{id}/abandon.
func (s *Server) runAbandonAsk(c echo.Context) error {
	return s.showAbandon(c, http.StatusOK, reviewForm{}, nil)
}

// runAbandon is POST /runs/{id}/abandon.
func (s *Server) runAbandon(c echo.Context) error {
	var f reviewForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := matrix.AbandonRun(s.ctx(c), s.DB, s.actor(c), matrix.AbandonRunCmd{Once: models.Once{Submission: f.Submission}, Run: runID(c), Reason: f.Reason})
	switch {
	case models.IsKind(err, models.KindInvalid):
		return s.showAbandon(c, http.StatusUnprocessableEntity, f, err)
	case err != nil:
		return s.reopenRun(c, views.OpenRun{Typed: &views.TypedRun{Abandon: f.Reason}}, err)
	}
	return s.see(c, matrix.RunPath(done.Run), "Run abandoned.", "It stays listed with your reason.")
}

// showAbandon asks before a run is abandoned. Forbidden or Conflict when it
// cannot be.
func (s *Server) showAbandon(c echo.Context, status int, f reviewForm, problem error) error {
	page, err := matrix.ShowRun(s.ctx(c), s.DB, s.actor(c), runID(c))
	if err != nil {
		return err
	}
	if page.RecordRefusal != nil {
		return page.RecordRefusal
	}
	p := views.Abandon{ID: page.ID, Scenario: page.Case.Name, Name: page.Control.Name, Reason: f.Reason, Submission: f.Submission, Problems: problems(problem)}
	return s.page(c, status, layout.Page{Title: formTitle("Abandon a run", p.Problems), Nav: "matrix",
		Crumbs: underMatrix(page.Control.Slug, page.Control.Name, "Abandon run "+c.Param("id")), Width: "read"}, views.AbandonPage(p))
}
