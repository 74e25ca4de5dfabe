package matrix

import (
	"encoding/json"
	"strings"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// lockCase takes the control and finds one of its cases. NotFound.
func lockCase(tx *models.Tx, slug, key string) (control.Locked, Case, error) {
	c, err := control.Lock(tx, slug)
	if err != nil {
		return c, Case{}, err
	}
	t, err := caseByKey(tx.DB, c.ID, key)
	return c, t, err
}

func caseByKey(q *gorm.DB, controlID int64, key string) (Case, error) {
	return oneCase(q.Raw(selectCase+"where t.control_id = ? and t.key = ?", controlID, control.Plain(key)))
}

func caseByID(q *gorm.DB, id int64) (Case, error) {
	return oneCase(q.Raw(selectCase+"where t.id = ?", id))
}

func oneCase(q *gorm.DB) (Case, error) {
	var r caseRow
	found, err := one(q, &r)
	if err == nil && !found {
		err = models.NotFoundf("This control has no such scenario.")
	}
	if err != nil {
		return Case{}, err
	}
	return r.testCase()
}

// lockRun takes the control of a run and reads the run as it is now. NotFound.
func lockRun(tx *models.Tx, id int64) (control.Locked, Run, error) {
	var slug string
	found, err := one(tx.Raw("select c.slug from runs r join controls c on c.id = r.control_id where r.id = ?", id), &slug)
	if err == nil && !found {
		err = noRun(id)
	}
	if err != nil {
		return control.Locked{}, Run{}, err
	}
	c, err := control.Lock(tx, slug)
	if err != nil {
		return c, Run{}, err
	}
	runs, err := loadRuns(tx.DB, id)
	if err != nil {
		return c, Run{}, err
	}
	return c, runs[id], nil
}

func noRun(id int64) error { return models.NotFoundf("There is no run %d.", id) }

// object is a case in the audit log.
func (c Case) object(of control.Locked) models.Object {
	return models.Object{Type: "scenario", ID: c.ID, Label: c.Title + " of " + of.Name, Path: Path(of.Slug, c.Key)}
}

// editable is a Conflict while the latest revision is in review: what was
// agreed is part of what is signed.
func editable(q *gorm.DB, c control.Locked) error {
	latest, err := control.RevisionByID(q, c.LatestRevisionID)
	if err == nil && latest.State == control.InReview {
		err = models.Conflictf("Revision %d is in review, so what its scenarios must show cannot change. Withdraw it first.", latest.Number)
	}
	return err
}

// settle brings what is kept about the control's cases up to date. Every
// command that changes one ends with it.
func settle(tx *models.Tx, controlID int64) error {
	if err := tx.Exec("select derive_cells(?)", controlID).Error; err != nil {
		return err
	}
	return KeepGate(tx, controlID)
}

// one scans the only row of a query; found is false when there is none.
func one(q *gorm.DB, into any) (found bool, err error) {
	r := q.Scan(into)
	return r.RowsAffected > 0, r.Error
}

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func jsonList(items []string) string {
	b, _ := json.Marshal(items)
	return string(b)
}

func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
