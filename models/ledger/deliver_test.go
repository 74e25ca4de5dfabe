package ledger_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/ledger"
)

func (w *world) delivery(event, record, version string) ledger.DeliverCmd {
	return ledger.DeliverCmd{Workflow: "service-request", Environment: "sandbox", Sender: "web-form", Event: event, Record: record, Version: version,
		Payload: json.RawMessage(fmt.Sprintf(`{"event_id": %q, "request_id": %q, "approved_version": %q, "sent_at": "now"}`, event, record, version))}
}

func (w *world) delivers(cmd ledger.DeliverCmd) ledger.Delivered {
	w.T.Helper()
	d, err := ledger.Deliver(w.T.Context(), w.DB, w.token(), cmd)
	if err != nil {
		w.T.Fatalf("deliver: %v", err)
	}
	return d
}

func (w *world) deliver(event, record, version string) ledger.Delivered {
	w.T.Helper()
	return w.delivers(w.delivery(event, record, version))
}

func TestDispositionsInTheirOrder(t *testing.T) {
	w := newWorld(t)
	w.Exec("update senders set changing_fields = 'sent_at'")
	first := w.deliver("e-1", "r-1", "1")
	if first.Disposition != ledger.Accepted || first.First != 0 {
		t.Fatalf("%+v", first)
	}
	again := w.delivery("e-1", "r-1", "1")
	again.Payload = json.RawMessage(`{"sent_at": "later", "approved_version": "1", "request_id": "r-1", "event_id": "e-1"}`)
	if d := w.delivers(again); d.Disposition != ledger.Duplicate || d.First != first.Delivery {
		t.Errorf("sent again: %+v", d)
	}
	for name, cmd := range map[string]ledger.DeliverCmd{
		"another record":  w.delivery("e-1", "r-2", "1"),
		"another body":    func() ledger.DeliverCmd { c := again; c.Payload = json.RawMessage(`{"x": 1}`); return c }(),
		"another version": func() ledger.DeliverCmd { c := again; c.Version = "2"; c.Payload = nil; return c }(),
		"no event":        w.delivery(" ", "r-1", "1"),
		"no record":       w.delivery("e-9", "", "1"),
		"no such version": w.delivery("e-8", "r-8", "one"),
	} {
		d := w.delivers(cmd)
		if d.Disposition != ledger.NeedsReview || d.Review == "" || d.Reason == "" {
			t.Errorf("%s: %+v", name, d)
		}
		if e := w.delivers(cmd); e.Review != d.Review || e.Delivery == d.Delivery {
			t.Errorf("%s again: %+v, first %+v", name, e, d)
		}
	}
	if d := w.deliver("e-2", "r-1", "3"); d.Disposition != ledger.Accepted {
		t.Errorf("%+v", d)
	}
	stale := w.deliver("e-3", "r-1", "2")
	if stale.Disposition != ledger.Stale || !strings.Contains(stale.Reason, "older than 3") {
		t.Errorf("%+v", stale)
	}
	if d := w.deliver("e-3", "r-1", "2"); d.Disposition != ledger.Duplicate || d.First != stale.Delivery {
		t.Errorf("a duplicate of a stale one: %+v", d)
	}
	if d := w.deliver("e-4", "r-1", "3"); d.Disposition != ledger.Accepted {
		t.Errorf("the same version is not older: %+v", d)
	}
	if d := w.deliver("e-5", "r-1", ""); d.Disposition != ledger.Accepted {
		t.Errorf("no version: %+v", d)
	}
	if n := w.Count("select count(*) from deliveries where payload is not null"); n != 0 {
		t.Error("a body was kept")
	}
	for _, cmd := range []ledger.DeliverCmd{{Workflow: "x", Environment: "sandbox", Sender: "web-form"}, {Workflow: "service-request", Environment: "x", Sender: "web-form"}, {Workflow: "service-request", Environment: "sandbox", Sender: "x"}} {
		if _, err := ledger.Deliver(t.Context(), w.DB, w.token(), cmd); !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%+v: %v", cmd, err)
		}
	}
	long := w.delivery(strings.Repeat("e", 501), "r", "1")
	if _, err := ledger.Deliver(t.Context(), w.DB, w.token(), long); models.AsError(err).Field("event_id") == "" {
		t.Errorf("too long: %v", err)
	}
}

func TestDeliveryInReviewHoldsItsClaims(t *testing.T) {
	w := newWorld(t)
	w.deliver("e-1", "r-1", "1")
	claim := func(d ledger.Delivered, id string) ledger.ClaimCmd {
		c := w.cmd(id)
		c.Delivery = d.Delivery
		return c
	}
	d := w.deliver("e-1", "r-2", "1") // the same event for another record
	r := w.refused(claim(d, "r-2"), ledger.CodeInReview)
	if r.Review != d.Review {
		t.Errorf("%+v", r)
	}
	w.decides(w.Reviewer, d.Review, ledger.AcceptReview, 0)
	a := w.claims(claim(d, "r-2"))
	if again := w.deliver("e-1", "r-2", "1"); again.Disposition != ledger.Duplicate || again.First != d.Delivery {
		t.Errorf("the same again, decided: %+v", again)
	}
	d = w.deliver("e-1", "r-3", "1")
	w.decides(w.Reviewer, d.Review, ledger.LinkReview, a.Action)
	if r := w.refused(claim(d, "r-3"), ledger.CodeAlready); r.Standing.Action != a.Action {
		t.Errorf("%+v", r.Standing)
	}
	d = w.deliver("e-1", "r-4", "1")
	w.decides(w.Reviewer, d.Review, ledger.DismissReview, 0)
	if r := w.refused(claim(d, "r-4"), ledger.CodeInReview); !strings.Contains(r.Error(), "dismissed") {
		t.Errorf("%v", r)
	}
	d = w.deliver("e-1", "r-5", "7")
	w.decides(w.Reviewer, d.Review, ledger.AcceptReview, 0)
	if d := w.deliver("e-50", "r-5", "6"); d.Disposition != ledger.Stale {
		t.Errorf("a delivery accepted by a person raises the newest version too: %+v", d)
	}
}

func TestADeliverysVersionIsItsClaims(t *testing.T) {
	w := newWorld(t)
	old := w.deliver("e-1", "r-1", "1")
	w.deliver("e-2", "r-1", "2")
	cmd := w.cmd("r-1")
	cmd.Delivery = old.Delivery
	w.refused(cmd, ledger.CodeStaleVersion)
	w.Exec("update senders set version_field = '$.approved_version', version = version + 1")
	cmd = w.cmd("r-1")
	cmd.Input = json.RawMessage(`{"request_id": "r-1", "approved_version": 1}`)
	w.refused(cmd, ledger.CodeStaleVersion)
	cmd.Input = json.RawMessage(`{"request_id": "r-1", "approved_version": "one"}`)
	if a := w.claims(cmd); len(a.Warnings) != 2 || a.Warnings[0].Code != "version_unread" {
		t.Errorf("%+v", a.Warnings)
	}
}

func TestPayloadsAreKeptOnlyWhereSaidAndForAWhile(t *testing.T) {
	w := newWorld(t)
	w.Exec("update workflows set store_payloads = true, payload_days = 7")
	w.deliver("e-1", "r-1", "1")
	if n := w.Count("select count(*) from deliveries where payload is not null and payload_until = (now() at time zone 'UTC')::date + 7"); n != 1 {
		t.Error("not kept")
	}
	remove := func(want int) {
		t.Helper()
		if n, err := ledger.RemovePayloads(t.Context(), w.DB); err != nil || n != want {
			t.Errorf("%d removed, %v; want %d", n, err, want)
		}
	}
	remove(0)
	w.Exec("update workflows set payload_days = 1")
	w.Exec("alter table deliveries disable trigger deliveries_append_only")
	w.Exec("update deliveries set payload_until = (now() at time zone 'UTC')::date - 1")
	w.Exec("alter table deliveries enable trigger deliveries_append_only")
	remove(1)
	if n := w.Count("select count(*) from deliveries where payload is null and digest is not null"); n != 1 {
		t.Error("the digest stays")
	}
	if err := w.DB.Query(t.Context()).Exec("update deliveries set reason = 'x'").Error; err == nil {
		t.Error("a delivery was changed")
	}
}

func TestRepeatedDeliveryCallGetsItsFirstAnswer(t *testing.T) {
	w := newWorld(t)
	cmd := w.delivery("e-1", "r-1", "1")
	cmd.Idempotency = &models.Idempotency{Token: 1, Route: "POST /api/v1/deliveries", Key: "k"}
	a := w.delivers(cmd)
	if b := w.delivers(cmd); b != a {
		t.Errorf("%+v, first %+v", b, a)
	}
	if n := w.Count("select count(*) from deliveries"); n != 1 {
		t.Errorf("%d deliveries", n)
	}
}
