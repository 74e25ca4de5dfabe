package catalogue

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/models"
)

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// whole checks what every entry has, and notes its id.
func whole(t *testing.T, ids map[string]bool, id string, s Source, texts ...string) {
	t.Helper()
	if !slug.MatchString(id) || len(id) > 80 {
		t.Errorf("%q is no short name", id)
	}
	if ids[id] {
		t.Errorf("%s is there twice", id)
	}
	ids[id] = true
	for _, text := range append(texts, s.Title, s.Address, s.Caveats) {
		if text == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, "\n\t") {
			t.Errorf("%s has %q", id, text)
		}
	}
	if s.Confidence != Verified && s.Confidence != Partly {
		t.Errorf("%s: confidence %q", id, s.Confidence)
	}
	if s.link() == "" && !strings.HasPrefix(s.Address, "Go package ") && !strings.HasPrefix(s.Address, "npm package ") {
		t.Errorf("%s: %q is neither a page nor a package", id, s.Address)
	}
}

func TestEveryEntryIsWhole(t *testing.T) {
	ids, used := map[string]bool{}, map[string]bool{}
	for _, o := range all().operations {
		whole(t, ids, o.ID, o.Source, o.Provider, o.Operation, o.Field, o.KeyLifetime, o.RepeatReturns, o.ConflictBehaviour, o.Lookup)
		if !slices.Contains(Mechanisms, o.Mechanism) {
			t.Errorf("%s: mechanism %q", o.ID, o.Mechanism)
		}
		used[o.Mechanism] = true
	}
	for _, s := range all().senders {
		whole(t, ids, s.ID, s.Source, s.Sender, s.EventID, s.Duplicates, s.Ordering, s.Retries, s.Signature, s.VersionField)
	}
	if o, s := Sizes(); o != 72 || s != 36 {
		t.Errorf("%d operations and %d senders", o, s)
	}
	if len(used) != len(Mechanisms) {
		t.Errorf("entries use %v of the mechanisms", used)
	}
}

// An id is in people's addresses and must not change by itself.
func TestIDs(t *testing.T) {
	for _, id := range []string{"paypal-create-order-post-v2-checkout-orders", "slack-post-a-message-chat-postmessage"} {
		if o, err := FindOperation(id); err != nil || o.ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	if s, err := FindSender("standard-webhooks"); err != nil || s.Sender != "Standard Webhooks" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, id := range []string{"", "standard-webhooks", "PAYPAL-CREATE-ORDER-POST-V2-CHECKOUT-ORDERS", "../x", "\x00"} {
		if _, err := FindOperation(id); !models.IsKind(err, models.KindNotFound) {
			t.Errorf("operation %q: %v", id, err)
		}
	}
	if _, err := FindSender("slack-post-a-message-chat-postmessage"); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
}

func TestAFieldThatNobodyKnowsIsRefused(t *testing.T) {
	var into []Operation
	for name, text := range map[string]string{"misspelt": "- provider: X\n  caveat: Y\n", "twice": "- provider: X\n  provider: Y\n", "no list": "provider: X\n"} {
		if err := decode([]byte(text), &into); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if err := decode([]byte("- provider: X\n  source_title: Y\n"), &into); err != nil || into[0].Title != "Y" {
		t.Errorf("%+v, %v", into, err)
	}
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		f    Filter
		n    int
		has  string
		hasn string
	}{
		{Filter{}, 72, "adyen", "zendesk"}, // the last is on the second page
		{Filter{Page: "2"}, 72, "zendesk", "adyen"},
		{Filter{Q: "  PAYPAL order "}, 2, "paypal-create-order", "paypal-refund"},
		{Filter{Q: "no such provider"}, 0, "", ""},
		{Filter{Q: "%"}, 0, "", ""}, // a character, not a pattern
		{Filter{Mechanism: NoneDocumented}, 12, "slack-post-a-message", "paypal-create-order"},
		{Filter{Mechanism: ConditionalWrite, Q: "S3"}, 1, "amazon-s3", "github"},
		{Filter{Mechanism: "magic"}, 0, "", ""},
		{Filter{Confidence: Partly}, 10, "linear", "paypal"},
	} {
		p, n, err := Operations(c.f)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, o := range p.Items {
			ids = append(ids, o.ID)
		}
		text := " " + strings.Join(ids, " ")
		if n != c.n || c.has != "" && !strings.Contains(text, " "+c.has) || c.hasn != "" && strings.Contains(text, " "+c.hasn) || len(ids) > models.PageSize {
			t.Errorf("%+v: %d, %v", c.f, n, ids)
		}
	}
	if p, n, err := Senders(Filter{Q: "retried", Confidence: Verified}); err != nil || n == 0 || n == 36 || len(p.Items) != n || p.Next != "" {
		t.Errorf("%d, %v", n, err)
	}
}

func TestPages(t *testing.T) {
	first, _, _ := Operations(Filter{})
	second, _, err := Operations(Filter{Page: first.Next})
	if err != nil || first.Prev != "" || second.Next != "" || len(first.Items)+len(second.Items) != 72 || second.Prev != "1" {
		t.Errorf("%d and %d, %q, %v", len(first.Items), len(second.Items), second.Prev, err)
	}
	for _, at := range []string{"0", "3", "-1", "x", "99999999999999999999"} {
		if _, _, err := Operations(Filter{Page: at}); !models.IsKind(err, models.KindBadRequest) {
			t.Errorf("page %q: %v", at, err)
		}
	}
	if _, _, err := Operations(Filter{Q: "no such provider", Page: "1"}); err != nil {
		t.Error(err)
	}
}
