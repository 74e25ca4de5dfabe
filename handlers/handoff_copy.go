package handlers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/handoff"
	controlviews "countersign/views/control"
	views "countersign/views/handoff"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// start is what a new control begins with.
type start struct {
	controlviews.From
	content     control.Content
	suggestions []control.Suggestion
}

// startOf reads the control that is copied, or the record that is read in.
func (s *Server) startOf(c echo.Context, f controlForm) (start, error) {
	switch {
	case f.Copy != "":
		r, err := handoff.Load(s.ctx(c), s.DB, f.Copy, 0)
		if err != nil {
			return start{}, err
		}
		content := r.Agreed()
		source := fmt.Sprintf("%s, revision %d", content.Control.Name, r.Revision.Number)
		return newStart(controlviews.From{Title: "Copy “" + content.Control.Name + "”", Copy: f.Copy}, content, content.Suggestible(source)), nil
	case f.Record != "":
		content, revision, err := handoff.ReadRecord([]byte(f.Record))
		if err != nil {
			return start{}, err
		}
		return newStart(controlviews.From{Title: "Read “" + content.Control.Name + "” in", Record: f.Record}, content, handoff.Portable(content, revision)), nil
	}
	return start{}, nil
}

// newStart says what becomes of each answer.
func newStart(from controlviews.From, content control.Content, suggestions []control.Suggestion) start {
	comes := map[string]bool{}
	for _, s := range suggestions {
		comes[s.Field] = true
	}
	for _, f := range control.Fields() {
		a, _ := content.Answer(f.Key)
		line := ui.CheckItem{Tone: "idle", Icon: "reply", Strong: f.Label + ".", Text: "Suggested: " + firstWords(a.Value+a.Reason)}
		switch {
		case f.Kind == control.Sentence:
			line.Text = "In the form below. It is the business owner’s when they send it, and waits for them otherwise."
		case a.State == control.Unresolved:
			line.Tone, line.Icon, line.Text = "warn", "", "Unresolved there, and unresolved here."
		case !comes[f.Key]:
			line.Tone, line.Icon, line.Text = "warn", "", "Asked for anew here."
		}
		from.Lines = append(from.Lines, line)
	}
	return start{From: from, content: content, suggestions: suggestions}
}

func firstWords(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return text
}

// form is what the new control's form begins with.
func (s start) form(f controlForm) controlForm {
	sentence, _ := s.content.Answer("duplicate_in_plain_words")
	f.Sentence, f.Name = sentence.Value, s.content.Control.Name
	return f
}

// controlCopy is GET /controls/{slug}/copy: the form for a copy.
func (s *Server) controlCopy(c echo.Context) error {
	if err := control.MayCreate(s.actor(c)); err != nil {
		return err
	}
	f := controlForm{Copy: c.Param("slug")}
	from, err := s.startOf(c, f)
	if err != nil {
		return err
	}
	f = from.form(f)
	f.Name, f.Workflow = "Copy of "+f.Name, from.content.Workflow.Slug
	return s.showControlForm(c, http.StatusOK, f, nil)
}

// controlImport is GET /controls/new/import.
func (s *Server) controlImport(c echo.Context) error {
	if err := control.MayCreate(s.actor(c)); err != nil {
		return err
	}
	return s.showImport(c, http.StatusOK, "", nil)
}

func (s *Server) showImport(c echo.Context, status int, text string, problems []models.FieldError) error {
	crumbs := []layout.Crumb{{Text: "Controls", Href: "/controls"}, {Text: "Read a control in"}}
	return s.page(c, status, layout.Page{Title: formTitle("Read a control in", problems), Nav: "controls", Crumbs: crumbs, Width: "read"}, views.ImportPage(views.Import{Record: text, Problems: problems}))
}

// controlPreview is POST /controls/new/import: shows what would come along, and
// changes nothing.
func (s *Server) controlPreview(c echo.Context) error {
	if err := control.MayCreate(s.actor(c)); err != nil {
		return err
	}
	text, err := pasted(c)
	if err != nil {
		return err
	}
	content, _, err := handoff.ReadRecord([]byte(text))
	if models.IsKind(err, models.KindInvalid) {
		if len(text) > handoff.MostBytes {
			text = ""
		}
		return s.showImport(c, http.StatusUnprocessableEntity, text, models.AsError(err).Fields)
	}
	if err != nil {
		return err
	}
	f := start{content: content}.form(controlForm{Record: text})
	f.Workflow = content.Workflow.Slug
	return s.showControlForm(c, http.StatusOK, f, nil)
}

// pasted is the file that was chosen, or else the text.
func pasted(c echo.Context) (string, error) {
	header, err := c.FormFile("file")
	if err != nil || header.Size == 0 {
		return c.FormValue("record"), nil
	}
	f, err := header.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, handoff.MostBytes+1))
	return strings.ToValidUTF8(string(b), "\x00"), err
}

// suggestionTake is POST /controls/{slug}/answers/{field}/suggestion: the
// suggested answer becomes the answer, checked like any other.
func (s *Server) suggestionTake(c echo.Context) error {
	var f answerForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	d, err := control.Show(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	found, ok := d.Find(c.Param("field"))
	if !ok || found.Suggestion == nil {
		return models.Conflictf("Nothing is suggested here any more. Look at the answer.")
	}
	in := controlviews.InputOf(*found.Suggestion)
	saved, err := control.SaveAnswer(s.ctx(c), s.DB, s.actor(c), control.SaveAnswerCmd{Once: models.Once{Submission: f.Submission}, Control: d.Slug, Field: found.Field.Key, Input: in})
	var conflict *control.AnswerConflict
	switch {
	case errors.As(err, &conflict):
		return s.showAnswerConflict(c, conflict)
	case models.IsKind(err, models.KindInvalid):
		return s.showControl(c, http.StatusUnprocessableEntity, controlviews.Open{Edit: found.Field.Key, Input: &in, Submission: f.Submission, Problems: models.AsError(err).Fields}, nil)
	case err != nil:
		return err
	}
	return s.seeAnswer(c, saved)
}
