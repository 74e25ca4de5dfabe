package control

import (
	"context"

	"countersign/models"
)

// FormOptions are the choices of the forms on a control's page. NotFound.
func FormOptions(ctx context.Context, db *models.DB, slug string) (Options, error) {
	q := db.Query(ctx)
	var o Options
	var c struct{ ID, WorkflowID, OwnerID int64 }
	found, err := one(q.Raw(`select c.id, c.workflow_id, w.business_owner_id as owner_id
		from controls c join workflows w on w.id = c.workflow_id where c.slug = ?`, Plain(slug)), &c)
	if err == nil && !found {
		err = notFound(slug)
	}
	if err != nil {
		return o, err
	}
	o.WorkflowOwner = c.OwnerID
	for role, list := range map[models.Role]*[]Ref{models.BusinessOwner: &o.Owners, models.Implementer: &o.Implementers, models.Reviewer: &o.Reviewers} {
		err := q.Raw(`select p.id, p.name from people p join role_grants g on g.person_id = p.id and g.role = ?
			where p.active order by p.name, p.id`, role).Scan(list).Error
		if err != nil {
			return o, err
		}
	}
	if err := q.Raw("select id, slug, name from senders where workflow_id = ? and archived_at is null order by name, id", c.WorkflowID).Scan(&o.Senders).Error; err != nil {
		return o, err
	}
	var environments []struct {
		ID               int64
		Slug, Name, Kind string
		ReachesCustomers bool
		Account          string
		Destinations     int
		Destination      string
	}
	err = q.Raw(`select e.id, e.slug, e.name, e.kind, e.reaches_customers or e.reach_confirmed_at is null as reaches_customers, d.slug as account,
			n.destinations, case when n.destinations = 1 then n.first else '' end as destination
		from environments e
		cross join lateral (select count(*) as destinations, min(slug) as first from destinations x where x.environment_id = e.id and x.archived_at is null) n
		left join control_accounts a on a.environment_id = e.id and a.control_id = ?
		left join destinations d on d.id = a.destination_id
		where e.archived_at is null order by e.name, e.id`, c.ID).Scan(&environments).Error
	if err != nil {
		return o, err
	}
	for _, e := range environments {
		o.Environments = append(o.Environments, EnvironmentOption{Ref: Ref{ID: e.ID, Slug: e.Slug, Name: e.Name}, Kind: e.Kind, ReachesCustomers: e.ReachesCustomers, Account: e.Account,
			Destinations: e.Destinations, Destination: e.Destination})
	}
	err = q.Raw(`select o.id, e.slug as environment_slug, d.slug as destination_slug, d.system, d.account, o.name
		from operations o join destinations d on d.id = o.destination_id join environments e on e.id = d.environment_id
		left join control_accounts a on a.environment_id = e.id and a.control_id = ?
		where o.archived_at is null and d.archived_at is null and e.archived_at is null and (a.destination_id is null or a.destination_id = d.id)
		order by e.name, d.system, o.name, o.id`, c.ID).Scan(&o.Operations).Error
	if err != nil {
		return o, err
	}
	err = q.Raw(`select p.slug, p.name, p.latest, p.id = w.escalation_policy_id as chosen from escalation_policies p, workflows w
		where w.id = ? and p.archived_at is null order by p.id = w.escalation_policy_id desc nulls last, p.name, p.id limit ?`, c.WorkflowID, maxChoices).Scan(&o.Policies).Error
	return o, err
}
