package signoff

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"

	"gorm.io/gorm"
)

// Show is the sign-off page of a control for the reader: the latest revision,
// what it changes, whose signatures it has and needs, and what stands in the
// way. NotFound.
func Show(ctx context.Context, db *models.DB, reader models.Actor, slug string) (Page, error) {
	q := db.Query(ctx)
	p, latest, parties, err := loadFrame(q, slug)
	if err != nil {
		return p, err
	}
	if p.Revision, err = control.RevisionByID(q, latest); err != nil {
		return p, err
	}
	if p.Gate, err = LoadGate(ctx, db, slug); err != nil {
		return p, err
	}
	if err := p.loadContent(q); err != nil {
		return p, err
	}
	signatures, err := signaturesOf(q, p.Revision.ID)
	if err != nil {
		return p, err
	}
	for _, s := range signatures {
		if s.Void() {
			p.Voided = append(p.Voided, s)
		}
	}
	if p.Revision.State != control.Draft {
		parties = partiesOf(p.Content.People)
	}
	p.decide(reader, parties, valid(signatures))
	p.Slots, err = slotViews(q, partiesOf(p.Content.People), valid(signatures))
	for i, s := range p.Slots {
		p.Slots[i].Yours = s.Slot == p.SignsAs
		p.Slots[i].Aside = s.Taken != "" && s.Delegate.ID == reader.ID
	}
	return p, err
}

func loadFrame(q *gorm.DB, slug string) (p Page, latest int64, parties control.Parties, err error) {
	var r struct {
		ID                                 int64
		Slug, Name                         string
		WorkflowID                         int64
		WorkflowSlug, WorkflowName         string
		LatestRevisionID                   int64
		OwnerID, ImplementerID, ReviewerID int64
		Now                                time.Time
	}
	done := q.Raw(`select c.id, c.slug, c.name, c.workflow_id, w.slug as workflow_slug, w.name as workflow_name, c.latest_revision_id,
			c.business_owner_id as owner_id, c.implementer_id, c.reviewer_id, now() as now
		from controls c join workflows w on w.id = c.workflow_id where c.slug = ?`, control.Plain(slug)).Scan(&r)
	if done.Error == nil && done.RowsAffected == 0 {
		return p, 0, parties, models.NotFoundf("There is no control named “%s”.", control.Plain(slug))
	}
	parties = control.Parties{Owner: control.Ref{ID: r.OwnerID}, Implementer: control.Ref{ID: r.ImplementerID}, Reviewer: control.Ref{ID: r.ReviewerID}}
	return Page{ControlID: r.ID, Slug: r.Slug, Name: r.Name, Workflow: control.Ref{ID: r.WorkflowID, Slug: r.WorkflowSlug, Name: r.WorkflowName},
		Now: r.Now.UTC()}, r.LatestRevisionID, parties, done.Error
}

// loadContent reads what is signed, what was approved before and what differs,
// and the conditions that apply.
func (p *Page) loadContent(q *gorm.DB) (err error) {
	if p.Revision.State == control.Draft {
		p.Content, err = snapshot(q, p.ControlID)
	} else {
		p.Content, err = control.FrozenContent(q, p.Revision.ID)
	}
	if err != nil {
		return err
	}
	p.Accounts = p.Content.Accounts
	if p.Fingerprints, err = p.Content.Fingerprints(); err != nil {
		return err
	}
	facts, err := loadFacts(q, p.ControlID, p.Slug, p.Content, p.Now)
	if err != nil {
		return err
	}
	p.OpenQuestions, p.Cases, p.Unrecorded = facts.Questions, facts.Cases, facts.Unrecorded
	if p.Chains, err = matrix.ChainsOf(q, p.ControlID); err != nil {
		return err
	}
	if p.Tested, err = matrix.Tested(q, p.ControlID, p.Fingerprints.Design); err != nil {
		return err
	}
	switch p.Revision.State {
	case control.Draft:
		if facts.Before, err = inForce(q, p.ControlID); err != nil {
			return err
		}
		p.Conditions = Readiness(facts)
	case control.InReview:
		p.Conditions = ApprovalConditions(facts)
	}
	var previous int64
	done := q.Raw(`select id from revisions where control_id = ? and number < ? and state in ('approved', 'superseded') order by number desc limit 1`,
		p.ControlID, p.Revision.Number).Scan(&previous)
	if done.Error != nil || done.RowsAffected == 0 {
		return done.Error
	}
	before, err := control.RevisionByID(q, previous)
	if err != nil {
		return err
	}
	content, err := control.FrozenContent(q, previous)
	if err != nil {
		return err
	}
	difference := Diff(content, p.Content)
	p.Previous, p.Difference = &before, &difference
	return nil
}

// decide says what the reader may do, by the functions the commands use.
func (p *Page) decide(reader models.Actor, parties control.Parties, signatures []Signature) {
	p.AskRefusal = control.MayDiscuss(reader, parties)
	for _, q := range p.OpenQuestions {
		if control.MayClose(reader, parties, q.Asker()) == nil {
			p.ToClose = append(p.ToClose, q)
		}
	}
	if p.SubmitRefusal = MaySubmit(reader, parties); p.SubmitRefusal == nil {
		_, p.SubmitRefusal = Next(p.Revision.State, ToReview)
	}
	if p.WithdrawRefusal = MayWithdraw(reader, parties, p.Revision.SubmittedBy.ID); p.WithdrawRefusal == nil {
		_, p.WithdrawRefusal = Next(p.Revision.State, Withdrawal)
	}
	slot, forPerson, err := ChooseSlot(reader, parties, signatures)
	if err == nil {
		_, err = Next(p.Revision.State, Approval)
	}
	if p.SignRefusal = err; err != nil {
		return
	}
	p.SignsAs, p.Last = slot, len(signatures) == len(Slots)-1
	if forPerson != 0 {
		p.SignsFor = slot.person(parties)
	}
}

// slotViews are the three slots, with who stands in for their people today.
func slotViews(q *gorm.DB, parties control.Parties, signatures []Signature) ([]SlotView, error) {
	ids := []int64{}
	for _, s := range Slots {
		ids = append(ids, s.person(parties).ID)
	}
	var delegates []struct {
		PersonID, DelegateID int64
		Name                 string
	}
	err := q.Raw(`select d.person_id, d.delegate_id, p.name from delegations d join people p on p.id = d.delegate_id and p.active
		where d.person_id in ? and d.ended_at is null and d.until >= (now() at time zone 'utc')::date`, ids).Scan(&delegates).Error
	if err != nil {
		return nil, err
	}
	var all []SlotView
	for _, s := range Slots {
		v := SlotView{Slot: s, Person: s.person(parties)}
		for _, d := range delegates {
			if d.PersonID == v.Person.ID {
				v.Delegate = control.Ref{ID: d.DelegateID, Name: d.Name}
				v.Taken = taken(d.DelegateID, s, parties, signatures)
			}
		}
		for i := range signatures {
			if signatures[i].Slot == s {
				v.Signature = &signatures[i]
			}
		}
		all = append(all, v)
	}
	return all, nil
}
