package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/people"
	"countersign/views/layout"
	peopleview "countersign/views/people"

	"github.com/labstack/echo/v4"
)

type peopleFilter struct {
	Query string `query:"q"`
	Role  string `query:"role"`
	State string `query:"state"`
	At    string `query:"at"`
}

// peopleIndex is GET /admin/people.
func (s *Server) peopleIndex(c echo.Context) error {
	var f peopleFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := people.List(s.ctx(c), s.DB, s.actor(c), people.Filter{Query: f.Query, Role: models.Role(f.Role), State: f.State}, f.At)
	if err != nil {
		return err
	}
	p := peopleview.IndexProps{Query: f.Query, Role: f.Role, State: f.State, Roles: roleOptions(models.Roles), Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	for _, r := range page.Items {
		p.People = append(p.People, peopleview.Row{Name: r.Name, Path: people.Path(r.ID), Email: r.Email, Roles: roleWords(r.Roles),
			State: personState(r.Active, r.Invited), LastIn: timeOf(r.LastIn)})
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "People", Nav: "people", Crumbs: []layout.Crumb{{Text: "People"}}}, peopleview.Index(p))
}

type personForm struct {
	Submission string   `form:"submission"`
	Version    int64    `form:"version"`
	Name       string   `form:"name"`
	Email      string   `form:"email"`
	TimeZone   string   `form:"time_zone"`
	Roles      []string `form:"roles"`
	Confirm    string   `form:"confirm"`
}

func (f personForm) once() models.Once { return models.Once{Submission: f.Submission} }

// personNew is GET /admin/people/new.
func (s *Server) personNew(c echo.Context) error {
	if err := people.MayAdminister(s.actor(c)); err != nil {
		return err
	}
	return s.showPersonNew(c, http.StatusOK, personForm{TimeZone: s.actor(c).TimeZone}, nil)
}

func (s *Server) showPersonNew(c echo.Context, status int, f personForm, problems []models.FieldError) error {
	return s.page(c, status, layout.Page{Title: "Add person", Nav: "people", Width: "read",
		Crumbs: []layout.Crumb{{Text: "People", Href: "/admin/people"}, {Text: "Add person"}}},
		peopleview.New(peopleview.NewProps{Form: peopleview.Form{Name: f.Name, Email: f.Email, TimeZone: f.TimeZone, Roles: f.Roles},
			Roles: roleOptions(models.Roles), Zones: zoneOptions(f.TimeZone), Problems: problems}))
}

// personCreate is POST /admin/people. The next page shows the link.
func (s *Server) personCreate(c echo.Context) error {
	var f personForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	inv, err := people.AddPerson(s.ctx(c), s.DB, s.actor(c), people.AddPersonCmd{Once: f.once(), Name: f.Name, Email: f.Email, TimeZone: f.TimeZone, Roles: asRoles(f.Roles)})
	if models.IsKind(err, models.KindInvalid) {
		return s.showPersonNew(c, http.StatusUnprocessableEntity, f, models.AsError(err).Fields)
	}
	if err != nil {
		return err
	}
	s.keepLink(c, inv)
	return s.see(c, people.Path(inv.PersonID), "Person added.", "Send them the link below. Once it is on its way:", layout.Crumb{Text: "Invite another person", Href: "/admin/people/new"})
}

// personEdit is POST /admin/people/:id.
func (s *Server) personEdit(c echo.Context) error {
	return s.personCommand(c, "Details saved.", func(id int64, f personForm, by models.Actor) error {
		_, err := people.EditPerson(s.ctx(c), s.DB, by, people.EditPersonCmd{Once: f.once(), ID: id, Version: f.Version, Name: f.Name, Email: f.Email, TimeZone: f.TimeZone})
		return err
	})
}

// personRoles is POST /admin/people/:id/roles.
func (s *Server) personRoles(c echo.Context) error {
	return s.personCommand(c, "Roles saved.", func(id int64, f personForm, by models.Actor) error {
		_, err := people.SetRoles(s.ctx(c), s.DB, by, people.SetRolesCmd{Once: f.once(), ID: id, Version: f.Version, Roles: asRoles(f.Roles)})
		return err
	})
}

// personLink is POST /admin/people/:id/link.
func (s *Server) personLink(c echo.Context) error {
	return s.personCommand(c, "New link made.", func(id int64, f personForm, by models.Actor) error {
		inv, err := people.NewInvite(s.ctx(c), s.DB, by, people.NewInviteCmd{Once: f.once(), ID: id})
		if err == nil {
			s.keepLink(c, inv)
		}
		return err
	})
}

// personDeactivate is POST /admin/people/:id/deactivation.
func (s *Server) personDeactivate(c echo.Context) error {
	return s.personCommand(c, "Person deactivated.", func(id int64, f personForm, by models.Actor) error {
		_, err := people.Deactivate(s.ctx(c), s.DB, by, people.DeactivateCmd{Once: f.once(), ID: id, Version: f.Version, Confirm: f.Confirm})
		return err
	})
}

// personReactivate is POST /admin/people/:id/reactivation.
func (s *Server) personReactivate(c echo.Context) error {
	return s.personCommand(c, "Person reactivated.", func(id int64, f personForm, by models.Actor) error {
		_, err := people.Reactivate(s.ctx(c), s.DB, by, people.ReactivateCmd{Once: f.once(), ID: id, Version: f.Version})
		return err
	})
}

// personCommand runs one command of a person's page: what must change is shown
// on the page, success leads back to it.
func (s *Server) personCommand(c echo.Context, done string, run func(int64, personForm, models.Actor) error) error {
	var f personForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is nobody
	err := run(id, f, s.actor(c))
	if models.Retryable(err) {
		return s.showPerson(c, id, &f, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, people.Path(id), done, "")
}
