package control

import (
	"cmp"
	"context"

	"countersign/models"
)

const (
	today = "(now() at time zone 'utc')::date"

	latestState = "case when l.state = 'approved' and l.review_date < " + today + " then 'expired' else l.state end"

	stopped = "c.workflow_id in (select workflow_id from stops where lifted_at is null)"
	inForce = "not (" + stopped + ") and a.id is not null and a.mode is distinct from 'observe' and "
	manual  = "(a.automatic_retries = 0 or a.review_date < " + today + " or c.waived_until < " + today + " or c.proven_until < " + today + " or c.open_discrepancies > 0)"
)

// gateIs are the conditions of each gate, in plain comparisons so that the
// database can estimate them: it walks the controls by name until a page is
// full. The order of signoff.Decide, whose tests compare the two.
var gateIs = map[string]string{
	"blocked":   "(c.approved_revision_id is null or " + stopped + ")",
	"observing": "not (" + stopped + ") and a.mode = 'observe'",
	"manual":    inForce + manual,
	"automatic": inForce + "not coalesce(" + manual + ", false)",
}

// stateIs is latestState as a condition.
func stateIs(s RevisionState) (condition string, args []any) {
	switch s {
	case Approved:
		return "l.state = 'approved' and (l.review_date is null or l.review_date >= " + today + ")", nil
	case Expired:
		return "l.state = 'approved' and l.review_date < " + today, nil
	}
	return "l.state = ?", []any{Plain(string(s))}
}

// List is a page of controls by name. BadRequest for a damaged cursor.
func List(ctx context.Context, db *models.DB, f ListFilter) (models.Page[ListRow], error) {
	q := db.Query(ctx).Table("controls c").Select(`c.id, c.slug, c.name, c.effect, w.slug as workflow_slug, w.name as workflow_name,
			c.business_owner_id as owner_id, o.name as owner_name, c.unresolved, c.open_questions,
			l.number as latest_number, ` + latestState + ` as latest_state,
			a.number as approved_number, a.review_date, a.mode, a.automatic_retries, c.waived_until, c.proven_until, c.open_discrepancies,
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
		q = q.Where("c.workflow_id = (select id from workflows where slug = ?)", Plain(f.Workflow))
	}
	if f.State != "" {
		condition, args := stateIs(f.State)
		q = q.Where(condition, args...)
	}
	if f.Gate != "" {
		q = q.Where(cmp.Or(gateIs[f.Gate], "false"))
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
