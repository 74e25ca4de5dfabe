package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/home"
	"countersign/models/people"
	"countersign/models/workflow"
	"countersign/views/layout"
	peopleview "countersign/views/people"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// handOverShow is GET /admin/people/:id/hand-over.
func (s *Server) handOverShow(c echo.Context) error { return s.showHandOver(c, "", "", nil) }

// showHandOver shows what a person looks after, again with the choice for a role
// when failed says what must change.
func (s *Server) showHandOver(c echo.Context, role, typed string, failed error) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64)
	d, err := people.Show(s.ctx(c), s.DB, s.actor(c), id)
	if err != nil {
		return err
	}
	p := peopleview.HandOverProps{Path: people.Path(id), Name: d.Name}
	if p.Held, err = home.HoldingsOf(s.ctx(c), s.DB, s.actor(c), id); err != nil {
		return err
	}
	for _, r := range []models.Role{models.BusinessOwner, models.Implementer, models.Reviewer} {
		part := peopleview.HandOverRole{Role: string(r)}
		for _, w := range p.Held.Workflows {
			if w.Role == part.Role {
				part.Workflows = append(part.Workflows, w)
			}
		}
		if len(part.Workflows) == 0 {
			continue
		}
		if part.Options, err = s.successors(c, r, id); err != nil {
			return err
		}
		if part.Role == role {
			part.Value = typed
		}
		p.Roles = append(p.Roles, part)
	}
	status := http.StatusOK
	if e := models.AsError(failed); e != nil {
		status, p.Problems = statusOf[e.Kind], e.Fields
		if e.Kind == models.KindConflict {
			p.Conflict = e.Message
		}
	}
	return s.page(c, status, layout.Page{Title: formTitle("Hand over", p.Problems), Nav: "people", Width: "read",
		Crumbs: []layout.Crumb{{Text: "People", Href: "/admin/people"}, {Text: d.Name, Href: p.Path}, {Text: "Hand over"}}}, peopleview.HandOver(p))
}

// successors are the others who hold a role.
func (s *Server) successors(c echo.Context, r models.Role, id int64) ([]ui.Option, error) {
	found, err := workflow.PeopleWith(s.ctx(c), s.DB, r)
	options := []ui.Option{{Label: "Choose a colleague"}}
	for _, p := range found {
		if p.ID != id {
			options = append(options, ui.Option{Value: fmt.Sprint(p.ID), Label: p.Name + ", " + p.Email})
		}
	}
	return options, err
}

// handOver is POST /admin/people/:id/hand-over, for one role.
func (s *Server) handOver(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64)
	role := c.FormValue("role")
	typed := c.FormValue(role)
	to, _ := strconv.ParseInt(typed, 10, 64)
	n, err := workflow.HandOver(s.ctx(c), s.DB, s.actor(c), workflow.HandOverCmd{Once: models.Once{Submission: c.FormValue("submission")}, Person: id, To: to, Role: models.Role(role)})
	if models.Retryable(err) {
		return s.showHandOver(c, role, typed, err)
	}
	if err != nil {
		return err
	}
	text := "1 workflow names"
	if n != 1 {
		text = fmt.Sprintf("%d workflows name", n)
	}
	return s.see(c, people.Path(id)+"/hand-over", "Handed over.", text+" somebody else as "+models.Role(role).Word()+".")
}
