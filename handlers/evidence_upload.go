package handlers

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/evidence"

	"github.com/labstack/echo/v4"
)

const (
	uploadPath   = "/evidence"
	downloadPath = "/evidence/:id/file"
	bundlePath   = "/controls/:slug/bundle.zip"

	uploadTime  = 15 * time.Minute          // for one form with its files
	uploadPause = 30 * time.Second          // without a single byte
	uploadMost  = 10*evidence.Limit + 4<<20 // bytes of one form
)

// downloads are the addresses that give a file of any length.
var downloads = []string{downloadPath, bundlePath, auditCSVPath, ledgerCSVPath, matrixCSVPath}

// streamed reports whether a request takes or gives a file, or waits for changes:
// it may be long and slow, and its body is not read as a form.
func streamed(c echo.Context) bool {
	return c.Request().Method == post && c.Path() == uploadPath || slices.Contains(downloads, c.Path()) || c.Path() == eventsPath
}

// longBody lets a body be longer and slower than those of other pages, as long
// as something arrives.
//
// Call done at the end: it reads the rest, because a browser that is still
// sending does not look at the answer.
func (s *Server) longBody(c echo.Context) (done func()) {
	r := c.Request()
	ctx, cancel := context.WithTimeout(r.Context(), uploadTime)
	body := &slowBody{ReadCloser: http.MaxBytesReader(c.Response(), r.Body, uploadMost), deadline: http.NewResponseController(c.Response()), ctx: ctx}
	r = r.WithContext(ctx)
	r.Body = body
	c.SetRequest(r)
	return func() {
		_, _ = io.CopyN(io.Discard, body, 2*evidence.Limit)
		cancel()
	}
}

type slowBody struct {
	io.ReadCloser
	deadline *http.ResponseController
	ctx      context.Context
}

// Read waits for bytes for as long as uploadPause, and leaves as much time again
// for the answer.
func (b *slowBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	now := time.Now()
	_ = b.deadline.SetReadDeadline(now.Add(uploadPause))
	_ = b.deadline.SetWriteDeadline(now.Add(4 * uploadPause))
	return b.ReadCloser.Read(p)
}

// enterUpload waits until one of the few uploads that a server takes at a time
// has ended: each holds a connection to the database while it receives.
func (s *Server) enterUpload(ctx context.Context) (leave func(), err error) {
	select {
	case s.uploads <- struct{}{}:
		return func() { <-s.uploads }, nil
	case <-ctx.Done():
		return nil, &models.Error{Kind: models.KindUnavailable, Message: "Too many files are being received right now. Nothing was saved. Send it again in a moment."}
	}
}
