package handlers

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/models/evidence"

	"github.com/labstack/echo/v4"
)

// chunkTime is how long one chunk of a download may take to be sent.
const chunkTime = 60 * time.Second

// evidenceFile is GET /evidence/{id}/file: the bytes as a download. They are
// never shown inside this site: whatever they hold cannot run here.
func (s *Server) evidenceFile(c echo.Context) error {
	id, err := evidenceID(c)
	if err != nil {
		return err
	}
	a, content, err := evidence.Open(s.ctx(c), s.DB, id)
	if evidence.IsGone(err) {
		return s.evidenceGone(c, a)
	}
	if err != nil {
		return err
	}
	h, tag := c.Response().Header(), `"`+a.SHA256+`"`
	h.Set("Content-Disposition", disposition(a.Name))
	h.Set("Content-Type", a.ServedAs())
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", tag)
	if strings.Contains(c.Request().Header.Get("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	h.Set("Content-Length", strconv.FormatInt(a.Size, 10))
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	return s.sendChunks(c, content)
}

// sendChunks sends chunk after chunk. What fails on the way ends the connection,
// so that the browser does not take half a file for a whole one.
func (s *Server) sendChunks(c echo.Context, content *evidence.Content) error {
	deadline := http.NewResponseController(c.Response())
	for {
		chunk, err := content.Next()
		if err == nil && chunk == nil {
			return nil
		}
		if err == nil {
			_ = deadline.SetWriteDeadline(time.Now().Add(chunkTime))
			_, err = c.Response().Write(chunk)
		}
		if err != nil {
			s.Log.Info("a download ended early", "error", err, "request_id", requestID(c))
			panic(http.ErrAbortHandler)
		}
	}
}

// disposition names a download (RFC 6266): in plain letters for old programs and
// as it is for all others.
func disposition(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/:*?<>|%`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}
