package handlers

import (
	"slices"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	views "countersign/views/matrix"

	"github.com/labstack/echo/v4"
)

type caseForm struct {
	Title      string `form:"title"`
	Needs      string `form:"needs"`
	Submission string `form:"submission"`
}

// caseAdd is POST /controls/{slug}/matrix: a scenario of its own.
func (s *Server) caseAdd(c echo.Context) error {
	var f caseForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	added, err := matrix.AddCase(s.ctx(c), s.DB, s.actor(c), matrix.AddCaseCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Title: f.Title, Needs: f.Needs})
	if err != nil {
		return s.reopen(c, views.Open{Do: "add", Submission: f.Submission, Typed: &views.Typed{Title: f.Title, Needs: f.Needs}}, err)
	}
	return s.see(c, matrix.Path(c.Param("slug"), added.Key), "Scenario added.", "An expected result for it comes next.")
}

type proposeForm struct {
	Version       int    `form:"version"`
	NotApplicable bool   `form:"not_applicable"`
	Expected      string `form:"expected"`
	Reason        string `form:"reason"`
	Submission    string `form:"submission"`
}

// casePropose is POST /controls/{slug}/matrix/{case}/expectations.
func (s *Server) casePropose(c echo.Context) error {
	var f proposeForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	changes := prefixed(c, "changes.")
	_, err := matrix.Propose(s.ctx(c), s.DB, s.actor(c), matrix.ProposeCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"),
		Version: f.Version, NotApplicable: f.NotApplicable, Expected: f.Expected, Changes: changes, Reason: f.Reason})
	if err != nil {
		open := views.Open{Do: "propose", Case: c.Param("case"), Submission: f.Submission,
			Typed: &views.Typed{Version: f.Version, Expected: f.Expected, Reason: f.Reason, Changes: changes}}
		if f.NotApplicable {
			open.Do = "not-applicable"
		}
		return s.reopen(c, open, err)
	}
	return s.toCard(c, "Proposed.", "It counts once the business owner agrees.")
}

type decisionForm struct {
	Version    int    `form:"version"`
	Decision   string `form:"decision"`
	Note       string `form:"note"`
	Submission string `form:"submission"`
}

// caseDecide is POST /controls/{slug}/matrix/{case}/decision: the owner's word.
func (s *Server) caseDecide(c echo.Context) error {
	var f decisionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	done, err := matrix.DecideExpectation(s.ctx(c), s.DB, s.actor(c), matrix.DecideExpectationCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"),
		Version: f.Version, Decision: f.Decision, Note: f.Note})
	switch {
	case err != nil:
		return s.reopen(c, views.Open{Do: "decide", Case: c.Param("case"), Submission: f.Submission, Typed: &views.Typed{Note: f.Note}}, err)
	case done.Decision == matrix.Decline:
		return s.toCard(c, "Declined.", "The implementer reads why and proposes another.")
	case done.Exception:
		return s.toCard(c, "Agreed, with an exception.", "Your reason is shown at sign-off for good.")
	}
	_, v, err := s.caseOf(c)
	if err != nil {
		return err
	}
	if v.Agreed != nil && !v.Agreed.Applies {
		return s.toCard(c, "Agreed: not applicable.", "The scenario needs no run.")
	}
	return s.toCard(c, "Agreed.", "Runs are measured against it from now on.")
}

// caseAsk is POST /controls/{slug}/matrix/{case}/questions.
func (s *Server) caseAsk(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := matrix.Ask(s.ctx(c), s.DB, s.actor(c), matrix.AskCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"), Body: f.Body})
	if err != nil {
		return s.reopen(c, talking(c, f), err)
	}
	return s.toCard(c, "Question asked.", "It stays open until you close it.")
}

// caseComment is POST /controls/{slug}/matrix/{case}/comments.
func (s *Server) caseComment(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := matrix.Comment(s.ctx(c), s.DB, s.actor(c), matrix.CommentCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Case: c.Param("case"), Body: f.Body})
	if err != nil {
		return s.reopen(c, talking(c, f), err)
	}
	return s.toCard(c, "Comment added.", "")
}

func talking(c echo.Context, f talkForm) views.Open {
	return views.Open{Do: "talk", Case: c.Param("case"), Submission: f.Submission, Typed: &views.Typed{Body: f.Body}}
}

// caseReply is POST /controls/{slug}/matrix/{case}/comments/{id}/replies.
func (s *Server) caseReply(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no entry
	_, err := control.Reply(s.ctx(c), s.DB, s.actor(c), control.ReplyCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Comment: id, Body: f.Body})
	if err != nil {
		return s.reopen(c, views.Open{Reply: id, Submission: f.Submission, Typed: &views.Typed{Body: f.Body}}, err)
	}
	return s.toCard(c, "Reply added.", "")
}

// caseClose is POST /controls/{slug}/matrix/{case}/questions/{id}/close.
func (s *Server) caseClose(c echo.Context) error {
	var f talkForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no entry
	_, v, err := s.caseOf(c)
	if err == nil && !slices.ContainsFunc(v.Thread, func(q control.Comment) bool { return q.ID == id }) {
		err = models.NotFoundf("This scenario has no such question.")
	}
	if err != nil {
		return err
	}
	_, err = control.CloseQuestion(s.ctx(c), s.DB, s.actor(c), control.CloseQuestionCmd{Once: models.Once{Submission: f.Submission}, Control: c.Param("slug"), Comment: id})
	if err != nil {
		return s.reopen(c, views.Open{}, err)
	}
	return s.toCard(c, "Question closed.", "")
}
