package handlers

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/matrix"
	"countersign/models/replay"
	views "countersign/views/evidence"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// placeFinder describes what evidence is attached to, by its id, for the person
// who is asking.
type placeFinder func(ctx context.Context, by models.Actor, id string) (evidence.Place, error)

// evidencePlace finds what the path names, such as /runs/41. NotFound when
// nothing can be attached there.
func (s *Server) evidencePlace(c echo.Context, path string) (evidence.Place, error) {
	kind, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	find, ok := s.places[kind]
	if !ok || path != "/"+kind+"/"+id {
		return evidence.Place{}, models.NotFoundf("There is nothing at this address that evidence can be attached to.")
	}
	place, err := find(s.ctx(c), s.actor(c), id)
	if err == nil && place.Path != path { // /runs/041: a place has one address, by which its evidence is found again
		err = models.NotFoundf("There is nothing at this address that evidence can be attached to.")
	}
	return place, err
}

// runPlace is a run of the test matrix.
func (s *Server) runPlace(ctx context.Context, by models.Actor, id string) (evidence.Place, error) {
	run, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return evidence.Place{}, models.NotFoundf("There is no such run.")
	}
	return matrix.EvidencePlace(ctx, s.DB, by, run)
}

// requestPlace is a replay request.
func (s *Server) requestPlace(ctx context.Context, by models.Actor, id string) (evidence.Place, error) {
	return replay.EvidencePlace(ctx, s.DB, by, id)
}

// actionPlace is an action of the ledger: /ledger/actions/41.
func (s *Server) actionPlace(ctx context.Context, by models.Actor, id string) (evidence.Place, error) {
	number, ok := strings.CutPrefix(id, "actions/")
	action, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok {
		return evidence.Place{}, models.NotFoundf("There is no such action.")
	}
	return ledger.EvidencePlace(ctx, s.DB, by, action)
}

type evidenceFilter struct {
	Q        string `query:"q"`
	Workflow string `query:"workflow"`
	Kind     string `query:"kind"`
	State    string `query:"state"`
	At       string `query:"at"`
}

// evidenceIndex is GET /evidence: the library.
func (s *Server) evidenceIndex(c echo.Context) error {
	var f evidenceFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	var check models.Check
	check.Line("q", f.Q, 200)
	check.Line("workflow", f.Workflow, 80)
	if err := check.Err(); err != nil {
		return err
	}
	page, err := evidence.List(s.ctx(c), s.DB, evidence.Filter{Q: f.Q, Workflow: f.Workflow, Kind: evidence.Kind(f.Kind), State: evidence.State(f.State), Cursor: f.At})
	if err != nil {
		return err
	}
	waiting, err := evidence.Waiting(s.ctx(c), s.DB, s.actor(c).ID)
	if err != nil {
		return err
	}
	workflows, err := control.WorkflowChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p := views.Index{Waiting: waitingRows(waiting, 0), Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c),
		Filter: views.Filter{Q: f.Q, Workflow: f.Workflow, Kind: f.Kind, State: f.State, Workflows: refOptions("Any workflow", workflows)}}
	if f.State != string(evidence.Expiring) && f.State != string(evidence.Expired) {
		p.Pager.PrevWord, p.Pager.NextWord = "Newer", "Older"
	}
	for _, a := range page.Items {
		p.Rows = append(p.Rows, views.NewRow(a, page.Now))
	}
	return s.page(c, http.StatusOK, layout.Page{Title: "Evidence", Nav: "evidence", Crumbs: []layout.Crumb{{Text: "Evidence"}}, Width: "full"}, views.IndexPage(p))
}

func waitingRows(all []evidence.Upload, except int64) (rows []views.WaitingRow) {
	for _, u := range all {
		if u.ID != except {
			rows = append(rows, views.WaitingRow{Href: evidence.PathOfUpload(u.ID), Name: u.SafeName(), Text: views.Waits(u.Found, u.ExpiresAt)})
		}
	}
	return rows
}

// evidenceShow is GET /evidence/{id}.
func (s *Server) evidenceShow(c echo.Context) error {
	id, err := evidenceID(c)
	if err != nil {
		return err
	}
	d, err := evidence.Show(s.ctx(c), s.DB, id)
	if err != nil {
		return err
	}
	p := views.NewShow(d, s.zone(c))
	if place, err := s.evidencePlace(c, d.Path); err == nil {
		for _, slot := range place.Slots {
			if slot.Key == d.Slot {
				p.Slot = slot.Words
			}
		}
	} else if !models.IsKind(err, models.KindNotFound) {
		return err
	}
	return s.page(c, http.StatusOK, layout.Page{Title: d.Name, Nav: "evidence", Crumbs: underEvidence(d.Name)}, views.ShowPage(p))
}

func underEvidence(text string) []layout.Crumb {
	return []layout.Crumb{{Text: "Evidence", Href: "/evidence"}, {Text: text}}
}

func evidenceID(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, models.NotFoundf("There is no such evidence.")
	}
	return id, nil
}

// evidenceNew is GET /evidence/new?to=/runs/41: the form on a page of its own.
func (s *Server) evidenceNew(c echo.Context) error {
	place, err := s.evidencePlace(c, c.QueryParam("to"))
	if err != nil {
		return err
	}
	now, err := s.DB.Now(s.ctx(c))
	if err != nil {
		return err
	}
	return s.showAttach(c, http.StatusOK, place, views.NewAttach(place, c.QueryParam("slot"), now).Unfixed())
}

func (s *Server) showAttach(c echo.Context, status int, place evidence.Place, p views.Attach) error {
	crumbs := []layout.Crumb{{Text: "Evidence", Href: "/evidence"}, {Text: place.About, Href: place.Path}, {Text: "Attach evidence"}}
	return s.page(c, status, layout.Page{Title: formTitle("Attach evidence", p.Problems), Nav: "evidence", Crumbs: crumbs, Width: "read"}, views.AttachPage(place.About, p))
}

// evidenceGone is the page in place of bytes that are not there any more.
func (s *Server) evidenceGone(c echo.Context, a evidence.Attachment) error {
	now, err := s.DB.Now(s.ctx(c))
	if err != nil {
		return err
	}
	message := "“" + a.Name + "” was kept until " + ui.DateWords(a.KeepUntil) + ". " + views.WhyGone(a, now)
	return s.page(c, http.StatusGone, layout.Page{Title: "Expired evidence", Nav: "evidence", Crumbs: underEvidence(a.Name), Width: "read"},
		views.GonePage(message, evidence.PathOf(a.ID)))
}
