package notice

import (
	"context"
	"fmt"

	"countersign/models"
	"countersign/models/retention"
)

// pruneMost is how many rows of a kind one run removes.
const pruneMost = 10_000

// Prune removes what was read from the inboxes, and what was delivered from the
// lists of e-mails and webhooks, once the workspace's days for that are over. What
// is unread, or was not delivered, stays. Safe on several servers at once; what one
// run leaves, the next removes.
func Prune(ctx context.Context, db *models.DB) error {
	rules, err := retention.Of(db.Query(ctx))
	if err != nil {
		return err
	}
	old := fmt.Sprintf("now() - interval '%d days'", rules.NoticeDays)
	for _, sql := range []string{
		"delete from notices where id in (select id from notices where read_at < " + old + " and (mail_id is null or mail_id in (select id from mails where state <> 'waiting')) order by id limit %d)",
		"delete from mails where id in (select m.id from mails m where m.state in ('sent', 'skipped') and m.created_at < " + old + " and not exists (select from notices n where n.mail_id = m.id) order by m.id limit %d)",
		"delete from webhook_deliveries where id in (select id from webhook_deliveries where state = 'delivered' and delivered_at < " + old + " order by id limit %d)",
		"delete from webhook_messages where id in (select m.id from webhook_messages m where m.at < " + old + " and not exists (select from webhook_deliveries d where d.message_id = m.id) order by m.id limit %d)",
	} {
		if err := db.Query(ctx).Exec(fmt.Sprintf(sql, pruneMost)).Error; err != nil {
			return models.Classify(err)
		}
	}
	return nil
}
