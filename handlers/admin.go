package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/home"
	"countersign/models/retention"
	"countersign/views/admin"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

// adminIndex is GET /admin.
func (s *Server) adminIndex(c echo.Context) error {
	o, err := home.OverviewOf(s.ctx(c), s.DB, s.actor(c))
	if err != nil {
		return err
	}
	rules, err := retention.Of(s.DB.Query(s.ctx(c)))
	if err != nil {
		return err
	}
	p := admin.Props{Overview: o, MailServer: s.Config.SMTP.Host, Rules: rules}
	return s.page(c, http.StatusOK, layout.Page{Title: "Administration", Nav: "admin", Crumbs: []layout.Crumb{{Text: "Administration"}}, Width: "read"}, admin.Index(p))
}

type retentionForm struct {
	Submission    string `form:"submission"`
	Version       int64  `form:"version"`
	EvidenceDays  string `form:"evidence_days"`
	EvidenceBasis string `form:"evidence_basis"`
	PayloadDays   string `form:"payload_days"`
	NoticeDays    string `form:"notice_days"`
}

func (f retentionForm) typed() retention.Typed {
	return retention.Typed{EvidenceDays: f.EvidenceDays, EvidenceBasis: f.EvidenceBasis, PayloadDays: f.PayloadDays, NoticeDays: f.NoticeDays}
}

// retentionShow is GET /admin/retention.
func (s *Server) retentionShow(c echo.Context) error {
	if err := retention.MayChange(s.actor(c)); err != nil {
		return err
	}
	rules, err := retention.Of(s.DB.Query(s.ctx(c)))
	if err != nil {
		return err
	}
	return s.showRetention(c, http.StatusOK, admin.NewRetention(rules.Typed(), rules.Version, ""))
}

// retentionSave is POST /admin/retention.
func (s *Server) retentionSave(c echo.Context) error {
	var f retentionForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	_, err := retention.Change(s.ctx(c), s.DB, s.actor(c), retention.ChangeCmd{Once: models.Once{Submission: f.Submission}, Typed: f.typed(), Version: f.Version})
	switch {
	case err == nil:
		return s.see(c, "/admin", "Saved.", "It counts from now on.")
	case !models.Retryable(err):
		return err
	}
	p := admin.NewRetention(f.typed(), f.Version, f.Submission)
	if models.IsKind(err, models.KindConflict) {
		rules, e := retention.Of(s.DB.Query(s.ctx(c)))
		if e != nil {
			return e
		}
		p.Version, p.Submission, p.Conflict = rules.Version, "", models.AsError(err).Message
		p.Beside(rules.Typed())
	} else {
		p.Problems = problems(err, "evidence_days", "evidence_basis", "payload_days", "notice_days")
	}
	return s.showRetention(c, statusOf[models.AsError(err).Kind], p)
}

func (s *Server) showRetention(c echo.Context, status int, p admin.RetentionProps) error {
	return s.page(c, status, layout.Page{Title: formTitle("How long things are kept", p.Problems), Nav: "admin", Width: "read",
		Crumbs: []layout.Crumb{{Text: "Administration", Href: "/admin"}, {Text: "Retention"}}}, admin.Retention(p))
}
