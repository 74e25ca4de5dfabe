package handlers

import (
	"fmt"
	"net/http"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	controlviews "countersign/views/control"

	"github.com/labstack/echo/v4"
)

// addComponent is the button that adds a row to the form of a rule.
const addComponent = "add"

// maxRuleRows is how many rows a form can send.
const maxRuleRows = 20

// ruleForm is a rule as it was typed, without empty rows; more ends it with an
// empty one.
func ruleForm(c echo.Context, more bool) identity.Rule {
	r := identity.Rule{Statement: c.FormValue("statement"), Boundary: c.FormValue("boundary"), Example: c.FormValue("example"), Components: []identity.Component{}}
	typed := prefixed(c, "components.")
	for i := range maxRuleRows {
		at := func(name string) string { return models.Clean(typed[fmt.Sprintf("%d.%s", i, name)]) }
		part := identity.Component{Name: at("name"), Scope: identity.Scoped(at("scope")), Path: at("path")}
		if part == (identity.Component{}) && at("default") == "" {
			continue
		}
		if text := at("default"); text != "" {
			part.Default = &text
		}
		switch part.Scope {
		case identity.ScopeFixed:
			part.Value, part.Path = part.Path, ""
		case identity.ScopeEnvironment, identity.ScopeAccount, identity.ScopeEffect:
			if part.Name == "" {
				part.Name = string(part.Scope)
			}
		}
		r.Components = append(r.Components, part)
	}
	if more {
		r.Components = append(r.Components, identity.Component{})
	}
	return r
}

// showMoreOfRule is the form of a rule with one more row. The statement comes
// before any component.
func (s *Server) showMoreOfRule(c echo.Context, open controlviews.Open) error {
	if models.Clean(open.Input.Rule.Statement) != "" {
		return s.showControl(c, http.StatusOK, open, nil)
	}
	open.Problems = []models.FieldError{{Field: "statement", Message: control.StatementFirst}}
	return s.showControl(c, http.StatusUnprocessableEntity, open, nil)
}

type keepForm struct {
	Version    int    `form:"version"`
	Submission string `form:"submission"`
	Finding    string `form:"finding"`
	Reason     string `form:"reason"`
}

// findingKeep is POST /controls/{slug}/answers/{field}/keep: the owner keeps a
// finding of a rule, with the reason.
func (s *Server) findingKeep(c echo.Context) error {
	var f keepForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	saved, err := control.KeepFinding(s.ctx(c), s.DB, s.actor(c), control.KeepFindingCmd{Once: models.Once{Submission: f.Submission},
		Control: c.Param("slug"), Field: c.Param("field"), Finding: f.Finding, Version: f.Version, Reason: f.Reason})
	if models.Retryable(err) {
		status, e := http.StatusUnprocessableEntity, models.AsError(err)
		if e.Kind == models.KindConflict {
			status = http.StatusConflict
		}
		return s.showControl(c, status, controlviews.Open{Keep: &controlviews.Keeping{Field: c.Param("field"), Finding: f.Finding,
			Talk: controlviews.Talk{Body: f.Reason, Error: e.Message, Submission: f.Submission}}}, nil)
	}
	if err != nil {
		return err
	}
	return s.seeAnswer(c, saved)
}
