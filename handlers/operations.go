package handlers

import (
	"net/http"
	"net/url"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/models/workflow/catalogue"
	"countersign/views/destinations"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type operationForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	Checked    bool   `form:"checked"`
	From       string `form:"from"` // the catalogue entry it was started from
	F          operationFields
}

type operationFields struct {
	Slug             string `form:"slug"`
	Name             string `form:"name"`
	Call             string `form:"call"`
	Mechanism        string `form:"mechanism"`
	KeyField         string `form:"key_field"`
	KeyLifetimeHours string `form:"key_lifetime_hours"`
	RepeatReturns    string `form:"repeat_returns"`
	SameKeyOtherData string `form:"same_key_other_data"`
	LookupMethod     string `form:"lookup_method"`
	DocURL           string `form:"doc_url"`
	DocumentedAt     string `form:"documented_at"`
	Notes            string `form:"notes"`
}

func (f operationFields) facts() workflow.OperationFacts {
	return workflow.OperationFacts{Name: f.Name, Call: f.Call, Mechanism: f.Mechanism, KeyField: f.KeyField, KeyLifetimeHours: f.KeyLifetimeHours,
		RepeatReturns: f.RepeatReturns, SameKeyOtherData: f.SameKeyOtherData, LookupMethod: f.LookupMethod, DocURL: f.DocURL, DocumentedAt: f.DocumentedAt, Notes: f.Notes}
}

func operationFieldsOf(f workflow.OperationFacts) operationFields {
	return operationFields{Name: f.Name, Call: f.Call, Mechanism: f.Mechanism, KeyField: f.KeyField, KeyLifetimeHours: f.KeyLifetimeHours,
		RepeatReturns: f.RepeatReturns, SameKeyOtherData: f.SameKeyOtherData, LookupMethod: f.LookupMethod, DocURL: f.DocURL, DocumentedAt: f.DocumentedAt, Notes: f.Notes}
}

func (f *operationFields) answers() []answer {
	return []answer{{"name", "Operation", &f.Name, nil}, {"call", "Call", &f.Call, nil}, {"mechanism", "Idempotency mechanism", &f.Mechanism, workflow.MechanismWords},
		{"doc_url", "Documentation page", &f.DocURL, nil}, {"documented_at", "Documented at", &f.DocumentedAt, nil}, {"key_field", "Key field", &f.KeyField, nil}, {"key_lifetime_hours", "Key lifetime in hours", &f.KeyLifetimeHours, nil},
		{"repeat_returns", "What a repeat returns", &f.RepeatReturns, nil}, {"same_key_other_data", "What the same key with other data does", &f.SameKeyOtherData, nil},
		{"lookup_method", "How to look up the result", &f.LookupMethod, nil}, {"notes", "Notes", &f.Notes, nil}}
}

// operationShow is GET /destinations/:slug/operations/:op.
func (s *Server) operationShow(c echo.Context) error {
	d, err := workflow.FindOperation(s.ctx(c), s.DB, c.Param("slug"), c.Param("op"))
	if err != nil {
		return err
	}
	p := destinations.Operation{OperationDetails: d, WhyNoEdit: why(workflow.MaySetOperations(s.actor(c)))}
	return s.page(c, http.StatusOK, destinationsPage(d.Name, "read", destinationCrumb(d.Destination), layout.Crumb{Text: d.Name}), destinations.OperationPage(p))
}

// operationNew is GET /destinations/:slug/operations/new.
func (s *Server) operationNew(c echo.Context) error {
	d, err := workflow.FindDestination(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetOperations(s.actor(c)); err != nil {
		return err
	}
	f := operationForm{F: operationFields{Mechanism: workflow.NotChecked}, From: c.QueryParam("from")}
	if f.From != "" {
		entry, err := catalogue.FindOperation(f.From)
		if err != nil {
			return err
		}
		f.F = operationFieldsOf(entry.Start())
	}
	return s.operationFormPage(c, http.StatusOK, f, d.Destination, nil, nil)
}

// operationCreate is POST /destinations/:slug/operations.
func (s *Server) operationCreate(c echo.Context) error {
	var f operationForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug := c.Param("slug")
	ref, err := workflow.CreateOperation(s.ctx(c), s.DB, s.actor(c), workflow.CreateOperationCmd{Once: models.Once{Submission: f.Submission},
		Destination: slug, Slug: f.F.Slug, Checked: f.Checked, OperationFacts: f.F.facts()})
	if models.IsKind(err, models.KindInvalid) {
		d, e := workflow.FindDestination(s.ctx(c), s.DB, slug)
		if e != nil {
			return e
		}
		return s.operationFormPage(c, http.StatusUnprocessableEntity, f, d.Destination, nil, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.OperationPath(slug, ref.Slug), "Operation saved.", "", layout.Crumb{Text: "Back to the destination", Href: workflow.DestinationPath(slug)})
}

// operationEdit is GET /destinations/:slug/operations/:op/edit.
func (s *Server) operationEdit(c echo.Context) error {
	d, err := workflow.FindOperation(s.ctx(c), s.DB, c.Param("slug"), c.Param("op"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetOperations(s.actor(c)); err != nil {
		return err
	}
	f := operationForm{Version: d.Version, F: operationFieldsOf(d.Facts())}
	f.Base = packed(f.F.answers())
	return s.operationFormPage(c, http.StatusOK, f, d.Destination, &d, nil)
}

// operationSave is POST /destinations/:slug/operations/:op/edit.
func (s *Server) operationSave(c echo.Context) error {
	var f operationForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug, op := c.Param("slug"), c.Param("op")
	_, err := workflow.EditOperation(s.ctx(c), s.DB, s.actor(c), workflow.EditOperationCmd{Once: models.Once{Submission: f.Submission},
		Destination: slug, Slug: op, Version: f.Version, Checked: f.Checked, OperationFacts: f.F.facts()}, control.RecheckOperation)
	if !models.Retryable(err) {
		if err != nil {
			return err
		}
		return s.see(c, workflow.OperationPath(slug, op), "Operation saved.", "", layout.Crumb{Text: "Back to the destination", Href: workflow.DestinationPath(slug)})
	}
	d, e := workflow.FindOperation(s.ctx(c), s.DB, slug, op)
	if e != nil {
		return e
	}
	if models.IsKind(err, models.KindConflict) && (d.ArchivedAt != nil || d.Version == f.Version) {
		return err
	}
	return s.operationFormPage(c, statusOfForm(err), f, d.Destination, &d, err)
}

// operationFormPage shows the form, with what must change, or with both
// versions. o is nil for a new operation.
func (s *Server) operationFormPage(c echo.Context, status int, f operationForm, d workflow.Destination, o *workflow.OperationDetails, problem error) error {
	crumb := destinationCrumb(d)
	p := destinations.OperationForm{New: o == nil, Checked: f.Checked, Cancel: crumb.Href, At: ui.FormAt{Action: crumb.Href + "/operations", Submission: f.Submission}}
	frame := destinationsPage("Add an operation", "read", crumb, layout.Crumb{Text: "Add an operation"})
	if o == nil {
		p.Catalogue = cataloguePath + "?" + url.Values{"destination": {d.Slug}}.Encode()
		if entry, err := catalogue.FindOperation(f.From); err == nil {
			p.From, p.FromName, p.Hints = entry.ID, entry.Provider+", "+entry.Operation, entry.Hints()
		}
	}
	if o != nil {
		p.Cancel = workflow.OperationPath(d.Slug, o.Slug)
		p.At.Action, p.CheckedBy = p.Cancel+"/edit", checkedBy(o.CheckedByName, o.CheckedOn)
		frame = destinationsPage("Edit "+o.Name, "read", crumb, layout.Crumb{Text: o.Name, Href: p.Cancel}, layout.Crumb{Text: "Edit"})
		if status == http.StatusConflict {
			saved := operationFieldsOf(o.Facts())
			var err error
			if p.Stale, err = s.staleEdit(c, "operation", o.ID, merge(f.Base, f.F.answers(), saved.answers())); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = o.Version, packed(saved.answers()), ""
		}
	}
	p.OperationFields, p.Base, p.At.Version = destinations.OperationFields(f.F), f.Base, f.Version
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, "name", "slug", "call", "mechanism", "doc_url", "documented_at", "key_field", "key_lifetime_hours", "repeat_returns",
			"same_key_other_data", "lookup_method", "notes"), "Error: "+frame.Title
	}
	return s.page(c, status, frame, destinations.OperationFormPage(p))
}

// operationArchiveAsk is GET /destinations/:slug/operations/:op/archive.
func (s *Server) operationArchiveAsk(c echo.Context) error {
	d, err := workflow.FindOperation(s.ctx(c), s.DB, c.Param("slug"), c.Param("op"))
	if err != nil {
		return err
	}
	if err := workflow.MaySetOperations(s.actor(c)); err != nil {
		return err
	}
	path := workflow.OperationPath(d.Destination.Slug, d.Slug)
	return s.page(c, http.StatusOK, destinationsPage("Archive "+d.Name, "read", destinationCrumb(d.Destination), layout.Crumb{Text: d.Name, Href: path}, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + d.Name + "”?", Cancel: path, Button: ui.Btn{Text: "Archive operation"},
			Text: "Forms stop offering it. Nothing is deleted, and controls that name it keep it. It can be restored at any time.",
			Form: ui.FormAt{Action: path + "/archive", Version: d.Version}}))
}

// operationArchive is POST /destinations/:slug/operations/:op/archive.
func (s *Server) operationArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		cmd := workflow.OperationCmd{Once: models.Once{Submission: f.Submission}, Destination: c.Param("slug"), Slug: c.Param("op"), Version: f.Version}
		_, err := workflow.ArchiveOperation(s.ctx(c), s.DB, s.actor(c), cmd)
		return workflow.OperationPath(cmd.Destination, cmd.Slug), "Operation archived.", err
	})
}

// operationRestore is POST /destinations/:slug/operations/:op/restore.
func (s *Server) operationRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		cmd := workflow.OperationCmd{Once: models.Once{Submission: f.Submission}, Destination: c.Param("slug"), Slug: c.Param("op"), Version: f.Version}
		_, err := workflow.RestoreOperation(s.ctx(c), s.DB, s.actor(c), cmd)
		return workflow.OperationPath(cmd.Destination, cmd.Slug), "Operation restored.", err
	})
}
