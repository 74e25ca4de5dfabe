package matrix

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// Show is the test matrix of a control for the reader. NotFound.
func Show(ctx context.Context, db *models.DB, reader models.Actor, slug string) (Page, error) {
	q := db.Query(ctx)
	p, latest, approved, err := loadFrame(q, slug)
	if err != nil {
		return p, err
	}
	if p.Latest, err = control.RevisionByID(q, latest); err != nil {
		return p, err
	}
	if err := p.loadCases(q); err != nil {
		return p, err
	}
	if err := p.loadInForce(q, approved); err != nil {
		return p, err
	}
	if err := p.loadPlaces(q); err != nil {
		return p, err
	}
	var waiting []int64
	if err := q.Raw("select run_id from open_runs where control_id = ? order by run_id limit 50", p.ControlID).Scan(&waiting).Error; err != nil {
		return p, err
	}
	if p.Waiting, err = runsInOrder(q, waiting); err != nil {
		return p, err
	}
	p.decide(reader)
	return p, nil
}

func loadFrame(q *gorm.DB, slug string) (p Page, latest, approved int64, err error) {
	var r struct {
		ID                                       int64
		Slug, Name                               string
		WorkflowID                               int64
		WorkflowSlug, WorkflowName               string
		LatestRevisionID, ApprovedRevisionID     int64
		OwnerID, ImplementerID, ReviewerID       int64
		OwnerName, ImplementerName, ReviewerName string
		DesignHash                               string
		Now                                      time.Time
	}
	found, err := one(q.Raw(`select c.id, c.slug, c.name, c.workflow_id, w.slug as workflow_slug, w.name as workflow_name, c.latest_revision_id, c.approved_revision_id, c.design_hash,
			c.business_owner_id as owner_id, c.implementer_id, c.reviewer_id, o.name as owner_name, i.name as implementer_name, v.name as reviewer_name, now() as now
		from controls c join workflows w on w.id = c.workflow_id
		left join people o on o.id = c.business_owner_id left join people i on i.id = c.implementer_id left join people v on v.id = c.reviewer_id
		where c.slug = ?`, control.Plain(slug)), &r)
	if err == nil && !found {
		err = models.NotFoundf("There is no control named “%s”.", control.Plain(slug))
	}
	return Page{ControlID: r.ID, Slug: r.Slug, Name: r.Name, Workflow: control.Ref{ID: r.WorkflowID, Slug: r.WorkflowSlug, Name: r.WorkflowName},
		Parties: control.Parties{Owner: control.Ref{ID: r.OwnerID, Name: r.OwnerName}, Implementer: control.Ref{ID: r.ImplementerID, Name: r.ImplementerName},
			Reviewer: control.Ref{ID: r.ReviewerID, Name: r.ReviewerName}},
		DesignHash: r.DesignHash, Now: r.Now.UTC()}, r.LatestRevisionID, r.ApprovedRevisionID, err
}

// mostVersions, mostChains and mostWaivers bound what one card shows.
const (
	mostVersions = 50
	mostChains   = 5
	mostWaivers  = 10
)

func (p *Page) loadCases(q *gorm.DB) error {
	cases, err := casesOf(q, p.ControlID)
	if err != nil {
		return err
	}
	cells, err := cellsOf(q, p.ControlID)
	if err != nil {
		return err
	}
	versions, err := loadExpectations(q, `where x.case_id in (select id from test_cases where control_id = ?)
		and (x.version > (select max(version) from expectations n where n.case_id = x.case_id) - ? or d.decision = 'agreed')`, p.ControlID, mostVersions)
	if err != nil {
		return err
	}
	threads, err := control.Threads(q, p.ControlID)
	if err != nil {
		return err
	}
	chains, err := loadChains(q, "d.control_id = ?", p.ControlID)
	if err != nil {
		return err
	}
	waivers, err := waiversOf(q, p.ControlID)
	if err != nil {
		return err
	}
	var ids []int64
	for _, c := range cells {
		ids = append(ids, c.RunID, c.RetestID)
	}
	runs, err := loadRuns(q, ids...)
	if err != nil {
		return err
	}
	for _, c := range cases {
		v := CaseView{Case: c, Cell: cells[c.ID], All: versions[c.ID], Thread: threads[ThreadField(c.Key)]}
		v.Shown, v.Newest, v.Agreed = v.Cell.Shown(p.Now), newest(v.All), agreed(v.All)
		v.Run, v.Retest = pick(runs, v.Cell.RunID), pick(runs, v.Cell.RetestID)
		v.Exceptions = exceptions(v.All)
		v.addChains(chains[c.ID])
		v.addWaivers(waivers[c.ID])
		p.Cases = append(p.Cases, v)
	}
	return nil
}

// loadInForce reads the approved revision while a later one is open, and what
// it agreed for each case.
func (p *Page) loadInForce(q *gorm.DB, approved int64) error {
	if approved == 0 || approved == p.Latest.ID {
		return nil
	}
	r, err := control.RevisionByID(q, approved)
	if err != nil {
		return err
	}
	p.Approved = &r
	byCase, err := frozenExpectations(q, approved)
	for i := range p.Cases {
		p.Cases[i].InForce = newest(byCase[p.Cases[i].ID])
	}
	return err
}

func pick(runs map[int64]Run, id int64) *Run {
	if r, ok := runs[id]; ok {
		return &r
	}
	return nil
}

// exceptions are the versions agreed while a discrepancy was open, oldest first.
func exceptions(versions []Expectation) []Expectation {
	var all []Expectation
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].Exception {
			all = append(all, versions[i])
		}
	}
	return all
}

func (v *CaseView) addChains(chains []Chain) {
	if v.MoreChains = len(chains) > mostChains; v.MoreChains {
		chains = chains[:mostChains]
	}
	v.Chains = chains
	if v.Cell.DiscrepancyID != 0 {
		v.LatestFailure = v.Cell.RunID
	}
}

func (v *CaseView) addWaivers(waivers []Waiver) {
	for _, w := range waivers {
		if w.EndedAt == nil {
			v.Waiver = &w
		} else {
			v.Waivers = append(v.Waivers, w)
		}
	}
}

// loadPlaces reads whose effects a case may watch, and where a run can be made.
func (p *Page) loadPlaces(q *gorm.DB) error {
	err := q.Raw("select id, slug, name from controls where workflow_id = ? order by id <> ?, name, id limit 200", p.Workflow.ID, p.ControlID).Scan(&p.Watchable).Error
	if err != nil {
		return err
	}
	var rows []placeRow
	err = q.Raw(selectPlace+"join control_accounts a on a.environment_id = e.id and a.control_id = ? order by e.kind desc, e.name, e.id", p.ControlID).Scan(&rows).Error
	if err != nil {
		return err
	}
	at := map[int64]int{}
	for i, r := range rows {
		at[r.ID] = i
		p.Places = append(p.Places, RunPlace{Environment: control.Ref{ID: r.ID, Slug: r.Slug, Name: r.Name}, Refusal: r.refusal(), Accounts: map[int64]control.Ref{}})
	}
	var accounts []struct {
		ControlID, EnvironmentID, DestinationID int64
		Slug, System, Account                   string
	}
	err = q.Raw(`select a.control_id, a.environment_id, a.destination_id, d.slug, d.system, d.account from controls c
		join control_accounts a on a.control_id = c.id join destinations d on d.id = a.destination_id
		where c.workflow_id = ? and a.environment_id in (select environment_id from control_accounts where control_id = ?)`, p.Workflow.ID, p.ControlID).Scan(&accounts).Error
	for _, a := range accounts {
		if i, ok := at[a.EnvironmentID]; ok {
			p.Places[i].Accounts[a.ControlID] = control.Ref{ID: a.DestinationID, Slug: a.Slug, Name: a.System + ", " + a.Account}
		}
	}
	return err
}

// runsInOrder reads runs in the order of their ids.
func runsInOrder(q *gorm.DB, ids []int64) ([]Run, error) {
	runs, err := loadRuns(q, ids...)
	var all []Run
	for _, id := range ids {
		if r, ok := runs[id]; ok {
			all = append(all, r)
		}
	}
	return all, err
}

// decide says what the reader may do, by the functions the commands use.
func (p *Page) decide(reader models.Actor) {
	inReview := error(nil)
	if p.Latest.State == control.InReview {
		inReview = models.Conflictf("Revision %d is in review, so what its scenarios must show cannot change. Withdraw it first.", p.Latest.Number)
	}
	p.AddRefusal = first(MayAdd(reader, p.Parties), inReview)
	p.DiscussRefusal = control.MayDiscuss(reader, p.Parties)
	for i := range p.Cases {
		v := &p.Cases[i]
		v.ProposeRefusal = first(MayPropose(reader, p.Parties), inReview)
		e := Expectation{}
		if v.Newest != nil {
			e = *v.Newest
		}
		v.DecideRefusal = first(MayDecide(reader, p.Parties, e), decidable(e, e.Version), inReview)
		v.RunRefusal = first(MayRun(reader, p.Parties), takesRuns(p.Latest), canRun(v.Agreed))
		v.InForceRefusal = first(MayRun(reader, p.Parties), canRun(v.InForce))
		v.WaiveRefusal = first(MayAskWaiver(reader, p.Parties), waivable(v.Cell, v.Waiver, p.Now))
		none := models.Conflictf("No waiver of this scenario is open.")
		v.SignRefusal, v.EndRefusal = none, none
		if v.Waiver != nil {
			_, _, err := MaySignWaiver(reader, p.Parties, *v.Waiver)
			v.SignRefusal = first(err, v.Waiver.open(p.Now))
			v.EndRefusal = first(MayEndWaiver(reader, p.Parties, *v.Waiver), v.Waiver.open(p.Now))
		}
	}
}

// canRun is a Conflict unless e is agreed and applies.
func canRun(e *Expectation) error {
	if e == nil {
		return runnable(nil, 0)
	}
	return runnable(e, e.Version)
}

// takesRuns is a Conflict while the latest revision takes no runs.
func takesRuns(latest control.Revision) error {
	if latest.State == control.ChangesRequested {
		return models.Conflictf("Changes were requested on revision %d. Open the next draft, then start the run.", latest.Number)
	}
	return nil
}

func first(refusals ...error) error {
	for _, err := range refusals {
		if err != nil {
			return err
		}
	}
	return nil
}
