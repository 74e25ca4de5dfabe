package handlers

import (
	"net/http"
	"net/url"
	"slices"

	"countersign/models"
	"countersign/models/replay"
	"countersign/views/layout"
	views "countersign/views/queue"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type queueForm struct {
	View string `query:"view"`
	Kind string `query:"kind"`
	At   string `query:"at"`
}

// queueIndex is GET /queue: what waits on this person, on anybody, or what was decided.
func (s *Server) queueIndex(c echo.Context) error {
	list, err := s.queueList(c, "")
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Queue", Nav: "queue", Split: "list", Counts: s.counts(c, list.Counts)}, views.ListPage(list))
}

// queueList reads the list as the address asks for it; open is the item beside it.
func (s *Server) queueList(c echo.Context, open string) (views.List, error) {
	var f queueForm
	if err := c.Bind(&f); err != nil {
		return views.List{}, err
	}
	filter := replay.QueueFilter{View: replay.View(f.View), Kind: replay.Kind(f.Kind), At: f.At}
	if !slices.Contains([]replay.View{replay.Waiting, replay.All, replay.Closed}, filter.View) {
		filter.View = replay.Waiting
	}
	if !slices.Contains(replay.Kinds, filter.Kind) {
		filter.Kind = ""
	}
	p := views.List{View: filter.View, Kind: filter.Kind, At: filter.At, Open: open, Zone: s.zone(c), Counts: map[replay.View]int{}}
	page, err := replay.Queue(s.ctx(c), s.DB, s.actor(c), filter)
	if err != nil {
		return p, err
	}
	p.Rows, p.Pager = page.Items, queuePager(c, open, page)
	for _, v := range []replay.View{replay.Waiting, replay.All} {
		if p.Counts[v], err = replay.Count(s.ctx(c), s.DB, s.actor(c), replay.QueueFilter{View: v}); err != nil {
			return p, err
		}
	}
	p.Now, err = s.DB.Now(s.ctx(c))
	return p, err
}

type replayDecision struct {
	Submission string `form:"submission"`
	Version    int64  `form:"version"`
	Decision   string `form:"decision"`
	Note       string `form:"note"`
	Seen       string `form:"seen"`
}

// queuePager pages the list; what is open beside it stays.
func queuePager(c echo.Context, open string, page models.Page[replay.Item]) ui.Pager {
	path := "/queue"
	if open != "" {
		path = replay.Path(open)
	}
	link := func(at string) string {
		if at == "" {
			return ""
		}
		q := url.Values{"at": {at}}
		for _, name := range []string{"view", "kind"} {
			if v := c.QueryParam(name); v != "" {
				q.Set(name, v)
			}
		}
		return path + "?" + q.Encode()
	}
	return ui.Pager{Prev: link(page.Prev), Next: link(page.Next)}
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
	if p.List, err = s.queueList(c, page.Ref()); err != nil {
		return err
	}
	crumbs := []layout.Crumb{{Text: "Queue", Href: "/queue"}, {Text: page.Ref()}}
	return s.page(c, status, layout.Page{Title: formTitle(page.Title, p.Problems), Nav: "queue", Crumbs: crumbs, Split: "detail", Counts: s.counts(c, p.List.Counts)}, views.ShowPage(p))
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
	if f.Decision == "" { // Enter in a field presses no button
		return s.showRequest(c, http.StatusUnprocessableEntity, views.Show{Note: f.Note, Acknowledged: ticked, Submission: f.Submission,
			Problems: []models.FieldError{{Field: "choose", Message: "Choose: approve one attempt, return for evidence, or reject."}}})
	}
	before, err := replay.Queue(s.ctx(c), s.DB, s.actor(c), replay.QueueFilter{View: replay.Waiting})
	if err != nil {
		return err
	}
	d, err := replay.Decide(s.ctx(c), s.DB, s.actor(c), replay.DecideCmd{Once: models.Once{Submission: f.Submission}, Ref: c.Param("ref"), Version: f.Version,
		Decision: replay.Decision(f.Decision), Note: f.Note, Seen: f.Seen, Acknowledged: ticked})
	if models.Retryable(err) {
		p := views.Show{Decision: f.Decision, Note: f.Note, Acknowledged: ticked}
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
	after, err := replay.Queue(s.ctx(c), s.DB, s.actor(c), replay.QueueFilter{View: replay.Waiting})
	if err != nil {
		return err
	}
	return s.nextItem(c, d, before.Items, after.Items)
}

// nextItem leads to what came after the decided request in the list that its
// decider saw, if it still waits; else to the first that does, else to the list.
func (s *Server) nextItem(c echo.Context, d replay.Decided, before, after []replay.Item) error {
	said, link := d.Ref+" "+decidedWords[d.State]+".", layout.Crumb{Text: "Open " + d.Ref, Href: replay.Path(d.Ref)}
	same := func(a replay.Item) func(replay.Item) bool {
		return func(b replay.Item) bool { return a.Kind == b.Kind && a.ID == b.ID }
	}
	at := slices.IndexFunc(before, func(i replay.Item) bool { return i.Kind == replay.Replay && i.Ref == d.Ref })
	for _, i := range slices.Concat(before[at+1:], after) {
		if i.Ref != d.Ref && slices.ContainsFunc(after, same(i)) {
			return s.see(c, i.Path, said, "Next: "+i.Ref+".", link)
		}
	}
	return s.see(c, "/queue", said, "Nothing else waits on you.", link)
}

var decidedWords = map[replay.State]string{replay.Approved: "approved", replay.Rejected: "rejected", replay.EvidenceWanted: "returned for evidence",
	replay.Pending: "sent back to the approver", replay.Withdrawn: "withdrawn"}

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
