package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/models/signoff"
	controlviews "countersign/views/control"
	"countersign/views/layout"
	matrixviews "countersign/views/matrix"

	"github.com/labstack/echo/v4"
)

// controlShow is GET /controls/{slug}. edit and talk name a field whose form is
// open, reply an entry of a thread.
func (s *Server) controlShow(c echo.Context) error {
	open := opened(c)
	open.Said = s.saidOf(c)
	return s.showControl(c, http.StatusOK, open, nil)
}

func opened(c echo.Context) controlviews.Open {
	reply, _ := strconv.ParseInt(c.QueryParam("reply"), 10, 64)
	return controlviews.Open{Edit: c.QueryParam("edit"), Talk: c.QueryParam("talk"), Reply: reply}
}

// earlier is the version of the opened answer whose words are used again; nil
// when the address names none.
func (s *Server) earlier(c echo.Context, slug, field string) (*control.Answer, error) {
	from, err := strconv.Atoi(c.QueryParam("from"))
	if err != nil || field == "" {
		return nil, nil
	}
	versions, err := control.AnswerHistory(s.ctx(c), s.DB, slug, field)
	for i := range versions {
		if versions[i].Version == from {
			return &versions[i], nil
		}
	}
	return nil, err
}

// showControl renders the record with what stands open in it; refused is why a
// submission was not taken.
func (s *Server) showControl(c echo.Context, status int, open controlviews.Open, refused *signoff.Blocked) error {
	d, r, err := s.readControl(c, open)
	if err != nil {
		return err
	}
	state, err := signoff.Show(s.ctx(c), s.DB, r.Actor, d.Slug)
	if err != nil {
		return err
	}
	p := controlviews.NewShow(r, d, state)
	p.Gate = controlviews.Gate{State: string(state.Gate.State), Words: gateWord(state.Gate), Reasons: state.Gate.Reasons, Plain: gatePlain(state.Gate)}
	tests, err := matrix.Show(s.ctx(c), s.DB, r.Actor, d.Slug)
	if err != nil {
		return err
	}
	p.Tests = matrixviews.NewTests(tests, r.Zone)
	if refused != nil {
		p.Blocked, p.Blocking = models.AsError(refused).Message, refused.Conditions
	}
	return s.page(c, status, layout.Page{Title: formTitle(d.Name, p.Problems), Nav: "controls", Crumbs: controlCrumbs(d.Name), Width: "wide"}, controlviews.ShowPage(p))
}

func (s *Server) readControl(c echo.Context, open controlviews.Open) (control.Detail, controlviews.Reader, error) {
	r := controlviews.Reader{Actor: s.actor(c), Zone: s.zone(c), Open: open}
	d, err := control.Show(s.ctx(c), s.DB, c.Param("slug"))
	if err == nil && open.Edit != "" {
		if r.Options, err = control.FormOptions(s.ctx(c), s.DB, d.Slug); err == nil {
			r.Open.From, err = s.earlier(c, d.Slug, open.Edit)
			if f, ok := d.Find(open.Edit); ok && f.Suggestion != nil && r.Open.From == nil {
				a := f.Suggestion.Answer()
				r.Open.From = &a
			}
		}
	}
	return d, r, err
}

func controlCrumbs(name string, more ...layout.Crumb) []layout.Crumb {
	return append([]layout.Crumb{{Text: "Controls", Href: "/controls"}, {Text: name}}, more...)
}

// underControl are the crumbs of a page below a control's.
func underControl(slug, name, here string) []layout.Crumb {
	crumbs := controlCrumbs(name, layout.Crumb{Text: here})
	crumbs[1].Href = "/controls/" + slug
	return crumbs
}

// answerShow is GET /controls/{slug}/answers/{field}: the one answer for htmx to
// swap in, the whole page for everybody else.
func (s *Server) answerShow(c echo.Context) error {
	open := opened(c)
	if c.Request().Header.Get("HX-Request") != "true" {
		page := "/controls/" + c.Param("slug")
		if c.QueryString() != "" {
			page += "?" + c.QueryString()
		}
		return c.Redirect(http.StatusSeeOther, page+"#f-"+c.Param("field"))
	}
	d, r, err := s.readControl(c, open)
	if err != nil {
		return err
	}
	f, ok := d.Find(c.Param("field"))
	if !ok {
		return models.NotFoundf("There is no field named %s.", c.Param("field"))
	}
	a := controlviews.NewAnswer(r, d, f)
	a.Back = c.QueryString() == ""
	return s.page(c, http.StatusOK, layout.Page{Title: d.Name}, controlviews.AnswerItem(a))
}

type answerForm struct {
	Version      int      `form:"version"`
	Submission   string   `form:"submission"`
	Do           string   `form:"do"`
	Text         string   `form:"text"`
	Person       int64    `form:"person"`
	Environments []string `form:"environments"`
	Date         string   `form:"date"`
	Sender       string   `form:"sender"`
	Mode         string   `form:"mode"`
	Number       string   `form:"number"`
	Basis        string   `form:"basis"`
	Policy       string   `form:"policy"`
	Reason       string   `form:"reason"`
}

func (f answerForm) input(c echo.Context) (control.Input, error) {
	in := control.Input{State: control.AnswerState(f.Do), Text: f.Text, Person: f.Person, Environments: f.Environments, Date: f.Date, Sender: f.Sender,
		Mode: f.Mode, Number: f.Number, Basis: f.Basis, Policy: f.Policy, Reason: f.Reason, Operations: map[string]int64{}}
	if f.Do == "" {
		in.State = control.Answered
	}
	if field, _ := control.FieldByKey(c.Param("field")); field.Kind == control.Rule {
		in.Rule = ruleForm(c, f.Do == addComponent)
		in.Rule.Kind = field.Recognises()
	}
	for environment, id := range prefixed(c, "operations.") {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil && id != "" {
			return in, models.BadRequestf("This form names an operation that cannot exist. Reload the page and choose again.")
		}
		in.Operations[environment] = n
	}
	return in, nil
}

// answerSave is POST /controls/{slug}/answers/{field}.
func (s *Server) answerSave(c echo.Context) error {
	var f answerForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	in, err := f.input(c)
	if err != nil {
		return err
	}
	field := c.Param("field")
	if f.Do == addComponent {
		return s.showMoreOfRule(c, controlviews.Open{Edit: field, Input: &in, Version: f.Version, Submission: f.Submission})
	}
	saved, err := control.SaveAnswer(s.ctx(c), s.DB, s.actor(c), control.SaveAnswerCmd{Once: models.Once{Submission: f.Submission},
		Control: c.Param("slug"), Field: field, Version: f.Version, Input: in})
	var conflict *control.AnswerConflict
	open := controlviews.Open{Edit: field, Input: &in, Version: f.Version, Submission: f.Submission}
	switch {
	case errors.As(err, &conflict):
		return s.showAnswerConflict(c, conflict)
	case models.IsKind(err, models.KindInvalid):
		open.Problems = models.AsError(err).Fields
		return s.showControl(c, http.StatusUnprocessableEntity, open, nil)
	case models.IsKind(err, models.KindConflict):
		open.Problems = []models.FieldError{{Message: models.AsError(err).Message}}
		return s.showControl(c, http.StatusConflict, open, nil)
	case err != nil:
		return err
	}
	return s.seeAnswer(c, saved)
}

// seeAnswer goes back to the answer and says what became of it.
func (s *Server) seeAnswer(c echo.Context, saved control.Saved) error {
	field, _ := control.FieldByKey(saved.Field)
	text := "“" + field.Label + "”"
	switch {
	case saved.Findings > 0:
		text += " stays unresolved until its findings are settled."
		return s.seeField(c, field.Key, "warn", "Saved, with findings.", text)
	case saved.Proposal:
		text += " waits for the business owner’s confirmation."
	case saved.State == control.Unresolved:
		text += " is unresolved again."
	case saved.State == control.NotApplicable:
		text += " does not apply, with your reason."
	default:
		text += " is answered."
	}
	if saved.Opened {
		text += fmt.Sprintf(" This started revision %d.", saved.Revision)
	}
	if len(saved.Warnings) > 0 {
		text += " " + strings.Join(saved.Warnings, " ")
		return s.seeField(c, field.Key, "warn", "Saved, with a warning.", text)
	}
	return s.seeField(c, field.Key, "ok", "Saved.", text)
}

// showAnswerConflict shows both versions; nothing was saved and nothing is lost.
func (s *Server) showAnswerConflict(c echo.Context, conflict *control.AnswerConflict) error {
	d, r, err := s.readControl(c, controlviews.Open{Edit: conflict.Field.Key})
	if err != nil {
		return err
	}
	p := controlviews.NewConflict(r, d, conflict)
	return s.page(c, http.StatusConflict, layout.Page{Title: "Someone else changed this", Nav: "controls",
		Crumbs: underControl(d.Slug, d.Name, conflict.Field.Label), Width: "read"}, controlviews.ConflictPage(p))
}

// answerConfirm is POST /controls/{slug}/answers/{field}/confirm: the business
// owner makes the proposed sentence their own.
func (s *Server) answerConfirm(c echo.Context) error {
	var f answerForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	if field, ok := control.FieldByKey(c.Param("field")); !ok || !field.OwnerOnly {
		return models.NotFoundf("There is nothing to confirm in this field.")
	}
	saved, err := control.ConfirmSentence(s.ctx(c), s.DB, s.actor(c), control.ConfirmSentenceCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Version: f.Version})
	var conflict *control.AnswerConflict
	if errors.As(err, &conflict) {
		return models.Conflictf("%s wrote other words while you were reading. Go back, read them and confirm those.", conflict.Saved.By.Name)
	}
	if err != nil {
		return err
	}
	return s.seeAnswer(c, saved)
}

// answerHistory is GET /controls/{slug}/answers/{field}/history.
func (s *Server) answerHistory(c echo.Context) error {
	d, err := control.Show(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	versions, err := control.AnswerHistory(s.ctx(c), s.DB, d.Slug, c.Param("field"))
	if err != nil {
		return err
	}
	field, _ := control.FieldByKey(c.Param("field"))
	return s.page(c, http.StatusOK, layout.Page{Title: "History of " + field.Label, Nav: "controls", Crumbs: underControl(d.Slug, d.Name, "History of "+field.Label), Width: "read"},
		controlviews.HistoryPage(controlviews.NewHistory(controlviews.Reader{Actor: s.actor(c), Zone: s.zone(c)}, d, field, versions)))
}
