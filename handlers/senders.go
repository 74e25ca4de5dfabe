package handlers

import (
	"net/http"
	"net/url"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/workflow"
	"countersign/models/workflow/catalogue"
	"countersign/views/layout"
	"countersign/views/ui"
	"countersign/views/workflows"

	"github.com/labstack/echo/v4"
)

type senderForm struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Base       string `form:"base"`
	Checked    bool   `form:"checked"`
	From       string `form:"from"` // the catalogue entry it was started from
	F          senderFields
}

type senderFields struct {
	Slug               string `form:"slug"`
	Name               string `form:"name"`
	EventIDField       string `form:"event_id_field"`
	Duplicates         string `form:"duplicates"`
	Ordering           string `form:"ordering"`
	RetrySchedule      string `form:"retry_schedule"`
	RetryHorizonHours  string `form:"retry_horizon_hours"`
	ResendHorizonHours string `form:"resend_horizon_hours"`
	Signature          string `form:"signature"`
	VersionField       string `form:"version_field"`
	ChangingFields     string `form:"changing_fields"`
	DocURL             string `form:"doc_url"`
	DocumentedAt       string `form:"documented_at"`
	Notes              string `form:"notes"`
}

func (f senderFields) facts() workflow.SenderFacts {
	return workflow.SenderFacts{Name: f.Name, EventIDField: f.EventIDField, Duplicates: f.Duplicates, Ordering: f.Ordering, RetrySchedule: f.RetrySchedule,
		RetryHorizonHours: f.RetryHorizonHours, ResendHorizonHours: f.ResendHorizonHours, Signature: f.Signature, VersionField: f.VersionField,
		ChangingFields: f.ChangingFields, DocURL: f.DocURL, DocumentedAt: f.DocumentedAt, Notes: f.Notes}
}

func senderFieldsOf(f workflow.SenderFacts) senderFields {
	return senderFields{Name: f.Name, EventIDField: f.EventIDField, Duplicates: f.Duplicates, Ordering: f.Ordering, RetrySchedule: f.RetrySchedule,
		RetryHorizonHours: f.RetryHorizonHours, ResendHorizonHours: f.ResendHorizonHours, Signature: f.Signature, VersionField: f.VersionField,
		ChangingFields: f.ChangingFields, DocURL: f.DocURL, DocumentedAt: f.DocumentedAt, Notes: f.Notes}
}

func (f *senderFields) answers() []answer {
	return []answer{{"name", "Name", &f.Name, nil}, {"doc_url", "Documentation page", &f.DocURL, nil}, {"documented_at", "Documented at", &f.DocumentedAt, nil}, {"event_id_field", "Event ID", &f.EventIDField, nil},
		{"duplicates", "Duplicates", &f.Duplicates, workflow.DuplicatesWords}, {"ordering", "Order", &f.Ordering, workflow.OrderingWords},
		{"retry_schedule", "Retry schedule", &f.RetrySchedule, nil}, {"retry_horizon_hours", "Retries for how many hours", &f.RetryHorizonHours, nil},
		{"resend_horizon_hours", "Can be resent by hand for how many hours", &f.ResendHorizonHours, nil}, {"signature", "Signature", &f.Signature, nil},
		{"version_field", "Version", &f.VersionField, nil}, {"changing_fields", "Fields that change between redeliveries", &f.ChangingFields, nil},
		{"notes", "Notes", &f.Notes, nil}}
}

// senderShow is GET /workflows/:slug/senders/:sender.
func (s *Server) senderShow(c echo.Context) error {
	d, err := workflow.FindSender(s.ctx(c), s.DB, c.Param("slug"), c.Param("sender"))
	if err != nil {
		return err
	}
	w := d.Workflow
	p := workflows.Sender{SenderDetails: d, WhyNoEdit: why(workflow.MayEdit(s.actor(c), w)), Zone: s.zone(c)}
	return s.page(c, http.StatusOK, workflowsPage(d.Name, "read", layout.Crumb{Text: w.Name, Href: workflow.Path(w.Slug)}, layout.Crumb{Text: d.Name}), workflows.SenderPage(p))
}

// senderNew is GET /workflows/:slug/senders/new.
func (s *Server) senderNew(c echo.Context) error {
	w, err := workflow.Find(s.ctx(c), s.DB, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := workflow.MayEdit(s.actor(c), w); err != nil {
		return err
	}
	f := senderForm{F: senderFields{Duplicates: workflow.NotChecked, Ordering: workflow.NotChecked}, From: c.QueryParam("from")}
	if f.From != "" {
		entry, err := catalogue.FindSender(f.From)
		if err != nil {
			return err
		}
		f.F = senderFieldsOf(entry.Start())
	}
	return s.senderFormPage(c, http.StatusOK, f, w, nil, nil)
}

// senderCreate is POST /workflows/:slug/senders.
func (s *Server) senderCreate(c echo.Context) error {
	var f senderForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug := c.Param("slug")
	ref, err := workflow.CreateSender(s.ctx(c), s.DB, s.actor(c), workflow.CreateSenderCmd{Once: models.Once{Submission: f.Submission},
		Workflow: slug, Slug: f.F.Slug, Checked: f.Checked, SenderFacts: f.F.facts()})
	if models.IsKind(err, models.KindInvalid) {
		w, e := workflow.Find(s.ctx(c), s.DB, slug)
		if e != nil {
			return e
		}
		return s.senderFormPage(c, http.StatusUnprocessableEntity, f, w, nil, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, workflow.SenderPath(slug, ref.Slug), "Sender saved.", "", layout.Crumb{Text: "Back to the workflow", Href: workflow.Path(slug)})
}

// senderEdit is GET /workflows/:slug/senders/:sender/edit.
func (s *Server) senderEdit(c echo.Context) error {
	d, err := workflow.FindSender(s.ctx(c), s.DB, c.Param("slug"), c.Param("sender"))
	if err != nil {
		return err
	}
	if err := workflow.MayEdit(s.actor(c), d.Workflow); err != nil {
		return err
	}
	f := senderForm{Version: d.Version, F: senderFieldsOf(d.Facts())}
	f.Base = packed(f.F.answers())
	return s.senderFormPage(c, http.StatusOK, f, d.Workflow, &d, nil)
}

// senderSave is POST /workflows/:slug/senders/:sender/edit.
func (s *Server) senderSave(c echo.Context) error {
	var f senderForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	slug, sender := c.Param("slug"), c.Param("sender")
	_, err := workflow.EditSender(s.ctx(c), s.DB, s.actor(c), workflow.EditSenderCmd{Once: models.Once{Submission: f.Submission},
		Workflow: slug, Slug: sender, Version: f.Version, Checked: f.Checked, SenderFacts: f.F.facts()}, control.RecheckSender)
	if !models.Retryable(err) {
		if err != nil {
			return err
		}
		return s.see(c, workflow.SenderPath(slug, sender), "Sender saved.", "", layout.Crumb{Text: "Back to the workflow", Href: workflow.Path(slug)})
	}
	d, e := workflow.FindSender(s.ctx(c), s.DB, slug, sender)
	if e != nil {
		return e
	}
	if models.IsKind(err, models.KindConflict) && (d.ArchivedAt != nil || d.Version == f.Version) {
		return err
	}
	return s.senderFormPage(c, statusOfForm(err), f, d.Workflow, &d, err)
}

// senderFormPage shows the form, with what must change, or with both versions.
// d is nil for a new sender.
func (s *Server) senderFormPage(c echo.Context, status int, f senderForm, w workflow.Workflow, d *workflow.SenderDetails, problem error) error {
	p := workflows.SenderForm{New: d == nil, Checked: f.Checked, Cancel: workflow.Path(w.Slug)}
	p.At = ui.FormAt{Action: p.Cancel + "/senders", Submission: f.Submission}
	crumb := layout.Crumb{Text: w.Name, Href: p.Cancel}
	frame := workflowsPage("Add a sender", "read", crumb, layout.Crumb{Text: "Add a sender"})
	if d == nil {
		p.Catalogue = cataloguePath + "?" + url.Values{"show": {"senders"}, "workflow": {w.Slug}}.Encode()
		if entry, err := catalogue.FindSender(f.From); err == nil {
			p.From, p.Hints = entry.ID, entry.Hints()
		}
	}
	if d != nil {
		p.Cancel = workflow.SenderPath(w.Slug, d.Slug)
		p.At.Action, p.CheckedBy = p.Cancel+"/edit", checkedBy(d.CheckedByName, d.CheckedOn)
		frame = workflowsPage("Edit "+d.Name, "read", crumb, layout.Crumb{Text: d.Name, Href: p.Cancel}, layout.Crumb{Text: "Edit"})
		if status == http.StatusConflict {
			saved := senderFieldsOf(d.Facts())
			var err error
			if p.Stale, err = s.staleEdit(c, "sender", d.ID, merge(f.Base, f.F.answers(), saved.answers())); err != nil {
				return err
			}
			f.Version, f.Base, p.At.Submission = d.Version, packed(saved.answers()), ""
		}
	}
	p.SenderFields, p.Base, p.At.Version = workflows.SenderFields(f.F), f.Base, f.Version
	if status == http.StatusUnprocessableEntity {
		p.Problems, frame.Title = problems(problem, "name", "slug", "doc_url", "documented_at", "event_id_field", "duplicates", "ordering", "retry_schedule",
			"retry_horizon_hours", "resend_horizon_hours", "signature", "version_field", "changing_fields", "notes"), "Error: "+frame.Title
	}
	return s.page(c, status, frame, workflows.SenderFormPage(p))
}

// senderArchiveAsk is GET /workflows/:slug/senders/:sender/archive.
func (s *Server) senderArchiveAsk(c echo.Context) error {
	d, err := workflow.FindSender(s.ctx(c), s.DB, c.Param("slug"), c.Param("sender"))
	if err != nil {
		return err
	}
	w := d.Workflow
	if err := workflow.MayEdit(s.actor(c), w); err != nil {
		return err
	}
	path := workflow.SenderPath(w.Slug, d.Slug)
	return s.page(c, http.StatusOK, workflowsPage("Archive "+d.Name, "read", layout.Crumb{Text: w.Name, Href: workflow.Path(w.Slug)}, layout.Crumb{Text: d.Name, Href: path}, layout.Crumb{Text: "Archive"}),
		ui.Ask(ui.Asking{Title: "Archive “" + d.Name + "”?", Cancel: path, Button: ui.Btn{Text: "Archive sender"},
			Text: "Forms stop offering it. Nothing is deleted, and controls that name it keep it. It can be restored at any time.",
			Form: ui.FormAt{Action: path + "/archive", Version: d.Version}}))
}

// senderArchive is POST /workflows/:slug/senders/:sender/archive.
func (s *Server) senderArchive(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		cmd := workflow.SenderCmd{Once: models.Once{Submission: f.Submission}, Workflow: c.Param("slug"), Slug: c.Param("sender"), Version: f.Version}
		_, err := workflow.ArchiveSender(s.ctx(c), s.DB, s.actor(c), cmd)
		return workflow.SenderPath(cmd.Workflow, cmd.Slug), "Sender archived.", err
	})
}

// senderRestore is POST /workflows/:slug/senders/:sender/restore.
func (s *Server) senderRestore(c echo.Context) error {
	return s.archiving(c, func(f versionForm) (string, string, error) {
		cmd := workflow.SenderCmd{Once: models.Once{Submission: f.Submission}, Workflow: c.Param("slug"), Slug: c.Param("sender"), Version: f.Version}
		_, err := workflow.RestoreSender(s.ctx(c), s.DB, s.actor(c), cmd)
		return workflow.SenderPath(cmd.Workflow, cmd.Slug), "Sender restored.", err
	})
}
