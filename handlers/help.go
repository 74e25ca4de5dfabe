package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/views/help"
	"countersign/views/layout"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// helpIndex is GET /help.
func (s *Server) helpIndex(c echo.Context) error {
	return s.page(c, http.StatusOK, layout.Page{Title: "Help", Nav: "help", Crumbs: []layout.Crumb{{Text: "Help"}}, Width: "read"}, help.Index())
}

var topics = map[string]struct {
	title string
	body  func() templ.Component
}{
	"sign-off":         {"How sign-off works", help.SignOff},
	"unknown-outcomes": {"What to do when an outcome is unknown", help.UnknownOutcome},
}

// helpShow is GET /help/:topic.
func (s *Server) helpShow(c echo.Context) error {
	t, ok := topics[c.Param("topic")]
	if !ok {
		return models.NotFoundf("There is no such page of the help.")
	}
	return s.page(c, http.StatusOK, layout.Page{Title: t.title, Nav: "help", Crumbs: []layout.Crumb{{Text: "Help", Href: "/help"}, {Text: t.title}}, Width: "read"}, t.body())
}
