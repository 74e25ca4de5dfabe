package matrix

import (
	"fmt"

	"countersign/models"
	"countersign/models/control"
)

// discrepancy is the open one of a case.
type discrepancy struct {
	ID      int64 // 0: none is open
	Failure int64 // its latest failed run, which a retest answers
	Number  int   // of the latest revision that a run of it failed on
}

// openDiscrepancy reads the open discrepancy of a case. The caller holds the
// control.
func openDiscrepancy(tx *models.Tx, caseID int64) (d discrepancy, err error) {
	_, err = one(tx.Raw(`select d.id, (select s.run_id from run_results s where s.discrepancy_id = d.id order by s.number desc limit 1) as failure,
			(select max(v.number) from run_results s join runs r on r.id = s.run_id join revisions v on v.id = r.revision_id where s.discrepancy_id = d.id) as number
		from discrepancies d where d.case_id = ? and d.closed_at is null`, caseID), &d)
	return d, err
}

func discrepancyObject(id int64, c control.Locked, t Case) models.Object {
	return models.Object{Type: "discrepancy", ID: id, Label: fmt.Sprintf("Discrepancy %d of %s: %s", id, c.Name, t.Title), Path: Path(c.Slug, t.Key)}
}

// fail opens a discrepancy for a run, or joins the open one of its case.
func fail(tx *models.Tx, c control.Locked, t Case, run int64, forPerson int64) (int64, error) {
	d, err := openDiscrepancy(tx, t.ID)
	if err != nil || d.ID != 0 {
		return d.ID, err
	}
	err = tx.Raw("insert into discrepancies (control_id, case_id, opened_at) values (?, ?, ?) returning id", c.ID, t.ID, tx.Now).Row().Scan(&d.ID)
	tx.AuditFor(forPerson, "discrepancy.opened", discrepancyObject(d.ID, c, t), nil, map[string]any{"run": run})
	return d.ID, err
}

// answer closes the discrepancy that a passed and accepted retest answers, and
// returns it: 0 when the run answers none, no longer its latest failure, or
// itself no longer counts.
func answer(tx *models.Tx, c control.Locked, t Case, r Run, forPerson int64) (int64, error) {
	d, err := openDiscrepancy(tx, t.ID)
	if err != nil || d.ID == 0 || r.Outcome != Passed || r.DiscrepancyID != d.ID || r.RetestOf != d.Failure || !r.StillCounts() {
		return 0, err
	}
	done := tx.Exec("update discrepancies set closed_by_run = ?, closed_at = ? where id = ? and closed_at is null", r.ID, tx.Now, d.ID)
	if done.Error == nil && done.RowsAffected != 1 {
		return 0, models.Conflictf("Somebody else closed this discrepancy at the same moment. Open the run again.")
	}
	tx.AuditFor(forPerson, "discrepancy.closed", discrepancyObject(d.ID, c, t), nil, map[string]any{"run": r.ID, "correction": r.Correction})
	return d.ID, done.Error
}
