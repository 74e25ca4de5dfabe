package handlers

import (
	"net/http"

	"countersign/models"
	"countersign/models/search"
	"countersign/views/layout"
	views "countersign/views/search"

	"github.com/labstack/echo/v4"
)

// search is GET /search?q=, with in= for a page of one kind.
func (s *Server) search(c echo.Context) error {
	p := views.Props{Results: search.Results{Text: models.Clean(c.QueryParam("q"))}, In: search.Kind(c.QueryParam("in"))}
	err := s.find(c, &p)
	status := http.StatusOK
	if models.IsKind(err, models.KindInvalid) {
		status, p.Problems, p.Results.Text = http.StatusUnprocessableEntity, models.AsError(err).Fields, ""
	} else if err != nil {
		return err
	}
	return s.page(c, status, layout.Page{Title: formTitle("Search", p.Problems), Nav: "search", Crumbs: []layout.Crumb{{Text: "Search"}}, Width: "read"}, views.Index(p))
}

func (s *Server) find(c echo.Context, p *views.Props) (err error) {
	text := c.QueryParam("q")
	if p.In == "" {
		p.Results, err = search.Find(s.ctx(c), s.DB, s.actor(c), text)
		return err
	}
	page, err := search.In(s.ctx(c), s.DB, s.actor(c), p.In, text, c.QueryParam("at"))
	p.Hits, p.Pager = page.Items, pagerFor(c, page.Prev, page.Next)
	return err
}
