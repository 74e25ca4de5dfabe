package matrix

import (
	"context"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// ShowRun is the page of one run for the reader. NotFound.
func ShowRun(ctx context.Context, db *models.DB, reader models.Actor, id int64) (RunPage, error) {
	q := db.Query(ctx)
	runs, err := loadRuns(q, id)
	if err != nil {
		return RunPage{}, err
	}
	r, ok := runs[id]
	if !ok {
		return RunPage{}, noRun(id)
	}
	frame, latest, _, err := loadFrame(q, r.Control.Slug)
	if err != nil {
		return RunPage{}, err
	}
	p := RunPage{Run: r, Workflow: frame.Workflow, Parties: frame.Parties, Now: frame.Now, DesignNow: frame.DesignHash}
	if p.CaseOf, err = caseByKey(q, r.Control.ID, r.Case.Slug); err != nil {
		return p, err
	}
	if err := p.loadAgreement(q); err != nil {
		return p, err
	}
	if err := p.loadSlots(q); err != nil {
		return p, err
	}
	if err := p.loadNeighbours(q); err != nil {
		return p, err
	}
	revision, err := control.RevisionByID(q, latest)
	if err != nil {
		return p, err
	}
	p.decide(reader, revision)
	return p, nil
}

func (p *RunPage) loadAgreement(q *gorm.DB) error {
	byCase, err := loadExpectations(q, "where x.id = ? or (x.case_id = ? and d.decision = 'agreed')", p.ExpectationID, p.CaseOf.ID)
	if err != nil {
		return err
	}
	p.Agreed = agreed(byCase[p.CaseOf.ID])
	for _, e := range byCase[p.CaseOf.ID] {
		if e.ID == p.ExpectationID {
			p.Expectation = e
		}
	}
	return nil
}

func (p *RunPage) loadSlots(q *gorm.DB) error {
	var rows []struct {
		EvidenceID int64
		Slot       string
	}
	if err := q.Raw("select evidence_id, slot from run_evidence where run_id = ? order by evidence_id", p.ID).Scan(&rows).Error; err != nil {
		return err
	}
	at := map[string]int{}
	for i, s := range p.CaseOf.Needs {
		at[s.Key] = i
		p.Slots = append(p.Slots, SlotView{Slot: s, Required: true})
	}
	for _, r := range rows {
		i, ok := at[r.Slot]
		if !ok {
			i = len(p.Slots)
			at[r.Slot] = i
			p.Slots = append(p.Slots, SlotView{Slot: Slot{Key: r.Slot, Label: "Something else"}})
		}
		p.Slots[i].Evidence = append(p.Slots[i].Evidence, r.EvidenceID)
	}
	return nil
}

// loadNeighbours reads what stands around the run.
func (p *RunPage) loadNeighbours(q *gorm.DB) error {
	var n struct {
		Prev, Next, RetestedBy, LatestFailure int64
		HelpContact, IncidentPlan             string
	}
	err := q.Raw(`select (select r.id from runs r where r.case_id = @case and r.id < @run order by r.id desc limit 1) as prev,
		(select r.id from runs r where r.case_id = @case and r.id > @run order by r.id limit 1) as next,
		(select r.id from runs r where r.discrepancy_id = @discrepancy and r.retest_of = @run order by r.id desc limit 1) as retested_by,
		(select k.run_id from case_cells k where k.case_id = @case and k.discrepancy_id is not null) as latest_failure,
		w.help_contact, w.incident_plan_url as incident_plan from workflows w where w.id = @workflow`,
		map[string]any{"workflow": p.Workflow.ID, "case": p.CaseOf.ID, "run": p.ID, "discrepancy": p.DiscrepancyID}).Scan(&n).Error
	if err != nil {
		return err
	}
	p.Prev, p.Next, p.RetestedBy, p.LatestFailure = n.Prev, n.Next, n.RetestedBy, n.LatestFailure
	p.HelpContact, p.IncidentPlan = n.HelpContact, n.IncidentPlan
	if p.DiscrepancyID == 0 {
		return nil
	}
	chains, err := loadChains(q, "d.id = ?", p.DiscrepancyID)
	if list := chains[p.CaseOf.ID]; len(list) > 0 {
		p.Chain = &list[0]
	}
	return err
}

// decide says what the reader may do, by the functions the commands use.
func (p *RunPage) decide(reader models.Actor, latest control.Revision) {
	p.RecordRefusal = first(MayRun(reader, p.Parties), p.recordable())
	p.ReviewRefusal = first(MayReview(reader, p.Parties, p.Run), p.reviewable())
	p.AttachRefusal = p.attachRefusal(reader, p.Parties)
	version := 0
	if p.Agreed != nil {
		version = p.Agreed.Version
	}
	p.RetestRefusal = first(MayRun(reader, p.Parties), takesRuns(latest), runnable(p.Agreed, version), p.retestable())
}

// retestable is a Conflict unless a retest would answer this run.
func (p RunPage) retestable() error {
	switch {
	case p.LatestFailure == p.ID:
		return nil
	case p.LatestFailure != 0:
		return models.Conflictf("Run %d failed since. A retest answers that one.", p.LatestFailure)
	}
	return models.Conflictf("No discrepancy of this scenario is open, so there is nothing to retest.")
}
