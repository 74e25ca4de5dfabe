package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"countersign/models"
	"countersign/models/evidence"

	"github.com/labstack/echo/v4"
)

const (
	uploadPath   = "/evidence"
	downloadPath = "/evidence/:id/file"
	bundlePath   = "/controls/:slug/bundle.zip"

	uploadTime = 15 * time.Minute          // for one form with its files
	uploadMost = 10*evidence.Limit + 4<<20 // bytes of one form
)

// downloads are the addresses that give a file of any length.
var downloads = []string{downloadPath, bundlePath, auditCSVPath, ledgerCSVPath, matrixCSVPath}

// streamed reports whether a request takes or gives a file, or waits for changes:
// it may be long and slow, and its body is not read as a form.
func streamed(c echo.Context) bool {
	return c.Request().Method == post && c.Path() == uploadPath || slices.Contains(downloads, c.Path()) || c.Path() == eventsPath
}

// pace is how slowly a body may come.
type pace struct {
	pause time.Duration // the longest silence, and what the rate is measured over
	least int64         // bytes in that time
}

var uploadPace = pace{pause: 30 * time.Second, least: 30_000} // 1 kB a second

// longBody lets a body be longer and slower than those of other pages, as long
// as it comes at a bearable pace.
//
// Call done at the end: it reads the rest, because a browser that is still
// sending does not look at the answer.
func (s *Server) longBody(c echo.Context) (done func()) {
	r := c.Request()
	ctx, cancel := context.WithTimeout(r.Context(), uploadTime)
	body := &slowBody{ReadCloser: http.MaxBytesReader(c.Response(), r.Body, uploadMost), deadline: http.NewResponseController(c.Response()), ctx: ctx, pace: s.pace}
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
	pace     pace
	waited   time.Duration // for bytes, since the rate was measured last
	came     int64         // in that time
	over     error         // why nothing more is read
}

var errTooSlow = errors.New("the body comes too slowly")

// Read waits for bytes for as long as the pace's pause, and leaves as much time
// again for the answer. errTooSlow once fewer came than the pace demands; only
// time spent waiting for them counts.
func (b *slowBody) Read(p []byte) (int, error) {
	if b.over == nil {
		b.over = b.ctx.Err()
	}
	if b.over != nil {
		return 0, b.over
	}
	begun := time.Now()
	_ = b.deadline.SetReadDeadline(begun.Add(b.pace.pause))
	_ = b.deadline.SetWriteDeadline(begun.Add(4 * b.pace.pause))
	n, err := b.ReadCloser.Read(p)
	b.waited, b.came = b.waited+time.Since(begun), b.came+int64(n)
	if b.waited >= b.pace.pause {
		if b.came < b.pace.least && err == nil {
			err = errTooSlow
		}
		b.waited, b.came = 0, 0
	}
	b.over = err
	return n, err
}

// uploadSlots lets few forms with files in at a time, and fewer of one person:
// each holds a connection to the database while it receives.
type uploadSlots struct {
	free chan struct{}
	wait time.Duration // for a turn, at most
	mu   sync.Mutex
	of   map[int64]int // how many a person holds
}

func newUploadSlots(n int) *uploadSlots {
	return &uploadSlots{free: make(chan struct{}, max(1, n)), wait: uploadWait, of: map[int64]int{}}
}

// uploadWait is how long a file waits for its turn.
const uploadWait = 5 * time.Second

// enter waits for a slot for as long as it may; Unavailable after that.
func (u *uploadSlots) enter(ctx context.Context, person int64) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, u.wait)
	defer cancel()
	for !u.take(person) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, tooManyFiles()
		}
	}
	select {
	case u.free <- struct{}{}:
		return func() { <-u.free; u.give(person) }, nil
	case <-ctx.Done():
		u.give(person)
		return nil, tooManyFiles()
	}
}

// take counts one more of the person's, of which at most half the slots are.
func (u *uploadSlots) take(person int64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of[person] >= max(1, cap(u.free)/2) {
		return false
	}
	u.of[person]++
	return true
}

func (u *uploadSlots) give(person int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.of[person]--; u.of[person] == 0 {
		delete(u.of, person)
	}
}

func tooManyFiles() error {
	return &models.Error{Kind: models.KindUnavailable, RetryAfter: 5, Message: "Too many files are being received right now. Nothing was saved. Send it again in a moment."}
}
