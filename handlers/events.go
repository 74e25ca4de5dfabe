package handlers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/people"
	"countersign/models/replay"
	"countersign/views/layout"
	views "countersign/views/queue"

	"github.com/labstack/echo/v4"
)

const (
	eventsPath = "/queue/events"
	freshPath  = "/queue/live"
	countsPath = "/queue/counts"
)

const (
	heartbeat  = 15 * time.Second // a comment that keeps proxies from closing what is silent
	eventWrite = 10 * time.Second // the longest that one write to a page may take
)

// queueEvents is GET /queue/events: server-sent events that name what changed. It
// says nothing about it: the page asks again, with whatever rights it then has.
// It ends when the page goes, the person is signed out, the server stops, or newer
// pages need the connection: then it says so, and the page does not ask again.
func (s *Server) queueEvents(c echo.Context) error {
	cookie, err := c.Cookie(s.sessions.Cookie.Name)
	if err != nil {
		return err
	}
	w, out := c.Response(), http.NewResponseController(c.Response().Writer)
	w.Header().Set(echo.HeaderContentType, "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies that follow nginx hold nothing back
	w.WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	_ = out.SetReadDeadline(time.Time{}) // nothing more is read
	stream, leave := s.live.join(s.actor(c).ID, cookie.Value, c.QueryParam("since"))
	defer leave()
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(eventWrite))
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for on := send("retry: 2000\n\n"); on; {
		select {
		case <-c.Request().Context().Done():
			return nil
		case <-s.live.ended.Done():
			return nil
		case <-beat.C:
			on = s.stillSignedIn(c) && send(": \n\n")
		case <-stream.wake:
			var text strings.Builder
			refs, ousted := s.live.take(stream)
			for _, ref := range refs {
				if strings.HasPrefix(ref, "P-") {
					on = on && s.stillSignedIn(c)
					continue
				}
				text.WriteString("event: changed\ndata: " + ref + "\n\n")
			}
			if ousted {
				text.WriteString("event: full\ndata:\n\n")
			}
			on = on && send(text.String()) && !ousted
		}
	}
	return nil
}

type liveForm struct {
	Open    string `query:"open"`
	State   string `query:"state"`
	Version int64  `query:"version"`
	Seen    string `query:"seen"`
}

// queueLive is GET /queue/live: the parts of an open page that may have changed.
func (s *Server) queueLive(c echo.Context) error {
	var f liveForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	list, err := s.queueList(c, f.Open)
	if err != nil {
		return err
	}
	news := ""
	if f.Open != "" {
		if news, err = replay.News(s.ctx(c), s.DB, f.Open, replay.Shown{State: replay.State(f.State), Version: f.Version, Seen: f.Seen}); err != nil {
			return err
		}
	}
	return s.part(c, views.Live(list, s.counts(c, list.Counts), news))
}

// queueCounts is GET /queue/counts: what every page shows beside its navigation.
func (s *Server) queueCounts(c echo.Context) error {
	return s.part(c, layout.FreshCounts(s.counts(c, nil)))
}

// stillSignedIn reads the session anew. While the database is away nobody is
// signed out.
func (s *Server) stillSignedIn(c echo.Context) bool {
	cookie, err := c.Cookie(s.sessions.Cookie.Name)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventWrite)
	defer cancel()
	if ctx, err = s.sessions.Load(ctx, cookie.Value); err != nil {
		return true
	}
	_, err = people.LoadActor(ctx, s.DB, s.sessions.GetInt64(ctx, sessionPerson), s.sessions.GetInt64(ctx, sessionEpoch))
	return !models.IsKind(err, models.KindNotFound)
}

// loadOnly is what LoadAndSave does, without saving: what a page asks for by
// itself neither keeps somebody signed in nor takes a message from the next page.
func (s *Server) loadOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := ""
		if cookie, err := r.Cookie(s.sessions.Cookie.Name); err == nil {
			token = cookie.Value
		}
		ctx, err := s.sessions.Load(r.Context(), token)
		if err != nil {
			s.sessionFailed(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
