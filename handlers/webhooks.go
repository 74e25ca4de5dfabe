package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/notice"
	"countersign/views/layout"
	"countersign/views/ui"
	"countersign/views/webhooks"

	"github.com/labstack/echo/v4"
)

func webhooksPage(title, width string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "webhooks", Width: width, Crumbs: append([]layout.Crumb{{Text: "Webhooks", Href: "/admin/webhooks"}}, steps...)}
}

// webhooksIndex is GET /admin/webhooks.
func (s *Server) webhooksIndex(c echo.Context) error {
	page, err := notice.Webhooks(s.ctx(c), s.DB, s.actor(c), c.QueryParam("at"))
	if err != nil {
		return err
	}
	p := webhooks.IndexProps{Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	for _, w := range page.Items {
		p.Webhooks = append(p.Webhooks, webhookProps(w))
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Webhooks", Nav: "webhooks", Crumbs: []layout.Crumb{{Text: "Webhooks"}}}, webhooks.Index(p))
}

func webhookProps(w notice.Webhook) webhooks.Webhook {
	p := webhooks.Webhook{ID: w.ID, Path: notice.WebhookPath(w.ID), Name: w.Name, URL: w.URL, Disabled: w.DisabledAt != nil, DisabledAt: timeOf(w.DisabledAt),
		PreviousUntil: timeOf(w.PreviousUntil), CreatedBy: w.CreatedBy, CreatedAt: w.CreatedAt, Version: w.Version}
	for _, e := range w.Events {
		p.Events = append(p.Events, e.Name())
	}
	return p
}

type webhookForm struct {
	Submission string   `form:"submission"`
	Version    int64    `form:"version"`
	Name       string   `form:"name"`
	URL        string   `form:"url"`
	Events     []string `form:"events"`
	Hours      int      `form:"hours"`
}

func (f webhookForm) once() models.Once { return models.Once{Submission: f.Submission} }

func (f webhookForm) facts() notice.WebhookForm {
	out := notice.WebhookForm{Name: f.Name, URL: f.URL}
	for _, e := range f.Events {
		out.Events = append(out.Events, notice.Event(e))
	}
	return out
}

// webhookNew is GET /admin/webhooks/new.
func (s *Server) webhookNew(c echo.Context) error {
	if err := notice.MayManage(s.actor(c)); err != nil {
		return err
	}
	return s.showWebhookForm(c, 0, webhookForm{}, nil)
}

// webhookCreate is POST /admin/webhooks. The next page shows the secret.
func (s *Server) webhookCreate(c echo.Context) error {
	var f webhookForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id, err := notice.AddWebhook(s.ctx(c), s.DB, s.actor(c), notice.AddWebhookCmd{Once: f.once(), WebhookForm: f.facts(), Insecure: s.Config.WebhookPrivate})
	if models.Retryable(err) {
		return s.showWebhookForm(c, 0, f, err)
	}
	if err != nil {
		return err
	}
	s.sessions.Put(s.ctx(c), sessionSecret, id)
	return s.see(c, notice.WebhookPath(id), "Webhook added.", "Give its secret to the receiver, then send a test message.")
}

// webhookEdit is GET /admin/webhooks/:id/edit.
func (s *Server) webhookEdit(c echo.Context) error {
	w, err := notice.ShowWebhook(s.ctx(c), s.DB, s.actor(c), webhookID(c))
	if err != nil {
		return err
	}
	return s.showWebhookForm(c, w.ID, formOf(w), nil)
}

func formOf(w notice.Webhook) webhookForm {
	f := webhookForm{Version: w.Version, Name: w.Name, URL: w.URL}
	for _, e := range w.Events {
		f.Events = append(f.Events, string(e))
	}
	return f
}

func webhookID(c echo.Context) int64 {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no webhook
	return id
}

// webhookSave is POST /admin/webhooks/:id/edit.
func (s *Server) webhookSave(c echo.Context) error {
	var f webhookForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id := webhookID(c)
	_, err := notice.EditWebhook(s.ctx(c), s.DB, s.actor(c), notice.EditWebhookCmd{Once: f.once(), WebhookForm: f.facts(), ID: id, Version: f.Version, Insecure: s.Config.WebhookPrivate})
	if models.Retryable(err) {
		return s.showWebhookForm(c, id, f, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, notice.WebhookPath(id), "Webhook saved.", "")
}

// showWebhookForm shows the form of webhook id, 0 for a new one, again with what
// was typed when failed says what must change.
func (s *Server) showWebhookForm(c echo.Context, id int64, f webhookForm, failed error) error {
	title, status := "Add webhook", http.StatusOK
	p := webhooks.FormProps{Action: "/admin/webhooks", Cancel: "/admin/webhooks", Submission: f.Submission, Version: f.Version, Name: f.Name, URL: f.URL, Events: f.Events, Private: s.Config.WebhookPrivate}
	for _, e := range notice.Events() {
		p.Options = append(p.Options, ui.Option{Value: string(e), Label: e.Name(), Hint: string(e)})
	}
	if id != 0 {
		title, p.Action, p.Cancel = "Edit webhook", notice.WebhookPath(id)+"/edit", notice.WebhookPath(id)
	}
	if e := models.AsError(failed); e != nil {
		status = statusOf[e.Kind]
		if e.Kind == models.KindConflict {
			p.Conflict = e.Message
			if err := s.bothWebhooks(c, id, &p); err != nil {
				return err
			}
		} else {
			p.Problems = problems(failed, "name", "url", "events")
		}
	}
	return s.page(c, status, webhooksPage(formTitle(title, p.Problems), "read", layout.Crumb{Text: title}), webhooks.Form(p))
}

// bothWebhooks puts what is saved beside what was typed, and lets the form be
// sent again having seen both.
func (s *Server) bothWebhooks(c echo.Context, id int64, p *webhooks.FormProps) error {
	w, err := notice.ShowWebhook(s.ctx(c), s.DB, s.actor(c), id)
	if err != nil {
		return err
	}
	saved := formOf(w)
	p.Version, p.Submission = w.Version, ""
	for _, pair := range []ui.VersionPair{{Label: "Name", Saved: saved.Name, Yours: p.Name}, {Label: "Address", Saved: saved.URL, Yours: p.URL},
		{Label: "Is told", Saved: eventNames(saved.Events), Yours: eventNames(p.Events)}} {
		if pair.Saved != pair.Yours {
			p.Pairs = append(p.Pairs, pair)
		}
	}
	return nil
}
