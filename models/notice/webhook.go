package notice

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// Webhook is an address of another system that is told events, signed as
// Standard Webhooks say.
type Webhook struct {
	ID            int64
	Name          string
	URL           string     // may hold a secret of the receiver: for administrators only, and not in the audit log
	Events        []Event    `gorm:"-"`
	PreviousUntil *time.Time // signed with the previous secret too until then
	DisabledAt    *time.Time
	CreatedBy     string // name
	CreatedAt     time.Time
	Version       int64
}

// Wants reports whether the webhook is told of an event.
func (w Webhook) Wants(e Event) bool { return len(w.Events) == 0 || slices.Contains(w.Events, e) }

// WebhookPath is the page that shows a webhook to administrators.
func WebhookPath(id int64) string { return fmt.Sprintf("/admin/webhooks/%d", id) }

func (w Webhook) object() models.Object {
	return models.Object{Type: "webhook", ID: w.ID, Label: w.Name, Path: WebhookPath(w.ID)}
}

func webhookObject(id int64) models.Object {
	return models.Object{Type: "webhook", ID: id, Label: fmt.Sprintf("webhook %d", id), Path: WebhookPath(id)}
}

const webhookColumns = `select w.id, w.name, w.url, array_to_string(w.events, ',') as event_list, w.secret, w.previous_secret, w.previous_until,
	w.disabled_at, p.name as created_by, w.created_at, w.version from webhooks w join people p on p.id = w.created_by `

type webhookRow struct {
	Webhook                           `gorm:"embedded"`
	EventList, Secret, PreviousSecret string
}

func (r webhookRow) webhook() Webhook {
	for _, e := range strings.FieldsFunc(r.EventList, func(c rune) bool { return c == ',' }) {
		r.Events = append(r.Events, Event(e))
	}
	return r.Webhook
}

// Webhooks lists every webhook by name. Forbidden by MayManage.
func Webhooks(ctx context.Context, db *models.DB, by models.Actor, at string) (models.Page[Webhook], error) {
	if err := MayManage(by); err != nil {
		return models.Page[Webhook]{}, err
	}
	q := db.Query(ctx).Table("webhooks w").Joins("join people p on p.id = w.created_by").
		Select("w.id, w.name, w.url, array_to_string(w.events, ',') as event_list, w.previous_until, w.disabled_at, p.name as created_by, w.created_at, w.version")
	page, err := models.Keyset(q, at, models.PageSize, models.Order{Columns: []string{"w.name", "w.id"}}, func(r webhookRow) []any { return []any{r.Name, r.ID} })
	out := models.Page[Webhook]{Next: page.Next, Prev: page.Prev}
	for _, r := range page.Items {
		out.Items = append(out.Items, r.webhook())
	}
	return out, err
}

// ShowWebhook returns one webhook. Forbidden by MayManage, NotFound.
func ShowWebhook(ctx context.Context, db *models.DB, by models.Actor, id int64) (Webhook, error) {
	r, err := webhookFor(ctx, db, by, id)
	return r.webhook(), err
}

// WebhookSecret returns the secret, to be shown once after it was made.
// Forbidden by MayManage, NotFound.
func WebhookSecret(ctx context.Context, db *models.DB, by models.Actor, id int64) (string, error) {
	r, err := webhookFor(ctx, db, by, id)
	return r.Secret, err
}

func webhookFor(ctx context.Context, db *models.DB, by models.Actor, id int64) (r webhookRow, err error) {
	if err := MayManage(by); err != nil {
		return r, err
	}
	q := db.Query(ctx).Raw(webhookColumns+"where w.id = ?", id).Scan(&r)
	if q.Error == nil && q.RowsAffected == 0 {
		return r, errNoWebhook()
	}
	return r, models.Classify(q.Error)
}

// lockWebhook authorises a command and holds the webhook until it ends.
func lockWebhook(tx *models.Tx, id int64) (r webhookRow, err error) {
	if err := MayManage(tx.By); err != nil {
		return r, err
	}
	q := tx.Raw(webhookColumns+"where w.id = ? for update of w", id).Scan(&r)
	if q.Error == nil && q.RowsAffected == 0 {
		return r, errNoWebhook()
	}
	r.Webhook = r.webhook()
	return r, q.Error
}

func errNoWebhook() error { return models.NotFoundf("There is no such webhook.") }

// newSecret is 32 random bytes as Standard Webhooks write them.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}

// host is what the audit log keeps of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
