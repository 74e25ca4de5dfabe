package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	controlviews "countersign/views/control"

	"github.com/labstack/echo/v4"
)

type talkForm struct {
	Body       string `form:"body"`
	Submission string `form:"submission"`
}

// questionAsk is POST /controls/{slug}/fields/{field}/questions.
func (s *Server) questionAsk(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := control.Ask(s.ctx(c), s.DB, s.actor(c), control.AskCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Field: c.Param("field"), Body: f.Body})
	return s.talked(c, controlviews.Open{Talk: c.Param("field"), Body: f.Body, Submission: f.Submission}, err, "Question asked.", "It stays open until you close it.")
}

// commentAdd is POST /controls/{slug}/fields/{field}/comments.
func (s *Server) commentAdd(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := control.AddComment(s.ctx(c), s.DB, s.actor(c), control.CommentCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Field: c.Param("field"), Body: f.Body})
	return s.talked(c, controlviews.Open{Talk: c.Param("field"), Body: f.Body, Submission: f.Submission}, err, "Comment added.", "")
}

// commentReply is POST /controls/{slug}/fields/{field}/comments/{id}/replies.
func (s *Server) commentReply(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, err := s.entryOf(c)
	if err != nil {
		return err
	}
	_, err = control.Reply(s.ctx(c), s.DB, s.actor(c), control.ReplyCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Comment: id, Body: f.Body})
	return s.talked(c, controlviews.Open{Reply: id, Body: f.Body, Submission: f.Submission}, err, "Reply added.", "")
}

// questionClose is POST /controls/{slug}/fields/{field}/questions/{id}/close.
func (s *Server) questionClose(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, err := s.entryOf(c)
	if err != nil {
		return err
	}
	if _, err = control.CloseQuestion(s.ctx(c), s.DB, s.actor(c), control.CloseQuestionCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Comment: id}); err != nil {
		return err
	}
	return s.talked(c, controlviews.Open{}, nil, "Question closed.", "")
}

// entryOf is the id of the thread's entry in the address.
func (s *Server) entryOf(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if _, ok := control.FieldByKey(c.Param("field")); !ok || err != nil {
		return 0, models.NotFoundf("There is no such question or comment.")
	}
	return id, nil
}

// talked goes back to the field, or shows the thread's form again with what was typed.
func (s *Server) talked(c echo.Context, open controlviews.Open, err error, strong, text string) error {
	if models.IsKind(err, models.KindInvalid) {
		open.Problems = models.AsError(err).Fields
		return s.showControl(c, http.StatusUnprocessableEntity, open, nil)
	}
	if err != nil {
		return err
	}
	return s.seeField(c, c.Param("field"), "ok", strong, text)
}
