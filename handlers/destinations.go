package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/destinations"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

func destinationsPage(title, width string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "destinations", Width: width, Crumbs: append([]layout.Crumb{{Text: "Destinations", Href: "/destinations"}}, steps...)}
}

func destinationCrumb(d workflow.Destination) layout.Crumb {
	return layout.Crumb{Text: d.System + ", " + d.Account, Href: workflow.DestinationPath(d.Slug)}
}

// destinationsIndex is GET /destinations.
func (s *Server) destinationsIndex(c echo.Context) error {
	var f listForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := workflow.ListDestinations(s.ctx(c), s.DB, f.filter())
	if err != nil {
		return err
	}
	p := destinations.Index{Q: f.Q, Archived: f.Archived, Pager: pagerFor(c, page.Prev, page.Next), WhyNoNew: why(workflow.MaySetDestinations(s.actor(c)))}
	for _, r := range page.Items {
		p.Rows = append(p.Rows, destinations.Row{System: r.System, Account: r.Account, Slug: r.Slug, Path: workflow.DestinationPath(r.Slug), Environment: r.Environment,
			Operations: r.Operations, NotChecked: r.NotChecked, Controls: r.Controls})
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Destinations", Nav: "destinations", Crumbs: []layout.Crumb{{Text: "Destinations"}}}, destinations.IndexPage(p))
}

// destinationShow is GET /destinations/:slug.
func (s *Server) destinationShow(c echo.Context) error {
	d, err := workflow.FindDestination(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	p := destinations.Show{DestinationDetails: d, WhyNoEdit: why(workflow.MaySetDestinations(s.actor(c))), WhyNoOperation: why(workflow.MaySetOperations(s.actor(c)))}
	for _, r := range d.Controls {
		row := controlRow(r)
		row.Text = r.Workflow + ". " + row.Text
		p.ControlRows = append(p.ControlRows, destinations.ControlRow(row))
	}
	here := destinationCrumb(d.Destination)
	return s.page(c, http.StatusOK, destinationsPage(here.Text, "read", layout.Crumb{Text: here.Text}), destinations.ShowPage(p))
}

type destinationForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	F          destinationFields
}

type destinationFields struct {
	Slug        string `form:"slug"`
	System      string `form:"system"`
	Account     string `form:"account"`
	Environment string `form:"environment"`
	Notes       string `form:"notes"`
}

func (f destinationFields) facts() workflow.DestinationFacts {
	return workflow.DestinationFacts{System: f.System, Account: f.Account, Notes: f.Notes}
}

func (f *destinationFields) answers() []answer {
	return []answer{{"system", "System", &f.System, nil}, {"account", "Account", &f.Account, nil}, {"notes", "Notes", &f.Notes, nil}}
}

// destinationNew is GET /destinations/new.
func (s *Server) destinationNew(c echo.Context) error {
	if err := workflow.MaySetDestinations(s.actor(c)); err != nil {
		return err
	}
	return s.destinationFormPage(c, http.StatusOK, destinationForm{}, nil, nil)
}

// destinationCreate is POST /destinations.
func (s *Server) destinationCreate(c echo.Context) error {
	var f destinationForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	ref, err := workflow.CreateDestination(s.ctx(c), s.DB, s.actor(c), workflow.CreateDestinationCmd{Once: models.Once{Submission: f.Submission},
		Slug: f.F.Slug, Environment: f.F.Environment, DestinationFacts: f.F.facts()})
	if models.IsKind(err, models.KindInvalid) {
		return s.destinationFormPage(c, http.StatusUnprocessableEntity, f, nil, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.DestinationPath(ref.Slug), "Destination saved.", "Next: write down what its operations do on a repeat.")
}

// destinationEdit is GET /destinations/:slug/edit.
func (s *Server) destinationEdit(c echo.Context) error {
	d, err := workflow.FindDestination(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetDestinations(s.actor(c)); err != nil {
		return err
	}
	f := destinationForm{Version: d.Version, F: destinationFields{System: d.System, Account: d.Account, Notes: d.Notes}}
	f.Base = packed(f.F.answers())
	return s.destinationFormPage(c, http.StatusOK, f, &d, nil)
}

// destinationSave is POST /destinations/:slug/edit.
func (s *Server) destinationSave(c echo.Context) error {
	var f destinationForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug := c.Param("slug")
	_, err := workflow.EditDestination(s.ctx(c), s.DB, s.actor(c), workflow.EditDestinationCmd{Once: models.Once{Submission: f.Submission},
		Slug: slug, Version: f.Version, DestinationFacts: f.F.facts()})
	if !models.Retryable(err) {
		if err != nil {
			return err
		}
		return s.see(c, workflow.DestinationPath(slug), "Destination saved.", "")
	}
	d, e := workflow.FindDestination(s.ctx(c), s.DB, slug)
	if e != nil {
		return e
	}
	if models.IsKind(err, models.KindConflict) && (d.ArchivedAt != nil || d.Version == f.Version) {
		return err
	}
	return s.destinationFormPage(c, statusOfForm(err), f, &d, err)
}

// destinationFormPage shows the form, with what must change, or with both
// versions. d is nil for a new destination.
func (s *Server) destinationFormPage(c echo.Context, status int, f destinationForm, d *workflow.DestinationDetails, problem error) error {
	p := destinations.Form{New: d == nil, Cancel: "/destinations", At: ui.FormAt{Action: "/destinations", Submission: f.Submission}}
	frame := destinationsPage("Add a destination", "read", layout.Crumb{Text: "Add a destination"})
	if d == nil {
		choices, err := workflow.EnvironmentChoices(s.ctx(c), s.DB)
		if err != nil {
			return err
		}
		for _, e := range choices {
			p.Environments = append(p.Environments, ui.Option{Value: e.Slug, Label: e.Name + ", " + lower(e.ReachWords())})
		}
	} else {
		crumb := destinationCrumb(d.Destination)
		frame = destinationsPage("Edit "+crumb.Text, "read", crumb, layout.Crumb{Text: "Edit"})
		p.Cancel, p.At.Action, p.EnvironmentName, f.F.Slug = crumb.Href, crumb.Href+"/edit", d.Environment.Name, d.Slug
		if status == http.StatusConflict {
			saved := destinationFields{System: d.System, Account: d.Account, Notes: d.Notes}
			var err error
			if p.Stale, err = s.staleEdit(c, "destination", d.ID, merge(f.Base, f.F.answers(), saved.answers())); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = d.Version, packed(saved.answers()), ""
		}
	}
	p.Fields, p.Base, p.At.Version = destinations.Fields(f.F), f.Base, f.Version
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, "system", "account", "slug", "environment", "notes"), "Error: "+frame.Title
	}
	return s.page(c, status, frame, destinations.FormPage(p))
}

// destinationArchiveAsk is GET /destinations/:slug/archive.
func (s *Server) destinationArchiveAsk(c echo.Context) error {
	d, err := workflow.FindDestination(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetDestinations(s.actor(c)); err != nil {
		return err
	}
	crumb := destinationCrumb(d.Destination)
	return s.page(c, http.StatusOK, destinationsPage("Archive "+crumb.Text, "read", crumb, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + crumb.Text + "”?", Cancel: crumb.Href, Button: ui.Btn{Text: "Archive destination"},
			Text: "Forms stop offering it and its operations cannot be changed. Nothing is deleted, and controls that use it keep it. It can be restored at any time.",
			Form: ui.FormAt{Action: crumb.Href + "/archive", Version: d.Version}}))
}

// destinationArchive is POST /destinations/:slug/archive.
func (s *Server) destinationArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.ArchiveDestination(s.ctx(c), s.DB, s.actor(c), workflow.DestinationCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.DestinationPath(ref.Slug), "Destination archived.", err
	})
}

// destinationRestore is POST /destinations/:slug/restore.
func (s *Server) destinationRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.RestoreDestination(s.ctx(c), s.DB, s.actor(c), workflow.DestinationCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.DestinationPath(ref.Slug), "Destination restored.", err
	})
}
