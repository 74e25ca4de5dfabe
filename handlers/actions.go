package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/replay"
	"countersign/views/layout"
	views "countersign/views/ledger"

	"github.com/labstack/echo/v4"
)

// actionShow is GET /ledger/actions/{id}. ?do= opens one of its forms.
func (s *Server) actionShow(c echo.Context) error {
	id, err := actionID(c)
	if err != nil {
		return err
	}
	f := views.Form{Name: c.QueryParam("do")}
	claim, _ := strconv.ParseInt(c.QueryParam("claim"), 10, 64)
	return s.showAction(c, http.StatusOK, id, f, claim, "")
}

func actionID(c echo.Context) (int64, error) {
	id := ledger.Number("a", c.Param("id"))
	if id == 0 {
		return 0, models.NotFoundf("There is no such action.")
	}
	return id, nil
}

func (s *Server) showAction(c echo.Context, status int, id int64, f views.Form, claim int64, refused string) error {
	page, err := ledger.PageOf(s.ctx(c), s.DB, id)
	if err != nil {
		return err
	}
	requests, err := replay.RequestsOf(s.ctx(c), s.DB, id)
	if err != nil {
		return err
	}
	by := s.actor(c)
	mayAsk := replay.MayAskAbout(s.ctx(c), s.DB, by, page.Workflow)
	if mayAsk != nil && models.AsError(mayAsk) == nil {
		return mayAsk
	}
	attached, err := evidence.ByPath(s.DB.Query(s.ctx(c)), ledger.ActionPath(id))
	if err != nil {
		return err
	}
	p := views.Action{ActionPage: page, Requests: requests, Evidence: attached, WhyNoAttach: why(ledger.MayAttach(by)), Zone: s.zone(c), Form: f, Appeal: claim, Refused: refused, WhyNoReplay: why(mayAsk), WhyNoLookup: why(ledger.MayLookUp(by)),
		WhyNoAppeal: why(ledger.MayAppeal(by)), WhyNoReport: why(ledger.MayReportDuplicate(by)), WhyNoSettle: why(ledger.MaySettleDuplicate(by))}.Ready()
	return s.page(c, status, layout.Page{Title: formTitle(views.A(id)+", "+page.ControlName, f.Problems), Nav: "ledger", Crumbs: underLedger(views.A(id))}, views.ActionPage(p))
}

// actionForm runs one form of the page of an action: run gets the submission.
func (s *Server) actionForm(c echo.Context, name string, fields []string, run func(id int64, once models.Once) (said, text string, next []layout.Crumb, err error)) error {
	id, err := actionID(c)
	if err != nil {
		return err
	}
	submission := c.FormValue("submission")
	said, text, next, err := run(id, models.Once{Submission: submission})
	if models.Retryable(err) {
		f := views.Form{Name: name, Values: map[string]string{}, Submission: submission}
		for _, field := range fields {
			f.Values[field] = c.FormValue(field)
		}
		claim, _ := strconv.ParseInt(c.FormValue("claim"), 10, 64)
		if models.IsKind(err, models.KindConflict) {
			f.Submission = ""
			return s.showAction(c, http.StatusConflict, id, f, claim, models.AsError(err).Message)
		}
		f.Problems = problems(err, fields...)
		return s.showAction(c, http.StatusUnprocessableEntity, id, f, claim, "")
	}
	if err != nil {
		return err
	}
	return s.see(c, ledger.ActionPath(id), said, text, next...)
}

// lines are the lines of a text area.
func lines(text string) []string { return strings.Split(models.Clean(text), "\n") }

// actionLookUp is POST /ledger/actions/{id}/lookups.
func (s *Server) actionLookUp(c echo.Context) error {
	return s.actionForm(c, "lookup", []string{"method", "result", "destination_result_ids", "began_at", "detail"}, func(id int64, once models.Once) (string, string, []layout.Crumb, error) {
		began, err := localTime("began_at", c.FormValue("began_at"), s.zone(c))
		if err != nil {
			return "", "", nil, err
		}
		out, err := ledger.Lookup(s.ctx(c), s.DB, ledger.Person(s.actor(c)), ledger.LookupCmd{Once: once, Action: id, Method: c.FormValue("method"), Result: ledger.Looked(c.FormValue("result")),
			Results: lines(c.FormValue("destination_result_ids")), Began: began, Detail: c.FormValue("detail")})
		text := out.Detail
		if text == "" {
			text = "The action is " + out.State.Words() + "."
		}
		return "Lookup recorded.", text, nil, err
	})
}

// actionAskReplay is POST /ledger/actions/{id}/replay-requests.
func (s *Server) actionAskReplay(c echo.Context) error {
	return s.actionForm(c, "replay", []string{"reason", "uncertain_result"}, func(id int64, once models.Once) (string, string, []layout.Crumb, error) {
		a, err := replay.Ask(s.ctx(c), s.DB, ledger.Person(s.actor(c)), replay.AskCmd{Once: once, Action: id, Reason: c.FormValue("reason"), Uncertain: c.FormValue("uncertain_result")})
		said := a.Ref + " waits for a decision."
		if !a.New {
			said = a.Ref + " is open already."
		}
		return said, "", []layout.Crumb{{Text: "Open " + a.Ref, Href: replay.Path(a.Ref)}}, err
	})
}

// actionAppeal is POST /ledger/actions/{id}/appeals: of one refused claim, or for
// a second request to come.
func (s *Server) actionAppeal(c echo.Context) error {
	return s.actionForm(c, "appeal", []string{"reason"}, func(id int64, once models.Once) (string, string, []layout.Crumb, error) {
		cmd := ledger.AppealCmd{Once: once, Action: id, Reason: c.FormValue("reason")}
		if text := c.FormValue("claim"); text != "" {
			claim, err := strconv.ParseInt(text, 10, 64)
			if err != nil || claim < 1 {
				return "", "", nil, models.NotFoundf("There is no such claim.")
			}
			cmd.Suppressed = claim
		}
		item, err := ledger.Appeal(s.ctx(c), s.DB, s.actor(c), cmd)
		if err != nil {
			return "", "", nil, err
		}
		return item.Ref() + " waits for a decision.", "A reviewer or the business owner decides it, not whoever asked.", []layout.Crumb{{Text: "Open " + item.Ref(), Href: ledger.ReviewPath(item.Ref())}}, nil
	})
}

// actionReportDuplicate is POST /ledger/actions/{id}/duplicates.
func (s *Server) actionReportDuplicate(c echo.Context) error {
	return s.actionForm(c, "duplicate", []string{"detail", "results"}, func(id int64, once models.Once) (string, string, []layout.Crumb, error) {
		_, err := ledger.ReportDuplicate(s.ctx(c), s.DB, s.actor(c), ledger.ReportDuplicateCmd{Once: once, Action: id, Results: lines(c.FormValue("results")), Detail: c.FormValue("detail")})
		return "Duplicate reported.", "It heads the queue until somebody says what was done.", nil, err
	})
}

// actionSettleDuplicate is POST /ledger/actions/{id}/duplicates/{duplicate}.
func (s *Server) actionSettleDuplicate(c echo.Context) error {
	return s.actionForm(c, "settle", []string{"done"}, func(id int64, once models.Once) (string, string, []layout.Crumb, error) {
		duplicate, e1 := strconv.ParseInt(c.Param("duplicate"), 10, 64)
		version, e2 := strconv.ParseInt(c.FormValue("version"), 10, 64)
		if errors.Join(e1, e2) != nil {
			return "", "", nil, models.NotFoundf("There is no such duplicate.")
		}
		_, err := ledger.SettleDuplicate(s.ctx(c), s.DB, s.actor(c), ledger.SettleDuplicateCmd{Once: once, Duplicate: duplicate, Version: version, Done: c.FormValue("done")})
		return "Duplicate settled.", "What was done is kept with it.", nil, err
	})
}
