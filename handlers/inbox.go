package handlers

import (
	"net/http"
	"strconv"

	"countersign/models"
	"countersign/models/notice"
	"countersign/views/inbox"
	"countersign/views/layout"

	"github.com/labstack/echo/v4"
)

type inboxFilter struct {
	Show string `query:"show"`
	At   string `query:"at"`
}

// inboxIndex is GET /inbox: what is unread; with show=all everything.
func (s *Server) inboxIndex(c echo.Context) error {
	var f inboxFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	all := f.Show == "all"
	page, err := notice.Inbox(s.ctx(c), s.DB, s.actor(c), !all, f.At)
	if err != nil {
		return err
	}
	p := inbox.Props{All: all, Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	p.Pager.PrevWord, p.Pager.NextWord = "Newer", "Older"
	for _, n := range page.Items {
		p.Notices = append(p.Notices, inbox.Notice{ID: n.ID, Event: string(n.Event), EventName: n.Event.Name(), Title: n.Title, Text: n.Text,
			StandingInFor: n.StandingInFor, Path: n.Path, At: n.At, Read: n.ReadAt != nil})
		if n.ReadAt == nil && f.At == "" {
			p.Newest = max(p.Newest, n.ID)
		}
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Inbox", Nav: "inbox", Crumbs: []layout.Crumb{{Text: "Inbox"}}}, inbox.Index(p))
}

type inboxForm struct {
	Submission string `form:"submission"`
	Newest     int64  `form:"newest"`
}

func (f inboxForm) once() models.Once { return models.Once{Submission: f.Submission} }

// inboxOpen is POST /inbox/:id/open: it marks a notice as read and leads to its page.
func (s *Server) inboxOpen(c echo.Context) error {
	opened, err := s.markRead(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, localPath(opened.Path))
}

// inboxRead is POST /inbox/:id/read. It leads back to the list.
func (s *Server) inboxRead(c echo.Context) error {
	if _, err := s.markRead(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, s.backTo(c))
}

func (s *Server) markRead(c echo.Context) (notice.Opened, error) {
	var f inboxForm
	if err := c.Bind(&f); err != nil {
		return notice.Opened{}, err
	}
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no notice
	return notice.MarkRead(s.ctx(c), s.DB, s.actor(c), notice.MarkReadCmd{Once: f.once(), ID: id})
}

// inboxReadAll is POST /inbox/read: everything up to the newest one on the page.
func (s *Server) inboxReadAll(c echo.Context) error {
	var f inboxForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	if _, err := notice.MarkAllRead(s.ctx(c), s.DB, s.actor(c), notice.MarkAllReadCmd{Once: f.once(), Newest: f.Newest}); err != nil {
		return err
	}
	return s.see(c, "/inbox", "Marked as read.", "")
}
