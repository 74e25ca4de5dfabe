package handlers

import (
	"net/http"
	"strconv"

	"countersign/handlers/api"
	"countersign/models"
	"countersign/views/layout"
	"countersign/views/reference"

	"github.com/labstack/echo/v4"
)

func (s *Server) referencePage(c echo.Context, title string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "api", Width: "wide", Crumbs: append([]layout.Crumb{{Text: "API", Href: "/api/docs"}}, steps...)}
}

// referenceIndex is GET /api/docs.
func (s *Server) referenceIndex(c echo.Context) error {
	r := callsOf(s.API.Document())
	r.Base = s.base(c)
	return s.page(c, http.StatusOK, layout.Page{Title: "API reference", Nav: "api", Width: "wide", Crumbs: []layout.Crumb{{Text: "API"}}}, reference.IndexPage(r))
}

// referenceGuide is GET /api/guide.
func (s *Server) referenceGuide(c echo.Context) error {
	return s.page(c, http.StatusOK, s.referencePage(c, "Connect an automation", layout.Crumb{Text: "Connect an automation"}), reference.GuidePage(reference.NewGuide(s.base(c))))
}

// openAPI is GET /api/openapi.json.
func (s *Server) openAPI(c echo.Context) error {
	c.Response().Header().Set("Access-Control-Allow-Origin", "*")
	return c.JSON(http.StatusOK, s.API.Document())
}

func kindPage(k api.Kind) reference.Kind {
	out := reference.Kind{Slug: k.Slug, Title: k.Title, Meaning: k.Meaning, Do: k.Do, Status: strconv.Itoa(k.Status), Path: k.Path(), Sample: k.Sample()}
	for _, step := range k.ByState() {
		out.States = append(out.States, reference.Setting{Field: step.State, Value: step.Do})
	}
	return out
}

// problemsIndex is GET /api/problems.
func (s *Server) problemsIndex(c echo.Context) error {
	var kinds []reference.Kind
	for _, k := range api.Kinds {
		kinds = append(kinds, kindPage(k))
	}
	return s.page(c, http.StatusOK, s.referencePage(c, "Kinds of problems", layout.Crumb{Text: "Problems"}), reference.ProblemsPage(kinds))
}

// problemShow is GET /api/problems/:slug.
func (s *Server) problemShow(c echo.Context) error {
	k, ok := api.FindKind(c.Param("slug"))
	if !ok {
		return models.NotFoundf("There is no such kind of problem.")
	}
	page := kindPage(k)
	page.Calls = callsWith(s.API.Document(), k.Slug)
	return s.page(c, http.StatusOK, s.referencePage(c, k.Title, layout.Crumb{Text: "Problems", Href: "/api/problems"}, layout.Crumb{Text: k.Slug}), reference.ProblemPage(page))
}
