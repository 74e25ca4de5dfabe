package demo

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/home"
	"countersign/models/ledger"
	"countersign/models/people"
)

// bulkPlaces are where made-up history lies, and how many of a hundred actions.
var bulkPlaces = []struct {
	control, environment string
	share                int
}{
	{"create-crm-task", "production", 60},
	{"create-crm-task", "sandbox", 20},
	{"send-confirmation", "sandbox", 10},
	{"book-visit", "sandbox", 10},
}

// bulkDays is how far back made-up history goes.
const bulkDays = 180

// AddActions adds n actions with deliveries, attempts and lookups of the last 180
// days, and closed replay requests about some of those that nobody knows the
// result of. The demo data must be there. told hears how many are done.
func AddActions(ctx context.Context, db *models.DB, n int, told func(done int)) error {
	by, err := people.ActorByEmail(ctx, db, "implementer@example.test")
	if err != nil {
		return err
	}
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	done := 0
	for i, p := range bulkPlaces {
		part := n * p.share / 100
		if i == len(bulkPlaces)-1 {
			part = n - done
		}
		cmd := ledger.BulkCmd{Control: p.control, Environment: p.environment, Sender: "web-form", N: part, From: now.AddDate(0, 0, -bulkDays), Until: now.Add(-2 * time.Hour), Seed: uint64(now.UnixNano()) + uint64(i)}
		if err := ledger.Bulk(ctx, db, by, cmd, func(made int) { told(done + made) }); err != nil {
			return fmt.Errorf("%s in %s: %w", p.control, p.environment, err)
		}
		done += part
	}
	if err := addRequests(ctx, db); err != nil {
		return err
	}
	for _, table := range []string{"deliveries", "actions", "action_keys", "attempts", "attempt_reports", "lookups", "suppressed_claims", "requests", "decisions"} {
		if _, err := db.Pool.Exec(ctx, "analyze "+table); err != nil {
			return err
		}
	}
	return home.RefreshFigures(ctx, db, bulkDays)
}

// addRequests makes a rejected replay request for every tenth made-up action that
// failed or whose result nobody knows, and has none.
func addRequests(ctx context.Context, db *models.DB) error {
	_, err := db.Pool.Exec(ctx, `with asked as (
			insert into requests (action_id, workflow_id, environment_id, control_id, state, reason, uncertain, policy_id, asked_by, asked_at, next_at, closed_at, version)
			select a.id, a.workflow_id, a.environment_id, a.control_id, 'rejected', 'Made-up history.', 'Whether the task was created.', v.id, i.id, a.changed_at + interval '1 hour', a.changed_at + interval '2 hours', a.changed_at + interval '3 hours', 2
			from actions a join workflows w on w.id = a.workflow_id join escalation_policies p on p.id = w.escalation_policy_id
			join policy_versions v on v.policy_id = p.id and v.number = p.latest join people i on i.email = 'implementer@example.test'
			where a.state in ('unknown','failed') and a.id % 10 = 0 and a.record_id like 'request-load-%' and not exists (select 1 from requests r where r.action_id = a.id)
			returning id, closed_at)
		insert into decisions (request_id, decision, note, level, person_id, at)
		select asked.id, 'reject', 'Settled by hand at the destination.', 1, p.id, asked.closed_at from asked join people p on p.email = 'approver@example.test'`)
	return err
}
