package control

import (
	"testing"

	"countersign/models"
)

// The people of the matrix: named ones, their delegates, and strangers with
// each role alone.
var parties = Parties{Owner: Ref{ID: 1}, Implementer: Ref{ID: 2}, Reviewer: Ref{ID: 3}}

var actors = map[string]models.Actor{
	"owner":                  {ID: 1, Roles: []models.Role{models.BusinessOwner}},
	"implementer":            {ID: 2, Roles: []models.Role{models.Implementer}},
	"reviewer":               {ID: 3, Roles: []models.Role{models.Reviewer}},
	"owner's delegate":       {ID: 11, Roles: []models.Role{models.Approver}, StandsFor: map[int64][]models.Role{1: {models.BusinessOwner}}},
	"implementer's delegate": {ID: 12, Roles: []models.Role{models.Approver}, StandsFor: map[int64][]models.Role{2: {models.Implementer}}},
	"reviewer's delegate":    {ID: 13, Roles: []models.Role{models.Approver}, StandsFor: map[int64][]models.Role{3: {models.Reviewer}}},
	"another owner":          {ID: 21, Roles: []models.Role{models.BusinessOwner}},
	"another implementer":    {ID: 22, Roles: []models.Role{models.Implementer}},
	"another reviewer":       {ID: 23, Roles: []models.Role{models.Reviewer}},
	"owner without the role": {ID: 1, Roles: []models.Role{models.Viewer}},
	"delegate of that owner": {ID: 14, Roles: []models.Role{models.Approver}, StandsFor: map[int64][]models.Role{1: {models.Viewer}}},
	"approver":               {ID: 24, Roles: []models.Role{models.Approver}},
	"viewer":                 {ID: 25, Roles: []models.Role{models.Viewer}},
	"admin":                  {ID: 26, Roles: []models.Role{models.Admin}},
	"nobody":                 {ID: 27},
	"the system":             {},
}

func TestPolicy(t *testing.T) {
	asked := func(a Asker) func(models.Actor) error {
		return func(by models.Actor) error { return MayClose(by, parties, a) }
	}
	with := func(may func(models.Actor, Parties) error) func(models.Actor) error {
		return func(by models.Actor) error { return may(by, parties) }
	}
	for action, c := range map[string]struct {
		may     func(models.Actor) error
		allowed []string
	}{
		"create":     {MayCreate, []string{"owner", "implementer", "reviewer", "another owner", "another implementer", "another reviewer"}},
		"answer":     {with(MayAnswer), []string{"owner", "implementer", "owner's delegate", "implementer's delegate", "another owner", "another implementer"}},
		"open draft": {with(MayOpenDraft), []string{"owner", "implementer", "owner's delegate", "implementer's delegate", "another owner", "another implementer"}},
		"confirm":    {with(MayConfirm), []string{"owner", "owner's delegate"}},
		"observe":    {with(MayObserve), []string{"owner", "owner's delegate"}},
		"keep":       {with(MayKeep), []string{"owner", "owner's delegate"}},
		"save a pair": {with(MaySavePair), []string{"owner", "implementer", "reviewer", "owner's delegate", "implementer's delegate", "reviewer's delegate",
			"another owner", "another implementer", "another reviewer"}},
		"discuss": {with(MayDiscuss), []string{"owner", "implementer", "reviewer", "owner's delegate", "implementer's delegate", "reviewer's delegate",
			"another owner", "another implementer", "another reviewer"}},
		"close the reviewer's question":                    {asked(Asker{ID: 3, Active: true}), []string{"reviewer", "reviewer's delegate"}},
		"close a question of somebody who left":            {asked(Asker{ID: 99}), []string{"owner", "owner's delegate"}},
		"close what a delegate asked for the reviewer":     {asked(Asker{ID: 13, For: 3, Active: true}), []string{"reviewer", "reviewer's delegate"}},
		"close what a stranger asked":                      {asked(Asker{ID: 22, Active: true}), []string{"another implementer"}},
		"close what was asked by nobody this matrix knows": {asked(Asker{ID: 98, Active: true}), nil},
	} {
		allowed := map[string]bool{}
		for _, name := range c.allowed {
			allowed[name] = true
		}
		for name, by := range actors {
			err := c.may(by)
			switch {
			case allowed[name] && err != nil:
				t.Errorf("%s may not %s: %v", name, action, err)
			case !allowed[name] && !models.IsKind(err, models.KindForbidden):
				t.Errorf("%s may %s: %v", name, action, err)
			case !allowed[name] && len(err.Error()) < 20:
				t.Errorf("%s may not %s, without a reason in words", name, action)
			}
		}
	}
}

func TestStandsFor(t *testing.T) {
	for name, want := range map[string]int64{"owner": 0, "owner's delegate": 1, "implementer's delegate": 2, "reviewer's delegate": 3, "another implementer": 0, "viewer": 0} {
		if got := standsFor(actors[name], parties); got != want {
			t.Errorf("%s stands for %d, want %d", name, got, want)
		}
	}
}
