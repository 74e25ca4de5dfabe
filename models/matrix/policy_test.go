package matrix

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
)

// parties are the people of a control: owner 1, implementer 2, reviewer 3.
var parties = control.Parties{Owner: control.Ref{ID: 1}, Implementer: control.Ref{ID: 2}, Reviewer: control.Ref{ID: 3}}

func actor(id int64, role models.Role, standsFor ...int64) models.Actor {
	named := map[int64]models.Role{1: models.BusinessOwner, 2: models.Implementer, 3: models.Reviewer}
	a := models.Actor{ID: id, Roles: []models.Role{role}, StandsFor: map[int64][]models.Role{}}
	for _, p := range standsFor {
		a.StandsFor[p] = []models.Role{named[p]}
	}
	return a
}

// Every role and every command: named, a stranger of the same role, a delegate,
// and somebody named who lost the role.
func TestWhoMayDoWhat(t *testing.T) {
	proposal := Expectation{By: control.Ref{ID: 2}}
	run := Run{StartedBy: control.Ref{ID: 2}, RecordedBy: control.Ref{ID: 2}}
	commands := map[string]func(models.Actor) error{
		"add":     func(a models.Actor) error { return MayAdd(a, parties) },
		"propose": func(a models.Actor) error { return MayPropose(a, parties) },
		"decide":  func(a models.Actor) error { return MayDecide(a, parties, proposal) },
		"run":     func(a models.Actor) error { return MayRun(a, parties) },
		"review":  func(a models.Actor) error { return MayReview(a, parties, run) },
		"attach":  func(a models.Actor) error { return MayAttach(a, parties) },
		"ask":     func(a models.Actor) error { return MayAskWaiver(a, parties) },
		"sign":    func(a models.Actor) error { _, _, err := MaySignWaiver(a, parties, Waiver{}); return err },
		"end":     func(a models.Actor) error { return MayEndWaiver(a, parties, Waiver{AskedBy: control.Ref{ID: 2}}) },
		"keep":    func(a models.Actor) error { return mayKeep(a, parties) },
	}
	owner, implementer, reviewer := "add decide attach ask sign end", "add propose run attach ask end", "add review attach ask sign end keep"
	for who, c := range map[string]struct {
		actor models.Actor
		may   string
	}{
		"owner":                       {actor(1, models.BusinessOwner), owner},
		"implementer":                 {actor(2, models.Implementer), implementer},
		"reviewer":                    {actor(3, models.Reviewer), reviewer},
		"another owner":               {actor(9, models.BusinessOwner), ""},
		"another implementer":         {actor(9, models.Implementer), ""},
		"another reviewer":            {actor(9, models.Reviewer), ""},
		"approver":                    {actor(9, models.Approver), ""},
		"viewer":                      {actor(9, models.Viewer), ""},
		"admin":                       {actor(9, models.Admin), ""},
		"the system":                  {models.Actor{}, ""},
		"owner without the role":      {actor(1, models.Viewer), ""},
		"implementer without it":      {actor(2, models.Viewer), "end"}, // of a waiver they asked for themselves
		"reviewer without it":         {actor(3, models.Viewer), ""},
		"owner's delegate":            {actor(9, models.Viewer, 1), owner},
		"implementer's delegate":      {actor(9, models.Viewer, 2), implementer},
		"reviewer's delegate":         {actor(9, models.Viewer, 3), reviewer},
		"implementer, owner's too":    {actor(2, models.Implementer, 1), "add propose run attach ask sign end"}, // not their own proposal
		"implementer, reviewer's too": {actor(2, models.Implementer, 3), "add propose run attach ask sign end keep"},
		"reviewer, implementer's too": {actor(3, models.Reviewer, 2), "add propose run attach ask sign end keep"}, // a run of whom they stand for
	} {
		for name, may := range commands {
			err := may(c.actor)
			if has(c.may, name) {
				if err != nil {
					t.Errorf("%s may not %s: %v", who, name, err)
				}
			} else if !models.IsKind(err, models.KindForbidden) || err.Error() == "" {
				t.Errorf("%s may %s: %v", who, name, err)
			}
		}
	}
}

func has(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

func TestNobodyDecidesOrReviewsTheirOwn(t *testing.T) {
	for name, e := range map[string]Expectation{"their own": {By: control.Ref{ID: 1}}, "by their delegate": {By: control.Ref{ID: 9}, For: control.Ref{ID: 1}}} {
		if err := MayDecide(actor(1, models.BusinessOwner), parties, e); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, r := range map[string]Run{
		"started":       {StartedBy: control.Ref{ID: 3}, RecordedBy: control.Ref{ID: 2}},
		"recorded":      {StartedBy: control.Ref{ID: 2}, RecordedBy: control.Ref{ID: 3}},
		"started for":   {StartedBy: control.Ref{ID: 9}, StartedFor: control.Ref{ID: 3}, RecordedBy: control.Ref{ID: 2}},
		"recorded for":  {StartedBy: control.Ref{ID: 2}, RecordedBy: control.Ref{ID: 9}, RecordedFor: control.Ref{ID: 3}},
		"whom they are": {StartedBy: control.Ref{ID: 8}, RecordedBy: control.Ref{ID: 2}},
	} {
		by := actor(3, models.Reviewer, 8)
		if name != "whom they are" {
			by = actor(3, models.Reviewer)
		}
		if err := MayReview(by, parties, r); !models.IsKind(err, models.KindForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAWaiverNeedsTwoPeople(t *testing.T) {
	ref := func(id int64) control.Ref { return control.Ref{ID: id, Name: "Somebody"} }
	for name, c := range map[string]struct {
		by    models.Actor
		w     Waiver
		place models.Role
		whom  int64
		kind  models.Kind
	}{
		"owner":                           {by: actor(1, models.BusinessOwner), place: models.BusinessOwner},
		"reviewer after the owner":        {by: actor(3, models.Reviewer), w: Waiver{OwnerBy: ref(1)}, place: models.Reviewer},
		"owner's delegate":                {by: actor(9, models.Viewer, 1), place: models.BusinessOwner, whom: 1},
		"own place first":                 {by: actor(3, models.Reviewer, 1), place: models.Reviewer},
		"owner twice":                     {by: actor(1, models.BusinessOwner), w: Waiver{OwnerBy: ref(1)}, kind: models.KindConflict},
		"delegate after the owner":        {by: actor(9, models.Viewer, 1), w: Waiver{OwnerBy: ref(1)}, kind: models.KindConflict},
		"owner after a delegate":          {by: actor(1, models.BusinessOwner), w: Waiver{OwnerBy: ref(9), OwnerFor: ref(1)}, kind: models.KindConflict},
		"one delegate in both places":     {by: actor(9, models.Viewer, 1, 3), w: Waiver{OwnerBy: ref(9), OwnerFor: ref(1)}, kind: models.KindForbidden},
		"reviewer signed for the owner":   {by: actor(3, models.Reviewer, 1), w: Waiver{OwnerBy: ref(3), OwnerFor: ref(1)}, kind: models.KindForbidden},
		"reviewer's delegate is an owner": {by: actor(1, models.BusinessOwner, 3), w: Waiver{OwnerBy: ref(1)}, kind: models.KindConflict},
	} {
		place, whom, err := MaySignWaiver(c.by, parties, c.w)
		if c.kind != "" {
			if !models.IsKind(err, c.kind) {
				t.Errorf("%s: %v", name, err)
			}
		} else if err != nil || place != c.place || whom != c.whom {
			t.Errorf("%s: %s for %d, %v", name, place, whom, err)
		}
	}
}
