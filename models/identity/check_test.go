package identity

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// codes are the findings as "severity code component".
func codes(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, strings.TrimSpace(fmt.Sprint(f.Severity, " ", f.Code, " ", f.Component)))
	}
	return out
}

func TestCheckPassesGoodRules(t *testing.T) {
	good := []Rule{rule(TransportEvent, field("event_id", "$.event_id")), rule(BusinessRecord, field("request_id", "$.request_id")),
		effect(field("request_id", "$.request_id"), version), rule(LegitimateRepeat, field("request_id", "$.request_id"), field("authorization_id", "$.authorization_id"))}
	for i := range good {
		good[i].Example = `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 1, "contact": "[email]"}`
	}
	about := CheckContext{VersionOrder: "integer", EvidenceDays: ptr(30), Senders: []SenderFacts{{Name: "web-form", EventIDField: "$.event_id", VersionField: "$.approved_version", RetryHours: ptr(72)}},
		Operations: []OperationFacts{{Name: "create task", Documented: true, KeyLifetimeHours: ptr(72)}, {Name: "other", KeyLifetimeHours: ptr(1)}}}
	if f := Check(good, about); len(f) > 0 {
		t.Errorf("%+v", f)
	}
	if f := Check(nil, CheckContext{}); len(f) > 0 {
		t.Errorf("%+v", f)
	}
}

func TestCheckComponents(t *testing.T) {
	stamp := SenderFacts{Name: "shop", VersionField: "$.updated_at", RetryHours: ptr(1)}
	for _, c := range []struct {
		path, value string // value: JSON, "" when the example has none
		order       string
		want        string
	}{
		{"$.request_id", `"request-demo-01"`, "", ""},
		{"$.customer_id", `"cus_demo_01"`, "", ""},
		{"$.email", `"person@example.test"`, "", "block personal_email"},
		{"$.customerEmail", ``, "", "block personal_email"},
		{"$.body['E-Mail']", ``, "", "block personal_email"},
		{"$.contact", `"person@example.test"`, "", "block personal_email"},
		{"$.contact", `"order for person@example.test"`, "", "block personal_email"},
		{"$.phone", ``, "", "block personal_phone"},
		{"$.reference", `"+1 202 555 0147"`, "", "reason_allowed personal_phone"},
		{"$.reference", `2025550147`, "", "reason_allowed personal_phone"},
		{"$.reference", `4111111111111111`, "", "reason_allowed personal_card"},
		{"$.card_number", `4111111111111111`, "", "block personal_card"},
		{"$.reference", `"DE89370400440532013000"`, "", "block personal_iban"},
		{"$.customer_name", ``, "", "block personal_person"},
		{"$.customer.name", `"Demo Person"`, "", "block personal_person"},
		{"$.event_name", `"form.submitted"`, "", "reason_allowed personal_person"},
		{"$.company", `"Example Ltd"`, "", "block personal_company"},
		{"$.company", `"cmp_0042"`, "", "reason_allowed personal_company"},
		{"$.shipping_address", ``, "", "block personal_address"},
		{"$.place", `"1 Example Street"`, "", "block personal_address"},
		{"$.received_at", ``, "", "block arrival_time"},
		{"$.headers['webhook-timestamp']", `"1796040000"`, "", "block arrival_time"},
		{"$.attemptNumber", `1`, "", "block attempt"},
		{"$.created_at", ``, "", "block time"},
		{"$.created_at", `"no time"`, "", "reason_allowed time"},
		{"$.created", `1796040100`, "", "block time"},
		{"$.mark", `"2026-11-29T10:11:12Z"`, "", "block time"},
		{"$.mark", `"Sun, 29 Nov 2026 10:11:12 GMT"`, "", "block time"},
		{"$.mark", `"2026-11-29"`, "", "block rounded_time"},
		{"$.mark", `"2026-11-29T10:11Z"`, "", "block rounded_time"},
		{"$.order_no", `1796040100`, "", "reason_allowed time_number"},
		{"$.visit_date", `"2026-12-03"`, "", "reason_allowed time"},
		{"$.updated_at", `"2026-11-29T10:11:12Z"`, "", "block time"},
		{"$.updated_at", `"2026-11-29T10:11:12Z"`, "none", "block time"},
		{"$.updated_at", `"2026-11-29T10:11:12Z"`, "rfc3339", ""},
		{"$.updated_at", `1796040100123`, "integer", ""},
		{"$['updated_at']", ``, "rfc3339", ""},
		{"$.updated_at", `"2026-11-29"`, "rfc3339", "block rounded_time"},
		{"$.items[0].sku", ``, "", "warn list_position"},
		{"$.event_id", ``, "", "reason_allowed event_by_name"},
		{"$.headers['webhook-id']", ``, "", "reason_allowed event_by_name"},
		{"$.event.id", ``, "", "reason_allowed event_by_name"},
		{"$.", ``, "", ""},
	} {
		r := effect(field("c", c.path))
		if c.value != "" {
			names := strings.Split(strings.NewReplacer("$.", "", "$", "", "['", ".", "']", "").Replace(c.path), ".")
			for i, n := range slices.Backward(names) {
				if r.Example = fmt.Sprintf("{%q: %s}", n, r.Example); i == len(names)-1 {
					r.Example = fmt.Sprintf("{%q: %s}", n, c.value)
				}
			}
		}
		about := CheckContext{VersionOrder: c.order, Senders: []SenderFacts{stamp}}
		var got []Finding
		for _, f := range Check([]Rule{r}, about) {
			if f.Component != "" {
				got = append(got, f)
			}
		}
		want := c.want
		if want != "" {
			want += " c"
		}
		if strings.Join(codes(got), ", ") != want {
			t.Errorf("%s %s %s: %v, want %q", c.path, c.value, c.order, codes(got), want)
			continue
		}
		for _, f := range got {
			if c.value != "" && (f.Where == nil || r.Example[f.Where.Span.Start:f.Where.Span.End] != c.value) {
				t.Errorf("%s: where %+v", c.path, f.Where)
			}
			if !strings.Contains(f.Words, "action") || len(strings.Split(f.Example, "\n")) != 2 || strings.Contains(f.Words, "!") || f.Key == "" {
				t.Errorf("%s: %+v", c.path, f)
			}
		}
	}
}

func TestCheckScopedValuesAndDefaults(t *testing.T) {
	r := rule(BusinessRecord, field("a", "$.a"), Component{Name: "f", Scope: ScopeFixed, Value: "person@example.test"}, Component{Name: "d", Path: "$.d", Default: ptr(`"person@example.test"`)})
	if got := codes(Check([]Rule{r}, CheckContext{})); !slices.Equal(got, []string{"block personal_email f", "block personal_email d"}) {
		t.Error(got)
	}
}

func TestCheckWholeRules(t *testing.T) {
	event := rule(TransportEvent, field("event_id", "$.headers.id"))
	for _, c := range []struct {
		name  string
		rules []Rule
		want  []string
	}{
		{"no scope", []Rule{rule(IntendedEffect, field("request_id", "$.request_id"))}, []string{"block unscoped_effect"}},
		{"scope not at the start", []Rule{rule(IntendedEffect, append([]Component{field("request_id", "$.request_id")}, ScopeComponents()...)...)}, []string{"block unscoped_effect"}},
		{"nothing read", []Rule{effect()}, []string{"block constant"}},
		{"only defaults", []Rule{effect(version)}, []string{"block all_default"}},
		{"a repeat of fixed values", []Rule{rule(LegitimateRepeat, Component{Name: "a", Scope: ScopeFixed, Value: "x"}, Component{Name: "b", Scope: ScopeEffect})}, []string{"block repeat_never_differs"}},
		{"a repeat inside the effect", []Rule{effect(field("r", "$.r"), field("v", "$.v")), rule(LegitimateRepeat, field("other", "$['r']"))}, []string{"reason_allowed repeat_inside_effect"}},
		{"a repeat with something of its own", []Rule{effect(field("r", "$.r")), rule(LegitimateRepeat, field("r", "$.r"), field("v", "$.v"))}, nil},
		{"the event as record", []Rule{event, rule(BusinessRecord, field("id", "$['headers'].id"))}, []string{"block event_as_identity id"}},
		{"the event as effect", []Rule{effect(field("id", "$.headers.id")), event}, []string{"block event_as_identity id"}},
		{"the event as repeat", []Rule{event, rule(LegitimateRepeat, field("r", "$.r"), field("id", "$.headers.id"))}, []string{"block event_as_identity id"}},
		{"part of an event's identity", []Rule{rule(TransportEvent, field("id", "$.id"), field("kind", "$.kind")), rule(BusinessRecord, field("r", "$.r"), field("kind", "$.kind"))}, nil},
		{"all of an event's identity", []Rule{rule(TransportEvent, field("id", "$.id"), field("kind", "$.kind")), rule(BusinessRecord, field("id", "$.id"), field("kind", "$.kind"))},
			[]string{"block event_as_identity id", "block event_as_identity kind"}},
		{"no components", []Rule{rule(BusinessRecord)}, nil},
	} {
		if got := codes(Check(c.rules, CheckContext{})); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, f := range []string{"$.headers.id", "$.headers['id']", "ID"} {
		about := CheckContext{Senders: []SenderFacts{{Name: "s", EventIDField: f, RetryHours: ptr(1)}}}
		if got := codes(Check([]Rule{rule(BusinessRecord, field("id", "$.headers.id"))}, about)); !slices.Equal(got, []string{"block event_as_identity id"}) {
			t.Error(f, got)
		}
	}
}

func TestCheckExamples(t *testing.T) {
	for _, c := range []struct{ example, code, pointer, span string }{
		{`{"a": {"note": "write to person@example.test"}}`, "block example_email", "/a/note", `"write to person@example.test"`},
		{`{"a/b": [0, "+1 202 555 0147"]}`, "reason_allowed example_phone", "/a~1b/1", `"+1 202 555 0147"`},
		{`{"ref": 4111111111111111}`, "reason_allowed example_card", "/ref", "4111111111111111"},
		{`{"field": "name", "value": "Demo Person"}`, "reason_allowed example_person", "/value", `"Demo Person"`},
		{`{"field": "first_name", "value": "Demo"}`, "block example_person", "/value", `"Demo"`},
		{`{"customer": {"name": "Demo"}}`, "block example_person", "/customer/name", `"Demo"`},
		{`{"person@example.test": 1}`, "block example_email", "/person@example.test", `"person@example.test"`},
		{`"person@example.test"`, "block example_email", "", `"person@example.test"`},
		{`["", "\u0070erson@example.test"]`, "block example_email", "/1", `"\u0070erson@example.test"`},
		{`{"": "person@example.test"}`, "block example_email", "/", `"person@example.test"`},
		{`{"a": 1,}`, "block example_unreadable", "", `}`},
		{`{"email": "[email]", "phone": "<phone>", "name": "request form", "first_name": "", "last_name": "***", "company": null, "event_name": "form.submitted"}`, "", "", ""},
	} {
		r := effect(field("request_id", "$.request_id"))
		r.Example = c.example
		findings := Check([]Rule{r}, CheckContext{})
		if c.code == "" {
			if len(findings) > 0 {
				t.Errorf("%s: %v", c.example, codes(findings))
			}
			continue
		}
		if len(findings) != 1 || codes(findings)[0] != c.code {
			t.Errorf("%s: %v, want %s", c.example, codes(findings), c.code)
			continue
		}
		if w := findings[0].Where; w == nil || w.Pointer != c.pointer || c.example[w.Span.Start:w.Span.End] != c.span {
			t.Errorf("%s: %+v", c.example, w)
		}
	}
}

func TestCheckFindsWhatThePayloadsHold(t *testing.T) {
	want := map[string]string{
		"01-form-first-delivery.json":          "example_address example_email example_person example_phone",
		"11-shop-order-updated.json":           "example_email",
		"12-calendar-booking-rescheduled.json": "example_email",
		"10-payment-invoice-paid.json":         "", "13-crm-batch-of-events.json": "", "14-cloudevent.json": "", "15-hostile-nesting.json": "",
	}
	files, _ := filepath.Glob("testdata/payloads/*.json")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r := effect(field("request_id", "$.request_id"))
		r.Example = string(b)
		var got []string
		for _, found := range Check([]Rule{r}, CheckContext{}) {
			if w := found.Where; w == nil || w.Span.End <= w.Span.Start {
				t.Errorf("%s: %+v", f, found)
			}
			got = append(got, string(found.Code))
		}
		slices.Sort(got)
		if w, ok := want[filepath.Base(f)]; ok && strings.Join(slices.Compact(got), " ") != w {
			t.Errorf("%s: %v, want %s", f, got, w)
		}
		if strings.Contains(f, "code-host") && !slices.Contains(got, "example_email") {
			t.Errorf("%s: %v", f, got) // git@... and no-reply addresses
		}
	}
}

func TestCheckWindow(t *testing.T) {
	sender := func(retry, resend *int) []SenderFacts {
		return []SenderFacts{{Name: "web-form", RetryHours: retry, ResendHours: resend}}
	}
	key := func(hours *int) []OperationFacts {
		return []OperationFacts{{Name: "create", Documented: true, KeyLifetimeHours: hours}}
	}
	for _, c := range []struct {
		name  string
		about CheckContext
		want  []string
	}{
		{"nothing known", CheckContext{}, nil},
		{"no horizon", CheckContext{Senders: sender(nil, nil), Operations: key(ptr(1)), EvidenceDays: ptr(1)}, []string{"warn horizon_unknown"}},
		{"long enough", CheckContext{Senders: sender(ptr(72), ptr(24)), Operations: key(ptr(72)), EvidenceDays: ptr(3)}, nil},
		{"key forgotten", CheckContext{Senders: sender(ptr(72), nil), Operations: key(ptr(24))}, []string{"warn key_lifetime_short"}},
		{"key lifetime not known", CheckContext{Senders: sender(ptr(72), nil), Operations: key(nil)}, nil},
		{"resent by hand later", CheckContext{Senders: sender(ptr(1), ptr(720)), Operations: key(ptr(24)), EvidenceDays: ptr(29)}, []string{"warn key_lifetime_short", "warn evidence_short"}},
		{"retry 0", CheckContext{Senders: sender(ptr(0), nil), Operations: key(ptr(0)), EvidenceDays: ptr(0)}, nil},
	} {
		if got := codes(Check(nil, c.about)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	f := Check(nil, CheckContext{Senders: sender(ptr(72), nil), Operations: key(ptr(24))})[0]
	if !strings.Contains(f.Words, "create forgets a key after 1 day, and web-form may send the same event for 3 days") {
		t.Error(f.Words)
	}
}

func TestFindingKeysAreStableAndTheirOwn(t *testing.T) {
	r := effect(field("reference", "$.reference"), field("other", "$['"+strings.Repeat("x", 400)+"'].company_name"))
	r.Example = `{"reference": 2025550147, "again": "2025550147"}`
	seen := map[string]bool{}
	findings := Check([]Rule{r}, CheckContext{})
	for _, f := range findings {
		if seen[f.Key] || len(f.Key) > 200 {
			t.Error(f.Key)
		}
		seen[f.Key] = true
	}
	if !seen["personal_phone@intended_effect.reference=$.reference"] || !seen["example_phone@intended_effect/again"] || len(findings) != 4 {
		t.Error(seen)
	}
	if !Blocking(findings, func(string) bool { return true }) { // company_name
		t.Error("does not block")
	}
	kept := slices.DeleteFunc(findings, func(f Finding) bool { return f.Severity == Block })
	if Blocking(kept, func(string) bool { return true }) || !Blocking(kept, nil) || !Blocking(kept, func(k string) bool { return k != kept[0].Key }) {
		t.Error("a kept finding must have its reason")
	}
}

func TestCheckTakesBoundedTime(t *testing.T) {
	for _, piece := range []string{`0123456789,`, `"030 90182",`, `{"a":1},`, `"a@b.cd",`, `"1 Aa Bb",`, `{"` + strings.Repeat("n_", 90) + `":1},`} {
		r := effect(field("a", "$[0]"))
		r.Example = "[" + strings.TrimSuffix(strings.Repeat(strings.Replace(piece, "0123456789", `"0123456789"`, 1), maxExample/(len(piece)+3)), ",") + "]"
		begun := time.Now()
		Check([]Rule{r}, CheckContext{})
		if d := time.Since(begun); d > 20*time.Second {
			t.Errorf("%s: %s", piece, d)
		} else if d > time.Second {
			t.Log(piece, d)
		}
	}
	big := effect(field("a", "$[0]"))
	big.Example = "[" + strings.Repeat("1,", maxExample) + "1]"
	if got := codes(Check([]Rule{big}, CheckContext{})); !slices.Equal(got, []string{"block example_unreadable", "warn list_position a"}) && !slices.Equal(got, []string{"warn list_position a", "block example_unreadable"}) {
		t.Error(got)
	}
}

// What a careful or a careless person would write instead.
func TestCheckSeesThroughOtherSpellings(t *testing.T) {
	for path, want := range map[string]FindingCode{
		"$.customerEMail": "personal_email", "$.e_mail_1": "personal_email", "$.telefone": "personal_phone", "$.fullName2": "personal_person", "$.prénom": "personal_person",
		"$.kundenname": "personal_person", "$.achternaam": "personal_person", "$.имя": "personal_person", "$.客户姓名": "personal_person", "$.indirizzo": "personal_address",
		"$.timestampMs": FoundTime, "$.received_at_utc": FoundArrival, "$.fecha": FoundTime, "$.zeitstempel": FoundTime, "$.versuch": FoundAttempt,
	} {
		if found := codesOf(path, `{}`); len(found) != 1 || found[0] != want {
			t.Errorf("%s: %v, want %s", path, found, want)
		}
	}
	for value, want := range map[string]FindingCode{
		`"jane%40example.test"`: "personal_email", `"jane＠example.test"`: "personal_email", `"order of jane@example.test, 2"`: "personal_email", `"Demo Person"`: "personal_person",
		`1796040000123`: FoundTimeNumber, `1796040000123456`: FoundTimeNumber, `1.79604e9`: FoundTimeNumber, `"20261129"`: FoundTimeNumber,
		`"29.11.26"`: FoundRounded, `"2026-W48"`: FoundRounded, `"Nov 29, 2026"`: FoundRounded, `"29 November 2026"`: FoundRounded, `"20261129T1030Z"`: FoundRounded, `"20261129T103000Z"`: FoundTime,
	} {
		if found := codesOf("$.ref", `{"ref": `+value+`}`); !slices.Contains(found, want) {
			t.Errorf("%s: %v, want %s", value, found, want)
		}
	}
	for _, value := range []string{`"request-demo-01"`, `"REQ-20261129-7"`, `1234567890123456789`, `17`, `"a|b=c"`} {
		if found := codesOf("$.ref", `{"ref": `+value+`}`); len(found) != 0 {
			t.Errorf("%s: %v", value, found)
		}
	}
}

func codesOf(path, example string) (codes []FindingCode) {
	for _, f := range Check([]Rule{{Kind: BusinessRecord, Statement: "x", Components: []Component{{Name: "a", Path: path}}, Example: example}}, CheckContext{}) {
		codes = append(codes, f.Code)
	}
	return codes
}
