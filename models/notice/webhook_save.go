package notice

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/models"
)

// WebhookForm is what is typed about a webhook.
type WebhookForm struct {
	Name   string
	URL    string
	Events []Event // none: every event
}

// clean checks the form; insecure allows http, for receivers on a private network.
func (f *WebhookForm) clean(insecure bool) error {
	f.Name, f.URL = models.Clean(f.Name), models.Clean(f.URL)
	var c models.Check
	c.Required("name", f.Name, 200, "Enter a name, such as the system that is told.")
	c.Line("name", f.Name, 200)
	u, err := url.Parse(f.URL)
	switch {
	case f.URL == "":
		c.Add("url", "Enter the address that is told.")
	case err != nil || u.Hostname() == "" || len(f.URL) > 2000 || (u.Scheme != "https" && u.Scheme != "http"):
		c.Add("url", "Enter a web address that starts with https://")
	case u.Scheme == "http" && !insecure:
		c.Add("url", "Enter an address that starts with https://. Without it others could read what is sent.")
	case u.User != nil:
		c.Add("url", "Remove the user name and password. The signature says who sends.")
	default:
		c.Line("url", f.URL, 2000)
	}
	var events []Event
	for _, e := range Events() {
		if slices.Contains(f.Events, e) {
			events = append(events, e)
		}
	}
	for _, e := range f.Events {
		if e.group() == nil {
			c.Add("events", "Choose from the events on this page.")
			break
		}
	}
	f.Events = events
	return c.Err()
}

func (f WebhookForm) eventList() string {
	var all []string
	for _, e := range f.Events {
		all = append(all, string(e))
	}
	return strings.Join(all, ",")
}

func (f WebhookForm) audited() map[string]any {
	return map[string]any{"name": f.Name, "host": host(f.URL), "events": f.Events}
}

// AddWebhookCmd makes a webhook. Insecure allows an http address.
type AddWebhookCmd struct {
	models.Once
	WebhookForm
	Insecure bool
}

// AddWebhook answers with its id; WebhookSecret has the secret. Forbidden by
// MayManage; Invalid fields: name, url, events.
func AddWebhook(ctx context.Context, db *models.DB, by models.Actor, cmd AddWebhookCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		if err := MayManage(by); err != nil {
			return 0, err
		}
		f := cmd.WebhookForm
		if err := f.clean(cmd.Insecure); err != nil {
			return 0, err
		}
		w := Webhook{Name: f.Name}
		err := tx.Raw(`insert into webhooks (name, url, events, secret, created_by, created_at)
			values (?, ?, string_to_array(?, ','), ?, ?, ?) returning id`, f.Name, f.URL, f.eventList(), newSecret(), by.ID, tx.Now).Row().Scan(&w.ID)
		tx.Audit("webhook.added", w.object(), nil, f.audited())
		return w.ID, err
	})
}

// EditWebhookCmd changes a webhook.
type EditWebhookCmd struct {
	models.Once
	WebhookForm
	ID, Version int64
	Insecure    bool
}

// Object names what the command is about when it is refused.
func (c EditWebhookCmd) Object() models.Object { return webhookObject(c.ID) }

// EditWebhook saves the form; what is waiting goes to the new address. Conflict
// when somebody else changed the webhook meanwhile.
func EditWebhook(ctx context.Context, db *models.DB, by models.Actor, cmd EditWebhookCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		was, err := lockWebhook(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		f := cmd.WebhookForm
		if err := f.clean(cmd.Insecure); err != nil {
			return 0, err
		}
		r := tx.Exec("update webhooks set name = ?, url = ?, events = string_to_array(?, ','), version = version + 1 where id = ? and version = ?",
			f.Name, f.URL, f.eventList(), was.ID, cmd.Version)
		if r.Error == nil && r.RowsAffected != 1 {
			return 0, models.Conflictf("Somebody else changed this webhook since you opened the page. Look at what is there now, then save again.")
		}
		tx.Audit("webhook.changed", was.object(), WebhookForm{was.Name, was.URL, was.Events}.audited(), f.audited())
		return was.ID, r.Error
	})
}

// RotateCmd makes a new secret. Both sign for Hours more; 0 ends the old one now.
type RotateCmd struct {
	models.Once
	ID, Version int64
	Hours       int
}

// Object names what the command is about when it is refused.
func (c RotateCmd) Object() models.Object { return webhookObject(c.ID) }

// OverlapHours are the choices for how long an old secret goes on, in hours.
var OverlapHours = []int{24, 24 * 7, 0}

// RotateSecret makes a new secret, which WebhookSecret has. Messages carry the
// signatures of the new and the old one while they overlap; a secret that was
// the old one before ends at once. Conflict when the webhook changed meanwhile.
func RotateSecret(ctx context.Context, db *models.DB, by models.Actor, cmd RotateCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		w, err := lockWebhook(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		if !slices.Contains(OverlapHours, cmd.Hours) {
			return 0, models.Invalid("hours", "Choose how long the old secret goes on.")
		}
		previous, until := "", (*time.Time)(nil)
		if cmd.Hours > 0 {
			at := tx.Now.Add(time.Duration(cmd.Hours) * time.Hour)
			previous, until = w.Secret, &at
		}
		r := tx.Exec("update webhooks set secret = ?, previous_secret = ?, previous_until = ?, version = version + 1 where id = ? and version = ?",
			newSecret(), previous, until, w.ID, cmd.Version)
		if r.Error == nil && r.RowsAffected != 1 {
			return 0, models.Conflictf("Somebody else changed this webhook since you opened the page. Look at what is there now, then decide again.")
		}
		tx.Audit("webhook.secret_rotated", w.object(), nil, map[string]any{"old_secret_until": until})
		return w.ID, r.Error
	})
}

// SwitchWebhookCmd disables a webhook, or enables it again.
type SwitchWebhookCmd struct {
	models.Once
	ID      int64
	Disable bool
}

// Object names what the command is about when it is refused.
func (c SwitchWebhookCmd) Object() models.Object { return webhookObject(c.ID) }

// SwitchWebhook stops telling the address anything, or goes on; what was
// waiting when it was disabled is held and can be sent by hand later. Conflict
// when it is so already.
func SwitchWebhook(ctx context.Context, db *models.DB, by models.Actor, cmd SwitchWebhookCmd) (int64, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (int64, error) {
		w, err := lockWebhook(tx, cmd.ID)
		if err != nil {
			return 0, err
		}
		switch {
		case cmd.Disable && w.DisabledAt != nil:
			return 0, models.Conflictf("This webhook is disabled already.")
		case !cmd.Disable && w.DisabledAt == nil:
			return 0, models.Conflictf("This webhook is enabled already.")
		}
		if !cmd.Disable {
			tx.Audit("webhook.enabled", w.object(), nil, nil)
			return w.ID, tx.Exec("update webhooks set disabled_at = null, version = version + 1 where id = ?", w.ID).Error
		}
		tx.Audit("webhook.disabled", w.object(), nil, nil)
		if err := tx.Exec("update webhook_deliveries set state = 'held' where webhook_id = ? and state = 'waiting'", w.ID).Error; err != nil {
			return 0, err
		}
		return w.ID, tx.Exec("update webhooks set disabled_at = ?, version = version + 1 where id = ?", tx.Now, w.ID).Error
	})
}
