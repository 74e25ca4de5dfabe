package handlers

import (
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/notice"
	"countersign/views/layout"
	"countersign/views/webhooks"

	"github.com/labstack/echo/v4"
)

const sessionSecret = "webhook secret" // id of a webhook whose secret the next page shows

// eventNames are events in words, in one line.
func eventNames(events []string) string {
	var names []string
	for _, e := range events {
		names = append(names, notice.Event(e).Name())
	}
	if len(names) == 0 {
		return "Every event"
	}
	return strings.Join(names, ", ")
}

// webhookShow is GET /admin/webhooks/:id.
func (s *Server) webhookShow(c echo.Context) error { return s.showWebhook(c, nil) }

// showWebhook shows a webhook with its deliveries; failed says why a form on it
// was refused.
func (s *Server) showWebhook(c echo.Context, failed error) error {
	id, state := webhookID(c), c.QueryParam("state")
	w, err := notice.ShowWebhook(s.ctx(c), s.DB, s.actor(c), id)
	if err != nil {
		return err
	}
	page, err := notice.Deliveries(s.ctx(c), s.DB, s.actor(c), id, state, c.QueryParam("at"))
	if err != nil {
		return err
	}
	p := webhooks.ShowProps{Webhook: webhookProps(w), State: state, Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	p.Pager.PrevWord, p.Pager.NextWord = "Newer", "Older"
	for _, d := range page.Items {
		p.Deliveries = append(p.Deliveries, deliveryRow(d))
	}
	status := http.StatusOK
	if e := models.AsError(failed); e != nil {
		status, p.Problems = statusOf[e.Kind], problems(failed)
	} else if s.sessions.GetInt64(s.ctx(c), sessionSecret) == id {
		s.sessions.Remove(s.ctx(c), sessionSecret)
		if p.Secret, err = notice.WebhookSecret(s.ctx(c), s.DB, s.actor(c), id); err != nil {
			return err
		}
	}
	return s.page(c, status, webhooksPage(w.Name, "", layout.Crumb{Text: w.Name}), webhooks.Show(p))
}

func deliveryRow(d notice.Delivery) webhooks.Delivery {
	row := webhooks.Delivery{ID: d.ID, MessageID: d.MessageID, Event: d.Event.Name(), Title: d.Title, State: d.State, Problem: d.LastError, Reply: d.LastReply, TriedAt: timeOf(d.TriedAt)}
	switch {
	case d.LastStatus != nil:
		row.Answer = strconv.Itoa(*d.LastStatus) + ", " + attempts(d.Attempts)
	case d.Attempts > 0:
		row.Answer = "None, " + attempts(d.Attempts)
	default:
		row.Answer = "Not tried yet"
	}
	return row
}

// webhookCommand runs one command of a webhook's page.
func (s *Server) webhookCommand(c echo.Context, done, more string, run func(id int64, f webhookForm, by models.Actor) error) error {
	var f webhookForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	id := webhookID(c)
	err := run(id, f, s.actor(c))
	if models.Retryable(err) {
		return s.showWebhook(c, err)
	}
	if err != nil {
		return err
	}
	return s.see(c, notice.WebhookPath(id), done, more)
}

// webhookRotate is POST /admin/webhooks/:id/secret. The next page shows the secret.
func (s *Server) webhookRotate(c echo.Context) error {
	return s.webhookCommand(c, "New secret made.", "Give it to the receiver.", func(id int64, f webhookForm, by models.Actor) error {
		_, err := notice.RotateSecret(s.ctx(c), s.DB, by, notice.RotateCmd{Once: f.once(), ID: id, Version: f.Version, Hours: f.Hours})
		if err == nil {
			s.sessions.Put(s.ctx(c), sessionSecret, id)
		}
		return err
	})
}

// webhookDisable is POST /admin/webhooks/:id/disabled.
func (s *Server) webhookDisable(c echo.Context) error {
	return s.webhookCommand(c, "Webhook disabled.", "Nothing is sent to it.", func(id int64, f webhookForm, by models.Actor) error {
		_, err := notice.SwitchWebhook(s.ctx(c), s.DB, by, notice.SwitchWebhookCmd{Once: f.once(), ID: id, Disable: true})
		return err
	})
}

// webhookEnable is POST /admin/webhooks/:id/enabled.
func (s *Server) webhookEnable(c echo.Context) error {
	return s.webhookCommand(c, "Webhook enabled.", "", func(id int64, f webhookForm, by models.Actor) error {
		_, err := notice.SwitchWebhook(s.ctx(c), s.DB, by, notice.SwitchWebhookCmd{Once: f.once(), ID: id})
		return err
	})
}

// webhookTest is POST /admin/webhooks/:id/test.
func (s *Server) webhookTest(c echo.Context) error {
	return s.webhookCommand(c, "A test message is on its way.", "Load this page again to see the receiver’s answer.", func(id int64, f webhookForm, by models.Actor) error {
		_, err := notice.TestWebhook(s.ctx(c), s.DB, by, notice.TestWebhookCmd{Once: f.once(), ID: id})
		return err
	})
}

// webhookResend is POST /admin/webhooks/:id/deliveries/:delivery/resend.
func (s *Server) webhookResend(c echo.Context) error {
	return s.webhookCommand(c, "The message is on its way again.", "It has the same webhook-id as before.", func(id int64, f webhookForm, by models.Actor) error {
		delivery, _ := strconv.ParseInt(c.Param("delivery"), 10, 64) // 0 is no delivery
		_, err := notice.Resend(s.ctx(c), s.DB, by, notice.ResendCmd{Once: f.once(), Webhook: id, ID: delivery})
		return err
	})
}
