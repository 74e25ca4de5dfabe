package pii

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestScanFinds(t *testing.T) {
	for _, c := range []struct {
		text, want string
		kind       Kind
		sure       bool
	}{
		{"write to person@example.test today", "person@example.test", Email, true},
		{"21031067+Codertocat@users.noreply.github.com", "21031067+Codertocat@users.noreply.github.com", Email, true},
		{"mailto:o'neil.a-b@mail.example.co.uk.", "o'neil.a-b@mail.example.co.uk", Email, true},
		{"jürgen@bücher.example", "jürgen@bücher.example", Email, true},
		{"GET /x?email=person%40example.test HTTP/1.1", "person%40example.test", Email, true},
		{"email=person%2540example.test&x=1", "person%2540example.test", Email, true},
		{`{"e":"person\u0040example.test"}`, `person\u0040example.test`, Email, true},
		{`"person\x40example.test"`, `person\x40example.test`, Email, true},
		{"<p>person&#64;example.test</p>", "person&#64;example.test", Email, true},
		{"é <p>o.n&#x40;example.test</p>", "o.n&#x40;example.test", Email, true},
		{"<p>person&#X0040;example.test", "person&#X0040;example.test", Email, true},
		{"person&commat;example.test", "person&commat;example.test", Email, true},
		{"to person＠example.test,", "person＠example.test", Email, true},
		{"to person﹫example.test,", "person﹫example.test", Email, true},
		{"+1 202 555 0147", "+1 202 555 0147", Phone, true},
		{"call (202) 555-0147 now", "(202) 555-0147", Phone, true},
		{"202-555-0147", "202-555-0147", Phone, true},
		{"2025550147", "2025550147", Phone, false},
		{"12025550147", "12025550147", Phone, false},
		{"tel:+442079460018", "+442079460018", Phone, true},
		{"020 7946 0018", "020 7946 0018", Phone, true},
		{"030 901820", "030 901820", Phone, true},
		{"+49 (0)30 901820", "+49 (0)30 901820", Phone, true},
		{"0049 30 901820", "0049 30 901820", Phone, true},
		{"06 12 34 56 78", "06 12 34 56 78", Phone, true},
		{"4111 1111 1111 1111", "4111 1111 1111 1111", Card, true},
		{"4111111111111111", "4111111111111111", Card, false},
		{"card 3782-822463-10005.", "3782-822463-10005", Card, true},
		{"DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00", IBAN, true},
		{"to GB82WEST12345698765432", "GB82WEST12345698765432", IBAN, true},
		{"1 Example Street", "1 Example Street", Address, true},
		{"at 221B Old Baker St, London", "221B Old Baker St", Address, true},
		{"Musterstraße 12a", "Musterstraße 12a", Address, true},
		{"12 rue de la Paix", "12 rue de la Paix", Address, true},
	} {
		hits := Scan(c.text)
		if len(hits) != 1 {
			t.Errorf("%q: %v", c.text, hits)
			continue
		}
		if h := hits[0]; c.text[h.Start:h.End] != c.want || h.Kind != c.kind || h.Sure != c.sure {
			t.Errorf("%q: %s %q sure %v, want %s %q %v", c.text, h.Kind, c.text[h.Start:h.End], h.Sure, c.kind, c.want, c.sure)
		}
	}
}

func TestScanLeavesIdentifiersAlone(t *testing.T) {
	for _, text := range []string{
		"", "request-demo-01", "event-demo-99", "in_demo_0001", "9007199254740993", "820982911946154508", "866550311766439020",
		"1796040000", "1796040000000", "2026-11-29", "2026-11-29T10:00:00-05:00", "2026-11-29T09:10:11.000000Z", "29.11.2026", "20261129", "2024-2025",
		"72d3162e-0000-4000-8000-0000000000017", "98880550-0000-4000-8000-000000000001", "00000000000000000005", "444500041", "1362934389", "186853002",
		"0000000000000000000000000000000000000000", "6113728f27ae82c7b1a177c8d03f9e96e0adf246", "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		"#demo-1001", "A234-1234-1234", "12.50", "1234.5678901", "v1.22.333", "10:00:00", "192.168.100.200", "t=1796040100,v1=00", "https://example.test/orders/2025550147",
		"4111111111111112", "DE89370400440532013001", "user @ home", "a@b", "https://example.test/%40scope/package.js", "rate 100%40 items", "a&#64;b", "R&D ＠ home", `\u0040example.test`, "order 12 Street", "12 items on the way",
	} {
		if hits := Scan(text); len(hits) > 0 {
			t.Errorf("%q: %v", text, hits)
		}
	}
}

func TestScanFindsSeveral(t *testing.T) {
	text := "a@example.test, b@example.test and 4111 1111 1111 1111 or +1 202 555 0147"
	var kinds []string
	last := 0
	for _, h := range Scan(text) {
		if h.Start < last {
			t.Error("out of order")
		}
		last = h.End
		kinds = append(kinds, string(h.Kind))
	}
	if got := strings.Join(kinds, " "); got != "email email card phone" {
		t.Error(got)
	}
}

func TestScanTakesTimeInProportion(t *testing.T) {
	for _, piece := range []string{"1", "1 ", "a@b.cd ", "@", "1 A", "12 Aa ", "AB12 ", "%40", "a%40b.cd ", "&#64;", "&", "%25", "＠", "+1 202 555 0147 ", "é"} {
		begun := time.Now()
		Scan(strings.Repeat(piece, (64<<10)/len(piece)))
		if d := time.Since(begun); d > 10*time.Second {
			t.Errorf("%q: %s", piece, d)
		}
	}
}

func TestNameKind(t *testing.T) {
	for _, c := range []struct {
		names string
		kind  Kind
		sure  bool
	}{
		{"email", Email, true}, {"e-mail", Email, true}, {"eMail", Email, true}, {"E_MAIL_ADDRESS", Email, true}, {"customerEmail", Email, true},
		{"emailAddress", Email, true}, {"contact_email_primary", Email, true}, {"email_id", Email, false}, {"mail", Email, true},
		{"email_verified", "", false}, {"email_count", "", false},
		{"phone", Phone, true}, {"homePhone", Phone, true}, {"phone_number", Phone, true}, {"mobile", Phone, true}, {"msisdn", Phone, true}, {"phone_type", "", false},
		{"first_name", Person, true}, {"lastName", Person, true}, {"customer_name", Person, true}, {"customer name", Person, true}, {"Nachname", Person, true},
		{"name", Person, false}, {"event_name", Person, false}, {"form_name", Person, false}, {"username", Person, false}, {"login", Person, false},
		{"company", Company, true}, {"company_name", Company, true}, {"organization", Company, true}, {"vendorName", Company, true}, {"company_id", "", false},
		{"address", Address, true}, {"billing_address", Address, true}, {"postcode", Address, true}, {"ZIP", Address, true}, {"ip_address", Address, false}, {"zip_file", "", false},
		{"card_number", Card, true}, {"iban", IBAN, true}, {"dateOfBirth", Birth, true}, {"birth_date", Birth, true},
		{"request_id", "", false}, {"customer_id", "", false}, {"approved_version", "", false}, {"webhook-id", "", false}, {"", "", false}, {"___", "", false}, {"submission_id", "", false},
	} {
		if kind, sure := NameKind(c.names); kind != c.kind || sure != c.sure {
			t.Errorf("%q: %q %v, want %q %v", c.names, kind, sure, c.kind, c.sure)
		}
	}
	if kind, sure := NameKind("body", "customer", "name"); kind != Person || !sure {
		t.Error(kind, sure)
	}
	if kind, sure := NameKind("companies", "name"); kind != Person || sure { // not an object of one company
		t.Error(kind, sure)
	}
	if kind, sure := NameKind("organisation", "name"); kind != Company || !sure {
		t.Error(kind, sure)
	}
	if kind, _ := NameKind(); kind != "" {
		t.Error(kind)
	}
	if kind, _ := NameKind(strings.Repeat("a_", 50000) + "email"); kind != "" {
		t.Error(kind)
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"customerEMail2": "customer email2", "HTTPServerID": "http server id", "webhook-id": "webhook id", "x_Größe": "x größe", "address1": "address1", "": "", "e": "e",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"a@b.cd", "+1 202 555 0147", "(((1", "\xff@", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"} {
		f.Add(s)
	}
	if b, err := os.ReadFile("../../models/identity/testdata/payloads/18-code-host-push.json"); err == nil {
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, h := range Scan(text) {
			if h.Start < last || h.End <= h.Start || h.End > len(text) {
				t.Fatalf("%q: %v", text, h)
			}
			last = h.End
		}
		NameKind(text, text)
	})
}
