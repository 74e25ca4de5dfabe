package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/ui"
	"countersign/views/workflows"

	"github.com/labstack/echo/v4"
)

type workflowForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	F          workflowFields
}

type workflowFields struct {
	Slug          string `form:"slug"`
	Name          string `form:"name"`
	Description   string `form:"description"`
	BusinessOwner string `form:"business_owner"`
	Implementer   string `form:"implementer"`
	Reviewer      string `form:"reviewer"`
	ReviewDate    string `form:"review_date"`
	IncidentPlan  string `form:"incident_plan"`
	HelpContact   string `form:"help_contact"`
	VersionOrder  string `form:"version_order"`
	Policy        string `form:"escalation_policy"`
	PayloadDays   string `form:"payload_days"`
}

func (f workflowFields) facts() workflow.Facts {
	id := func(text string) int64 { n, _ := strconv.ParseInt(text, 10, 64); return n } // 0 is "choose one"
	return workflow.Facts{Name: f.Name, Description: f.Description, BusinessOwnerID: id(f.BusinessOwner), ImplementerID: id(f.Implementer), ReviewerID: id(f.Reviewer),
		ReviewDate: f.ReviewDate, IncidentPlanURL: f.IncidentPlan, HelpContact: f.HelpContact, VersionOrder: f.VersionOrder, PolicyID: id(f.Policy), PayloadDays: f.PayloadDays}
}

func fieldsOf(f workflow.Facts) workflowFields {
	id := func(n int64) string { return strconv.FormatInt(n, 10) }
	policy := ""
	if f.PolicyID != 0 {
		policy = id(f.PolicyID)
	}
	return workflowFields{Policy: policy, PayloadDays: f.PayloadDays, Name: f.Name, Description: f.Description, BusinessOwner: id(f.BusinessOwnerID), Implementer: id(f.ImplementerID), Reviewer: id(f.ReviewerID),
		ReviewDate: f.ReviewDate, IncidentPlan: f.IncidentPlanURL, HelpContact: f.HelpContact, VersionOrder: f.VersionOrder}
}

func (f *workflowFields) answers(person, policy func(string) string) []answer {
	return []answer{{"name", "Name", &f.Name, nil}, {"description", "What it does", &f.Description, nil},
		{"business_owner", "Business owner", &f.BusinessOwner, person}, {"implementer", "Implementer", &f.Implementer, person},
		{"reviewer", "Reviewer", &f.Reviewer, person}, {"review_date", "Review by", &f.ReviewDate, nil},
		{"version_order", "How versions are ordered", &f.VersionOrder, workflow.VersionOrderWords},
		{"incident_plan", "Incident plan", &f.IncidentPlan, nil}, {"help_contact", "Help contact", &f.HelpContact, nil},
		{"escalation_policy", "Escalation policy", &f.Policy, policy}, {"payload_days", "Days that payloads are kept", &f.PayloadDays, nil}}
}

// workflowNew is GET /workflows/new.
func (s *Server) workflowNew(c echo.Context) error {
	if err := workflow.MayCreate(s.actor(c)); err != nil {
		return err
	}
	f := workflowFields{VersionOrder: workflow.VersionsNone}
	if by := s.actor(c); by.Has(models.BusinessOwner) {
		f.BusinessOwner = strconv.FormatInt(by.ID, 10)
	}
	return s.workflowFormPage(c, http.StatusOK, workflowForm{F: f}, nil, nil)
}

// workflowCreate is POST /workflows.
func (s *Server) workflowCreate(c echo.Context) error {
	var f workflowForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	ref, err := workflow.Create(s.ctx(c), s.DB, s.actor(c), workflow.CreateCmd{Once: models.Once{Submission: f.Submission}, Slug: f.F.Slug, Facts: f.F.facts()})
	if models.IsKind(err, models.KindInvalid) {
		return s.workflowFormPage(c, http.StatusUnprocessableEntity, f, nil, err)
	}
	if err != nil {
		return err
	}
	if control.MayCreate(s.actor(c)) != nil {
		return s.see(c, workflow.Path(ref.Slug), "Workflow saved.", f.F.facts().SamePerson())
	}
	return s.see(c, workflow.Path(ref.Slug), "Workflow saved.", f.F.facts().SamePerson(), layout.Crumb{Text: "Write its first control", Href: "/controls/new?workflow=" + ref.Slug})
}

// workflowEdit is GET /workflows/:slug/edit.
func (s *Server) workflowEdit(c echo.Context) error {
	w, err := workflow.Find(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MayEdit(s.actor(c), w); err != nil {
		return err
	}
	f := workflowForm{Version: w.Version, F: fieldsOf(w.Facts())}
	f.Base = packed(f.F.answers(nil, nil))
	return s.workflowFormPage(c, http.StatusOK, f, &w, nil)
}

// workflowSave is POST /workflows/:slug/edit.
func (s *Server) workflowSave(c echo.Context) error {
	var f workflowForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug := c.Param("slug")
	_, err := workflow.Edit(s.ctx(c), s.DB, s.actor(c), workflow.EditCmd{Once: models.Once{Submission: f.Submission}, Slug: slug, Version: f.Version, Facts: f.F.facts()}, control.RecheckWorkflow)
	if !models.Retryable(err) {
		if err != nil {
			return err
		}
		return s.see(c, workflow.Path(slug), "Workflow saved.", f.F.facts().SamePerson())
	}
	w, e := workflow.Find(s.ctx(c), s.DB, slug)
	if e != nil {
		return e
	}
	if models.IsKind(err, models.KindConflict) && (w.ArchivedAt != nil || w.Version == f.Version) {
		return err
	}
	return s.workflowFormPage(c, statusOfForm(err), f, &w, err)
}

// statusOfForm is 409 for a form that somebody else saved first, 422 otherwise.
func statusOfForm(err error) int {
	if models.IsKind(err, models.KindConflict) {
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

// workflowFormPage shows the form, with what must change, or with both versions.
// w is nil for a new workflow.
func (s *Server) workflowFormPage(c echo.Context, status int, f workflowForm, w *workflow.Workflow, problem error) error {
	p := workflows.Form{New: w == nil, Cancel: "/workflows", At: ui.FormAt{Action: "/workflows", Submission: f.Submission}}
	names := map[string]string{}
	var err error
	for role, options := range map[models.Role]*[]ui.Option{models.BusinessOwner: &p.Owners, models.Implementer: &p.Implementers, models.Reviewer: &p.Checkers} {
		if *options, err = s.peopleOptions(c, role, names); err != nil {
			return err
		}
	}
	policies, err := s.policyOptions(c, &p, w)
	if err != nil {
		return err
	}
	title := "Add a workflow"
	frame := workflowsPage(title, "read", layout.Crumb{Text: title})
	if w != nil {
		p.Cancel, p.At.Action = workflow.Path(w.Slug), workflow.Path(w.Slug)+"/edit"
		frame = workflowsPage("Edit "+w.Name, "read", layout.Crumb{Text: w.Name, Href: p.Cancel}, layout.Crumb{Text: "Edit"})
		if status == http.StatusConflict {
			saved := fieldsOf(w.Facts())
			person := func(id string) string {
				if names[id] == "" {
					return "Somebody who cannot be chosen any more"
				}
				return names[id]
			}
			policy := func(id string) string {
				if id == "" {
					return "None chosen"
				}
				return policies[id]
			}
			pairs := merge(f.Base, f.F.answers(person, policy), saved.answers(person, policy))
			if p.Stale, err = s.staleEdit(c, "workflow", w.ID, pairs); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = w.Version, packed(saved.answers(nil, nil)), ""
		}
	}
	p.Fields, p.Base, p.At.Version = workflows.Fields(f.F), f.Base, f.Version
	p.Warning = f.F.facts().SamePerson()
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, "name", "slug", "description", "business_owner", "implementer", "reviewer", "review_date", "version_order", "payload_days", "escalation_policy", "incident_plan", "help_contact"), "Error: "+frame.Title
	}
	return s.page(c, status, frame, workflows.FormPage(p))
}

// peopleOptions are the people who may be chosen for role; names gets all of them by id.
func (s *Server) peopleOptions(c echo.Context, role models.Role, names map[string]string) ([]ui.Option, error) {
	people, err := workflow.PeopleWith(s.ctx(c), s.DB, role)
	var options []ui.Option
	for _, p := range people {
		id := strconv.FormatInt(p.ID, 10)
		names[id] = p.Name
		options = append(options, ui.Option{Value: id, Label: p.Name + ", " + p.Email})
	}
	return options, err
}

// policyOptions fills in the escalation policies that may be chosen, with the
// one chosen before, and returns their names by id.
func (s *Server) policyOptions(c echo.Context, p *workflows.Form, w *workflow.Workflow) (map[string]string, error) {
	var chosen int64
	if w != nil {
		chosen = w.Facts().PolicyID
	}
	all, err := workflow.PolicyChoices(s.ctx(c), s.DB, chosen)
	names := map[string]string{}
	p.Policies = []ui.Option{{Value: "", Label: "None chosen yet"}}
	for _, policy := range all {
		id := strconv.FormatInt(policy.ID, 10)
		names[id] = policy.Name
		p.Policies = append(p.Policies, ui.Option{Value: id, Label: policy.Name})
	}
	return names, err
}
