package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/policies"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

const policiesPath = "/admin/policies"

func policiesPage(title string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "policies", Width: "read", Crumbs: append([]layout.Crumb{{Text: "Escalation policies", Href: policiesPath}}, steps...)}
}

// policiesIndex is GET /admin/policies. Everybody reads it; admins write.
func (s *Server) policiesIndex(c echo.Context) error {
	var f listForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := workflow.ListPolicies(s.ctx(c), s.DB, f.filter())
	if err != nil {
		return err
	}
	p := policies.Index{Rows: page.Items, Archived: f.Archived, Pager: pagerFor(c, page.Prev, page.Next), WhyNoNew: why(workflow.MaySetPolicies(s.actor(c)))}
	return s.page(c, http.StatusOK, layout.Page{Title: "Escalation policies", Nav: "policies", Crumbs: []layout.Crumb{{Text: "Escalation policies"}}}, policies.IndexPage(p))
}

// policyShow is GET /admin/policies/:slug.
func (s *Server) policyShow(c echo.Context) error {
	d, err := workflow.FindPolicy(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	p := policies.Show{PolicyDetails: d, WhyNoEdit: why(workflow.MaySetPolicies(s.actor(c))), Zone: s.zone(c)}
	return s.page(c, http.StatusOK, policiesPage(d.Name, layout.Crumb{Text: d.Name}), policies.ShowPage(p))
}

// policyNew is GET /admin/policies/new.
func (s *Server) policyNew(c echo.Context) error {
	if err := workflow.MaySetPolicies(s.actor(c)); err != nil {
		return err
	}
	f := policyForm{F: policies.Fields{ExpiryDays: "7", AuthorizationMinutes: "30", TimeZone: s.zone(c).String()}}
	return s.policyFormPage(c, http.StatusOK, f, nil, nil)
}

// policyCreate is POST /admin/policies.
func (s *Server) policyCreate(c echo.Context) error {
	f, err := bindPolicy(c)
	if err != nil {
		return err
	}
	if f.Do == "level" {
		return s.policyFormPage(c, http.StatusOK, f, nil, nil)
	}
	ref, err := workflow.CreatePolicy(s.ctx(c), s.DB, s.actor(c), workflow.CreatePolicyCmd{Once: models.Once{Submission: f.Submission}, Slug: f.F.Slug, PolicyFacts: f.facts()})
	if models.IsKind(err, models.KindInvalid) {
		return s.policyFormPage(c, http.StatusUnprocessableEntity, f, nil, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.PolicyPath(ref.Slug), "Policy saved.", "A workflow chooses it where it is edited.")
}

// policyEdit is GET /admin/policies/:slug/edit.
func (s *Server) policyEdit(c echo.Context) error {
	d, err := workflow.FindPolicy(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetPolicies(s.actor(c)); err != nil {
		return err
	}
	f := policyForm{Version: d.Version, F: policyFields(d.Facts(d.Current()))}
	f.Base = packed(policyAnswers(&f.F, nil))
	return s.policyFormPage(c, http.StatusOK, f, &d, nil)
}

// policySave is POST /admin/policies/:slug/edit.
func (s *Server) policySave(c echo.Context) error {
	f, err := bindPolicy(c)
	if err != nil {
		return err
	}
	slug := c.Param("slug")
	if f.Do != "level" {
		_, err = workflow.EditPolicy(s.ctx(c), s.DB, s.actor(c), workflow.EditPolicyCmd{Once: models.Once{Submission: f.Submission}, Slug: slug, Version: f.Version, PolicyFacts: f.facts()})
		if err == nil {
			return s.see(c, workflow.PolicyPath(slug), "Policy saved.", "Requests that are open keep the version they have.")
		}
		if !models.Retryable(err) {
			return err
		}
	}
	d, e := workflow.FindPolicy(s.ctx(c), s.DB, slug)
	if e != nil {
		return e
	}
	status := http.StatusOK
	if err != nil {
		status = statusOfForm(err)
	}
	if models.IsKind(err, models.KindConflict) && (d.ArchivedAt != nil || d.Version == f.Version) {
		return err
	}
	return s.policyFormPage(c, status, f, &d, err)
}

// policyArchiveAsk is GET /admin/policies/:slug/archive.
func (s *Server) policyArchiveAsk(c echo.Context) error {
	d, err := workflow.FindPolicy(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetPolicies(s.actor(c)); err != nil {
		return err
	}
	path := workflow.PolicyPath(d.Slug)
	return s.page(c, http.StatusOK, policiesPage("Archive "+d.Name, layout.Crumb{Text: d.Name, Href: path}, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + d.Name + "”?", Cancel: path, Button: ui.Btn{Text: "Archive policy"},
			Text: "Forms stop offering it. Nothing is deleted: open requests and signed controls keep it. It can be restored at any time.",
			Form: ui.FormAt{Action: path + "/archive", Version: d.Version}}))
}

// policyArchive is POST /admin/policies/:slug/archive.
func (s *Server) policyArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.ArchivePolicy(s.ctx(c), s.DB, s.actor(c), workflow.PolicyCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.PolicyPath(ref.Slug), "Policy archived.", err
	})
}

// policyRestore is POST /admin/policies/:slug/restore.
func (s *Server) policyRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		ref, err := workflow.RestorePolicy(s.ctx(c), s.DB, s.actor(c), workflow.PolicyCmd{Once: models.Once{Submission: f.Submission}, Slug: c.Param("slug"), Version: f.Version})
		return workflow.PolicyPath(ref.Slug), "Policy restored.", err
	})
}
