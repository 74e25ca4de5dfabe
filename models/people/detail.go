package people

import (
	"context"
	"time"

	"countersign/models"
)

// Detail is everything the page of one person shows.
type Detail struct {
	Person
	LastIn      *time.Time
	LinkUntil   *time.Time // when the usable invitation runs out; nil: there is none
	Delegations []Delegation
	Duties      []Duty
}

// Duty is a workflow that names the person.
type Duty struct {
	Slug, Name string
	Roles      string // "business owner, reviewer"
}

// Open is the person's delegation that has not been ended, past its date or not; nil when there is none.
func (d Detail) Open() *Delegation {
	for i := range d.Delegations {
		if d.Delegations[i].PersonID == d.ID && d.Delegations[i].EndedAt == nil {
			return &d.Delegations[i]
		}
	}
	return nil
}

// Show returns one person for administrators. Forbidden, NotFound.
func Show(ctx context.Context, db *models.DB, by models.Actor, id int64) (Detail, error) {
	if err := MayAdminister(by); err != nil {
		return Detail{}, err
	}
	return detail(ctx, db, id)
}

// Account returns the actor's own account.
func Account(ctx context.Context, db *models.DB, by models.Actor) (Detail, error) {
	return detail(ctx, db, by.ID)
}

func detail(ctx context.Context, db *models.DB, id int64) (Detail, error) {
	var r struct {
		Person
		RoleList          string
		LastIn, LinkUntil *time.Time
	}
	q := db.Query(ctx).Raw(`select q.*,
		(select max(s.at) from sign_ins s where s.email = q.email and s.succeeded) as last_in,
		(select max(l.expires_at) from access_links l where l.person_id = q.id and l.used_at is null and l.expires_at > now()) as link_until
		from (`+selectPerson+`where p.id = ?) q`, id).Scan(&r)
	if q.Error != nil {
		return Detail{}, q.Error
	}
	if q.RowsAffected == 0 {
		return Detail{}, errNoPerson()
	}
	d := Detail{Person: personRow{r.Person, r.RoleList}.person(), LastIn: r.LastIn, LinkUntil: r.LinkUntil}
	if err := db.Query(ctx).Raw(selectDelegation+`where ? in (d.person_id, d.delegate_id)
		order by d.ended_at is not null, d.id desc limit 20`, id).Scan(&d.Delegations).Error; err != nil {
		return Detail{}, err
	}
	err := db.Query(ctx).Raw(`select w.slug, w.name, concat_ws(', ', case when w.business_owner_id = ? then 'business owner' end,
		case when w.implementer_id = ? then 'implementer' end, case when w.reviewer_id = ? then 'reviewer' end) as roles
		from workflows w where w.archived_at is null and ? in (w.business_owner_id, w.implementer_id, w.reviewer_id)
		order by w.name, w.id limit 100`, id, id, id, id).Scan(&d.Duties).Error
	return d, err
}
