package matrix

import (
	"slices"

	"countersign/models/matrix"
	"countersign/views/ui"
)

// newException is e beside what was agreed before it; all are newest first.
func newException(all []matrix.Expectation, e matrix.Expectation) Exception {
	x := Exception{Words: e.Note, By: byName(e.DecidedBy, e.DecidedFor), At: e.DecidedAt}
	i := slices.IndexFunc(all, func(was matrix.Expectation) bool { return was.Version < e.Version && was.Decision == matrix.Agree })
	if i < 0 {
		return x
	}
	was := all[i]
	for _, now := range e.Effects {
		before := "not counted"
		for _, f := range was.Effects {
			if f.ControlID == now.ControlID {
				before = signed(int64(f.Change))
			}
		}
		if after := signed(int64(now.Change)); before != after {
			x.Changes = append(x.Changes, ui.VersionPair{Label: now.Name, Saved: before, Yours: after})
		}
	}
	for _, f := range was.Effects {
		if !slices.ContainsFunc(e.Effects, func(now matrix.Effect) bool { return now.ControlID == f.ControlID }) {
			x.Changes = append(x.Changes, ui.VersionPair{Label: f.Name, Saved: signed(int64(f.Change)), Yours: "not counted"})
		}
	}
	if was.Expected != e.Expected {
		x.Changes = append(x.Changes, ui.VersionPair{Label: "Expected result", Saved: "“" + was.Expected + "”", Yours: "“" + e.Expected + "”"})
	}
	return x
}
