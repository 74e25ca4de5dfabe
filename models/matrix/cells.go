package matrix

import (
	"time"

	"gorm.io/gorm"
)

type cellRow struct {
	CaseID        int64
	State         State
	Pending       bool
	ExpectationID int64
	Failures      int
	RunID         int64
	RetestID      int64
	DiscrepancyID int64
	WaivedUntil   *time.Time
	ProvenUntil   *time.Time
}

const selectCell = "select k.case_id, k.state, k.pending, k.expectation_id, k.failures, k.run_id, k.retest_id, k.discrepancy_id, k.waived_until, k.proven_until from case_cells k "

func (r cellRow) cell() Cell {
	return Cell{State: r.State, Pending: r.Pending, Failures: r.Failures, RunID: r.RunID, RetestID: r.RetestID, DiscrepancyID: r.DiscrepancyID,
		WaivedUntil: r.WaivedUntil, ProvenUntil: r.ProvenUntil}
}

func cellOf(q *gorm.DB, caseID int64) (Cell, error) {
	var r cellRow
	err := q.Raw(selectCell+"where k.case_id = ?", caseID).Scan(&r).Error
	return r.cell(), err
}

// cellsOf are the cells of a control by case.
func cellsOf(q *gorm.DB, controlID int64) (map[int64]Cell, error) {
	var rows []cellRow
	err := q.Raw(selectCell+"where k.control_id = ?", controlID).Scan(&rows).Error
	all := map[int64]Cell{}
	for _, r := range rows {
		all[r.CaseID] = r.cell()
	}
	return all, err
}
