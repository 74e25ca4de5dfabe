package home

import (
	"context"

	"countersign/models"
	"countersign/models/people"
)

// Overview is what an administrator looks after, counted up to Many each.
type Overview struct {
	People, Invited, Inactive          int
	Environments, Unconfirmed          int
	Tokens, Orphaned                   int // Orphaned: active, and whoever made them is not
	Policies                           int
	Webhooks, WebhooksFailed           int // deliveries that failed for good
	MailsFailed, MailsWaiting          int
	WithoutOwner                       int // workflows that name somebody who left
	Payloads, Workflows, PayloadDaysTo int // workflows that keep bodies, of how many, and the longest time
}

// Many is where counting stops.
const Many = 1000

// OverviewOf counts. Forbidden to all but administrators.
func OverviewOf(ctx context.Context, db *models.DB, by models.Actor) (o Overview, err error) {
	if err := people.MayAdminister(by); err != nil {
		return o, err
	}
	err = db.Query(ctx).Raw(`select
		(select count(*) from (select 1 from people where active limit @n) t) as people,
		(select count(*) from (select 1 from people where active and password_hash = '' limit @n) t) as invited,
		(select count(*) from (select 1 from people where not active limit @n) t) as inactive,
		(select count(*) from environments where archived_at is null) as environments,
		(select count(*) from environments where archived_at is null and reach_confirmed_at is null) as unconfirmed,
		(select count(*) from (select 1 from tokens where revoked_at is null limit @n) t) as tokens,
		(select count(*) from (select 1 from tokens k join people p on p.id = k.created_by and not p.active where k.revoked_at is null limit @n) t) as orphaned,
		(select count(*) from escalation_policies where archived_at is null) as policies,
		(select count(*) from webhooks where disabled_at is null) as webhooks,
		(select count(*) from (select 1 from webhook_deliveries where state = 'failed' limit @n) t) as webhooks_failed,
		(select count(*) from (select 1 from mails where state = 'failed' limit @n) t) as mails_failed,
		(select count(*) from (select 1 from mails where state = 'waiting' limit @n) t) as mails_waiting,
		(select count(*) from (select 1 from workflows w where w.archived_at is null and exists (select 1 from people p where p.id in (w.business_owner_id, w.implementer_id, w.reviewer_id) and not p.active) limit @n) t) as without_owner,
		(select count(*) from workflows where archived_at is null) as workflows,
		(select count(*) from workflows where archived_at is null and store_payloads) as payloads,
		(select coalesce(max(payload_days), 0) from workflows where archived_at is null and store_payloads) as payload_days_to`, map[string]any{"n": Many}).Scan(&o).Error
	return o, models.Classify(err)
}
