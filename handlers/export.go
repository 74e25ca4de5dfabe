package handlers

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// sendFile streams what write makes as a download, never shown in this site.
// What fails on the way ends the connection, so that the browser does not take
// half a file for a whole one.
func (s *Server) sendFile(c echo.Context, name, kind string, write func(io.Writer) error) error {
	h := c.Response().Header()
	h.Set("Content-Disposition", disposition(name))
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, no-cache")
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if err := write(slowly{c.Response(), http.NewResponseController(c.Response())}); err != nil {
		s.Log.Info("a download ended early", "error", err, "request_id", requestID(c))
		panic(http.ErrAbortHandler)
	}
	return nil
}

// slowly gives every write a time of its own, as long as the reader takes something.
type slowly struct {
	to       io.Writer
	deadline *http.ResponseController
}

func (s slowly) Write(p []byte) (int, error) {
	_ = s.deadline.SetWriteDeadline(time.Now().Add(chunkTime))
	return s.to.Write(p)
}
