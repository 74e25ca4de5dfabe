package handlers

import (
	"bytes"
	"encoding/gob"
	"net/http"
	"net/url"
	"strings"

	"countersign/models"
	"countersign/views/layout"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

func init() { gob.Register(layout.Flash{}) }

// page renders body inside the layout, or alone when htmx asked for a part.
// It renders into a buffer first, so that a failing template sends a clean 500.
func (s *Server) page(c echo.Context, status int, p layout.Page, body templ.Component) error {
	actor := s.actor(c)
	if actor.ID != 0 {
		p.User = &layout.User{Name: actor.Name, Email: actor.Email, Admin: actor.Has(models.Admin)}
		if p.Counts == nil {
			p.Counts = s.counts(c, nil)
		}
	}
	p.Mark, _ = c.Get(liveMark).(string)
	p.Theme = theme(c)
	p.Path = c.Request().URL.RequestURI()
	if p.Flash == nil {
		if f, ok := s.sessions.Pop(s.ctx(c), sessionFlash).(layout.Flash); ok {
			p.Flash = &f
		}
	}
	whole := layout.Shell(p, body)
	if actor.ID == 0 || p.Bare {
		whole = layout.Bare(p, body)
	}
	c.Response().Header().Add("Vary", "HX-Request")
	if c.Request().Header.Get("HX-Request") == "true" && c.Request().Header.Get("HX-Request-Type") == "partial" {
		whole = body
	}
	var buf bytes.Buffer
	if err := whole.Render(s.ctx(c), &buf); err != nil {
		return err
	}
	return c.HTMLBlob(status, buf.Bytes())
}

// part renders a piece of a page that is open already.
func (s *Server) part(c echo.Context, body templ.Component) error {
	var buf bytes.Buffer
	if err := body.Render(s.ctx(c), &buf); err != nil {
		return err
	}
	return c.HTMLBlob(http.StatusOK, buf.Bytes())
}

// see redirects after a change (303) and shows text on the next page, with a
// link to what comes next when next is given.
func (s *Server) see(c echo.Context, path, strong, text string, next ...layout.Crumb) error {
	flash := layout.Flash{Tone: "ok", Strong: strong, Text: text}
	if len(next) > 0 {
		flash.Link, flash.Href = next[0].Text, next[0].Href
	}
	return s.seeFlash(c, path, flash)
}

// seeFlash is see with a message of any tone. A form that was sent before says
// so instead, because what it did then may not stand any more.
func (s *Server) seeFlash(c echo.Context, path string, flash layout.Flash) error {
	if repeated, ok := c.Get(formRepeated).(*bool); ok && *repeated {
		flash = layout.Flash{Tone: "ink", Strong: "This form was sent before, so nothing was done again.", Text: "What it did then stands below, unless somebody changed it since."}
	}
	if flash.Strong+flash.Text != "" {
		s.sessions.Put(s.ctx(c), sessionFlash, flash)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

func theme(c echo.Context) string {
	if cookie, err := c.Cookie("theme"); err == nil && (cookie.Value == "light" || cookie.Value == "dark") {
		return cookie.Value
	}
	return "system"
}

// setTheme remembers light, dark or system in a cookie: POST /theme.
func (s *Server) setTheme(c echo.Context) error {
	choice := c.FormValue("theme")
	if choice != "light" && choice != "dark" && choice != "system" {
		return models.BadRequestf("Choose light, dark or as the system.")
	}
	c.SetCookie(&http.Cookie{Name: "theme", Value: choice, Path: "/", MaxAge: 400 * 24 * 3600, HttpOnly: true, Secure: s.Config.secure(), SameSite: http.SameSiteLaxMode})
	return c.Redirect(http.StatusSeeOther, s.backTo(c))
}

// backTo is the page of ours that the form was on; home when there is none.
func (s *Server) backTo(c echo.Context) string {
	u, err := url.Parse(c.Request().Referer())
	if err != nil || u.Host != c.Request().Host {
		return "/"
	}
	return localPath(u.RequestURI())
}

// localPath keeps a path on this site and turns everything else into home.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}
