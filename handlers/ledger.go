package handlers

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/ledger"
	"countersign/models/workflow"
	"countersign/views/layout"
	views "countersign/views/ledger"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type ledgerForm struct {
	Show        string `query:"show"`
	Q           string `query:"q"`
	State       string `query:"state"`
	Workflow    string `query:"workflow"`
	Control     string `query:"control"`
	Environment string `query:"environment"`
	Day         string `query:"day"`
	At          string `query:"at"`
}

// filter reads the form. What is no identifier, choice or date is said to the person.
func (f ledgerForm) filter() (ledger.SearchFilter, error) {
	var c models.Check
	out := ledger.SearchFilter{Q: models.Clean(f.Q), Workflow: f.Workflow, Control: f.Control, Environment: f.Environment, Day: c.Date("day", f.Day), At: f.At}
	c.Line("q", out.Q, 600)
	c.Line("workflow", f.Workflow, 80)
	c.Line("control", f.Control, 80)
	c.Line("environment", f.Environment, 80)
	c.Line("state", f.State, 80)
	out.State, out.Disposition = ledger.State(f.State), ledger.Disposition(f.State)
	return out, c.Err()
}

// ledgerIndex is GET /ledger: actions, or deliveries.
func (s *Server) ledgerIndex(c echo.Context) error {
	var f ledgerForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	sum, err := ledger.Summarise(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p := views.Index{Deliveries: f.Show == "deliveries", Any: sum.Any, Reviews: sum.Reviews, Tallies: views.NewTallies(sum.Tallies), Stopped: sum.Stopped, Zone: s.zone(c), CSV: csvLink(c, ledgerCSVPath),
		Filter: views.Filter{Q: f.Q, State: f.State, Workflow: f.Workflow, Control: f.Control, Environment: f.Environment, Day: f.Day}}
	if err := s.ledgerChoices(s.ctx(c), &p.Filter); err != nil {
		return err
	}
	status := http.StatusOK
	filter, err := f.filter()
	if err != nil {
		status, p.Filter.Problems = http.StatusUnprocessableEntity, models.AsError(err).Fields
		for i := range p.Filter.Problems {
			p.Filter.Problems[i].Field = "" // the fields of a toolbar have no ids
		}
	} else if err := s.ledgerSearch(c, filter, &p); err != nil {
		return err
	}
	return s.page(c, status, layout.Page{Title: formTitle("Ledger", p.Filter.Problems), Nav: "ledger", Crumbs: []layout.Crumb{{Text: "Ledger"}}, Width: "full"}, views.IndexPage(p))
}

func (s *Server) ledgerSearch(c echo.Context, f ledger.SearchFilter, p *views.Index) error {
	if p.Deliveries {
		page, err := ledger.SearchDeliveries(s.ctx(c), s.DB, f)
		if err != nil {
			return err
		}
		p.Arrived, p.Pager = page.Items, newest(c, page.Prev, page.Next)
		return nil
	}
	page, err := ledger.SearchActions(s.ctx(c), s.DB, f)
	if err != nil {
		return err
	}
	p.Actions, p.Pager = page.Items, newest(c, page.Prev, page.Next)
	if len(p.Actions) == 0 && f.Q != "" {
		delivered, err := ledger.AnyDelivery(s.ctx(c), s.DB, f.Q)
		if err != nil {
			return err
		}
		if delivered {
			p.AsDelivery = "/ledger?" + url.Values{"show": {"deliveries"}, "q": {f.Q}}.Encode()
		}
	}
	return nil
}

// newest is the pager of a list that begins with the newest.
func newest(c echo.Context, prev, next string) ui.Pager {
	p := pagerFor(c, prev, next)
	p.PrevWord, p.NextWord = "Newer", "Older"
	return p
}

func (s *Server) ledgerChoices(ctx context.Context, f *views.Filter) error {
	list, err := control.WorkflowChoices(ctx, s.DB)
	if err != nil {
		return err
	}
	controls, _, err := control.ControlChoices(ctx, s.DB)
	if err != nil {
		return err
	}
	environments, err := workflow.EnvironmentChoices(ctx, s.DB)
	if err != nil {
		return err
	}
	f.Workflows, f.Controls, f.Environments = refOptions("Any workflow", list), refOptions("Any control", controls), []ui.Option{{Label: "Any environment"}}
	for _, e := range environments {
		f.Environments = append(f.Environments, ui.Option{Value: e.Slug, Label: e.Name})
	}
	return nil
}

// requestShow is GET /ledger/requests?workflow=&environment=&record=.
func (s *Server) requestShow(c echo.Context) error {
	record := c.QueryParam("record")
	p, err := ledger.RequestOf(s.ctx(c), s.DB, c.QueryParam("workflow"), c.QueryParam("environment"), record)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, layout.Page{Title: record, Nav: "ledger", Crumbs: underLedger(record), Width: "full"}, views.RequestPage(views.Request{RequestPage: p, Zone: s.zone(c)}))
}

func underLedger(text string) []layout.Crumb {
	return []layout.Crumb{{Text: "Ledger", Href: "/ledger"}, {Text: text}}
}

// localTime reads what a datetime-local input sends, in the reader's zone; nil
// for nothing.
func localTime(field, text string, zone *time.Location) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if zone == nil {
		zone = time.UTC
	}
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(form, text, zone); err == nil {
			return &t, nil
		}
	}
	return nil, models.Invalid(field, "Enter a date and a time, such as 2026-05-31T09:30.")
}
