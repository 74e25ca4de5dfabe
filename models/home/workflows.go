package home

import (
	"context"
	"time"

	"countersign/models"
)

// Card is one workflow at a glance.
type Card struct {
	Slug, Name, Owner string
	ReviewDate        *time.Time
	Stopped           bool
	Controls          int // CardControls at most
	Approved          int // with a revision in force
	Yours             bool
}

// CardControls is the most controls of a workflow that are counted.
const CardControls = 100

// Cards are the first n workflows: those that name the person, then by name.
func Cards(ctx context.Context, db *models.DB, by models.Actor, n int) ([]Card, error) {
	var cards []Card
	err := db.Query(ctx).Raw(`select w.slug, w.name, o.name as owner, w.review_date, exists (select 1 from stops s where s.workflow_id = w.id and s.lifted_at is null) as stopped, c.controls, c.approved,
			coalesce(@me in (w.business_owner_id, w.implementer_id, w.reviewer_id), false) as yours
		from (select * from workflows x where x.archived_at is null order by @me in (x.business_owner_id, x.implementer_id, x.reviewer_id) desc, x.name, x.id limit @n) w
		join people o on o.id = w.business_owner_id
		cross join lateral (select count(*) as controls, count(approved_revision_id) as approved from (select approved_revision_id from controls k where k.workflow_id = w.id limit @most) t) c
		order by yours desc, w.name, w.id`, map[string]any{"me": by.ID, "n": n, "most": CardControls}).Scan(&cards).Error
	return cards, models.Classify(err)
}
