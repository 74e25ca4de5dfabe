package handlers

import (
	"net/http"
	"time"

	"countersign/models/control"
	"countersign/models/home"
	"countersign/models/people"
	"countersign/models/signoff"
	"countersign/models/workflow"
	homeview "countersign/views/home"
	"countersign/views/layout"
	matrixviews "countersign/views/matrix"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// healthRows is how many controls the home page shows.
const healthRows = 8

// workflowCards is how many workflows the home page shows.
const workflowCards = 6

// home is GET /: what needs the person, then how the controls are.
func (s *Server) home(c echo.Context) error {
	needs, err := home.Needs(s.ctx(c), s.DB, s.actor(c))
	if err != nil {
		return err
	}
	page, err := control.List(s.ctx(c), s.DB, control.ListFilter{})
	if err != nil {
		return err
	}
	p := homeview.Props{Needs: needs, Zone: s.zone(c), Now: time.Now()}
	cells, err := s.cellsOf(c, page.Items[:min(len(page.Items), healthRows)])
	if err != nil {
		return err
	}
	for i, row := range page.Items {
		if i == healthRows {
			p.More = true
			break
		}
		h := health(row)
		h.Tests = matrixviews.Summary(cells[row.ID], row.Now)
		p.Controls = append(p.Controls, h)
	}
	if p.Guide, p.Demo, err = s.firstSteps(c); err != nil {
		return err
	}
	days, err := home.Trends(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p.Charts = homeview.Charts(days)
	if p.Workflows, err = home.Cards(s.ctx(c), s.DB, s.actor(c), workflowCards); err != nil {
		return err
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Home", Nav: "home", Crumbs: []layout.Crumb{{Text: "Home"}}}, homeview.Index(p))
}

func health(row control.ListRow) homeview.Health {
	gate := signoff.RowGate(row)
	h := homeview.Health{Name: row.Name, Path: "/controls/" + row.Slug, Workflow: row.WorkflowName, Gate: string(gate.State), GateWord: gateWord(gate),
		Revision: row.LatestNumber, State: string(row.LatestState), Unresolved: row.Unresolved, OpenQuestions: row.OpenQuestions}
	if row.ReviewDate != nil {
		h.ReviewDate, h.ReviewPassed = *row.ReviewDate, control.Passed(row.ReviewDate, row.Now)
	}
	return h
}

// firstSteps leads a new workspace to its first control, until all are done.
// What a person may not do is no link and says who does it.
func (s *Server) firstSteps(c echo.Context) (guide []ui.CheckItem, empty bool, err error) {
	found, err := home.Begun(s.ctx(c), s.DB)
	if err != nil || found.All() {
		return nil, false, err
	}
	by := s.actor(c)
	step := func(done bool, strong, text, href string, refusal error, who string) ui.CheckItem {
		item := ui.CheckItem{Tone: "warn", Strong: strong + ":", Text: text, Href: href}
		switch {
		case done:
			item.Tone, item.Href = "ok", ""
		case refusal != nil:
			item.Href, item.Text = "", text+" "+who
		}
		return item
	}
	connect := "/api/guide"
	if people.MayAdminister(by) == nil {
		connect = "/admin/tokens/new"
	}
	return []ui.CheckItem{
		step(found.People, "Invite people", "at least three, a business owner, an implementer and a reviewer.", "/admin/people/new", people.MayAdminister(by), "An administrator does this."),
		step(found.Environments, "Set up environments", "such as a sandbox and production, and say which can reach real customers.", "/admin/environments/new", workflow.MaySetEnvironments(by), "An administrator does this."),
		step(found.Workflows, "Create a workflow", "the automation, with its business owner, implementer and reviewer.", "/workflows/new", workflow.MayCreate(by), "A business owner, an implementer or an administrator does this."),
		step(found.Destinations, "Describe a destination", "and what its documentation says a repeat would do.", "/destinations/new", workflow.MaySetDestinations(by), "An implementer or an administrator does this."),
		step(found.Controls, "Write the first control", "starting with the owner’s own words.", "/controls/new", control.MayCreate(by), "A business owner, an implementer or a reviewer does this."),
		step(found.Automation, "Connect an automation", "a token for it, and a call before each act.", connect, nil, ""),
	}, !found.Workflows, nil
}
