package handlers

import (
	"cmp"
	"net/http"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
	"countersign/views/layout"
	views "countersign/views/ledger"

	"github.com/labstack/echo/v4"
)

type reviewsForm struct {
	Show     string `query:"show"`
	Workflow string `query:"workflow"`
	At       string `query:"at"`
}

// reviewsIndex is GET /ledger/reviews: what waits, or what was decided.
func (s *Server) reviewsIndex(c echo.Context) error {
	var f reviewsForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	var check models.Check
	check.Line("workflow", f.Workflow, 80)
	if err := check.Err(); err != nil {
		return err
	}
	page, err := ledger.ListReviews(s.ctx(c), s.DB, ledger.ReviewFilter{Decided: f.Show == "decided", Workflow: f.Workflow, At: f.At})
	if err != nil {
		return err
	}
	sum, err := ledger.Summarise(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	workflows, err := control.WorkflowChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p := views.Reviews{Decided: f.Show == "decided", Rows: page.Items, Open: sum.Reviews, Workflow: f.Workflow, Workflows: refOptions("Any workflow", workflows), Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	if p.Decided {
		p.Pager = newest(c, page.Prev, page.Next)
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Review items", Nav: "ledger", Crumbs: underLedger("Review items"), Width: "full"}, views.ReviewsPage(p))
}

type reviewItemForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Decision   string `form:"decision"`
	Action     string `form:"action"`
	Other      string `form:"other"` // an action that is not among those to choose from
	Reason     string `form:"reason"`
}

// reviewShow is GET /ledger/reviews/{ref}.
func (s *Server) reviewShow(c echo.Context) error {
	return s.showReview(c, http.StatusOK, reviewItemForm{}, nil)
}

func (s *Server) showReview(c echo.Context, status int, f reviewItemForm, refusal error) error {
	page, err := ledger.ReviewOf(s.ctx(c), s.DB, s.actor(c), c.Param("ref"))
	if err != nil {
		return err
	}
	p := views.Review{ReviewPage: page, WhyNot: why(page.WhyNot), Decision: f.Decision, ActionText: f.Action, OtherText: f.Other, Reason: f.Reason, Zone: s.zone(c)}
	switch status {
	case http.StatusConflict:
		p.Refused = why(refusal)
	case http.StatusUnprocessableEntity:
		p.Problems, p.Submission = problems(refusal, "decision", "action", "reason"), f.Submission
	}
	crumbs := []layout.Crumb{{Text: "Ledger", Href: "/ledger"}, {Text: "Review items", Href: "/ledger/reviews"}, {Text: page.Ref()}}
	return s.page(c, status, layout.Page{Title: formTitle(page.Ref(), p.Problems), Nav: "ledger", Crumbs: crumbs}, views.ReviewPage(p))
}

// reviewDecide is POST /ledger/reviews/{ref}/decision.
func (s *Server) reviewDecide(c echo.Context) error {
	var f reviewItemForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	cmd := ledger.DecideReviewCmd{Once: models.Once{Submission: f.Submission}, Ref: c.Param("ref"), Version: f.Version, Decision: ledger.ReviewDecision(f.Decision), Reason: f.Reason}
	if cmd.Decision == ledger.LinkReview {
		cmd.Action = ledger.Number("a", cmp.Or(strings.TrimSpace(f.Other), f.Action))
	}
	item, err := ledger.DecideReview(s.ctx(c), s.DB, s.actor(c), cmd)
	if models.Retryable(err) {
		return s.showReview(c, statusOfForm(err), f, err)
	}
	if err != nil {
		return err
	}
	next := []layout.Crumb{{Text: "What else waits", Href: "/ledger/reviews"}}
	if item.Linked != 0 {
		next = append([]layout.Crumb{{Text: "Open " + views.A(item.Linked), Href: ledger.ActionPath(item.Linked)}}, next...)
	}
	return s.see(c, ledger.ReviewPath(item.Ref()), item.Ref()+" is "+item.State.Words()+".", item.Allows(), next...)
}
