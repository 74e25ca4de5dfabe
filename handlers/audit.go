package handlers

import (
	"net/http"
	"net/url"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	"countersign/views/audit"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type auditForm struct {
	Label   string `query:"label"`
	Person  string `query:"person"`
	Type    string `query:"type"`
	Action  string `query:"action"`
	ID      string `query:"id"`
	From    string `query:"from"`
	To      string `query:"to"`
	Refused string `query:"refused"`
	At      string `query:"at"`
}

// filter reads the form; dates that are none are said to the person and left out.
func (f auditForm) filter() (models.AuditFilter, error) {
	var c models.Check
	out := models.AuditFilter{ObjectType: f.Type, Action: f.Action, Label: models.Clean(f.Label), Person: models.Clean(f.Person), Refused: f.Refused != "",
		From: c.Date("from", f.From), To: c.Date("to", f.To)}
	c.Line("label", out.Label, 200)
	c.Line("person", out.Person, 200)
	if f.ID != "" {
		id, err := strconv.ParseInt(f.ID, 10, 64)
		if err != nil {
			c.Add("label", "Choose an object from its own page.")
		}
		out.ObjectID = id
	}
	return out, c.Err()
}

// auditIndex is GET /audit: the log, newest first. Everybody who is signed in reads it.
func (s *Server) auditIndex(c echo.Context) error {
	var f auditForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	p := audit.Props{Filter: audit.Filter{Label: f.Label, Person: f.Person, Type: f.Type, Action: f.Action, From: f.From, To: f.To, Refused: f.Refused}, Zone: s.zone(c), CSV: csvLink(c, auditCSVPath)}
	status := http.StatusOK
	filter, err := f.filter()
	if err == nil {
		var page models.Page[models.AuditEntry]
		if page, err = models.ListAudit(s.ctx(c), s.DB, filter, f.At); err != nil {
			return err
		}
		for _, e := range page.Items {
			p.Events = append(p.Events, auditEvent(e))
		}
		p.Pager = pagerFor(c, page.Prev, page.Next)
		p.Pager.PrevWord, p.Pager.NextWord = "Newer", "Older"
	} else {
		status, p.Summary = http.StatusUnprocessableEntity, models.AsError(err).Fields
	}
	return s.page(c, status, layout.Page{Title: "Audit log", Nav: "audit", Crumbs: []layout.Crumb{{Text: "Audit log"}}, Width: "full"}, audit.Index(p))
}

func auditEvent(e models.AuditEntry) audit.Event {
	who := e.PersonName
	if e.ForName != "" {
		who += " for " + e.ForName
	}
	field, _ := control.FieldByKey(audit.Member(e.After, "field"))
	return audit.Event{ID: strconv.FormatInt(e.ID, 10), At: e.At, Who: who, What: audit.Done(e.Action, field.Label), Object: e.ObjectLabel, ObjectPath: e.ObjectPath,
		Type: audit.Words(e.ObjectType), Refused: e.Refused, Reason: e.Reason, Changes: audit.Compare(e.Before, e.After), RequestID: e.RequestID}
}

// pagerFor links to the pages before and after this one, keeping the filter.
func pagerFor(c echo.Context, prev, next string) ui.Pager {
	link := func(at string) string {
		if at == "" {
			return ""
		}
		q := url.Values{}
		for k, v := range c.QueryParams() {
			if k != "at" {
				q[k] = v
			}
		}
		q.Set("at", at)
		return c.Request().URL.Path + "?" + q.Encode()
	}
	return ui.Pager{Prev: link(prev), Next: link(next)}
}
