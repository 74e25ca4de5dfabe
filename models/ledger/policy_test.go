package ledger_test

import (
	"slices"
	"testing"

	"countersign/models"
	"countersign/models/ledger"
)

// Every role against everything that a person may do in the ledger.
func TestWhoMayDoWhat(t *testing.T) {
	const owner, reviewer, other, asker = 1, 2, 3, 4
	parties := ledger.Parties{Owner: owner, Reviewer: reviewer}
	item := ledger.ReviewItem{AskedBy: asker, AskedFor: 5, Askers: []int64{asker, 6}}
	commands := map[string]func(models.Actor) error{
		"appeal":           ledger.MayAppeal,
		"look up":          ledger.MayLookUp,
		"report duplicate": ledger.MayReportDuplicate,
		"settle duplicate": ledger.MaySettleDuplicate,
		"attach":           ledger.MayAttach,
		"decide review":    func(by models.Actor) error { return ledger.MayDecideReview(by, parties, item) },
	}
	everyday := []string{"attach", "appeal", "look up", "report duplicate", "settle duplicate"}
	for _, c := range []struct {
		name  string
		id    int64
		roles []models.Role
		may   []string
	}{
		{"the workflow's business owner", owner, []models.Role{models.BusinessOwner}, append(slices.Clone(everyday), "decide review")},
		{"another business owner", other, []models.Role{models.BusinessOwner}, everyday},
		{"the workflow's business owner who lost the role", owner, nil, nil},
		{"the workflow's reviewer", reviewer, []models.Role{models.Reviewer}, append(slices.Clone(everyday), "decide review")},
		{"another reviewer", other, []models.Role{models.Reviewer}, append(slices.Clone(everyday), "decide review")},
		{"a reviewer who asked", asker, []models.Role{models.Reviewer}, everyday},
		{"a reviewer for whom it was asked", 5, []models.Role{models.Reviewer}, everyday},
		{"a reviewer whose automation asked for it as well", 6, []models.Role{models.Reviewer}, everyday},
		{"an implementer", other, []models.Role{models.Implementer}, everyday},
		{"an approver", other, []models.Role{models.Approver}, everyday},
		{"a viewer", other, []models.Role{models.Viewer}, nil},
		{"an admin", other, []models.Role{models.Admin}, nil},
		{"an admin who is an implementer too", other, []models.Role{models.Admin, models.Implementer}, everyday},
		{"nobody", 0, nil, nil},
		{"a viewer who stands in for the owner", 9, []models.Role{models.Viewer}, []string{"decide review"}},
		{"a reviewer who stands in for whoever asked", 8, []models.Role{models.Reviewer}, everyday},
	} {
		by := models.Actor{ID: c.id, Roles: c.roles}
		switch c.id {
		case 9:
			by.StandsFor = map[int64][]models.Role{owner: {models.BusinessOwner}}
		case 8:
			by.StandsFor = map[int64][]models.Role{asker: {models.Implementer}}
		}
		for name, command := range commands {
			err := command(by)
			if allowed := err == nil; allowed != slices.Contains(c.may, name) {
				t.Errorf("%s: %s: %v", c.name, name, err)
			}
			if err != nil && (!models.IsKind(err, models.KindForbidden) || len(err.Error()) < 20) {
				t.Errorf("%s: %s: refused without a reason: %v", c.name, name, err)
			}
		}
	}
}
