package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// What is given twice, or in another case than documented, is refused by name.
func TestEveryMemberIsGivenOnceAndAsDocumented(t *testing.T) {
	w := newWorld(t)
	for name, body := range map[string]string{
		"input":   `{"control": "create-crm-task", "environment": "sandbox", "worker": "w", "input": {"request_id": "one"}, "input": {"request_id": "two"}}`,
		"INPUT":   `{"control": "create-crm-task", "environment": "sandbox", "worker": "w", "input": {"request_id": "one"}, "INPUT": {"request_id": "two"}}`,
		"Worker":  `{"control": "create-crm-task", "environment": "sandbox", "Worker": "w", "input": {"request_id": "one"}}`,
		"worker":  `{"control": "create-crm-task", "environment": "sandbox", "worker": "w", "input": {"a": [1, "}", {"worker": "\""}]}, "w\u006frker": "v"}`,
		"sandbox": `{"sandbox": 1, "sandbox": 1}`,
		"OUTCOME": `{"claim_token": "t", "outcome": "failed", "OUTCOME": "succeeded"}`,
	} {
		path := "/api/v1/actions/claim"
		if name == "OUTCOME" {
			path = "/api/v1/actions/1/outcome"
		}
		r := w.send(call{method: http.MethodPost, path: path, body: body})
		if r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.raw), `"body.`+name+`"`) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	same := `{"control": "create-crm-task", "environment": "sandbox", "worker": "w", "input": {"request_id": "r-1", "x": {"worker": 1, "a": [{"input": "\\"}, "input"]}}}`
	if r := w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: same}); r.status != http.StatusCreated {
		t.Errorf("names of the input are its own: %d %s", r.status, r.raw)
	}
}

// A version that is neither text nor a number is for a person, and never none.
func TestUnreadableVersionGoesToReview(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{`{"n": 1}`, `[1]`, `true`, `"\ud800"`, `{"long": "` + strings.Repeat("x", 600) + `"}`, `["` + "\u202e" + `"]`} {
		r := w.send(call{method: http.MethodPost, path: "/api/v1/deliveries", body: `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": "e-1", "business_record_id": "r-1", "source_version": ` + version + `}`})
		if r.status != http.StatusAccepted || r.body["disposition"] != "needs_review" || !strings.Contains(string(r.raw), "neither text nor a number") {
			t.Errorf("%.20s: %d %s", version, r.status, r.raw)
		}
	}
}

func TestControlCharactersInAnIdentity(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{`a\u0000b`, `\ttab`, `a\u0085`} {
		r := w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: `{"control": "create-crm-task", "environment": "sandbox", "worker": "w", "input": {"request_id": "` + id + `"}}`})
		if r.status != http.StatusCreated {
			t.Errorf("%s: %d %s", id, r.status, r.raw)
		}
	}
	var records int
	if err := w.DB.Query(t.Context()).Raw("select count(*) from actions where record_id <> ''").Row().Scan(&records); err != nil || records != 0 {
		t.Errorf("%d records that no page can address, %v", records, err)
	}
}
