package catalogue

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"countersign/models/workflow"
)

func TestMechanismOfAForm(t *testing.T) {
	for mechanism, want := range map[string]string{IdempotencyKey: workflow.Documented, ClientSuppliedID: workflow.Documented, UpsertByExternalID: workflow.Documented,
		DedupWindow: workflow.Documented, ConditionalWrite: workflow.Documented, NoneDocumented: workflow.NoMechanism} {
		o := Operation{Mechanism: mechanism, Field: "key (header)", KeyLifetime: "24 hours"}
		f := o.Start()
		if f.Mechanism != want {
			t.Errorf("%s starts as %s, want %s", mechanism, f.Mechanism, want)
		}
		if kept := f.KeyField != "" || f.KeyLifetimeHours != ""; kept != (want == workflow.Documented) {
			t.Errorf("%s has the key %q for %q hours", mechanism, f.KeyField, f.KeyLifetimeHours)
		}
	}
	if len(Mechanisms) != 6 {
		t.Error("a mechanism without a test")
	}
}

func TestHours(t *testing.T) {
	for _, c := range []struct{ text, lifetime, horizon string }{
		{"6 hours; an account manager can raise it to 72 hours", "6", ""},
		{"45 days", "1080", ""},
		{"1 hour", "1", ""},
		{"1 day", "24", ""},
		{"24 hours by default; other windows on request", "24", ""},
		{"30 minutes, then the same key creates a new resource", "", ""},
		{"at least 24 hours", "", ""},
		{"up to 12 hours", "", "12"},
		{"25 hours by default in the current docs (an older page says 24 hours)", "", ""},
		{"24 hours with backoff, or until 24 hours after the booking", "", ""},
		{"99999999999999999999 hours", "", ""},
		{"does not expire", "", ""},
		{"not_documented", "", ""},
		{"8 times over 4 hours with backoff; 5 seconds to answer", "", "4"},
		{"Live: up to 3 days with backoff; sandbox: over a few hours", "", "72"},
		{"With decreasing frequency for up to 24 hours, then disabled", "", "24"},
		{"Resent for the next 24 hours until a 2xx", "", "24"},
		{"10 attempts over 26 hours (0, 1, 2 minutes, 1, 2, 22 hours)", "", "26"},
		{"From 1 minute up to 12 hours apart", "", ""},
		{"10, 10, 15, 30 minutes, then 1, 2 and 4 hours", "", ""},
		{"Delays by 1 minute up to 2 hours", "", ""},
		{"Older page: up to 72 hours", "", ""},
		{"30 seconds to answer; retried for 10 hours; other codes differ", "", ""},
	} {
		if got := lifetimeHours(c.text); got != c.lifetime {
			t.Errorf("lifetime of %q is %q, want %q", c.text, got, c.lifetime)
		}
		if got := horizonHours(c.text); got != c.horizon {
			t.Errorf("horizon of %q is %q, want %q", c.text, got, c.horizon)
		}
	}
}

// The hours that the forms start with; every other entry starts without.
func TestHoursOfEveryEntry(t *testing.T) {
	want := map[string]string{"PayPal": "6 6 1080 72 720", "Plaid": "48 24", "Braintree": "720", "Knock": "24", "OneSignal": "720", "Lob": "24", "Checkout.com": "24",
		"TrueLayer": "720", "Mangopay": "24", "Resend": "24", "Zendesk": "2", "Dwolla": "24"}
	got := map[string]string{}
	for _, o := range all().operations {
		if h := o.Start().KeyLifetimeHours; h != "" {
			got[o.Provider] = strings.TrimSpace(got[o.Provider] + " " + h)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("lifetimes\n%v, want\n%v", got, want)
	}
	want = map[string]string{"Shopify": "4", "Microsoft Graph change notifications": "4", "Stripe": "72", "Xero": "24", "Meta WhatsApp Cloud API": "168",
		"Twilio Event Streams": "4", "PayPal": "72", "Vonage SMS": "24", "Mollie": "26", "Razorpay": "24"}
	got = map[string]string{}
	for _, s := range all().senders {
		if h := s.Start().RetryHorizonHours; h != "" {
			got[s.Sender] = h
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("horizons\n%v, want\n%v", got, want)
	}
}

func TestNameAndCall(t *testing.T) {
	for text, want := range map[string][2]string{
		"Create order (POST /v2/checkout/orders)":              {"Create order", "POST /v2/checkout/orders"},
		"Post a message (chat.postMessage)":                    {"Post a message", "chat.postMessage"},
		"Write a transaction (TransactWriteItems)":             {"Write a transaction", "TransactWriteItems"},
		"Charge without a key (duplicate transaction checks)":  {"Charge without a key (duplicate transaction checks)", ""},
		"Create a payment (POST /payments) and other creation": {"Create a payment (POST /payments) and other creation", ""},
		"Publish": {"Publish", ""},
	} {
		if name, call := nameAndCall(text); name != want[0] || call != want[1] {
			t.Errorf("%q is %q and %q", text, name, call)
		}
	}
}

// What a source promises is for a person to say; what it warns of is filled in.
func TestDuplicatesAndOrderOfAForm(t *testing.T) {
	for _, c := range []struct{ duplicates, ordering, wantDuplicates, wantOrdering string }{
		{"not_documented", "not_documented in the page read", workflow.NotChecked, workflow.NotChecked},
		{"not_documented; retries follow", "Best effort", workflow.NotChecked, workflow.NotChecked},
		{"not read", "not read", workflow.NotChecked, workflow.NotChecked},
		{"At least once", "Not guaranteed; use the time", workflow.DuplicatesPossible, workflow.OrderNotGuaranteed},
		{"Expected", "Retries may come out of order", workflow.DuplicatesPossible, workflow.OrderNotGuaranteed},
		{"May happen", "Delivered in the order of the commits", workflow.DuplicatesPossible, workflow.NotChecked},
	} {
		f := Sender{Duplicates: c.duplicates, Ordering: c.ordering}.Start()
		if f.Duplicates != c.wantDuplicates || f.Ordering != c.wantOrdering {
			t.Errorf("%q and %q start as %s and %s", c.duplicates, c.ordering, f.Duplicates, f.Ordering)
		}
	}
	var ordered []string
	for _, s := range all().senders {
		f := s.Start()
		if f.Ordering == workflow.OrderNotGuaranteed {
			ordered = append(ordered, s.Sender)
		}
		if f.Duplicates == workflow.DuplicatesNotPossible || f.Ordering == workflow.OrderGuaranteed {
			t.Errorf("%s starts with a promise", s.Sender)
		}
	}
	if want := []string{"HubSpot", "Shopify", "Discord webhook events", "Stripe", "Recurly", "Razorpay", "Wix", "Tidio"}; !slices.Equal(ordered, want) {
		t.Errorf("without order: %q", ordered)
	}
}

// Whatever a source says is in the form, as it is or in the notes.
func TestNothingIsLost(t *testing.T) {
	inForm := func(id, form string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if text = remark(text); text != "" && !strings.Contains(form, text) {
				t.Errorf("%s: the form has lost %q", id, text)
			}
		}
		if strings.Contains(form, "not_documented") {
			t.Errorf("%s: the form speaks in codes: %q", id, form)
		}
	}
	for _, o := range all().operations {
		f := o.Start()
		form := strings.Join([]string{f.Name, f.Call, f.KeyField, f.RepeatReturns, f.SameKeyOtherData, f.LookupMethod, f.DocumentedAt, f.Notes}, "\n")
		texts := []string{o.Field, o.RepeatReturns, o.ConflictBehaviour, o.Lookup, o.Caveats, o.Title, o.Address}
		if !plainHours.MatchString(o.KeyLifetime) || f.KeyLifetimeHours == "" {
			texts = append(texts, o.KeyLifetime)
		}
		inForm(o.ID, form, texts...)
	}
	for _, s := range all().senders {
		f := s.Start()
		form := strings.Join([]string{f.Name, f.EventIDField, f.RetrySchedule, f.Signature, f.VersionField, f.DocumentedAt, f.Notes}, "\n")
		inForm(s.ID, form, s.EventID, s.Duplicates, s.Ordering, s.Retries, s.Signature, s.VersionField, s.Caveats, s.Title, s.Address)
	}
}

func TestHints(t *testing.T) {
	linear, _ := FindOperation("linear-create-issue-issuecreate-mutation")
	h := linear.Hints()
	if !strings.HasPrefix(h["documented_at"], "Partly: ") || !strings.Contains(h["documented_at"], linear.Caveats) || !strings.Contains(h["repeat_returns"], "Not yet checked") {
		t.Errorf("%q", h)
	}
	sqs, _ := FindOperation("amazon-sqs-fifo-send-message-sendmessage")
	if h := sqs.Hints(); h["key_lifetime_hours"] != "The source says: “5 minutes”." || !strings.Contains(h["doc_url"], "Go package ") || h["key_field"] != "" {
		t.Errorf("%q", h)
	}
	slack, _ := FindOperation("slack-post-a-message-chat-postmessage")
	if h := slack.Hints(); h["key_lifetime_hours"] != "" || h["repeat_returns"] != "" {
		t.Errorf("without a mechanism: %q", h)
	}
	mollie, _ := FindSender("mollie")
	if h := mollie.Hints(); h["event_id_field"] != "The source says: “none: the body is only id=<resource id>”." || h["retry_horizon_hours"] != "" || h["ordering"] == "" {
		t.Errorf("%q", h)
	}
}
