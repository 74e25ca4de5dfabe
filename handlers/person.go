package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/people"
	"countersign/views/layout"
	peopleview "countersign/views/people"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// person is GET /admin/people/:id.
func (s *Server) person(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is nobody
	return s.showPerson(c, id, nil, nil)
}

// showPerson shows a person; typed is the form that failed, if one did.
func (s *Server) showPerson(c echo.Context, id int64, typed *personForm, failed error) error {
	d, err := people.Show(s.ctx(c), s.DB, s.actor(c), id)
	if err != nil {
		return err
	}
	now, err := s.DB.Now(s.ctx(c))
	if err != nil {
		return err
	}
	p := personProps(d, now)
	p.Zone = s.zone(c)
	if err := people.MayDeactivate(s.actor(c), id); err != nil {
		p.CannotLeave = models.AsError(err).Message
	}
	status := http.StatusOK
	if e := models.AsError(failed); e != nil {
		status, p.Problems = statusOf[e.Kind], e.Fields
		if e.Kind == models.KindConflict {
			p.Conflict = &peopleview.Conflict{Text: e.Message, Pairs: personPairs(p.Form, *typed)}
		}
		fillPerson(&p, *typed)
	} else {
		p.Link = s.takeLink(c, id)
	}
	p.Zones = zoneOptions(p.Form.TimeZone)
	return s.page(c, status, layout.Page{Title: d.Name, Nav: "people", Crumbs: []layout.Crumb{{Text: "People", Href: "/admin/people"}, {Text: d.Name}}},
		peopleview.Show(p))
}

func personProps(d people.Detail, now time.Time) peopleview.ShowProps {
	p := peopleview.ShowProps{Path: people.Path(d.ID), Name: d.Name, Email: d.Email, State: personState(d.Active, d.Invited), Version: d.Version,
		Form:  peopleview.Form{Name: d.Name, Email: d.Email, TimeZone: d.TimeZone, Roles: roleValues(d.Roles)},
		Roles: roleOptions(models.Roles), AddedAt: d.CreatedAt, LastIn: timeOf(d.LastIn), LinkUntil: timeOf(d.LinkUntil)}
	for _, g := range d.Delegations {
		line := peopleview.Delegation{ID: g.ID, Until: g.Until, State: "ended", Open: g.InForce(now), Text: g.DelegateName + " for " + g.PersonName}
		if line.Open {
			line.State = "in_force"
		}
		p.Delegations = append(p.Delegations, line)
	}
	for _, w := range d.Duties {
		p.Duties = append(p.Duties, peopleview.Duty{Name: w.Name, Path: "/workflows/" + w.Slug, Roles: w.Roles})
	}
	return p
}

// personPairs shows both sides of each field that was typed and differs.
func personPairs(saved peopleview.Form, typed personForm) (pairs []ui.VersionPair) {
	add := func(label, was, yours string) {
		if yours != "" && yours != was {
			pairs = append(pairs, ui.VersionPair{Label: label, Saved: was, Yours: yours})
		}
	}
	add("Name", saved.Name, models.Clean(typed.Name))
	add("E-mail", saved.Email, people.CleanEmail(typed.Email))
	add("Time zone", saved.TimeZone, typed.TimeZone)
	if len(typed.Roles) > 0 && !slices.Equal(typed.Roles, saved.Roles) {
		add("Roles", roleWords(asRoles(saved.Roles)), roleWords(asRoles(typed.Roles)))
	}
	return pairs
}

// fillPerson puts what was typed back into the form that it came from.
func fillPerson(p *peopleview.ShowProps, typed personForm) {
	switch {
	case typed.TimeZone != "": // the details
		p.Form.Name, p.Form.Email, p.Form.TimeZone = typed.Name, typed.Email, typed.TimeZone
	case len(typed.Roles) > 0:
		p.Form.Roles = typed.Roles
	}
	p.Confirm = typed.Confirm
}

const sessionLink = "link"

// keepLink keeps a new invitation for the next page: it is shown once.
func (s *Server) keepLink(c echo.Context, inv people.Invitation) {
	s.sessions.Put(s.ctx(c), sessionLink, fmt.Sprintf("%d %s", inv.PersonID, inv.Token))
}

// takeLink is the address of a link that was just made for the person, once.
func (s *Server) takeLink(c echo.Context, id int64) string {
	token, ok := strings.CutPrefix(s.sessions.GetString(s.ctx(c), sessionLink), fmt.Sprintf("%d ", id))
	if !ok {
		return ""
	}
	s.sessions.Remove(s.ctx(c), sessionLink)
	return s.base(c) + "/invite/" + token
}
