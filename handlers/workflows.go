package handlers

import (
	"fmt"
	"net/http"
	"time"

	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/ui"
	"countersign/views/workflows"

	"github.com/labstack/echo/v4"
)

type listForm struct {
	Q        string `query:"q"`
	Archived string `query:"archived"`
	At       string `query:"at"`
}

func (f listForm) filter() workflow.Filter {
	return workflow.Filter{Q: f.Q, Archived: f.Archived != "", After: f.At}
}

// workflowsPage is the frame of a page about workflows; names and hrefs are
// the steps below the list.
func workflowsPage(title, width string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "workflows", Width: width, Crumbs: append([]layout.Crumb{{Text: "Workflows", Href: "/workflows"}}, steps...)}
}

// workflowsIndex is GET /workflows.
func (s *Server) workflowsIndex(c echo.Context) error {
	var f listForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := workflow.List(s.ctx(c), s.DB, f.filter())
	if err != nil {
		return err
	}
	p := workflows.Index{Q: f.Q, Archived: f.Archived, Pager: pagerFor(c, page.Prev, page.Next), WhyNoNew: why(workflow.MayCreate(s.actor(c)))}
	for _, r := range page.Items {
		p.Rows = append(p.Rows, s.workflowRow(c, r))
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Workflows", Nav: "workflows", Crumbs: []layout.Crumb{{Text: "Workflows"}}}, workflows.IndexPage(p))
}

func (s *Server) workflowRow(c echo.Context, r workflow.Row) workflows.Row {
	row := workflows.Row{Name: r.Name, Path: workflow.Path(r.Slug), Owner: r.Owner, State: "running", Zone: s.zone(c)}
	if r.ArchivedAt != nil {
		row.State = "archived"
	}
	if r.StoppedAt != nil {
		row.State, row.StoppedBy, row.StoppedAt = "stopped", r.StoppedBy, *r.StoppedAt
	}
	if r.Controls > 0 {
		row.Controls = fmt.Sprintf("%d, %d approved", r.Controls, r.Approved)
	}
	if r.ReviewDate != nil {
		row.ReviewDate, row.ReviewPassed = *r.ReviewDate, datePassed(r.ReviewDate)
	}
	return row
}

// datePassed reports whether the day d is over, in UTC.
func datePassed(d *time.Time) bool {
	return d != nil && d.Before(time.Now().UTC().Truncate(24*time.Hour))
}

// workflowShow is GET /workflows/:slug.
func (s *Server) workflowShow(c echo.Context) error {
	d, err := workflow.FindDetails(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	by := s.actor(c)
	p := workflows.Show{Details: d, State: "running", Warning: d.Facts().SamePerson(), ReviewPassed: datePassed(d.ReviewDate), Zone: s.zone(c),
		WhyNoEdit: why(workflow.MayEdit(by, d.Workflow)), WhyNoStop: why(workflow.MayStop(by)), WhyNoLift: why(workflow.MayLift(by, d.Workflow)),
		WhyNoControl: why(control.MayCreate(by))}
	switch {
	case d.Stop != nil:
		p.State = "stopped"
	case d.ArchivedAt != nil:
		p.State = "archived"
	}
	for _, r := range d.Senders {
		p.SenderRows = append(p.SenderRows, workflows.SenderRow{Name: r.Name, Path: workflow.SenderPath(d.Slug, r.Slug), Checked: r.CheckedOn != nil, Archived: r.ArchivedAt != nil,
			Text: "Duplicates: " + lower(workflow.DuplicatesWords(r.Duplicates)) + ". Order: " + lower(workflow.OrderingWords(r.Ordering)) + "."})
	}
	for _, r := range d.Controls {
		p.ControlRows = append(p.ControlRows, controlRow(r))
	}
	return s.page(c, http.StatusOK, workflowsPage(d.Name, "", layout.Crumb{Text: d.Name}), workflows.ShowPage(p))
}

// controlRow is a control where another page lists what uses it.
func controlRow(r workflow.ControlLine) workflows.ControlRow {
	row := workflows.ControlRow{Name: r.Name, Path: "/controls/" + r.Slug, State: r.State, Word: fmt.Sprintf("Revision %d, %s", r.Number, lower(ui.StateFor(r.State).Word))}
	switch {
	case r.Unresolved == 1:
		row.Text = "1 field is unresolved."
	case r.Unresolved > 1:
		row.Text = fmt.Sprintf("%d fields are unresolved.", r.Unresolved)
	default:
		row.Text = "Every field is answered."
	}
	if r.Approved && r.State != "approved" {
		row.Text += " An earlier revision is in force."
	}
	if r.State == "" {
		row.State, row.Word = "draft", "No revision"
	}
	return row
}
