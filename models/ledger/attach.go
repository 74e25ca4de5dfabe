package ledger

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"
)

// EvidencePlace is an action as a place to attach evidence to: delivery evidence,
// what the destination shows, a log. NotFound.
func EvidencePlace(ctx context.Context, db *models.DB, by models.Actor, action int64) (evidence.Place, error) {
	q := db.Query(ctx)
	var a struct {
		ControlID, WorkflowID int64
		Name                  string
	}
	done := q.Raw("select a.control_id, a.workflow_id, c.name from actions a join controls c on c.id = a.control_id where a.id = ?", action).Scan(&a)
	if done.Error != nil || done.RowsAffected == 0 {
		return evidence.Place{}, orError(done.Error, models.NotFoundf("There is no such action."))
	}
	place := evidence.Place{Path: ActionPath(action), About: fmt.Sprintf("A-%d, %s", action, a.Name), WorkflowID: a.WorkflowID, WhyNot: MayAttach(by), WhyNotKeep: mayKeep(by)}
	var err error
	place.KeepDays, place.KeepBasis, err = matrix.KeptFor(q, a.ControlID)
	place.Link = func(tx *models.Tx, l evidence.Linked) error {
		if err := MayAttach(tx.By); err != nil || !l.Kept {
			return err
		}
		return mayKeep(tx.By)
	}
	return place, models.Classify(err)
}
