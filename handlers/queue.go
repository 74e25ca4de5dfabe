package handlers

import (
	"net/http"
	"slices"
	"strings"

	"countersign/models"
	"countersign/models/replay"
	"countersign/views/layout"
	views "countersign/views/queue"

	"github.com/labstack/echo/v4"
)

type queueForm struct {
	View string `query:"view"`
	Kind string `query:"kind"`
	At   string `query:"at"`
}

// queueIndex is GET /queue: what waits on this person, on anybody, or what was decided.
func (s *Server) queueIndex(c echo.Context) error {
	var f queueForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter := replay.QueueFilter{View: replay.View(f.View), Kind: replay.Kind(f.Kind), At: f.At}
	if !slices.Contains([]replay.View{replay.Waiting, replay.All, replay.Closed}, filter.View) {
		filter.View = replay.Waiting
	}
	if !slices.Contains(replay.Kinds, filter.Kind) {
		filter.Kind = ""
	}
	page, err := replay.Queue(s.ctx(c), s.DB, s.actor(c), filter)
	if err != nil {
		return err
	}
	now, err := s.DB.Now(s.ctx(c))
	if err != nil {
		return err
	}
	p := views.Index{View: filter.View, Kind: filter.Kind, Rows: page.Items, Pager: pagerFor(c, page.Prev, page.Next), Now: now, Zone: s.zone(c)}
	return s.page(c, http.StatusOK, layout.Page{Title: "Queue", Nav: "queue", Width: "full"}, views.IndexPage(p))
}

type replayDecision struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Decision   string `form:"decision"`
	Note       string `form:"note"`
	Seen       string `form:"seen"`
}

// queueShow is GET /queue/{RR-n}.
func (s *Server) queueShow(c echo.Context) error {
	return s.showRequest(c, http.StatusOK, views.Show{})
}

func (s *Server) showRequest(c echo.Context, status int, p views.Show) error {
	page, err := replay.RequestPage(s.ctx(c), s.DB, s.actor(c), c.Param("ref"))
	if err != nil {
		return err
	}
	if err := replay.Saw(s.ctx(c), s.DB, s.actor(c), page); err != nil {
		return err
	}
	p.Page, p.Zone = page, s.zone(c)
	crumbs := []layout.Crumb{{Text: "Queue", Href: "/queue"}, {Text: page.Ref()}}
	return s.page(c, status, layout.Page{Title: formTitle(page.Title, p.Problems), Nav: "queue", Crumbs: crumbs}, views.ShowPage(p))
}

// queueDecide is POST /queue/{RR-n}/decision. After it the next item opens.
func (s *Server) queueDecide(c echo.Context) error {
	var f replayDecision
	if err := c.Bind(&f); err != nil {
		return err
	}
	var ticked []string
	for name := range prefixed(c, "ack-") {
		ticked = append(ticked, name)
	}
	d, err := replay.Decide(s.ctx(c), s.DB, s.actor(c), replay.DecideCmd{Once: models.Once{Submission: f.Submission}, Ref: c.Param("ref"), Version: f.Version,
		Decision: replay.Decision(f.Decision), Note: f.Note, Seen: f.Seen, Acknowledged: ticked})
	if models.Retryable(err) {
		p := views.Show{Note: f.Note, Acknowledged: ticked}
		if models.IsKind(err, models.KindConflict) {
			p.Refused = why(err)
		} else {
			p.Problems, p.Submission = problems(err, "note"), f.Submission
		}
		return s.showRequest(c, statusOfForm(err), p)
	}
	if err != nil {
		return err
	}
	strong := d.Ref + " is " + d.State.Words() + "."
	next, err := replay.Queue(s.ctx(c), s.DB, s.actor(c), replay.QueueFilter{View: replay.Waiting, Kind: replay.Replay})
	if err != nil {
		return err
	}
	decides := f.Decision != string(replay.Supply) && f.Decision != string(replay.Withdraw)
	if decides && len(next.Items) > 0 && strings.HasPrefix(next.Items[0].Path, "/queue/") {
		return s.see(c, next.Items[0].Path, strong, "Next: "+next.Items[0].Ref+".", layout.Crumb{Text: "Open " + d.Ref, Href: replay.Path(d.Ref)})
	}
	return s.see(c, replay.Path(d.Ref), strong, "", layout.Crumb{Text: "What else waits", Href: "/queue"})
}

// queueStart is POST /queue/{RR-n}/start: the approved attempt, carried out by
// a person. Its claim token is shown once, on the answer.
func (s *Server) queueStart(c echo.Context) error {
	a, err := replay.StartByHand(s.ctx(c), s.DB, s.actor(c), replay.StartByHandCmd{Once: models.Once{Submission: c.FormValue("submission")}, Ref: c.Param("ref")})
	if models.Retryable(err) {
		return s.showRequest(c, statusOfForm(err), views.Show{Refused: why(err)})
	}
	if err != nil {
		return err
	}
	return s.showRequest(c, http.StatusOK, views.Show{ClaimToken: a.ClaimToken})
}
