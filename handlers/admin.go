package handlers

import (
	"net/http"

	"countersign/models/home"
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
	p := admin.Props{Overview: o, MailServer: s.Config.SMTP.Host}
	return s.page(c, http.StatusOK, layout.Page{Title: "Administration", Nav: "admin", Crumbs: []layout.Crumb{{Text: "Administration"}}, Width: "read"}, admin.Index(p))
}
