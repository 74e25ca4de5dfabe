package handlers

import (
	"countersign/models/notice"
	"countersign/models/replay"

	"github.com/labstack/echo/v4"
)

// counts are the numbers beside the navigation's items, each counted no further
// than it is shown. queue is what a page has counted already; nil: count here. A
// page is shown without them rather than not at all.
func (s *Server) counts(c echo.Context, queue map[replay.View]int) map[string]int {
	unread, err := notice.Unread(s.ctx(c), s.DB, s.actor(c).ID)
	s.uncounted(c, err)
	waiting, counted := queue[replay.Waiting]
	if !counted {
		waiting, err = replay.Count(s.ctx(c), s.DB, s.actor(c), replay.QueueFilter{View: replay.Waiting})
		s.uncounted(c, err)
	}
	return map[string]int{"inbox": unread, "queue": waiting}
}

func (s *Server) uncounted(c echo.Context, err error) {
	if err != nil {
		s.Log.Warn("count what waits", "error", err.Error(), "request_id", requestID(c))
	}
}
