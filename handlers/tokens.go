package handlers

import (
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/people"
	"countersign/models/workflow"
	"countersign/views/layout"
	"countersign/views/tokens"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

func tokensPage(title string, steps ...layout.Crumb) layout.Page {
	return layout.Page{Title: title, Nav: "tokens", Width: "read", Crumbs: append([]layout.Crumb{{Text: "Tokens", Href: "/admin/tokens"}}, steps...)}
}

type tokensFilter struct {
	State    string `query:"state"`
	Workflow string `query:"workflow"`
	At       string `query:"at"`
}

// tokensIndex is GET /admin/tokens.
func (s *Server) tokensIndex(c echo.Context) error {
	var f tokensFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	page, err := people.ListTokens(s.ctx(c), s.DB, s.actor(c), people.TokenFilter{State: f.State, Workflow: f.Workflow}, f.At)
	if err != nil {
		return err
	}
	workflows, err := s.workflowOptions(c, "Any workflow", f.Workflow)
	if err != nil {
		return err
	}
	p := tokens.Index{State: f.State, Workflow: f.Workflow, Workflows: workflows, Tokens: page.Items, Pager: pagerFor(c, page.Prev, page.Next), Zone: s.zone(c)}
	return s.page(c, http.StatusOK, layout.Page{Title: "Tokens", Nav: "tokens", Crumbs: []layout.Crumb{{Text: "Tokens"}}}, tokens.IndexPage(p))
}

func (s *Server) workflowOptions(c echo.Context, none, wanted string) ([]ui.Option, error) {
	all, err := workflow.Choices(s.ctx(c), s.DB, wanted)
	options := []ui.Option{{Value: "", Label: none}}
	for _, w := range all {
		options = append(options, ui.Option{Value: w.Slug, Label: w.Name})
	}
	return options, err
}

type tokenForm struct {
	Submission  string   `form:"submission"`
	Name        string   `form:"name"`
	Workflow    string   `form:"workflow"`
	Environment string   `form:"environment"`
	Scopes      []string `form:"scopes"`
	Expires     string   `form:"expires"`
	Rate        string   `form:"rate"`
}

// facts are what the form says; a rate that is no number becomes one that is refused.
func (f tokenForm) facts() people.TokenFacts {
	facts := people.TokenFacts{Name: f.Name, Workflow: f.Workflow, Environment: f.Environment, ExpiresOn: models.Clean(f.Expires)}
	for _, s := range f.Scopes {
		facts.Scopes = append(facts.Scopes, people.Scope(s))
	}
	if typed := models.Clean(f.Rate); typed != "" {
		n, err := strconv.Atoi(typed)
		if err != nil {
			n = -1
		}
		facts.RatePerMinute = n
	}
	return facts
}

// tokenNew is GET /admin/tokens/new.
func (s *Server) tokenNew(c echo.Context) error {
	if err := people.MayManageTokens(s.actor(c)); err != nil {
		return err
	}
	f := tokenForm{Workflow: c.QueryParam("workflow")}
	for _, o := range tokens.ScopeOptions {
		f.Scopes = append(f.Scopes, o.Value)
	}
	return s.showTokenNew(c, http.StatusOK, f, nil)
}

func (s *Server) showTokenNew(c echo.Context, status int, f tokenForm, problems []models.FieldError) error {
	p := tokens.New{Problems: problems, Form: tokens.Form{Submission: f.Submission, Name: f.Name, Workflow: f.Workflow, Environment: f.Environment, Expires: f.Expires, Rate: f.Rate, Scopes: f.Scopes}}
	var err error
	if p.Workflows, err = s.workflowOptions(c, "Choose a workflow", f.Workflow); err != nil {
		return err
	}
	environments, err := workflow.EnvironmentChoices(s.ctx(c), s.DB)
	if err != nil {
		return err
	}
	p.Environments = []ui.Option{{Value: "", Label: "Choose an environment"}}
	for _, e := range environments {
		p.Environments = append(p.Environments, ui.Option{Value: e.Slug, Label: e.Name})
	}
	return s.page(c, status, tokensPage(formTitle("Make a token", problems), layout.Crumb{Text: "Make a token"}), tokens.NewPage(p))
}

// tokenCreate is POST /admin/tokens. It answers with the token itself instead of
// a redirect: on the way to another page it would have to be kept somewhere.
func (s *Server) tokenCreate(c echo.Context) error {
	var f tokenForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	made, err := people.CreateToken(s.ctx(c), s.DB, s.actor(c), people.CreateTokenCmd{Once: models.Once{Submission: f.Submission}, TokenFacts: f.facts()})
	if models.IsKind(err, models.KindInvalid) {
		return s.showTokenNew(c, http.StatusUnprocessableEntity, f, problems(err, "name", "workflow", "environment", "scopes", "expires", "rate"))
	}
	if err != nil {
		return err
	}
	t, err := people.FindToken(s.ctx(c), s.DB, s.actor(c), made.ID)
	if err != nil {
		return err
	}
	bound, err := workflow.FindDetails(s.ctx(c), s.DB, t.Workflow)
	if err != nil {
		return err
	}
	repeated, _ := c.Get(formRepeated).(*bool)
	p := tokens.Made{Token: t, Secret: made.Token, Base: s.base(c), Again: repeated != nil && *repeated}
	if len(bound.Controls) > 0 {
		p.Control = bound.Controls[0].Slug
	}
	return s.page(c, http.StatusOK, tokensPage("New token", layout.Crumb{Text: "New token"}), tokens.MadePage(p))
}

// base is the address of this server as its callers know it, without a slash at the end.
func (s *Server) base(c echo.Context) string {
	if base := strings.TrimRight(s.Config.BaseURL, "/"); base != "" {
		return base
	}
	return c.Scheme() + "://" + c.Request().Host
}

// tokenRevokeAsk is GET /admin/tokens/:id/revoke.
func (s *Server) tokenRevokeAsk(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64) // 0 is no token
	t, err := people.FindToken(s.ctx(c), s.DB, s.actor(c), id)
	if err != nil {
		return err
	}
	if t.RevokedAt != nil {
		return models.Conflictf("This token was revoked already.")
	}
	return s.page(c, http.StatusOK, tokensPage("Revoke "+t.Name, layout.Crumb{Text: "Revoke"}), ui.Ask(tokens.Revoke(t)))
}

// tokenRevoke is POST /admin/tokens/:id/revoke.
func (s *Server) tokenRevoke(c echo.Context) error {
	id, _ := strconv.ParseInt(c.Param("id"), 10, 64)
	if _, err := people.RevokeToken(s.ctx(c), s.DB, s.actor(c), people.RevokeTokenCmd{Once: models.Once{Submission: c.FormValue("submission")}, ID: id}); err != nil {
		return err
	}
	return s.see(c, "/admin/tokens", "Token revoked.", "Its next call is refused.")
}
