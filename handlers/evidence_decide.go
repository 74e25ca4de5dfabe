package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/evidence"
	views "countersign/views/evidence"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

type decideForm struct {
	Submission string `form:"submission"`
	Decision   string `form:"decision"`
	Places     []int  `form:"places"`
	All        bool   `form:"all"`
	Reason     string `form:"reason"`
}

// uploadShow is GET /evidence/uploads/{id}, for whoever may decide about the file.
func (s *Server) uploadShow(c echo.Context) error {
	id, err := evidenceID(c)
	if err != nil {
		return err
	}
	u, err := evidence.LoadUpload(s.ctx(c), s.DB, id)
	if err != nil {
		return err
	}
	place, err := s.evidencePlace(c, u.Path)
	if err != nil {
		return err
	}
	if evidence.MayDecide(s.actor(c), u, place) != nil {
		return models.NotFoundf("There is no such file, or it is not yours to see.")
	}
	return s.showUpload(c, http.StatusOK, u, place, decideForm{All: true}, nil)
}

func (s *Server) showUpload(c echo.Context, status int, u evidence.Upload, place evidence.Place, f decideForm, problems []models.FieldError) error {
	excerpts, err := evidence.Excerpts(s.ctx(c), s.DB, u)
	if err != nil {
		return err
	}
	waiting, err := evidence.Waiting(s.ctx(c), s.DB, s.actor(c).ID)
	if err != nil {
		return err
	}
	p := views.NewDecide(u, place, excerpts)
	p.Mine, p.Others, p.Zone = u.PersonID == s.actor(c).ID, waitingRows(waiting, u.ID), s.zone(c)
	p.Problems, p.Reason, p.Submission = problems, f.Reason, f.Submission
	if !f.All {
		p.Chosen = append([]int{}, f.Places...)
	}
	return s.page(c, status, layout.Page{Title: formTitle("Personal data in "+u.SafeName(), problems), Nav: "evidence", Crumbs: underEvidence("Waiting for a decision")}, views.DecidePage(p))
}

// uploadDecide is POST /evidence/uploads/{id}.
func (s *Server) uploadDecide(c echo.Context) error {
	var f decideForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, err := evidenceID(c)
	if err != nil {
		return err
	}
	u, err := evidence.FindUpload(s.ctx(c), s.DB, id)
	if err != nil {
		return s.undecided(c, err, f, evidence.Place{About: "Evidence", Path: "/evidence"})
	}
	place, err := s.evidencePlace(c, u.Path)
	if err != nil {
		return err
	}
	done, err := evidence.Decide(s.ctx(c), s.DB, s.actor(c), evidence.DecideCmd{Once: models.Once{Submission: f.Submission}, Upload: id, Place: place,
		Decision: evidence.Decision(f.Decision), Places: f.Places, All: f.All, Reason: f.Reason})
	if models.IsKind(err, models.KindInvalid) {
		return s.showUpload(c, http.StatusUnprocessableEntity, u, place, f, models.AsError(err).Fields)
	}
	if err != nil {
		return s.undecided(c, err, f, place)
	}
	words := map[evidence.Decision]string{evidence.Redact: "It is attached without the places that were taken out.", evidence.Keep: "It is attached as it is, with the reason.", evidence.Discard: "The file was removed. Nothing was attached."}
	to := place.Path + "#evidence"
	if waiting, err := evidence.Waiting(s.ctx(c), s.DB, s.actor(c).ID); err == nil && len(waiting) > 0 {
		to = evidence.PathOfUpload(waiting[0].ID)
	}
	return s.see(c, to, "“"+done.Name+"” is decided.", words[evidence.Decision(f.Decision)])
}

// undecided says why nothing was decided, and gives the reason back that came
// with it when the file is not there to be decided about any more.
func (s *Server) undecided(c echo.Context, err error, f decideForm, place evidence.Place) error {
	if models.Clean(f.Reason) == "" || !models.IsKind(err, models.KindConflict) && !models.IsKind(err, models.KindNotFound) {
		return err
	}
	status, message, _ := s.describe(err)
	return s.evidenceLost(c, status, views.Lost{Title: "This was not decided", Message: message, About: place.About, Path: place.Path, Typed: []views.Typed{{Label: "Why it must stay", Text: f.Reason}}})
}

// evidenceLost is the page in place of a form that is of no use any more.
func (s *Server) evidenceLost(c echo.Context, status int, p views.Lost) error {
	return s.page(c, status, layout.Page{Title: p.Title, Nav: "evidence", Crumbs: underEvidence(p.Title), Width: "read"}, views.LostPage(p))
}
