package control

import (
	"context"

	"countersign/models"
)

// maxChoices is how many entries a select offers at most.
const maxChoices = 500

// CreateOptions are the choices of the form for a new control.
type CreateOptions struct {
	Workflows    []Ref
	Environments []AccountOptions // those that have a destination
}

// AccountOptions are the accounts of one environment.
type AccountOptions struct {
	Environment      Ref
	ReachesCustomers bool  // also while nobody has confirmed that it cannot
	Destinations     []Ref // Name is system and account
}

// WorkflowChoices are the workflows that are not archived, by name.
func WorkflowChoices(ctx context.Context, db *models.DB) (list []Ref, err error) {
	err = db.Query(ctx).Raw("select id, slug, name from workflows where archived_at is null order by name, id limit ?", maxChoices).Scan(&list).Error
	return list, err
}

// ChoicesToCreate are the workflows and accounts a new control can have.
func ChoicesToCreate(ctx context.Context, db *models.DB) (o CreateOptions, err error) {
	if o.Workflows, err = WorkflowChoices(ctx, db); err != nil {
		return o, err
	}
	var rows []struct {
		EnvironmentID                    int64
		EnvironmentSlug, EnvironmentName string
		ReachesCustomers                 bool
		ID                               int64
		Slug, System, Account            string
	}
	err = db.Query(ctx).Raw(`select e.id as environment_id, e.slug as environment_slug, e.name as environment_name,
			e.reaches_customers or e.reach_confirmed_at is null as reaches_customers, d.id, d.slug, d.system, d.account
		from environments e join destinations d on d.environment_id = e.id
		where e.archived_at is null and d.archived_at is null order by e.name, e.id, d.system, d.id limit ?`, maxChoices).Scan(&rows).Error
	for _, r := range rows {
		if n := len(o.Environments); n == 0 || o.Environments[n-1].Environment.ID != r.EnvironmentID {
			o.Environments = append(o.Environments, AccountOptions{Environment: Ref{ID: r.EnvironmentID, Slug: r.EnvironmentSlug, Name: r.EnvironmentName}, ReachesCustomers: r.ReachesCustomers})
		}
		last := &o.Environments[len(o.Environments)-1]
		last.Destinations = append(last.Destinations, Ref{ID: r.ID, Slug: r.Slug, Name: r.System + ", " + r.Account})
	}
	return o, err
}
