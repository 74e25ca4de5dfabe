package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/environments"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

func environmentsPage(title string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "environments", Width: "read", Crumbs: append([]layout.Crumb{{Text: "Environments", Href: "/admin/environments"}}, steps...)}
}

func (s *Server) environmentRow(c echo.Context, e workflow.EnvironmentRow) environments.Row {
	return environments.Row{EnvironmentRow: e, WhyNoConfirm: why(workflow.MayConfirmReach(s.actor(c), e.Environment)), Zone: s.zone(c)}
}

// environmentsIndex is GET /admin/environments. Everybody reads it; admins make
// and edit, business owners confirm.
func (s *Server) environmentsIndex(c echo.Context) error {
	var f listForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := workflow.ListEnvironments(s.ctx(c), s.DB, f.filter())
	if err != nil {
		return err
	}
	p := environments.Index{Archived: f.Archived, Pager: pagerFor(c, page.Prev, page.Next), WhyNoNew: why(workflow.MaySetEnvironments(s.actor(c))), Zone: s.zone(c)}
	for _, r := range page.Items {
		p.Rows = append(p.Rows, s.environmentRow(c, r))
	}
	frame := layout.Page{Title: "Environments", Nav: "environments", Crumbs: []layout.Crumb{{Text: "Environments"}}}
	return s.page(c, http.StatusOK, frame, environments.IndexPage(p))
}

// environmentShow is GET /admin/environments/:slug.
func (s *Server) environmentShow(c echo.Context) error {
	e, err := workflow.FindEnvironment(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	p := environments.Show{Row: s.environmentRow(c, e), WhyNoEdit: why(workflow.MaySetEnvironments(s.actor(c)))}
	return s.page(c, http.StatusOK, environmentsPage(e.Name, layout.Crumb{Text: e.Name}), environments.ShowPage(p))
}

type environmentForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	F          environmentFields
}

type environmentFields struct {
	Slug  string `form:"slug"`
	Name  string `form:"name"`
	Kind  string `form:"kind"`
	Reach string `form:"reach"`
}

func (f environmentFields) facts() workflow.EnvironmentFacts {
	return workflow.EnvironmentFacts{Name: f.Name, Kind: f.Kind, Reach: f.Reach}
}

func (f *environmentFields) answers() []answer {
	kind := func(k string) string { return ui.StateFor(k).Word }
	reach := func(r string) string {
		if r == workflow.ReachCan {
			return "It can"
		}
		return "It cannot"
	}
	return []answer{{"name", "Name", &f.Name, nil}, {"kind", "Kind", &f.Kind, kind}, {"reach", "Can it reach real customers?", &f.Reach, reach}}
}

// environmentNew is GET /admin/environments/new.
func (s *Server) environmentNew(c echo.Context) error {
	if err := workflow.MaySetEnvironments(s.actor(c)); err != nil {
		return err
	}
	return s.environmentFormPage(c, http.StatusOK, environmentForm{}, nil, nil)
}

// environmentCreate is POST /admin/environments.
func (s *Server) environmentCreate(c echo.Context) error {
	var f environmentForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	ref, err := workflow.CreateEnvironment(s.ctx(c), s.DB, s.actor(c), workflow.CreateEnvironmentCmd{Once: models.Once{Submission: f.Submission},
		Slug: f.F.Slug, EnvironmentFacts: f.F.facts()})
	if models.IsKind(err, models.KindInvalid) {
		return s.environmentFormPage(c, http.StatusUnprocessableEntity, f, nil, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.EnvironmentPath(ref.Slug), "Environment saved.", "A business owner confirms whether it reaches customers.")
}

// environmentEdit is GET /admin/environments/:slug/edit.
func (s *Server) environmentEdit(c echo.Context) error {
	e, err := workflow.FindEnvironment(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetEnvironments(s.actor(c)); err != nil {
		return err
	}
	f := environmentForm{Version: e.Version, F: environmentFields{Name: e.Name, Kind: e.Kind, Reach: e.Reach()}}
	f.Base = packed(f.F.answers())
	return s.environmentFormPage(c, http.StatusOK, f, &e.Environment, nil)
}

// environmentSave is POST /admin/environments/:slug/edit.
func (s *Server) environmentSave(c echo.Context) error {
	var f environmentForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug := c.Param("slug")
	_, err := workflow.EditEnvironment(s.ctx(c), s.DB, s.actor(c), workflow.EditEnvironmentCmd{Once: models.Once{Submission: f.Submission},
		Slug: slug, Version: f.Version, EnvironmentFacts: f.F.facts()})
	if !models.Retryable(err) {
		if err != nil {
			return err
		}
		return s.see(c, workflow.EnvironmentPath(slug), "Environment saved.", "")
	}
	e, e2 := workflow.FindEnvironment(s.ctx(c), s.DB, slug)
	if e2 != nil {
		return e2
	}
	if models.IsKind(err, models.KindConflict) && (e.ArchivedAt != nil || e.Version == f.Version) {
		return err
	}
	return s.environmentFormPage(c, statusOfForm(err), f, &e.Environment, err)
}

// environmentFormPage shows the form, with what must change, or with both
// versions. e is nil for a new environment.
func (s *Server) environmentFormPage(c echo.Context, status int, f environmentForm, e *workflow.Environment, problem error) error {
	p := environments.Form{New: e == nil, Cancel: "/admin/environments", At: ui.FormAt{Action: "/admin/environments", Submission: f.Submission}}
	frame := environmentsPage("Add an environment", layout.Crumb{Text: "Add an environment"})
	if e != nil {
		p.Cancel, p.Fixed = workflow.EnvironmentPath(e.Slug), e.SaidToReach
		p.At.Action = p.Cancel + "/edit"
		frame = environmentsPage("Edit "+e.Name, layout.Crumb{Text: e.Name, Href: p.Cancel}, layout.Crumb{Text: "Edit"})
		if status == http.StatusConflict {
			saved := environmentFields{Name: e.Name, Kind: e.Kind, Reach: e.Reach()}
			var err error
			if p.Stale, err = s.staleEdit(c, "environment", e.ID, merge(f.Base, f.F.answers(), saved.answers())); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = e.Version, packed(saved.answers()), ""
		}
		if p.Fixed {
			f.F.Reach = workflow.ReachCan
		}
	}
	p.Fields, p.Base, p.At.Version = environments.Fields(f.F), f.Base, f.Version
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, "name", "slug", "kind", "reach"), "Error: "+frame.Title
	}
	return s.page(c, status, frame, environments.FormPage(p))
}

// environmentConfirm is POST /admin/environments/:slug/confirmation.
func (s *Server) environmentConfirm(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.ConfirmReach(s.ctx(c), s.DB, s.actor(c), workflow.EnvironmentCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.EnvironmentPath(ref.Slug), "Confirmed.", err
	})
}

// environmentArchiveAsk is GET /admin/environments/:slug/archive.
func (s *Server) environmentArchiveAsk(c echo.Context) error {
	e, err := workflow.FindEnvironment(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetEnvironments(s.actor(c)); err != nil {
		return err
	}
	path := workflow.EnvironmentPath(e.Slug)
	return s.page(c, http.StatusOK, environmentsPage("Archive "+e.Name, layout.Crumb{Text: e.Name, Href: path}, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + e.Name + "”?", Cancel: path, Button: ui.Btn{Text: "Archive environment"},
			Text: "Forms stop offering it. Nothing is deleted, and controls that cover it keep it. It can be restored at any time.",
			Form: ui.FormAt{Action: path + "/archive", Version: e.Version}}))
}

// environmentArchive is POST /admin/environments/:slug/archive.
func (s *Server) environmentArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.ArchiveEnvironment(s.ctx(c), s.DB, s.actor(c), workflow.EnvironmentCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.EnvironmentPath(ref.Slug), "Environment archived.", err
	})
}

// environmentRestore is POST /admin/environments/:slug/restore.
func (s *Server) environmentRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.RestoreEnvironment(s.ctx(c), s.DB, s.actor(c), workflow.EnvironmentCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.EnvironmentPath(ref.Slug), "Environment restored.", err
	})
}
