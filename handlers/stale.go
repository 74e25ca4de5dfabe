package handlers

import (
	"net/url"
	"slices"

	"countersign/models"
	"countersign/models/workflow"
	"countersign/views/ui"

	"github.com/labstack/echo/v4"
)

// answer is one field of a form that two people may edit at once. words says a
// value as a person reads it; nil when it is shown as typed.
type answer struct {
	name, label string
	value       *string
	words       func(string) string
}

// packed is what a form's hidden "base" field holds: the answers the person started from.
func packed(answers []answer) string {
	v := url.Values{}
	for _, a := range answers {
		v.Set(a.name, *a.value)
	}
	return v.Encode()
}

// merge puts into typed what only the other person changed, and returns every
// field that differs. Where both changed a field, typed keeps its own.
func merge(base string, typed, saved []answer) []ui.VersionPair {
	started, err := url.ParseQuery(base)
	known := err == nil && base != ""
	var pairs []ui.VersionPair
	for i, mine := range typed {
		yours, now := models.Clean(*mine.value), *saved[i].value
		if yours == now {
			continue
		}
		was := started.Get(mine.name)
		show := func(value string) string {
			if mine.words != nil {
				return mine.words(value)
			}
			return value
		}
		pair := ui.VersionPair{Label: mine.label, Saved: show(now), Yours: show(yours)}
		if known {
			pair.Base = show(was)
			if yours == was {
				*mine.value = now
			}
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// staleEdit is the head of a form that somebody else saved first.
func (s *Server) staleEdit(c echo.Context, what string, id int64, pairs []ui.VersionPair) (*ui.StaleEdit, error) {
	name, at, err := workflow.LastEdit(s.ctx(c), s.DB, what, id)
	if err != nil {
		return nil, err
	}
	e := &ui.StaleEdit{What: what, Pairs: pairs}
	if name != "" {
		e.SavedBy = name + ", " + ui.TimeWords(at, s.zone(c), at)
	}
	return e, nil
}

// why is the reason in words when a policy function refuses, "" when it allows.
func why(refusal error) string {
	if e := models.AsError(refusal); e != nil {
		return e.Message
	}
	return ""
}

// problems are what must change in a form, from the error of its command, in
// the order in which the form asks for the fields.
func problems(err error, order ...string) []ui.FieldProblem {
	e := models.AsError(err)
	switch {
	case e == nil:
		return nil
	case len(e.Fields) == 0:
		return []ui.FieldProblem{{Message: e.Message}}
	}
	return slices.SortedStableFunc(slices.Values(e.Fields), func(a, b ui.FieldProblem) int {
		return slices.Index(order, a.Field) - slices.Index(order, b.Field)
	})
}
