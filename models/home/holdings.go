package home

import (
	"context"

	"countersign/models"
	"countersign/models/people"
)

// Held is one thing that names a person, and as what.
type Held struct{ Slug, Name, Role string }

// Holdings is what somebody looks after, at most HoldingsShown of each.
type Holdings struct{ Workflows, Controls, Policies, Tokens []Held }

// Any reports whether there is anything.
func (h Holdings) Any() bool {
	return len(h.Workflows)+len(h.Controls)+len(h.Policies)+len(h.Tokens) > 0
}

// HoldingsShown is how many of a kind are listed.
const HoldingsShown = 100

// HoldingsOf lists what a person looks after. Forbidden to all but administrators.
func HoldingsOf(ctx context.Context, db *models.DB, by models.Actor, person int64) (h Holdings, err error) {
	if err := people.MayAdminister(by); err != nil {
		return h, err
	}
	const roles = "cross join lateral (values (1, 'business_owner', x.business_owner_id), (2, 'implementer', x.implementer_id), (3, 'reviewer', x.reviewer_id)) r(place, role, id)"
	for _, read := range []struct {
		to  *[]Held
		sql string
	}{
		{&h.Workflows, "select x.slug, x.name, r.role from workflows x " + roles + " where r.id = @id and x.archived_at is null order by r.place, x.name, x.id"},
		{&h.Controls, "select x.slug, x.name, r.role from controls x " + roles + " where r.id = @id and @id in (x.business_owner_id, x.implementer_id, x.reviewer_id) order by x.name, x.id, r.place"},
		{&h.Policies, `select distinct p.slug, p.name, 'approver' as role from level_people l join policy_versions v on v.id = l.version_id
			join escalation_policies p on p.id = v.policy_id and p.latest = v.number and p.archived_at is null where l.person_id = @id order by p.name, p.slug`},
		{&h.Tokens, "select id::text as slug, name, '' as role from tokens where created_by = @id and revoked_at is null order by name, id"},
	} {
		if err := db.Query(ctx).Raw(read.sql+" limit @n", map[string]any{"id": person, "n": HoldingsShown}).Scan(read.to).Error; err != nil {
			return h, models.Classify(err)
		}
	}
	return h, nil
}
