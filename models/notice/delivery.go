package notice

import (
	"context"
	"fmt"
	"time"

	"countersign/models"
)

// Delivery is one message to one webhook, with what came of it so far.
type Delivery struct {
	ID          int64
	MessageID   string // the webhook-id header, the same in every attempt
	Event       Event
	Title       string
	State       string // waiting, delivered, failed or held
	Attempts    int
	LastStatus  *int // the receiver's last answer; nil: none yet
	LastError   string
	LastReply   string // the start of the answer's body
	CreatedAt   time.Time
	TriedAt     *time.Time
	DeliveredAt *time.Time
}

// Deliveries returns a page of what was sent to a webhook, newest first, of one
// state or of any (""). Forbidden by MayManage.
func Deliveries(ctx context.Context, db *models.DB, by models.Actor, webhook int64, state, at string) (models.Page[Delivery], error) {
	if err := MayManage(by); err != nil {
		return models.Page[Delivery]{}, err
	}
	q := db.Query(ctx).Table("webhook_deliveries d").Joins("join webhook_messages m on m.id = d.message_id").Where("d.webhook_id = ?", webhook).
		Select("d.id, m.webhook_id as message_id, m.event, m.title, d.state, d.attempts, d.last_status, d.last_error, d.last_reply, d.created_at, d.tried_at, d.delivered_at")
	if state != "" {
		q = q.Where("d.state = ?", state)
	}
	return models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"d.id"}, Desc: true}, func(d Delivery) []any { return []any{d.ID} })
}

// ResendCmd sends a delivery again by hand.
type ResendCmd struct {
	models.Once
	Webhook, ID int64
}

// Object names what the command is about when it is refused.
func (c ResendCmd) Object() models.Object { return webhookObject(c.Webhook) }

// Resend starts the attempts over with the same webhook-id, so that the
// receiver can tell a repeat. Attempts that were still to come are dropped.
// Conflict while the webhook is disabled.
func Resend(ctx context.Context, db *models.DB, by models.Actor, cmd ResendCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		w, err := lockWebhook(tx, cmd.Webhook)
		if err != nil {
			return 0, err
		}
		if w.DisabledAt != nil {
			return 0, models.Conflictf("This webhook is disabled. Enable it first.")
		}
		var round int
		q := tx.Raw(`update webhook_deliveries set state = 'waiting', round = round + 1, delivered_at = null
			where id = ? and webhook_id = ? returning round`, cmd.ID, w.ID).Scan(&round)
		if q.Error != nil {
			return 0, q.Error
		}
		if q.RowsAffected == 0 {
			return 0, models.NotFoundf("There is no such delivery.")
		}
		tx.Audit("webhook.resent", w.object(), nil, map[string]any{"delivery": fmt.Sprint(cmd.ID)})
		return cmd.ID, tx.Enqueue(WebhookJob{cmd.ID, round})
	})
}

// TestWebhookCmd sends a test message to one webhook.
type TestWebhookCmd struct {
	models.Once
	ID int64
}

// Object names what the command is about when it is refused.
func (c TestWebhookCmd) Object() models.Object { return webhookObject(c.ID) }

// TestEvent is the type of a test message; nobody else is told of it.
const TestEvent Event = "webhook.test"

// TestWebhook answers with the delivery's id. Conflict while it is disabled.
func TestWebhook(ctx context.Context, db *models.DB, by models.Actor, cmd TestWebhookCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		w, err := lockWebhook(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		if w.DisabledAt != nil {
			return 0, models.Conflictf("This webhook is disabled. Enable it first.")
		}
		tx.Audit("webhook.tested", w.object(), nil, nil)
		words := Words{Title: "Test message from Countersign", Text: "Messages reach this address."}
		message, err := newMessage(tx, TestEvent, words, WebhookPath(w.ID), randomHex(16))
		if err != nil {
			return 0, err
		}
		return newDelivery(tx, w.ID, message)
	})
}
