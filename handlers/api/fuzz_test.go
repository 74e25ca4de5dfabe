package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzBody sends any body to a call: it answers with a documented status and
// shape, and never with 500.
func fuzzBody(f *testing.F, path string, seeds ...string) {
	w := newWorld(f)
	w.claim("request-fuzz")
	for _, seed := range append(seeds, ``, `{}`, `null`, `[]`, `"text"`, `1e999`, `{"a": 1, "a": 2}`, `{"worker": "\u0000"}`, `{"worker": "\ud800"}`, strings.Repeat(`[`, 20000), strings.Repeat(`{"a":`, 5000)) {
		f.Add(seed)
	}
	for _, seed := range seeds {
		for _, change := range [][2]string{{`"`, `"\u0000`}, {`"`, `"\ud800`}, {`1`, `1e400`}, {`1`, `-0.0`}, {`: "`, `: null, "x": "`}, {`-`, "\u202e"}, {`request`, strings.Repeat("long", 3000)}} {
			f.Add(strings.ReplaceAll(seed, change[0], change[1]))
			f.Add(strings.Replace(seed, change[0], change[1], 1))
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		w.T = t
		r := w.send(call{method: http.MethodPost, path: "/api/v1/" + path, body: body})
		if r.status >= 500 || r.body == nil {
			t.Errorf("status %d for %q: %s\n%s", r.status, body, r.raw, w.log.text())
		}
	})
}

func FuzzDelivery(f *testing.F) {
	seeds := []string{`{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": "event-1", "business_record_id": "request-1", "source_version": 1, "payload": {"a": [1, 2.5, "x", null]}}`,
		`{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": 12345678901234567890, "business_record_id": "é", "source_version": "2026-05-04T10:00:00Z"}`}
	files, _ := filepath.Glob("../../models/identity/testdata/payloads/*.json")
	for _, path := range files {
		if raw, err := os.ReadFile(path); err == nil {
			seeds = append(seeds, `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": "e", "business_record_id": "r", "payload": `+string(raw)+`}`)
		}
	}
	fuzzBody(f, "deliveries", seeds...)
}

func FuzzClaim(f *testing.F) {
	fuzzBody(f, "actions/claim", `{"control": "create-crm-task", "environment": "sandbox", "input": {"request_id": "request-1", "approved_version": 1}, "worker": "w-1", "delivery_id": "1", "approved_version": 1, "lease_seconds": 11, "repeat": "LR-1"}`,
		`{"control": "create-crm-task", "environment": "sandbox", "input": {"request_id": 9007199254740993}, "worker": "w", "approved_version": "1.0"}`,
		`{"control": "create-crm-task", "environment": "sandbox", "input": {"request_id": "a\u0000b", "event_id": "\u0000", "approved_version": "1\u0000"}, "worker": "w"}`)
}

func FuzzHeartbeat(f *testing.F) {
	fuzzBody(f, "actions/1/heartbeat", `{"claim_token": "token-1"}`)
}

func FuzzOutcome(f *testing.F) {
	fuzzBody(f, "actions/1/outcome", `{"claim_token": "token-1", "outcome": "succeeded", "destination_result_id": "task-1", "detail": "d"}`, `{"claim_token": "t", "outcome": "failed", "destination_result_id": 1}`)
}

func FuzzLookup(f *testing.F) {
	fuzzBody(f, "actions/1/lookups", `{"method": "GET /tasks", "result": "found", "destination_result_ids": ["task-1", 2], "destination_result_id": "task-1", "began_at": "2026-05-04T10:00:00Z", "detail": "d"}`,
		`{"method": "m", "result": "inconclusive", "began_at": "0000-01-01T00:00:00Z"}`, `{"method": "m", "result": "not_found", "began_at": "9999-12-31T23:59:59.999999999-23:59"}`)
}

func FuzzRetry(f *testing.F) {
	fuzzBody(f, "actions/1/retry", `{"worker": "w-1", "lease_seconds": 11}`)
}

func FuzzAskReplay(f *testing.F) {
	fuzzBody(f, "actions/1/replay-requests", `{"reason": "r-1", "uncertain_result": "u-1"}`)
}

func FuzzStartReplay(f *testing.F) {
	fuzzBody(f, "replay-requests/RR-1/start", `{"authorization": "a-1", "worker": "w-1", "lease_seconds": 11}`)
}
