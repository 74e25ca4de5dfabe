package handlers

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/handoff"
	views "countersign/views/handoff"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

// revisionAsked is the number in the address; 0, the latest, without one.
func revisionAsked(c echo.Context) (int, error) {
	text := c.QueryParam("revision")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, models.NotFoundf("There is no revision %s.", control.Plain(text))
	}
	return n, nil
}

// record is the revision that the address names.
func (s *Server) record(c echo.Context) (handoff.Record, error) {
	number, err := revisionAsked(c)
	if err != nil {
		return handoff.Record{}, err
	}
	return handoff.Load(s.ctx(c), s.DB, c.Param("slug"), number)
}

// handoffShow is GET /controls/{slug}/handoff: what can be taken along.
func (s *Server) handoffShow(c echo.Context) error {
	r, err := s.record(c)
	if err != nil {
		return err
	}
	d, err := control.Show(s.ctx(c), s.DB, r.Slug())
	if err != nil {
		return err
	}
	var numbers []int
	for _, revision := range d.Revisions {
		numbers = append(numbers, revision.Number)
	}
	p := views.NewShow(r, numbers, reason(control.MayCreate(s.actor(c))))
	return s.page(c, http.StatusOK, layout.Page{Title: "Hand over " + d.Name, Nav: "controls", Crumbs: underControl(d.Slug, d.Name, "Hand over")}, views.ShowPage(p))
}

// recordMarkdown is GET /controls/{slug}/record.md.
func (s *Server) recordMarkdown(c echo.Context) error {
	r, err := s.record(c)
	if err != nil {
		return err
	}
	return download(c, r.FileName()+".md", "text/markdown; charset=utf-8", []byte(r.Markdown()))
}

// recordJSON is GET /controls/{slug}/record.json.
func (s *Server) recordJSON(c echo.Context) error {
	r, err := s.record(c)
	if err != nil {
		return err
	}
	b, err := r.JSON()
	if err != nil {
		return err
	}
	return download(c, r.FileName()+".json", "application/json", b)
}

// recordCSV is GET /controls/{slug}/record.csv.
func (s *Server) recordCSV(c echo.Context) error {
	r, err := s.record(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := r.CSV(&b); err != nil {
		return err
	}
	return download(c, r.FileName()+".csv", csvType, b.Bytes())
}

const csvType = "text/csv; charset=utf-8; header=present"

// download sends a file that a browser saves and never shows in this site.
func download(c echo.Context, name, kind string, body []byte) error {
	c.Response().Header().Set("Content-Disposition", disposition(name))
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	return c.Blob(http.StatusOK, kind, body)
}

// recordPrint is GET /controls/{slug}/print: the record for paper.
func (s *Server) recordPrint(c echo.Context) error {
	r, err := s.record(c)
	if err != nil {
		return err
	}
	sheet := views.Sheet{Sheet: r.Sheet(), Back: fmt.Sprintf("/controls/%s/handoff?revision=%d", r.Slug(), r.Revision.Number)}
	var b strings.Builder
	page := layout.Page{Title: r.Title(), Theme: theme(c)}
	if err := layout.Paper(page, views.SheetPage(sheet)).Render(s.ctx(c), &b); err != nil {
		return err
	}
	return c.HTML(http.StatusOK, b.String())
}

// recordBundle is GET /controls/{slug}/bundle.zip.
func (s *Server) recordBundle(c echo.Context) error {
	number, err := revisionAsked(c)
	if err != nil {
		return err
	}
	b, err := handoff.LoadBundle(s.ctx(c), s.DB, c.Param("slug"), number)
	if err != nil {
		return err
	}
	return s.sendFile(c, b.FileName()+".zip", "application/zip", b.Write)
}
