package notice_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/notice"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is another system's server; it answers with the codes in turn, the
// last one for ever.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	codes  []int
	header []http.Header
	bodies []string
	reply  string
	extra  http.Header
}

func newReceiver(t testing.TB, codes ...int) *receiver {
	t.Helper()
	r := &receiver{codes: codes, reply: "ok"}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.header, r.bodies = append(r.header, q.Header), append(r.bodies, string(body))
	code := r.codes[min(len(r.bodies), len(r.codes))-1]
	for k, v := range r.extra {
		w.Header()[k] = v
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, r.reply)
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

func (r *receiver) verify(i int, secret string) error {
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return key.Verify([]byte(r.bodies[i]), r.header[i])
}

var local = notice.Caller{BaseURL: "https://countersign.example.test", Private: true, Timeout: 2 * time.Second}

func (w world) webhook(admin models.Actor, address string, events ...notice.Event) int64 {
	w.Helper()
	id, err := notice.AddWebhook(w.Context(), w.db, admin, notice.AddWebhookCmd{WebhookForm: notice.WebhookForm{Name: "Chat", URL: address, Events: events}, Insecure: true})
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func (w world) secret(admin models.Actor, id int64) string {
	w.Helper()
	s, err := notice.WebhookSecret(w.Context(), w.db, admin, id)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// deliver attempts each delivery that is waiting once.
func (w world) deliver(by notice.Caller, last bool) (failed int) {
	w.Helper()
	var jobs []notice.WebhookJob
	if err := w.db.Query(w.Context()).Raw("select id, round from webhook_deliveries where state = 'waiting' order by id").Scan(&jobs).Error; err != nil {
		w.Fatal(err)
	}
	for _, j := range jobs {
		if err := notice.Deliver(w.Context(), w.db, by, j, last); err != nil {
			failed++
		}
	}
	return failed
}

func (w world) deliveries() string {
	w.Helper()
	return w.text("select string_agg(state || ' ' || attempts || ' ' || coalesce(last_status, 0), ', ' order by id) from webhook_deliveries")
}

func TestAReceiverThatFailsAndThenTakesIt(t *testing.T) {
	w := newWorld(t)
	admin := w.person("Admin", models.Admin)
	r := newReceiver(t, 500, 200)
	id := w.webhook(admin, r.URL)
	w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 3")
	if w.deliver(local, false) != 1 {
		t.Error("an answer of 500 was taken for a delivery")
	}
	w.wants(w.deliveries(), "waiting 1 500")
	if w.deliver(local, false) != 0 {
		t.Error("an answer of 200 was not taken")
	}
	w.wants(w.deliveries(), "delivered 2 200")
	w.deliver(local, false)
	if r.count() != 2 || r.header[0].Get("webhook-id") != r.header[1].Get("webhook-id") || r.bodies[0] != r.bodies[1] {
		t.Errorf("%d calls, not the same message twice", r.count())
	}
	for i := range 2 {
		if err := r.verify(i, w.secret(admin, id)); err != nil {
			t.Error(err)
		}
	}
	if r.verify(0, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") == nil {
		t.Error("any secret verifies")
	}
	var body struct {
		Type      string
		Timestamp time.Time
		Data      map[string]string
	}
	if err := json.Unmarshal([]byte(r.bodies[0]), &body); err != nil || body.Type != "signature.wanted" || body.Timestamp.IsZero() ||
		body.Data["title"] != "Sign revision 3" || body.Data["url"] != "https://countersign.example.test/controls/a/sign-off" {
		t.Errorf("%s %v", r.bodies[0], err)
	}
}

func TestResendingByHand(t *testing.T) {
	w := newWorld(t)
	admin, viewer := w.person("Admin", models.Admin), w.person("Viewer", models.Viewer)
	r := newReceiver(t, 500, 500, 200)
	id := w.webhook(admin, r.URL)
	w.mustTell(models.Actor{}, notice.SignatureWanted, "revision 3")
	w.deliver(local, false)
	first := notice.WebhookJob{ID: 1, Round: 1}
	resend := func(by models.Actor) error {
		_, err := notice.Resend(t.Context(), w.db, by, notice.ResendCmd{Webhook: id, ID: 1})
		return err
	}
	if err := resend(viewer); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	if err := resend(admin); err != nil {
		t.Fatal(err)
	}
	w.wants(w.text("select count(*) from river_job where kind = 'webhook' and args->>'round' = '2'"), "1")
	if err := notice.Deliver(t.Context(), w.db, local, first, false); err != nil || r.count() != 1 {
		t.Errorf("the attempts before the resend go on: %v, %d calls", err, r.count())
	}
	w.deliver(local, true)
	w.wants(w.deliveries(), "failed 2 500")
	if err := resend(admin); err != nil {
		t.Fatal(err)
	}
	w.deliver(local, false)
	w.wants(w.deliveries(), "delivered 3 200")
	if r.header[0].Get("webhook-id") != r.header[2].Get("webhook-id") {
		t.Error("a resend has another webhook-id")
	}
	if err := resend(admin); err != nil { // the receiver lost it
		t.Error(err)
	}
	if _, err := notice.Resend(t.Context(), w.db, admin, notice.ResendCmd{Webhook: id, ID: 99}); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
	w.wants(w.text("select count(*) from audit_events where action = 'webhook.resent'"), "3")
}

func TestTwoSecretsOverlap(t *testing.T) {
	w := newWorld(t)
	admin := w.person("Admin", models.Admin)
	r := newReceiver(t, 200)
	id := w.webhook(admin, r.URL)
	old := w.secret(admin, id)
	rotate := func(version int64, hours int) error {
		_, err := notice.RotateSecret(t.Context(), w.db, admin, notice.RotateCmd{ID: id, Version: version, Hours: hours})
		return err
	}
	if err := rotate(1, 24); err != nil {
		t.Fatal(err)
	}
	if err := rotate(1, 24); !models.IsKind(err, models.KindConflict) {
		t.Errorf("rotated over what somebody else did: %v", err)
	}
	if err := rotate(2, 5); !models.IsKind(err, models.KindInvalid) {
		t.Error(err)
	}
	told := 0
	check := func(name string, secret string, ok bool) {
		t.Helper()
		if (r.verify(told-1, secret) == nil) != ok {
			t.Errorf("%s: verifies %v, want %v", name, !ok, ok)
		}
	}
	tell := func() {
		told++
		w.mustTell(models.Actor{}, notice.SignatureWanted, strings.Repeat("x", told))
		w.deliver(local, false)
	}
	tell()
	current := w.secret(admin, id)
	check("new", current, true)
	check("old", old, true)
	w.exec("update webhooks set previous_until = now() - interval '1 second'")
	tell()
	check("new", current, true)
	check("old, past its time", old, false)
	if err := rotate(2, 0); err != nil {
		t.Fatal(err)
	}
	tell()
	check("ended at once", current, false)
	check("newest", w.secret(admin, id), true)
	if log := w.text("select string_agg(coalesce(before::text, '') || coalesce(after::text, ''), ' ') from audit_events"); strings.Contains(log, "whsec") || strings.Contains(log, r.URL) {
		t.Errorf("the audit log holds a secret: %s", log)
	}
	if kept := w.text("select string_agg(answer::text, ' ') from submissions"); strings.Contains(kept, "whsec") {
		t.Error("a kept answer holds a secret")
	}
}

func TestOnlyTheEventsWantedAreSent(t *testing.T) {
	w := newWorld(t)
	admin, owner := w.person("Admin", models.Admin), w.person("Owner", models.BusinessOwner)
	r := newReceiver(t, 200)
	w.webhook(admin, r.URL+"/some", notice.WorkflowStopped, notice.ReplayRequested)
	every := w.webhook(admin, r.URL+"/every")
	w.mustTell(owner, notice.WorkflowStopped, "stop 1", owner.ID)
	w.mustTell(owner, notice.SignatureWanted, "revision 1", owner.ID)
	w.wants(w.told(), "") // their own act, and yet other systems hear of it
	w.wants(w.text("select string_agg(webhook_id::text, ' ' order by webhook_id) from webhook_deliveries"), "1 2 2")
	if _, err := notice.SwitchWebhook(t.Context(), w.db, admin, notice.SwitchWebhookCmd{ID: every, Disable: true}); err != nil {
		t.Fatal(err)
	}
	w.mustTell(owner, notice.RunToReview, "run 1")
	w.deliver(local, false)
	w.wants(w.deliveries(), "delivered 1 200, held 0 0, held 0 0")
	if _, err := notice.Resend(t.Context(), w.db, admin, notice.ResendCmd{Webhook: every, ID: 2}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("sent to a disabled webhook: %v", err)
	}
	if _, err := notice.SwitchWebhook(t.Context(), w.db, admin, notice.SwitchWebhookCmd{ID: every, Disable: true}); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
	if _, err := notice.SwitchWebhook(t.Context(), w.db, admin, notice.SwitchWebhookCmd{ID: every}); err != nil {
		t.Fatal(err)
	}
	if _, err := notice.Resend(t.Context(), w.db, admin, notice.ResendCmd{Webhook: every, ID: 2}); err != nil {
		t.Error(err)
	}
}

func TestWhatAReceiverCannotDo(t *testing.T) {
	w := newWorld(t)
	admin := w.person("Admin", models.Admin)
	secret := newReceiver(t, 200) // what a redirect must not reach
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	redirects := newReceiver(t, 307)
	redirects.extra = http.Header{"Location": {secret.URL}}
	huge := newReceiver(t, 500)
	huge.reply = strings.Repeat("é\x00", 1<<20)
	for name, c := range map[string]struct {
		url, says string
	}{
		"redirect elsewhere":    {redirects.URL, "The receiver answered 307."},
		"answer without an end": {huge.URL, "The receiver answered 500."},
		"never answer":          {"http://" + silent.Addr().String(), "The receiver did not answer in time."},
		"be nowhere":            {"http://127.0.0.1:1/token-of-the-receiver", "Dial tcp 127.0.0.1:1: connect: connection refused."},
	} {
		t.Run(name, func(t *testing.T) {
			w.exec("delete from webhook_deliveries")
			w.exec("delete from webhooks")
			w := world{t, w.db}
			w.webhook(admin, c.url)
			w.mustTell(models.Actor{}, notice.SignatureWanted, name)
			quick := local
			quick.Timeout = 300 * time.Millisecond
			if w.deliver(quick, false) != 1 {
				t.Error("taken for a delivery")
			}
			w.wants(w.text("select state || ' ' || last_error from webhook_deliveries"), "waiting "+c.says)
		})
	}
	if secret.count() != 0 {
		t.Error("a redirect was followed")
	}
	if n := len(w.text("select max(last_reply) from webhook_deliveries")); n > 1000 {
		t.Errorf("%d bytes of the answer were kept", n)
	}
}

func TestWebhooksStayOutOfPrivateNetworks(t *testing.T) {
	w := newWorld(t)
	admin := w.person("Admin", models.Admin)
	r := newReceiver(t, 200)
	_, port, _ := net.SplitHostPort(r.Listener.Addr().String())
	safe := local
	safe.Private = false
	for _, h := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255", "198.18.0.1", "[::]", "[::127.0.0.1]"} {
		w.exec("delete from webhook_deliveries")
		w.exec("delete from webhooks")
		w.webhook(admin, "http://"+h+":"+port)
		w.mustTell(models.Actor{}, notice.SignatureWanted, h)
		if w.deliver(safe, false) != 0 {
			t.Errorf("%s: tried again", h)
		}
		if got := w.deliveries(); got != "failed 1 0" {
			t.Errorf("%s: %s %s", h, got, w.text("select last_error from webhook_deliveries"))
		}
	}
	if r.count() != 0 {
		t.Fatal("a private address was called")
	}
	if w.deliver(local, false); r.count() != 0 {
		t.Error("a refusal is tried again")
	}
}

func TestTheFormOfAWebhook(t *testing.T) {
	w := newWorld(t)
	admin, owner := w.person("Admin", models.Admin), w.person("Owner", models.BusinessOwner)
	add := func(by models.Actor, f notice.WebhookForm, insecure bool) error {
		_, err := notice.AddWebhook(t.Context(), w.db, by, notice.AddWebhookCmd{WebhookForm: f, Insecure: insecure})
		return err
	}
	for field, f := range map[string]notice.WebhookForm{
		"name":   {Name: " ", URL: "https://hooks.example.test/"},
		"url":    {Name: "Chat"},
		"events": {Name: "Chat", URL: "https://hooks.example.test/", Events: []notice.Event{"other"}},
	} {
		if err := add(admin, f, false); models.AsError(err).Field(field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, bad := range []string{"http://hooks.example.test/", "ftp://hooks.example.test", "hooks.example.test", "https://user:secret@hooks.example.test/", "https:///path", "javascript:alert(1)", "https://hooks.example.test/\x00"} {
		if err := add(admin, notice.WebhookForm{Name: "Chat", URL: bad}, false); models.AsError(err).Field("url") == "" {
			t.Errorf("%q was taken: %v", bad, err)
		}
	}
	if err := add(owner, notice.WebhookForm{Name: "Chat", URL: "https://hooks.example.test/"}, false); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	w.wants(w.text("select count(*) from webhooks"), "0")
	if err := add(admin, notice.WebhookForm{Name: "Chat", URL: "http://10.0.0.1/"}, true); err != nil {
		t.Error(err)
	}
	edit := func(version int64, name string) error {
		_, err := notice.EditWebhook(t.Context(), w.db, admin, notice.EditWebhookCmd{ID: 1, Version: version, WebhookForm: notice.WebhookForm{Name: name, URL: "https://other.example.test/token"}})
		return err
	}
	if err := edit(1, "Other"); err != nil {
		t.Fatal(err)
	}
	if err := edit(1, "Mine"); !models.IsKind(err, models.KindConflict) {
		t.Errorf("an older form overwrote a newer one: %v", err)
	}
	w.wants(w.text("select name || ' ' || version from webhooks"), "Other 2")
	w.wants(w.text("select after->>'host' from audit_events where action = 'webhook.changed'"), "other.example.test")
	for name, run := range map[string]func(models.Actor) error{
		"list":   func(by models.Actor) error { _, err := notice.Webhooks(t.Context(), w.db, by, ""); return err },
		"show":   func(by models.Actor) error { _, err := notice.ShowWebhook(t.Context(), w.db, by, 1); return err },
		"secret": func(by models.Actor) error { _, err := notice.WebhookSecret(t.Context(), w.db, by, 1); return err },
		"log":    func(by models.Actor) error { _, err := notice.Deliveries(t.Context(), w.db, by, 1, "", ""); return err },
		"mail":   func(by models.Actor) error { _, err := notice.Mails(t.Context(), w.db, by, "", ""); return err },
		"rotate": func(by models.Actor) error {
			now, err := notice.ShowWebhook(t.Context(), w.db, admin, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, err = notice.RotateSecret(t.Context(), w.db, by, notice.RotateCmd{ID: 1, Version: now.Version})
			return err
		},
		"switch": func(by models.Actor) error {
			_, err := notice.SwitchWebhook(t.Context(), w.db, by, notice.SwitchWebhookCmd{ID: 1, Disable: true})
			return err
		},
		"test": func(by models.Actor) error {
			_, err := notice.SendTest(t.Context(), w.db, by, notice.SendTestCmd{})
			return err
		},
	} {
		for _, role := range models.Roles {
			by := admin
			by.Roles = []models.Role{role}
			if err := run(by); (role == models.Admin) != (err == nil) || role != models.Admin && !models.IsKind(err, models.KindForbidden) {
				t.Errorf("%s by %s: %v", name, role, err)
			}
		}
	}
}
