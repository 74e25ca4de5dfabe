package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const paypalOrder = "paypal-create-order-post-v2-checkout-orders"

// crm makes a destination through its form.
func (c *crew) crm() *browser {
	c.t.Helper()
	c.sandbox()
	b := c.as(c.implementer)
	b.submit(b.get("/destinations/new"), "Save destination", url.Values{"system": {"CRM"}, "account": {"Demo"}, "slug": {"crm-demo"}, "environment": {"sandbox"}}).goesTo("/destinations/crm-demo")
	return b
}

func (p *page) titles() (all []string) {
	p.Find("main .entries h2").Each(func(_ int, s *goquery.Selection) { all = append(all, words(s.Text())) })
	return all
}

// value is what stands in a field of the page.
func (p *page) value(name string) string {
	p.b.a.t.Helper()
	s := p.Find("main [name=" + name + "]")
	switch {
	case s.Length() == 0:
		p.b.a.t.Fatalf("no field %s", name)
	case goquery.NodeName(s) == "textarea":
		return strings.TrimPrefix(s.Text(), "\n")
	case s.AttrOr("type", "") == "radio":
		return s.FilterFunction(func(_ int, r *goquery.Selection) bool { _, ok := r.Attr("checked"); return ok }).AttrOr("value", "")
	}
	return s.AttrOr("value", "")
}

func TestCatalogueIsSearchedAndFiltered(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.viewer)
	link := b.get("/destinations").Find("main a:contains('Browse the catalogue')")
	if link.AttrOr("href", "") != "/destinations/catalogue" {
		t.Error("the destinations do not lead to the catalogue")
	}
	first := b.get("/destinations/catalogue").want(http.StatusOK).says("72 operations")
	if n := len(first.titles()); n != 50 {
		t.Errorf("%d on the first page", n)
	}
	second := b.get(first.Find(".pager a[rel=next]").AttrOr("href", ""))
	if n := len(second.titles()); n != 22 {
		t.Errorf("%d on the second page", n)
	}
	found := b.get("/destinations/catalogue?q=dwolla&mechanism=idempotency_key&confidence=verified").says("1 of 72 operations")
	found.says("Dwolla: Initiate a transfer").says("24 hours").says("409 while the first request").says("a different body is not described").says("correlationId").
		says("retry with a NEW key").says("Read in the provider’s own text").says("Dwolla docs, Idempotency Key").says("https://developers.dwolla.com/docs/")
	if found.Find("main a[href^='http']").Length() != 0 {
		t.Error("a source is a link")
	}
	if found.Find("main input[name=q]").AttrOr("value", "") != "dwolla" || found.Find("select[name=mechanism] option[selected]").AttrOr("value", "") != "idempotency_key" {
		t.Error("the filter is not kept")
	}
	none := b.get("/destinations/catalogue?mechanism=none_documented").says("12 of 72 operations").says("The source names no way to recognise a repeat. Treat each call as another effect.")
	none.saysNot("not_documented")
	b.get("/destinations/catalogue?q=no+such+provider").says("No entry matches").says("0 of 72 operations")
	senders := b.get("/destinations/catalogue?show=senders").says("36 senders").says("Shopify").says("Duplicates not documented").saysNot("Capture payment")
	if senders.Find("select[name=mechanism]").Length() != 0 || senders.Find(".tabbar a[aria-current]").Text() != "Senders, 36" {
		t.Error("the senders' page is not about senders")
	}
	b.get("/destinations/catalogue?show=senders&q=xero&confidence=partly").says("No entry matches")
	for _, bad := range []string{"?at=3", "?at=x", "?at=-1"} {
		b.get("/destinations/catalogue" + bad).want(http.StatusBadRequest)
	}
	b.get("/destinations/catalogue?q=%3Cscript%3Ealert(1)%3C/script%3E&mechanism=%27&show=zzz&destination=../x").want(http.StatusOK).says("0 of 72")
}

func TestOperationStartedFromTheCatalogue(t *testing.T) {
	c := newCrew(t)
	b := c.crm()
	entry := b.get("/destinations/catalogue/" + paypalOrder).want(http.StatusOK).says("PayPal: Create order").says("6 hours; an account manager can raise it to 72 hours")
	start, _ := entry.filled("Start operation", nil)
	b.get(start + "?destination=").errorAt("destination").says("Choose a destination.")
	form := b.get(start + "?destination=crm-demo").goesTo("/destinations/crm-demo/operations/new?from=" + paypalOrder).follow().want(http.StatusOK)
	form.says("Copied from the catalogue, not checked").says("Nobody has checked it yet.")
	for name, want := range map[string]string{"name": "Create order", "call": "POST /v2/checkout/orders", "mechanism": "documented", "key_field": "PayPal-Request-Id (header)",
		"key_lifetime_hours": "6", "same_key_other_data": "", "from": paypalOrder,
		"documented_at": "PayPal REST API specifications, checkout_orders_v2.json\nhttps://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/checkout_orders_v2.json"} {
		if got := form.value(name); got != want {
			t.Errorf("%s starts with %q, want %q", name, got, want)
		}
	}
	if _, ticked := form.Find("input[name=checked]").Attr("checked"); ticked {
		t.Error("the form starts as checked")
	}
	if n := c.count("select count(*) from operations"); n != 0 {
		t.Error("opening the form saved something")
	}
	wrong := b.submit(form, "Save operation", url.Values{"name": {""}}).errorAt("name").says("Copied from the catalogue")
	b.submit(wrong, "Save operation", url.Values{"name": {"Create order"}}).goesTo("/destinations/crm-demo/operations/create-order")
	shown := b.get("/destinations/crm-demo/operations/create-order")
	shown.says("The source it was copied from says, and nobody has checked it, that a repeat with the same key in PayPal-Request-Id (header) within 6 hours returns:").
		says("Nobody has checked: the mechanism, the key field, the key lifetime, what a repeat returns, the lookup.").says("What the same key with other data does.").
		says("Documented at").says("PayPal REST API specifications, checkout_orders_v2.json").says("Not yet checked").says("Lifetime differs per PayPal API")
	if n := c.count("select count(*) from operations where checked_on is null and checked_by is null and documented_at like 'PayPal%'"); n != 1 {
		t.Error("it is not saved as unchecked")
	}
	b.submit(b.get("/destinations/crm-demo/operations/create-order/edit"), "Save operation", url.Values{"checked": {"true"}}).goesTo("/destinations/crm-demo/operations/create-order")
	b.get("/destinations/crm-demo/operations/create-order").says("The documentation says that a repeat").says("by Implementer").says("Documented at").saysNot("Nobody has checked")

	// Another operation of the same provider on the same destination has its own facts, and nobody's check.
	other := b.get("/destinations/crm-demo/operations/new?from=paypal-refund-captured-payment-post-v2-payments-captures-capture-id-refund")
	if other.value("key_lifetime_hours") != "1080" || other.value("name") != "Refund captured payment" {
		t.Error("the second one inherits from the first")
	}
	b.submit(other, "Save operation", nil).goesTo("/destinations/crm-demo/operations/refund-captured-payment")
	b.get("/destinations/crm-demo/operations/refund-captured-payment").says("nobody has checked it").says("within 45 days")
}

func TestAnEntryThatIsOnlyPartlyKnown(t *testing.T) {
	c := newCrew(t)
	b := c.crm()
	b.get("/destinations/catalogue?q=linear").says("Partly confirmed")
	form := b.get("/destinations/crm-demo/operations/new?from=linear-create-issue-issuecreate-mutation")
	if help := form.Find("#documented_at-help").Text(); !strings.Contains(help, "Partly: at least one main fact") || !strings.Contains(help, "what a repeat with the same id answers is not stated") {
		t.Errorf("the help says %q", help)
	}
	form.says("The source does not say. Look it up, or choose Not yet checked above until somebody has.")
	wrong := b.submit(form, "Save operation", nil).errorAt("repeat_returns")
	b.submit(wrong, "Save operation", url.Values{"mechanism": {"not_checked"}}).goesTo("/destinations/crm-demo/operations/create-issue")
	b.get("/destinations/crm-demo/operations/create-issue").says("Nobody has checked what a repeat does.")

	none := b.get("/destinations/crm-demo/operations/new?from=vonage-send-an-sms-post-sms-json")
	if none.value("mechanism") != "none" || none.value("key_field") != "" {
		t.Errorf("%q with the key %q", none.value("mechanism"), none.value("key_field"))
	}
	b.submit(none, "Save operation", nil).goesTo("/destinations/crm-demo/operations/send-an-sms")
	b.get("/destinations/crm-demo/operations/send-an-sms").says("names no way to recognise a repeat, and nobody has checked it").says("Key field: none (client-ref is only echoed back)")

	// A source that is a package has no address to check against yet.
	sqs := b.get("/destinations/crm-demo/operations/new?from=amazon-sqs-fifo-send-message-sendmessage").says("has no web address: Go package")
	b.submit(sqs, "Save operation", nil).errorAt("doc_url").says("Go package github.com/aws/aws-sdk-go-v2/service/sqs")
}

func TestSenderStartedFromTheCatalogue(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.implementer)
	offered := b.get("/workflows/intake/senders/new").Find("main a:contains('Start from the catalogue')").AttrOr("href", "")
	list := b.get(offered).want(http.StatusOK).says("For Intake").says("36 senders")
	entry := b.get(list.Find(".entries h2 a:contains('Shopify')").AttrOr("href", "")).want(http.StatusOK)
	if entry.Find("select[name=workflow] option[selected]").AttrOr("value", "") != "intake" {
		t.Error("the workflow is not chosen already")
	}
	start, chosen := entry.filled("Start sender", nil)
	form := b.get(start + "?" + chosen.Encode()).goesTo("/workflows/intake/senders/new?from=shopify").follow()
	for name, want := range map[string]string{"name": "Shopify", "duplicates": "possible", "ordering": "not_guaranteed", "retry_horizon_hours": "4", "resend_horizon_hours": "",
		"signature": "X-Shopify-Hmac-Sha256", "version_field": "X-Shopify-Triggered-At, or updated_at in the payload",
		"retry_schedule": "8 times over 4 hours with exponential backoff, since 10 September 2024; 5 seconds in all to answer"} {
		if got := form.value(name); got != want {
			t.Errorf("%s starts with %q, want %q", name, got, want)
		}
	}
	b.submit(form, "Save sender", nil).goesTo("/workflows/intake/senders/shopify")
	b.get("/workflows/intake/senders/shopify").says("Not yet checked").says("Documented at").says("Shopify docs, Ignore duplicate webhooks").says("asks for reconciliation jobs")
	if n := c.count("select count(*) from senders where checked_on is null and checked_by is null and slug = 'shopify'"); n != 1 {
		t.Error("it is not saved as unchecked")
	}
	b.submit(b.get("/workflows/intake/senders/shopify/edit"), "Save sender", url.Values{"checked": {"true"}}).goesTo("/workflows/intake/senders/shopify")
	b.get("/workflows/intake/senders/shopify").says("by Implementer")
}

func TestCatalogueLeadsBackToTheDestination(t *testing.T) {
	c := newCrew(t)
	b := c.crm()
	offered := b.get("/destinations/crm-demo/operations/new").Find("main a:contains('Start from the catalogue')").AttrOr("href", "")
	list := b.get(offered + "&q=paypal+order").says("For CRM, Demo")
	if list.Find("form.toolbar input[name=destination]").AttrOr("value", "") != "crm-demo" {
		t.Error("filtering forgets the destination")
	}
	entry := b.get(list.Find(".entries h2 a").First().AttrOr("href", ""))
	if entry.Find("select[name=destination] option[selected]").AttrOr("value", "") != "crm-demo" {
		t.Error("the destination is not chosen already")
	}
	b.get("/destinations/crm-demo/operations/new?from=" + paypalOrder).saysNot("Start from the catalogue")
}

func TestCatalogueRefusals(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.implementer)
	b.get("/destinations/catalogue/" + paypalOrder).says("There is nothing to start it for yet.").says("Add one first")
	c.crm()
	b = c.as(c.implementer)
	viewer, owner := c.as(c.viewer), c.as(c.owner)
	viewer.get("/destinations/catalogue/" + paypalOrder).want(http.StatusOK).says("Only an implementer may write down").saysNot("Choose a destination")
	viewer.get("/destinations/catalogue/shopify").says("may change it").saysNot("Choose a workflow")
	owner.get("/destinations/catalogue/shopify").says("Choose a workflow").says("Intake")
	viewer.get("/destinations/crm-demo/operations/new?from=" + paypalOrder).want(http.StatusForbidden)
	viewer.get("/workflows/intake/senders/new?from=shopify").want(http.StatusForbidden)
	for _, hostile := range []string{"none", "shopify", "../../etc/passwd", "%3Cscript%3E", "1%20or%201=1", strings.Repeat("a", 3000)} {
		b.get("/destinations/crm-demo/operations/new?from=" + hostile).want(http.StatusNotFound).says("The catalogue has no such operation.")
	}
	b.get("/destinations/crm-demo/operations/new?from=%00").want(http.StatusBadRequest)
	b.get("/workflows/intake/senders/new?from=" + paypalOrder).want(http.StatusNotFound).says("The catalogue has no such sender.")
	for _, path := range []string{"/none", "/none/start?destination=crm-demo", "/" + paypalOrder + "/start?destination=none", "/shopify/start?workflow=none", "/" + paypalOrder + "/edit"} {
		b.get("/destinations/catalogue" + path).want(http.StatusNotFound)
	}
	b.get("/destinations/catalogue/shopify/start?destination=crm-demo").errorAt("workflow")

	// A form that names an entry there is none of is like a form without one.
	b.post("/destinations/crm-demo/operations", url.Values{"from": {"'><script>"}, "name": {""}}).errorAt("name").saysNot("Copied from the catalogue")
	b.post("/destinations/crm-demo/operations", url.Values{"from": {paypalOrder}, "name": {"By hand"}}).goesTo("/destinations/crm-demo/operations/by-hand")
	if n := c.count("select count(*) from operations where name = 'By hand' and mechanism = 'not_checked' and key_field = '' and documented_at = ''"); n != 1 {
		t.Error("the entry's facts got in without being in the form")
	}
	b.post("/destinations/catalogue/"+paypalOrder+"/start", url.Values{"destination": {"crm-demo"}}).want(http.StatusMethodNotAllowed)
}
