package handlers

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	views "countersign/views/evidence"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

// attaching is one sent form: its fields, which come first, and what became of
// the text, the link and the files so far.
type attaching struct {
	s     *Server
	c     echo.Context
	place evidence.Place

	form     map[string]string
	begun    bool // the text and the link were looked at
	entered  bool // a file is being received, or was
	leave    func()
	done     []evidence.Received
	problems []models.FieldError
	places   []evidence.Finding // in the text
	tooLarge bool
}

// attachFields are the fields of the form and how long each may be, in bytes.
// What a person typed is read whole, so that one who typed too much gets it back.
var attachFields = map[string]int64{"submission": 100, "slot": 100, "proves": typed, "keep_until": 100, "keep_basis": typed, "name": typed, "url": typed, "text": typed, "redact": 10, "reason": typed}

const typed = 2 * evidence.MaxText

// evidenceAttach is POST /evidence?to=/runs/41. It reads the form part by part
// and keeps nothing of it in memory but one small buffer.
func (s *Server) evidenceAttach(c echo.Context) error {
	defer s.longBody(c)()
	place, err := s.evidencePlace(c, c.QueryParam("to"))
	if err != nil {
		return err
	}
	var refused error
	if place.WhyNot != nil { // before a file is read
		refused = evidence.Check(s.ctx(c), s.DB, s.actor(c), place, evidence.Details{})
		if !models.IsKind(refused, models.KindConflict) {
			return refused
		}
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return models.BadRequestf("This form could not be read. Reload the page and send it again.")
	}
	a := &attaching{s: s, c: c, place: place, form: map[string]string{}, leave: func() {}}
	defer func() { a.leave() }()
	if err := a.read(parts, refused); err != nil {
		return a.refuse(err)
	}
	return a.answer()
}

// refuse gives back what was typed where a person can do something with it.
func (a *attaching) refuse(err error) error {
	var he *echo.HTTPError
	again := errors.As(err, &he) || models.IsKind(err, models.KindConflict) || models.IsKind(err, models.KindUnavailable)
	if !again || len(a.form) == 0 || a.json() {
		return err
	}
	status, message, _ := a.s.describe(err)
	if status == http.StatusServiceUnavailable {
		a.c.Response().Header().Set("Retry-After", "5")
	}
	place, e := a.s.evidencePlace(a.c, a.place.Path)
	if e != nil || place.WhyNot != nil {
		f := a.form
		lost := []views.Typed{{Label: "What it proves", Text: f["proves"]}, {Label: "Text", Text: f["text"]}, {Label: "Link", Text: f["url"]}, {Label: "Its name", Text: f["name"]},
			{Label: "Because of", Text: f["keep_basis"]}, {Label: "Why they must stay", Text: f["reason"]}}
		return a.s.evidenceLost(a.c, status, views.Lost{Title: "This was not attached", Message: message, About: a.place.About, Path: a.place.Path, Typed: lost})
	}
	a.place, a.problems = place, append([]models.FieldError{{Message: message}}, a.problems...)
	return a.again(status)
}

// json reports whether the script that sends one file at a time is asking.
func (a *attaching) json() bool { return a.c.Request().Header.Get("Accept") == "application/json" }

// read reads the form. Of one that is refused already only the fields are read,
// to be given back.
func (a *attaching) read(parts *multipart.Reader, refused error) error {
	for {
		part, err := parts.NextPart()
		switch {
		case refused != nil && (err != nil || part.FormName() == "file"):
			return refused
		case err == io.EOF: // the end of the form; of a body that is cut off it comes wrapped
			return a.written()
		case err != nil:
			return cutOff(err)
		case part.FormName() == "file" && part.FileName() != "":
			if err := a.file(part); err != nil {
				return err
			}
		case part.FormName() != "file":
			if err := a.field(part); err != nil {
				return err
			}
		}
	}
}

func (a *attaching) field(part *multipart.Part) error {
	most, ok := attachFields[part.FormName()]
	if !ok {
		return models.BadRequestf("This form has a field that no page of ours sends.")
	}
	text, err := io.ReadAll(io.LimitReader(part, most+1))
	if err != nil {
		return cutOff(err)
	}
	if int64(len(text)) > most {
		if part.FormName() != "text" {
			return echo.NewHTTPError(http.StatusRequestEntityTooLarge)
		}
		text = nil
		a.begun = true // nothing of the form is attached
		a.problems = append(a.problems, models.FieldError{Field: "text", Message: "Attach a text of more than 512 kB as a file."})
	}
	a.form[part.FormName()] = string(text)
	return nil
}

func (a *attaching) details() evidence.Details {
	return evidence.Details{Slot: a.form["slot"], Proves: a.form["proves"], KeepUntil: a.form["keep_until"], KeepBasis: a.form["keep_basis"]}
}

func (a *attaching) once() models.Once { return models.Once{Submission: a.form["submission"]} }

// written attaches the text and the link, once every field is known.
func (a *attaching) written() error {
	if a.begun {
		return nil
	}
	a.begun = true
	ctx, db, by := a.s.ctx(a.c), a.s.DB, a.s.actor(a.c)
	if text := a.form["text"]; models.Clean(text) != "" {
		done, err := evidence.AttachText(ctx, db, by, evidence.AttachTextCmd{Once: a.once(), Details: a.details(), Place: a.place, Name: a.form["name"], Text: text,
			Redact: a.form["redact"] != "", Reason: a.form["reason"]})
		var flagged *evidence.Flagged
		if errors.As(err, &flagged) {
			a.places = flagged.Findings
		}
		if err := a.came(evidence.Received{Attached: done}, err); err != nil {
			return err
		}
	}
	if url := a.form["url"]; models.Clean(url) != "" {
		done, err := evidence.AttachLink(ctx, db, by, evidence.AttachLinkCmd{Once: a.once(), Details: a.details(), Place: a.place, Name: a.form["name"], URL: url})
		return a.came(evidence.Received{Attached: done}, err)
	}
	return nil
}

// sentName undoes what browsers write for a quotation mark in the name of a file.
var sentName = strings.NewReplacer("%22", `"`)

// enter waits for the turn of this form's files, before anything of it is saved.
func (a *attaching) enter() error {
	if a.entered {
		return nil
	}
	leave, err := a.s.uploads.enter(a.s.ctx(a.c), a.s.actor(a.c).ID)
	if err == nil {
		a.entered, a.leave = true, leave
	}
	return err
}

// file attaches a file. When the fields must change first, no file is read.
func (a *attaching) file(part *multipart.Part) error {
	if err := a.enter(); err != nil {
		return err
	}
	if err := a.written(); err != nil {
		return err
	}
	done, err := evidence.AttachFile(a.s.ctx(a.c), a.s.DB, a.s.actor(a.c), evidence.AttachFileCmd{Once: a.once(), Details: a.details(), Place: a.place, Name: sentName.Replace(part.FileName()), Body: part})
	a.tooLarge = a.tooLarge || errors.Is(err, evidence.ErrTooLarge)
	if evidence.CutOff(err) {
		return cutOff(err)
	}
	return a.came(done, err)
}

// came notes what became of one item; what a person can put right is told
// together at the end.
func (a *attaching) came(done evidence.Received, err error) error {
	if models.IsKind(err, models.KindInvalid) {
		for _, f := range models.AsError(err).Fields {
			if !containsField(a.problems, f) {
				a.problems = append(a.problems, f)
			}
		}
		return nil
	}
	if err == nil {
		a.done = append(a.done, done)
	}
	return err
}

func containsField(all []models.FieldError, f models.FieldError) bool {
	for _, p := range all {
		if p == f {
			return true
		}
	}
	return false
}

// cutOff is a body that ended early or went on for too long.
func cutOff(err error) error {
	var much *http.MaxBytesError
	if errors.As(err, &much) {
		return echo.NewHTTPError(http.StatusRequestEntityTooLarge, "These files are too large to be sent together. What was not received whole was not saved. Send fewer at once.")
	}
	if errors.Is(err, errTooSlow) {
		return echo.NewHTTPError(http.StatusRequestTimeout, "The upload came too slowly and was ended, so this file was not saved. Send it again over a faster connection.")
	}
	return models.BadRequestf("The upload ended early, so this file was not saved. Send it again.")
}

// answer tells what became of the form: as a page, or as JSON to the script
// that sends one file at a time.
func (a *attaching) answer() error {
	if len(a.problems) == 0 && len(a.done) == 0 {
		a.problems = []models.FieldError{{Field: "file", Message: "Choose a file, paste a text or give a link."}}
	}
	json := a.json()
	if len(a.problems) > 0 {
		status := http.StatusUnprocessableEntity
		if a.tooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		if json {
			return a.c.JSON(status, map[string]string{"detail": a.problems[0].Message, "field": a.problems[0].Field})
		}
		return a.again(status)
	}
	to, flash := a.place.Path+"#evidence", layout.Flash{Tone: "ok", Strong: "Evidence attached.", Text: "It is listed below."}
	for _, d := range a.done {
		if d.Upload != 0 {
			to = evidence.PathOfUpload(d.Upload)
			flash = layout.Flash{}
			break
		}
		if d.Before {
			flash = layout.Flash{Tone: "ok", Strong: "Sent before.", Text: "This file is decided, or its hour is over. To attach it once more, reload the form."}
			if d.ID != 0 {
				to = evidence.PathOf(d.ID)
			}
		}
	}
	if json {
		return a.c.JSON(http.StatusOK, map[string]any{"location": to, "flagged": flash == layout.Flash{}})
	}
	return a.s.seeFlash(a.c, to, flash)
}

// again shows the form as it was typed.
func (a *attaching) again(status int) error {
	f := a.form
	p := views.Attach{To: a.place.Path, Slot: f["slot"], Proves: f["proves"], Name: f["name"], Text: f["text"], URL: f["url"], KeepUntil: f["keep_until"], KeepBasis: f["keep_basis"],
		Reason: f["reason"], MayKeep: a.place.WhyNotKeep == nil, Problems: a.problems, Submission: f["submission"], Done: len(a.done)}
	p.Slots = views.NewAttach(a.place, "", time.Time{}).Slots
	for _, e := range evidence.ExcerptsOf(f["text"], a.places) {
		p.Places = append(p.Places, views.NewPlace(e))
	}
	return a.s.showAttach(a.c, status, a.place, p)
}
