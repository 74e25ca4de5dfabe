package matrix

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/evidence"
	"countersign/models/retention"

	"gorm.io/gorm"
)

// EvidencePlace is where evidence of a run is attached: until it is reviewed or
// abandoned, in the slots of its scenario or as something else. NotFound.
func EvidencePlace(ctx context.Context, db *models.DB, by models.Actor, run int64) (evidence.Place, error) {
	q := db.Query(ctx)
	runs, err := loadRuns(q, run)
	if err != nil {
		return evidence.Place{}, err
	}
	r, ok := runs[run]
	if !ok {
		return evidence.Place{}, noRun(run)
	}
	t, err := caseByKey(q, r.Control.ID, r.Case.Slug)
	if err != nil {
		return evidence.Place{}, err
	}
	var c struct{ WorkflowID, OwnerID, ImplementerID, ReviewerID int64 }
	if err := q.Raw("select workflow_id, business_owner_id as owner_id, implementer_id, reviewer_id from controls where id = ?", r.Control.ID).Scan(&c).Error; err != nil {
		return evidence.Place{}, err
	}
	p := evidence.Place{Path: RunPath(r.ID), About: fmt.Sprintf("Run %d of %s, %s", r.ID, t.Title, r.Control.Name), WorkflowID: c.WorkflowID}
	for _, s := range t.Needs {
		p.Slots = append(p.Slots, evidence.Slot{Key: s.Key, Words: s.Label})
	}
	p.Slots = append(p.Slots, evidence.Slot{Key: OtherSlot, Words: "Something else"})
	if p.KeepDays, p.KeepBasis, err = KeptFor(q, r.Control.ID); err != nil {
		return p, err
	}
	parties := control.Parties{Owner: control.Ref{ID: c.OwnerID}, Implementer: control.Ref{ID: c.ImplementerID}, Reviewer: control.Ref{ID: c.ReviewerID}}
	p.WhyNot, p.WhyNotKeep = r.attachRefusal(by, parties), mayKeep(by, parties)
	p.Link = func(tx *models.Tx, l evidence.Linked) error { return link(tx, run, l) }
	return p, nil
}

// attachRefusal is nil when by may attach evidence to the run now.
func (r Run) attachRefusal(by models.Actor, p control.Parties) error {
	if err := MayAttach(by, p); err != nil {
		return err
	}
	switch {
	case r.Outcome == Abandoned:
		return models.Conflictf("This run was abandoned, so nothing is attached to it any more.")
	case r.Decision != "":
		return models.Conflictf("%s %s this run. Its evidence does not change any more.", r.ReviewedBy.Name, r.Decision)
	}
	return nil
}

// mayKeep is nil when by may let personal data stay with a reason.
func mayKeep(by models.Actor, p control.Parties) error {
	if by.ActsAs(p.Reviewer.ID, models.Reviewer) {
		return nil
	}
	return models.Forbiddenf("Only the reviewer of this control, or their delegate, lets personal data stay, with a reason.")
}

// KeptFor is for how many days the control's evidence is kept, and why; what the
// workspace proposes while that is not answered, and 0 when it proposes nothing.
func KeptFor(q *gorm.DB, controlID int64) (days int, basis string, err error) {
	var data string
	found, err := one(q.Raw("select data::text from answers where control_id = ? and field = 'evidence_retention' and state = 'answered' order by version desc limit 1", controlID), &data)
	if err != nil {
		return 0, "", err
	}
	if !found {
		r, err := retention.Of(q)
		return r.EvidenceDays, r.EvidenceBasis, err
	}
	var kept struct {
		Days  int
		Basis string
	}
	err = json.Unmarshal([]byte(data), &kept)
	return kept.Days, kept.Basis, err
}

// link attaches evidence to a run, and holds it while the run is open.
func link(tx *models.Tx, run int64, l evidence.Linked) error {
	c, r, err := lockRun(tx, run)
	if err != nil {
		return err
	}
	if err := r.attachRefusal(tx.By, c.Parties()); err != nil {
		return err
	}
	if l.Kept {
		if err := mayKeep(tx.By, c.Parties()); err != nil {
			return err
		}
	}
	slot := l.Slot
	if slot == "" {
		slot = OtherSlot
	}
	if err := tx.Exec("insert into run_evidence (run_id, evidence_id, slot) values (?, ?, ?)", run, l.ID, slot).Error; err != nil {
		return err
	}
	return evidence.Hold(tx, RunPath(run), fmt.Sprintf("Run %d is open.", run), l.ID)
}
