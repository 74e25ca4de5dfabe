package notice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/models"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Caller is how webhooks are called.
type Caller struct {
	BaseURL string // where links in messages lead
	Private bool   // loopback and private addresses may be called, and http is enough
	Timeout time.Duration
}

// replyLimit is how much of an answer is read, in bytes.
const replyLimit = 4 << 10

// WebhookDelays are the waits between the attempts at one delivery, as Standard
// Webhooks propose them.
var WebhookDelays = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// due is a delivery about to be attempted.
type due struct {
	URL, Secret, PreviousSecret string
	PreviousUntil               *time.Time
	MessageID, Event            string
	Title, Text, Path           string
	At, Now                     time.Time
}

// answer is what came of one attempt.
type answer struct {
	status int // 0: none
	reply  string
	err    error
}

// Deliver makes one attempt at a delivery and keeps what came of it. An error
// means: try again, unless this was the last attempt. Only an answer of 200 to
// 299 counts as delivered. When the server is killed before that is kept, the
// message is sent once more, with the same webhook-id.
func Deliver(ctx context.Context, db *models.DB, by Caller, job WebhookJob, last bool) error {
	var d due
	q := db.Query(ctx).Raw(`select w.url, w.secret, w.previous_secret, w.previous_until, m.webhook_id as message_id, m.event, m.title, m.text, m.path, m.at, now() as now
		from webhook_deliveries d join webhooks w on w.id = d.webhook_id join webhook_messages m on m.id = d.message_id
		where d.id = ? and d.round = ? and d.state = 'waiting' and w.disabled_at is null`, job.ID, job.Round).Scan(&d)
	if q.Error != nil || q.RowsAffected == 0 {
		return models.Classify(q.Error)
	}
	a := by.call(ctx, d)
	var never refusedAddress
	state := "waiting"
	switch {
	case a.err == nil:
		state = "delivered"
	case last || errors.As(a.err, &never):
		state = "failed"
	}
	if err := keepDelivery(ctx, db, job, state, a); err != nil {
		return errors.Join(a.err, err)
	}
	if errors.As(a.err, &never) {
		return nil
	}
	return a.err
}

// keepDelivery notes an attempt; also when the server is about to stop. What was
// sent again by hand meanwhile is left alone.
func keepDelivery(ctx context.Context, db *models.DB, job WebhookJob, state string, a answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	problem := ""
	if a.err != nil {
		problem = sentence(a.err.Error())
	}
	return models.Classify(db.Query(ctx).Exec(`update webhook_deliveries set state = case when state = 'held' and ?::text = 'waiting' then 'held' else ?::text end,
		attempts = attempts + 1, last_status = nullif(?::int, 0), last_error = ?, last_reply = ?, tried_at = now(),
		delivered_at = case when ?::text = 'delivered' then now() end where id = ? and round = ?`,
		state, state, a.status, problem, a.reply, state, job.ID, job.Round).Error)
}

// payload is the body of a message.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		Title string `json:"title"`
		Text  string `json:"text"`
		URL   string `json:"url"`
	} `json:"data"`
}

// call posts the message, signed.
func (c Caller) call(ctx context.Context, d due) (a answer) {
	p := payload{Type: d.Event, Timestamp: d.At.UTC()}
	p.Data.Title, p.Data.Text, p.Data.URL = d.Title, d.Text, strings.TrimRight(c.BaseURL, "/")+d.Path
	body, err := json.Marshal(p)
	if err != nil {
		return answer{err: err}
	}
	signatures, err := d.sign(body)
	if err != nil {
		return answer{err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return answer{err: errors.New("the address is not readable")}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Countersign")
	r.Header.Set(standardwebhooks.HeaderWebhookID, d.MessageID)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(d.Now.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signatures)
	res, err := c.client().Do(r)
	if err != nil {
		return answer{err: withoutURL(err)}
	}
	defer res.Body.Close()
	reply, _ := io.ReadAll(io.LimitReader(res.Body, replyLimit))
	a = answer{status: res.StatusCode, reply: clip(string(reply), 500)}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		a.err = fmt.Errorf("the receiver answered %d", res.StatusCode)
	}
	return a
}

// sign is the signature by the secret, and by the one before it while they overlap.
func (d due) sign(body []byte) (string, error) {
	secrets := []string{d.Secret}
	if d.PreviousUntil != nil && d.Now.Before(*d.PreviousUntil) {
		secrets = append(secrets, d.PreviousSecret)
	}
	var all []string
	for _, s := range secrets {
		key, err := standardwebhooks.NewWebhook(s)
		if err != nil {
			return "", err
		}
		one, err := key.Sign(d.MessageID, d.Now, body)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, " "), nil
}

// client follows no redirect, uses no proxy (it would connect for us, past the
// check of the address) and gives up after the timeout.
func (c Caller) client() *http.Client {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = 15 * time.Second
	}
	dialer := &net.Dialer{Timeout: timeout}
	if !c.Private {
		dialer.Control = onlyPublic
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, TLSHandshakeTimeout: timeout, MaxResponseHeaderBytes: 16 << 10},
	}
}

// withoutURL is the error without the address, which can hold a secret.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		if e.Timeout() {
			return errors.New("the receiver did not answer in time")
		}
		return e.Err
	}
	return err
}
