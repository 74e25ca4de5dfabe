package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models/ledger"

	"github.com/PuerkitoBio/goquery"
)

// The lab fills in the body of a delivery, while it is kept and for controls of
// its own workflow only.
func TestLabTakesStoredDeliveries(t *testing.T) {
	c := newCounter(t)
	viewer := c.who("viewer")
	viewer.get("/identity-rules/lab?control=create-crm-task").saysNot("Fill in a stored delivery")
	if err := c.db.Query(t.Context()).Exec("update workflows set store_payloads = true, payload_days = 7 where slug = 'service-request'").Error; err != nil {
		t.Fatal(err)
	}
	deliver := func(body string) ledger.Delivered {
		t.Helper()
		d, err := ledger.Deliver(t.Context(), c.db, ledger.Person(c.actor("implementer")), ledger.DeliverCmd{Workflow: "service-request", Environment: "sandbox", Sender: "web-form", Event: "event-demo-77", Record: "request-demo-77", Version: "1", Payload: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := deliver(`{"event_id": "event-demo-77", "request_id": "request-demo-77", "wish": "<b>Tuesday</b>"}`)
	second := deliver(`{"event_id": "event-demo-77", "request_id": "request-demo-77", "wish": "Friday"}`)
	if second.Disposition != ledger.NeedsReview {
		t.Fatalf("%+v", second)
	}

	lab := viewer.get("/identity-rules/lab?control=create-crm-task").says("Fill in a stored delivery").says("event-demo-77")
	use := func(side string, d ledger.Delivered) url.Values {
		return url.Values{"use": {fmt.Sprintf("%s:D-%d", side, d.Delivery)}}
	}
	filled := viewer.submit(lab, "Compare", use("b", first)).want(http.StatusOK)
	if !strings.Contains(filled.Find("#input_b").Text(), "<b>Tuesday</b>") || filled.Find("#environment_b option[selected]").AttrOr("value", "") != "sandbox" {
		t.Error("input B is not what arrived in the sandbox")
	}
	if filled.Find("#input_a").Text() != lab.Find("#input_a").Text() {
		t.Error("input A did not stay")
	}

	href := viewer.get("/ledger/reviews/"+second.Review).Find("a").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return words(s.Text()) == "Compare both bodies in the identity lab"
	}).AttrOr("href", "")
	both := viewer.get(href).want(http.StatusOK)
	if both.Find("[data-verdict]").Length() != 1 || !strings.Contains(both.Find("#input_a").Text(), "Tuesday") || !strings.Contains(both.Find("#input_b").Text(), "Friday") {
		t.Errorf("%s does not compare the two: %s", href, words(both.Find("#result").Text()))
	}

	for _, use := range []string{"a:D-999999", "a:x", "c", fmt.Sprintf("a:D-%d", c.count("select min(id) from deliveries where payload is null"))} {
		viewer.submit(lab, "Compare", url.Values{"use": {use}}).want(http.StatusNotFound)
	}
	if err := c.db.Query(t.Context()).Exec("update deliveries set payload = null where id = ?", first.Delivery).Error; err != nil {
		t.Fatal(err)
	}
	viewer.get(href).want(http.StatusNotFound).says("is not kept")
}
