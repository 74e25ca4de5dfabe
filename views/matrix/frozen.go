package matrix

import (
	"time"

	"countersign/models/control"
	"countersign/models/matrix"
)

// FrozenCase is a scenario with what was agreed when its revision was submitted.
type FrozenCase struct {
	Title, Path string
	Agreed      *Expectation // nil: nothing was, and a waiver stood in
	Exceptions  []Exception
}

// NewFrozen reads what a revision of the control froze; none for one from
// before the matrix.
func NewFrozen(slug string, c control.Content) []FrozenCase {
	var all []FrozenCase
	for _, f := range matrix.ParseFrozen(c.Expectations) {
		one := FrozenCase{Title: f.Title, Path: matrix.Path(slug, f.Case)}
		if f.ExpectationID != 0 {
			one.Agreed = &Expectation{Version: f.Version, Applies: f.Applies, Expected: f.Expected, Reason: f.Reason, Decision: matrix.Agree,
				DecidedBy: frozenName(f.AgreedBy, f.AgreedFor), DecidedAt: frozenTime(f.AgreedAt)}
			for _, e := range f.Effects {
				one.Agreed.Effects = append(one.Agreed.Effects, Effect{Name: e.Control, Slug: e.Control, Change: signed(int64(e.Change))})
			}
		}
		for _, x := range f.Exceptions {
			one.Exceptions = append(one.Exceptions, Exception{Words: x.Note, By: frozenName(x.By, x.For), At: frozenTime(x.At)})
		}
		all = append(all, one)
	}
	return all
}

func frozenName(by, standsFor *control.ContentPerson) string {
	switch {
	case by == nil:
		return ""
	case standsFor != nil:
		return by.Name + " for " + standsFor.Name
	}
	return by.Name
}

func frozenTime(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text) // of our own writing; unreadable is unknown
	return t
}
