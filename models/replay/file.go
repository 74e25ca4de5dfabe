package replay

import (
	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/ledger"
	"countersign/models/workflow"

	"gorm.io/gorm"
)

// file is everything about one request, read together.
type file struct {
	Request // as it stands by the ledger and the clock
	stored  Request
	Facts   ledger.Facts
	Record  Record
	Policy  workflow.PolicyVersion
	Parties Parties
	Steps   []Step
	Files   []evidence.Attachment // attached to the request
}

func notFound() error { return models.NotFoundf("There is no such replay request.") }

// find loads a request by its number. NotFound.
func find(q *gorm.DB, ref string) (Request, error) {
	id, ok := ParseRef(ref)
	if !ok {
		return Request{}, notFound()
	}
	return findByID(q, id)
}

func findByID(q *gorm.DB, id int64) (r Request, err error) {
	err = q.Raw("select * from requests where id = ?", id).Scan(&r).Error
	if err == nil && r.ID == 0 {
		err = notFound()
	}
	return r, err
}

// lock loads a request and keeps others from deciding it, and its action from
// changing, until the transaction ends. The action is always locked first.
func lock(tx *models.Tx, ref string) (*file, error) {
	r, err := find(tx.DB, ref)
	if err != nil {
		return nil, err
	}
	facts, err := ledger.LockFacts(tx, r.ActionID)
	if err != nil {
		return nil, err
	}
	if err := tx.Exec("select 1 from requests where id = ? for update", r.ID).Error; err != nil {
		return nil, err
	}
	if r, err = findByID(tx.DB, r.ID); err != nil {
		return nil, err
	}
	return open(tx.DB, r, facts)
}

// open reads what belongs to a request.
func open(q *gorm.DB, r Request, facts ledger.Facts) (*file, error) {
	f := &file{Request: r, stored: r, Facts: facts}
	var err error
	if f.Record, err = recordOf(q, r, facts); err != nil {
		return nil, err
	}
	if f.Policy, err = workflow.PolicyVersionByID(q, r.PolicyID); err != nil {
		return nil, err
	}
	if err := q.Raw("select number, minutes, due_at, told_at from request_levels where request_id = ? order by number", r.ID).Scan(&f.Steps).Error; err != nil {
		return nil, err
	}
	if f.Parties, err = partiesOf(q, r, f.Policy); err != nil {
		return nil, err
	}
	f.Parties.Reached, f.Unanswered = r.Reached(f.Steps, f.Parties, facts.Now)
	f.Request = f.Request.At(f.Record)
	f.Files, err = evidence.ByPath(q, Path(r.Ref()))
	return f, err
}

// recordOf reads what the ledger knows about a request's permission.
func recordOf(q *gorm.DB, r Request, facts ledger.Facts) (Record, error) {
	l := Record{Now: facts.Now, Action: facts.State, Seen: &facts.Seen}
	if r.AuthorizationID == 0 {
		return l, nil
	}
	permit, ok, err := ledger.AuthorizationOf(q, r.Ref())
	if err != nil || !ok {
		return l, err
	}
	l.Permit = &permit
	if permit.Attempt == 0 {
		return l, nil
	}
	var a struct {
		Outcome ledger.State
		Over    bool
	}
	err = q.Raw("select coalesce(outcome, 'unknown') as outcome, outcome is not null or lease_until <= now() as over from attempts where id = ?", permit.Attempt).Scan(&a).Error
	l.Ended, l.Outcome = a.Over, a.Outcome
	return l, err
}

// partiesOf reads who a request concerns, as they stand today.
func partiesOf(q *gorm.DB, r Request, v workflow.PolicyVersion) (Parties, error) {
	p := Parties{Levels: v.Levels}
	if err := q.Raw("select implementer_id from workflows where id = ?", r.WorkflowID).Row().Scan(&p.Implementer); err != nil {
		return p, err
	}
	var suppliers []struct{ PersonID, ForPersonID int64 }
	if err := q.Raw("select person_id, coalesce(for_person_id, 0) as for_person_id from decisions where request_id = ? and decision = 'supply'", r.ID).Scan(&suppliers).Error; err != nil {
		return p, err
	}
	ids := []int64{r.AskedBy, r.AskedFor}
	for _, s := range suppliers {
		ids = append(ids, s.PersonID, s.ForPersonID)
	}
	for _, id := range ids {
		if id != 0 {
			p.Asked = append(p.Asked, id)
		}
	}
	return p, nil
}

// conditions lists what an approval by somebody needs; seen is what their form
// says they saw, nil on the page.
func (f *file) conditions(by models.Actor, seen *ledger.Seen) []Condition {
	return StopConditions(Case{By: by, Parties: f.Parties, Facts: f.Facts, Seen: seen, Evidence: f.Files})
}
