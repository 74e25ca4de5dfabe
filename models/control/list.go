package control

import (
	"context"

	"countersign/models"
)

const (
	today = "(now() at time zone 'utc')::date"

	latestState = "case when l.state = 'approved' and l.review_date < " + today + " then 'expired' else l.state end"

	// The order of signoff.Decide, whose tests compare the two.
	gateState = `case when s.id is not null or a.id is null then 'blocked'
		when a.mode = 'observe' then 'observing'
		when a.automatic_retries = 0 or a.review_date < ` + today + ` then 'manual'
		else 'automatic' end`
)

// List is a page of controls by name. BadRequest for a damaged cursor.
func List(ctx context.Context, db *models.DB, f ListFilter) (models.Page[ListRow], error) {
	q := db.Query(ctx).Table("controls c").Select(`c.id, c.slug, c.name, c.effect, w.slug as workflow_slug, w.name as workflow_name,
			c.business_owner_id as owner_id, o.name as owner_name, c.unresolved, c.open_questions,
			l.number as latest_number, ` + latestState + ` as latest_state,
			a.number as approved_number, a.review_date, a.mode, a.automatic_retries,
			s.reason as stop_reason, s.stopped_at, c.changed_at, now() as now`).
		Joins("join workflows w on w.id = c.workflow_id").
		Joins("join revisions l on l.id = c.latest_revision_id").
		Joins("left join revisions a on a.id = c.approved_revision_id").
		Joins("left join people o on o.id = c.business_owner_id").
		Joins("left join stops s on s.workflow_id = c.workflow_id and s.lifted_at is null")
	if f.Q = Plain(f.Q); f.Q != "" {
		q = q.Where("strpos(lower(c.name), lower(@q)) > 0 or strpos(c.slug, lower(@q)) > 0 or strpos(c.effect, lower(@q)) > 0", map[string]any{"q": f.Q})
	}
	if f.Workflow != "" {
		q = q.Where("w.slug = ?", Plain(f.Workflow))
	}
	if f.State != "" {
		q = q.Where(latestState+" = ?", Plain(string(f.State)))
	}
	if f.Gate != "" {
		q = q.Where(gateState+" = ?", Plain(f.Gate))
	}
	if f.Owner != 0 {
		q = q.Where("c.business_owner_id = ?", f.Owner)
	}
	if f.Unresolved {
		q = q.Where("c.unresolved > 0")
	}
	return models.Keyset(q, f.Cursor, models.PageSize, models.Order{Columns: []string{"c.name", "c.id"}},
		func(r ListRow) []any { return []any{r.Name, r.ID} })
}
