package handlers

import (
	"net/http"
	"net/url"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/views/layout"
	views "countersign/views/matrix"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type matrixFilter struct {
	Workflow string `query:"workflow"`
	Owner    string `query:"owner"`
	State    string `query:"state"`
	At       string `query:"at"`
	Reviews  string `query:"reviews"`
}

// grid is the filter for the model. A state that there is none of narrows nothing.
func (f matrixFilter) grid() (matrix.GridFilter, error) {
	var c models.Check
	c.Line("workflow", f.Workflow, 80)
	g := matrix.GridFilter{Workflow: f.Workflow, Cursor: f.At}
	if f.Owner != "" {
		id, err := strconv.ParseInt(f.Owner, 10, 64)
		if err != nil {
			return g, models.BadRequestf("That is no person. Choose the business owner from the list.")
		}
		g.Owner = id
	}
	if f.narrows() {
		g.State = matrix.State(f.State)
	}
	return g, c.Err()
}

func (f matrixFilter) narrows() bool {
	for _, s := range matrix.States {
		if string(s) == f.State {
			return true
		}
	}
	return false
}

// matrixIndex is GET /matrix: every control against every scenario.
func (s *Server) matrixIndex(c echo.Context) error {
	var f matrixFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter, err := f.grid()
	if err != nil {
		return err
	}
	page, err := matrix.Grid(s.ctx(c), s.DB, filter)
	if err != nil {
		return err
	}
	tally, err := matrix.Tally(s.ctx(c), s.DB, filter)
	if err != nil {
		return err
	}
	p := views.Index{Scenarios: views.Columns(), Tabs: views.Tabs(tally, f.State, func(state string) string { return f.with(state) }), Zone: s.zone(c), CSV: csvLink(c, matrixCSVPath)}
	if p.Filter, err = s.matrixChoices(c, f); err != nil {
		return err
	}
	reviews, err := matrix.ToReview(s.ctx(c), s.DB, s.actor(c), f.Reviews)
	if err != nil {
		return err
	}
	p.Reviews = views.NewReviews(reviews.Items)
	if reviews.Next != "" {
		p.MoreToRead = "/matrix?reviews=" + url.QueryEscape(reviews.Next) + "#reviews"
	}
	pager := pagerFor(c, page.Prev, page.Next)
	p.Next, p.Prev = pager.Next, pager.Prev
	for _, r := range page.Items {
		p.Rows = append(p.Rows, views.NewRow(r, f.State, s.zone(c)))
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Test matrix", Nav: "matrix", Crumbs: []layout.Crumb{{Text: "Test matrix"}}, Width: "full"}, views.IndexPage(p))
}

// with is the address of the same filter with another state.
func (f matrixFilter) with(state string) string {
	q := url.Values{}
	for name, v := range map[string]string{"workflow": f.Workflow, "owner": f.Owner, "state": state} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/matrix"
	}
	return "/matrix?" + q.Encode()
}

func (s *Server) matrixChoices(c echo.Context, f matrixFilter) (views.Filter, error) {
	choices := views.Filter{Workflow: f.Workflow, Owner: f.Owner, State: f.State}
	workflows, err := control.WorkflowChoices(s.ctx(c), s.DB)
	if err != nil {
		return choices, err
	}
	owners, err := matrix.Owners(s.ctx(c), s.DB)
	if err != nil {
		return choices, err
	}
	choices.Workflows, choices.Owners = refOptions("Any workflow", workflows), []ui.Option{{Label: "Any business owner"}}
	for _, o := range owners {
		choices.Owners = append(choices.Owners, ui.Option{Value: strconv.FormatInt(o.ID, 10), Label: o.Name})
	}
	return choices, nil
}

// matrixShow is GET /controls/{slug}/matrix. do and case open a form, reply one
// of a thread, runs narrows the list of runs to one scenario.
func (s *Server) matrixShow(c echo.Context) error {
	open := views.Open{Do: c.QueryParam("do"), Case: c.QueryParam("case")}
	if id, err := strconv.ParseInt(c.QueryParam("reply"), 10, 64); err == nil {
		open.Reply = id
	}
	return s.showMatrix(c, http.StatusOK, open, "")
}

// showMatrix is the page with one form open, as it was typed; refused is why it
// was not taken.
func (s *Server) showMatrix(c echo.Context, status int, open views.Open, refused string) error {
	page, err := matrix.Show(s.ctx(c), s.DB, s.actor(c), c.Param("slug"))
	if err != nil {
		return err
	}
	p := views.NewShow(s.actor(c), page, open, s.zone(c))
	p.Refused = refused
	filter := matrix.RunFilter{Control: page.Slug, Cursor: c.QueryParam("at")}
	for _, v := range page.Cases {
		if v.Key == c.QueryParam("runs") {
			filter.Case, p.RunsOf = v.Key, v.Title
		}
	}
	runs, err := matrix.Runs(s.ctx(c), s.DB, filter)
	if err != nil {
		return err
	}
	p.Runs = views.NewReviews(runs.Items)
	pager := pagerFor(c, runs.Prev, runs.Next)
	p.Prev, p.Next = atRuns(pager.Prev), atRuns(pager.Next)
	return s.page(c, status, layout.Page{Title: formTitle("Test matrix of "+page.Name, p.Problems), Nav: "matrix", Crumbs: underMatrix(page.Slug, page.Name)}, views.ShowPage(p))
}

func atRuns(link string) string {
	if link == "" {
		return ""
	}
	return link + "#runs"
}

// underMatrix is the way to a page of one control's matrix.
func underMatrix(slug, name string, below ...string) []layout.Crumb {
	crumbs := []layout.Crumb{{Text: "Test matrix", Href: "/matrix"}, {Text: name}}
	for _, text := range below {
		crumbs[1].Href = "/controls/" + slug + "/matrix"
		crumbs = append(crumbs, layout.Crumb{Text: text})
	}
	return crumbs
}

// caseOf finds a scenario of the control in the address. NotFound.
func (s *Server) caseOf(c echo.Context) (matrix.Page, matrix.CaseView, error) {
	page, err := matrix.Show(s.ctx(c), s.DB, s.actor(c), c.Param("slug"))
	if err != nil {
		return page, matrix.CaseView{}, err
	}
	for _, v := range page.Cases {
		if v.Key == c.Param("case") {
			return page, v, nil
		}
	}
	return page, matrix.CaseView{}, models.NotFoundf("%s has no such scenario.", page.Name)
}

// toCard goes back to the card of the case in the address.
func (s *Server) toCard(c echo.Context, strong, text string) error {
	return s.see(c, matrix.Path(c.Param("slug"), c.Param("case")), strong, text)
}

// reopen shows the form again that was not taken: 422 for what must change, 409
// with what the other person did.
func (s *Server) reopen(c echo.Context, open views.Open, err error) error {
	switch e := models.AsError(err); {
	case models.IsKind(err, models.KindInvalid):
		open.Problems = e.Fields
		return s.showMatrix(c, http.StatusUnprocessableEntity, open, "")
	case models.IsKind(err, models.KindConflict):
		open.Submission = ""
		if open.Typed != nil {
			open.Typed.Version = 0
		}
		return s.showMatrix(c, http.StatusConflict, open, e.Message)
	}
	return err
}
