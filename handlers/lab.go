package handlers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	"countersign/models/ledger"
	views "countersign/views/identity"
	"countersign/views/layout"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

type rulesFilter struct {
	Q        string `query:"q"`
	Kind     string `query:"kind"`
	State    string `query:"state"`
	Workflow string `query:"workflow"`
	Broken   string `query:"broken"`
	At       string `query:"at"`
}

// rulesIndex is GET /identity-rules.
func (s *Server) rulesIndex(c echo.Context) error {
	var f rulesFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	var check models.Check
	check.Line("q", f.Q, 200)
	check.Line("workflow", f.Workflow, 80)
	if err := check.Err(); err != nil {
		return err
	}
	page, err := control.ListRules(s.ctx(c), s.DB, control.RuleFilter{Q: models.Clean(f.Q), Kind: identity.Kind(f.Kind), State: f.State, Workflow: f.Workflow, Broken: f.Broken != "", Cursor: f.At})
	if err != nil {
		return err
	}
	workflows, err := control.WorkflowChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	pager := pagerFor(c, page.Prev, page.Next)
	p := views.Index{Rows: page.Items, Next: pager.Next, Prev: pager.Prev, Zone: s.zone(c),
		Filter: views.Filter{Q: f.Q, Kind: f.Kind, State: f.State, Workflow: f.Workflow, Broken: f.Broken != "", Workflows: refOptions("Any workflow", workflows)}}
	return s.page(c, http.StatusOK, layout.Page{Title: "Identity rules", Nav: "rules", Crumbs: []layout.Crumb{{Text: "Identity rules"}}, Width: "full"}, views.IndexPage(p))
}

type labForm struct {
	Control      string `form:"control"`
	Submission   string `form:"submission"`
	Name         string `form:"name"`
	Note         string `form:"note"`
	Expected     string `form:"expected"`
	InputA       string `form:"input_a"`
	InputB       string `form:"input_b"`
	EnvironmentA string `form:"environment_a"`
	AccountA     string `form:"account_a"`
	EnvironmentB string `form:"environment_b"`
	AccountB     string `form:"account_b"`
	Use          string `form:"use"` // a stored delivery as one of the inputs, such as a:12
}

func (f labForm) pair() control.Pair {
	return control.Pair{InputA: f.InputA, InputB: f.InputB, EnvironmentA: f.EnvironmentA, AccountA: f.AccountA, EnvironmentB: f.EnvironmentB, AccountB: f.AccountB}
}

// labShow is GET /identity-rules/lab. control names whose rules apply, pair a
// saved pair and try a suggestion that is opened. Pasted inputs never come here.
func (s *Server) labShow(c echo.Context) error {
	slug := c.QueryParam("control")
	if find := models.Clean(c.QueryParam("find")); find != "" {
		return s.labFind(c, find)
	}
	if slug == "" {
		controls, _, err := control.ControlChoices(s.ctx(c), s.DB)
		if err != nil {
			return err
		}
		if len(controls) == 0 {
			return s.labPage(c, http.StatusOK, views.Lab{})
		}
		slug = controls[0].Slug
	}
	lab, err := control.LoadLab(s.ctx(c), s.DB, slug)
	if err != nil {
		return err
	}
	f, found := openedPair(c, lab)
	for _, side := range []string{"a", "b"} {
		if id := c.QueryParam(side); id != "" {
			if err := s.useStored(c, lab, &f, side+":"+id); err != nil {
				return err
			}
			found = f.InputA != "" && f.InputB != ""
		}
	}
	if !found && c.QueryParam("pair") != "" {
		return models.NotFoundf("There is no such pair.")
	}
	return s.showLab(c, http.StatusOK, lab, f, nil, found)
}

// labFind opens the one control that find means, or lists those that it could
// mean.
func (s *Server) labFind(c echo.Context, find string) error {
	var check models.Check
	check.Line("find", find, 200)
	if err := check.Err(); err != nil {
		return err
	}
	found, err := control.List(s.ctx(c), s.DB, control.ListFilter{Q: find})
	if err != nil {
		return err
	}
	at := func(slug string) string { return "/identity-rules/lab?control=" + url.QueryEscape(slug) }
	p := views.Lab{Find: find}
	for _, r := range found.Items {
		if len(found.Items) == 1 || r.Slug == find {
			return c.Redirect(http.StatusSeeOther, at(r.Slug))
		}
		p.Found = append(p.Found, ui.RowItem{Icon: "fingerprint", Title: r.Name, Href: at(r.Slug), Text: r.WorkflowName})
	}
	return s.labPage(c, http.StatusOK, p)
}

// openedPair is the saved pair or suggestion that the address names; otherwise
// the first suggestion's inputs, not compared yet.
func openedPair(c echo.Context, lab control.Lab) (f labForm, found bool) {
	for _, p := range lab.Pairs {
		if strconv.FormatInt(p.ID, 10) == c.QueryParam("pair") {
			return labForm{Control: lab.Slug, InputA: p.InputA, InputB: p.InputB, EnvironmentA: p.EnvironmentA, AccountA: p.AccountA,
				EnvironmentB: p.EnvironmentB, AccountB: p.AccountB, Expected: string(p.Expected)}, true
		}
	}
	for _, suggestion := range lab.Suggestions {
		if suggestion.Code == c.QueryParam("try") {
			return suggested(lab, suggestion), true
		}
	}
	if len(lab.Suggestions) > 0 && c.QueryParam("pair") == "" {
		f = suggested(lab, lab.Suggestions[0])
		f.Name, f.Expected = "", ""
		return f, false
	}
	environment, account := firstPlace(lab)
	return labForm{Control: lab.Slug, EnvironmentA: environment, AccountA: account, EnvironmentB: environment, AccountB: account}, false
}

func firstPlace(lab control.Lab) (environment, account string) {
	environment, account = views.OtherEnvironment, views.OtherAccount
	if len(lab.Environments) > 0 {
		environment, account = lab.Environments[0].Slug, lab.Accounts[0].Slug
	}
	return environment, account
}

func suggested(lab control.Lab, s identity.Suggestion) labForm {
	environment, account := firstPlace(lab)
	f := labForm{Control: lab.Slug, Name: s.Name, Note: s.Why, Expected: string(s.Expected), InputA: s.A, InputB: s.B,
		EnvironmentA: environment, AccountA: account, EnvironmentB: environment, AccountB: account}
	if s.OtherEnvironment {
		f.EnvironmentB = views.OtherEnvironment
		if len(lab.Environments) > 1 {
			f.EnvironmentB, f.AccountB = lab.Environments[1].Slug, lab.Accounts[1].Slug
		}
	}
	if s.OtherAccount {
		f.AccountB = views.OtherAccount
	}
	return f
}

// labCompare is POST /identity-rules/lab. It keeps nothing.
func (s *Server) labCompare(c echo.Context) error {
	var f labForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	lab, err := control.LoadLab(s.ctx(c), s.DB, f.Control)
	if err != nil {
		return err
	}
	if f.Use != "" {
		if err := s.useStored(c, lab, &f, f.Use); err != nil {
			return err
		}
		return s.showLab(c, http.StatusOK, lab, f, nil, strings.TrimSpace(f.InputA) != "" && strings.TrimSpace(f.InputB) != "")
	}
	if e := models.AsError(lab.CheckPlaces(f.pair())); e != nil {
		return s.showLab(c, http.StatusUnprocessableEntity, lab, f, e.Fields, false)
	}
	return s.showLab(c, http.StatusOK, lab, f, nil, true)
}

// useStored puts the body of a stored delivery into one side, with the place that
// it arrived at. what is the side and the delivery, such as a:12.
func (s *Server) useStored(c echo.Context, lab control.Lab, f *labForm, what string) error {
	side, text, _ := strings.Cut(what, ":")
	body, err := ledger.StoredBodyOf(s.ctx(c), s.DB, lab.Slug, ledger.Number("D", text))
	if err != nil {
		return err
	}
	environment, account := body.EnvSlug, views.OtherAccount
	if i := slices.IndexFunc(lab.Environments, func(r control.Ref) bool { return r.Slug == environment }); i >= 0 {
		account = lab.Accounts[i].Slug
	}
	input := body.Payload
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(input), "", "  ") == nil { // the same document, easier to read
		input = pretty.String()
	}
	if side == "a" {
		f.InputA, f.EnvironmentA, f.AccountA = input, environment, account
	} else {
		f.InputB, f.EnvironmentB, f.AccountB = input, environment, account
	}
	return nil
}

// showLab renders the lab; compare asks for a verdict on what the form holds.
func (s *Server) showLab(c echo.Context, status int, lab control.Lab, f labForm, problems []models.FieldError, compare bool) error {
	p := views.Lab{Slug: lab.Slug, Name: lab.Name, Problems: problems, Rules: views.Rules(lab), Saving: len(problems) > 0 && f.Expected+f.Name != "", Zone: s.zone(c),
		Typed: views.Typed{Name: f.Name, Note: f.Note, Expected: f.Expected, Submission: f.Submission},
		A:     views.NewSide("a", f.InputA, f.EnvironmentA, f.AccountA, lab), B: views.NewSide("b", f.InputB, f.EnvironmentB, f.AccountB, lab),
		WhyNoSave: reason(control.MaySavePair(s.actor(c), lab.Parties))}
	if compare {
		verdict, err := f.pair().Compare(lab.Rules.Set, lab.Effect)
		switch {
		case err == nil:
			p.Verdict = &verdict
		case len(problems) == 0:
			p.Problems, status = models.AsError(err).Fields, http.StatusUnprocessableEntity
		}
	}
	if c.Path() == "/identity-rules/lab" && c.Request().Header.Get("HX-Request") == "true" {
		status = http.StatusOK // while somebody types, half an input is nothing wrong
	}
	for _, pair := range lab.Pairs {
		if line := views.NewPair(lab.Slug, pair); pair.ArchivedAt == nil {
			p.Pairs = append(p.Pairs, line)
		} else {
			p.Archived = append(p.Archived, line)
		}
	}
	for _, suggestion := range lab.Suggestions {
		p.Suggestions = append(p.Suggestions, suggestionLine(lab, suggestion, p.Pairs))
	}
	stored, err := ledger.StoredBodies(s.ctx(c), s.DB, lab.Slug)
	if err != nil {
		return err
	}
	p.Stored = stored
	return s.labPage(c, status, p)
}

func (s *Server) labPage(c echo.Context, status int, p views.Lab) error {
	controls, more, err := control.ControlChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p.Controls, p.Many = refOptions("", controls)[1:], more
	return s.page(c, status, layout.Page{Title: formTitle("Identity lab", p.Problems), Nav: "rules",
		Crumbs: []layout.Crumb{{Text: "Identity rules", Href: "/identity-rules"}, {Text: "Lab"}}, Width: "wide"}, views.LabPage(p))
}

func suggestionLine(lab control.Lab, s identity.Suggestion, saved []views.PairLine) views.SuggestionLine {
	f := suggested(lab, s)
	line := views.SuggestionLine{Name: s.Name, Why: s.Why, Expected: s.Expected.Words(), Href: "/identity-rules/lab?" + url.Values{"control": {lab.Slug}, "try": {s.Code}}.Encode() + "#result",
		Values: [][2]string{{"control", lab.Slug}, {"name", f.Name}, {"note", f.Note}, {"expected", f.Expected}, {"input_a", f.InputA}, {"input_b", f.InputB},
			{"environment_a", f.EnvironmentA}, {"account_a", f.AccountA}, {"environment_b", f.EnvironmentB}, {"account_b", f.AccountB}}}
	line.Saved = slices.ContainsFunc(saved, func(p views.PairLine) bool { return strings.EqualFold(p.Name, s.Name) })
	return line
}

// pairSave is POST /identity-rules/lab/pairs.
func (s *Server) pairSave(c echo.Context) error {
	var f labForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	saved, err := control.SavePair(s.ctx(c), s.DB, s.actor(c), control.SavePairCmd{Once: models.Once{Submission: f.Submission}, Control: f.Control, Name: f.Name, Note: f.Note,
		InputA: f.InputA, InputB: f.InputB, EnvironmentA: f.EnvironmentA, AccountA: f.AccountA, EnvironmentB: f.EnvironmentB, AccountB: f.AccountB, Expected: f.Expected})
	if models.IsKind(err, models.KindInvalid) {
		lab, e := control.LoadLab(s.ctx(c), s.DB, f.Control)
		if e != nil {
			return e
		}
		return s.showLab(c, http.StatusUnprocessableEntity, lab, f, models.AsError(err).Fields, true)
	}
	if err != nil {
		return err
	}
	path := fmt.Sprintf("/identity-rules/lab?control=%s&pair=%d", url.QueryEscape(f.Control), saved.ID)
	if saved.Broken {
		return s.seeFlash(c, path, layout.Flash{Tone: "warn", Strong: "Pair saved, and broken.", Text: "The rules do not do what it expects, so it blocks submission until they do."})
	}
	return s.see(c, path, "Pair saved.", "It is checked whenever a rule of this control changes.")
}

// pairArchive is POST /identity-rules/lab/pairs/{id}/archive, and /restore.
func (s *Server) pairArchive(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return models.NotFoundf("There is no such pair.")
	}
	var f labForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	restore := strings.HasSuffix(c.Path(), "/restore")
	pair, err := control.ArchivePair(s.ctx(c), s.DB, s.actor(c), control.ArchivePairCmd{Once: models.Once{Submission: f.Submission}, Control: f.Control, Pair: id, Restore: restore})
	if err != nil {
		return err
	}
	words := map[bool]string{false: "“" + pair.Name + "” is no longer checked. Restore it from the archived pairs.", true: "“" + pair.Name + "” is checked again."}[restore]
	return s.see(c, "/identity-rules/lab?control="+url.QueryEscape(f.Control), cmp.Or(map[bool]string{true: "Pair restored."}[restore], "Pair archived."), words)
}
