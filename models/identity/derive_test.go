package identity

import (
	"strings"
	"testing"

	"countersign/models"
)

var sandbox = Scope{Environment: "sandbox", Account: "crm-test", Effect: "create-crm-task"}

func ptr[T any](v T) *T { return &v }

func field(name, path string) Component { return Component{Name: name, Path: path} }

func rule(kind Kind, components ...Component) Rule {
	return Rule{Kind: kind, Statement: "Made up.", Components: components, Missing: Review}
}

func effect(components ...Component) Rule {
	return rule(IntendedEffect, append(ScopeComponents(), components...)...)
}

var version = Component{Name: "approved_version", Path: "$.approved_version", Default: ptr("1")}

func mustCompile(t testing.TB, r Rule) *Compiled {
	t.Helper()
	c, err := Compile(r)
	if err != nil {
		t.Fatal(err, models.AsError(err).Fields)
	}
	return c
}

func TestKeyForm(t *testing.T) {
	for _, c := range []struct {
		rule        Rule
		input, want string
	}{
		{effect(field("request_id", "$.request_id"), version), `{"request_id": "request-demo-01"}`,
			`cs1:intended_effect:environment="sandbox"|account="crm-test"|effect="create-crm-task"|request_id="request-demo-01"|approved_version=1`},
		{rule(TransportEvent, field("id", "$.headers['webhook-id']")), `{"headers": {"webhook-id": "event-demo-01"}}`, `cs1:transport_event:id="event-demo-01"`},
		{rule(BusinessRecord, field("a", "$.a"), field("b", "$['b']")), `{"a": 9007199254740993, "b": true}`, `cs1:business_record:a=9007199254740993|b=true`},
		{rule(BusinessRecord, field("a", "$.a")), `{"a": "e|f=g\"h\\i\n\u2028\ud83d\udc00\udb40\udc01"}`,
			`cs1:business_record:a="e\u007cf\u003dg\u0022h\u005ci\u000a\u2028🐀\udb40\udc01"`},
		{rule(BusinessRecord, field("a", "$[-1]")), `[1, "z"]`, `cs1:business_record:a="z"`},
		{rule(BusinessRecord, field("a", "$")), `" x "`, `cs1:business_record:a=" x "`},
		{rule(LegitimateRepeat, Component{Name: "a", Scope: ScopeFixed, Value: "e\u0301"}, field("b", "$.b")), `{"b": -0.0e1}`, `cs1:legitimate_repeat:a="é"|b=-0.0e1`},
	} {
		r := Derive(mustCompile(t, c.rule), sandbox, mustInput(t, c.input))
		if r.Key != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%v", c.input, r.Key, c.want, r.Reviews)
		}
	}
}

func TestDestinationKeyNeverChanges(t *testing.T) {
	if got, want := DestinationKey("cs1:intended_effect:a=1"), "cs_nac2tbtkq3xkyccy7fnqchejqhtaxxdxxn6df46g63fh5po5e3pq"; got != want || len(got) > 64 {
		t.Errorf("got %s, want %s", got, want)
	}
	if digest, ok := DestinationDigest(DestinationKey("a")); !ok || [32]byte(digest) != KeyDigest("a") {
		t.Error("a destination key does not lead to its digest")
	}
	for _, other := range []string{"", "cs_", "cs_nac2", "xx_nac2tbtkq3xkyccy7fnqchejqhtaxxdxxn6df46g63fh5po5e3pq", "cs_NAC2TBTKQ3XKYCCY7FNQCHEJQHTAXXDXXN6DF46G63FH5PO5E3PQ"} {
		if _, ok := DestinationDigest(other); ok {
			t.Errorf("%q is taken for a destination key", other)
		}
	}
	if KeyDigest("a") == KeyDigest("b") || DestinationKey("a") == DestinationKey("b") {
		t.Error("different keys, one digest")
	}
}

func TestLongKeys(t *testing.T) {
	c := mustCompile(t, effect(field("a", "$.a")))
	long := strings.Repeat("é", 600)
	one, two := Derive(c, sandbox, mustInput(t, `{"a": "`+long+`1"}`)), Derive(c, sandbox, mustInput(t, `{"a": "`+long+`2"}`))
	for _, r := range []Result{one, two} {
		if !strings.HasPrefix(r.Key, "cs1h:") || len(r.Key) > MaxKey || len(r.Key) < MaxKey-1 || !strings.Contains(r.Key, `:intended_effect:environment="sandbox"|`) || strings.ToValidUTF8(r.Key, "?") != r.Key {
			t.Error(len(r.Key), r.Key)
		}
	}
	if one.Key == two.Key {
		t.Error("two long inputs, one key")
	}
	// The longest short key, and one byte more.
	base := len(Derive(c, sandbox, mustInput(t, `{"a": "x"}`)).Key) - 1
	fits := Derive(c, sandbox, mustInput(t, `{"a": "`+strings.Repeat("x", MaxKey-base)+`"}`))
	over := Derive(c, sandbox, mustInput(t, `{"a": "`+strings.Repeat("x", MaxKey-base+1)+`"}`))
	if len(fits.Key) != MaxKey || !strings.HasPrefix(fits.Key, "cs1:") || !strings.HasPrefix(over.Key, "cs1h:") {
		t.Error(fits.Key, over.Key)
	}
}

func TestDeriveReviews(t *testing.T) {
	deep := Component{Name: "v", Path: "$.data.version", Default: ptr("1")}
	for _, c := range []struct {
		component Component
		input     string
		code      ReasonCode // "" means a key
		words     string
	}{
		{field("v", "$.v"), `{"v": 0}`, "", ""},
		{field("v", "$.v"), `{"v": false}`, "", ""},
		{field("v", "$.v"), `{"v": " "}`, Empty, "$.v is empty text"},
		{field("v", "$.v"), `{"v": ""}`, Empty, "$.v is empty text"},
		{field("v", "$.v"), `{"v": null}`, Null, "$.v is null"},
		{field("v", "$.v"), `{}`, Missing, "$.v is not in this input."},
		{field("v", "$.v"), `[]`, Missing, "$.v is not in this input."},
		{field("v", "$.v"), `null`, Missing, "$.v is not in this input."},
		{field("v", "$.a.b.c"), `{"a": null}`, Missing, "there is no $['a']['b']"},
		{field("v", "$.v"), `{"v": []}`, NotScalar, "is a list"},
		{field("v", "$.v"), `{"v": {"$oid": "x"}}`, NotScalar, "is an object"},
		{field("v", "$.v"), `{"v": 1, "v": 1}`, DuplicateMember, "$['v'] occurs twice"},
		{field("v", "$.v"), `{"v": 1, "\u0076": 1}`, DuplicateMember, "$['v'] occurs twice"},
		{field("v", "$.a.v"), `{"a": {"v": 1}, "a": {}}`, DuplicateMember, "$['a'] occurs twice"},
		{field("v", "$.v"), `{"w": 1, "w": 2, "v": 1}`, "", ""},
		{field("v", "$.v"), `{"v": "` + strings.Repeat("x", maxValue) + `"}`, TooLong, "longer than 8 KiB"},
		{field("v", "$.v"), `{"v": "a` + strings.Repeat("\u0323", 31) + `"}`, TooManyMarks, "combining marks"},
		{field("v", "$.v"), `{"v": "a` + strings.Repeat("\u0323", 30) + `\u034f"}`, "", ""},
		{field("v", "$.v[2]"), `{"v": [1, 2]}`, Missing, "is not in this input"},
		{field("v", "$.v['0']"), `{"v": [1, 2]}`, Missing, "is not in this input"},
		{field("v", "$.v[0]"), `{"v": {"0": 1}}`, Missing, "is not in this input"},
		{deep, `{"data": {}}`, "", ""},
		{deep, `{"data": {"version": null}}`, Null, "is null"},
		{deep, `{"data": {"version": ""}}`, Empty, "is empty"},
		{deep, `{"data": {"version": 1, "version": 1}}`, DuplicateMember, "occurs twice"},
		{deep, `{"data": null}`, Missing, "The default stands in only where $['data'] is an object without that member."},
		{deep, `{"data": []}`, Missing, "The default stands in only"},
		{deep, `{}`, Missing, "The default stands in only"},
	} {
		r := Derive(mustCompile(t, rule(BusinessRecord, field("always", "$.none"), c.component)), sandbox, mustInput(t, c.input))
		if len(r.Reviews) == 0 || r.Reviews[0].Code != Missing || r.Key != "" || r.Parts != nil || r.OK() {
			t.Fatalf("%s: %+v", c.input, r) // $.none is in no input
		}
		only := Derive(mustCompile(t, rule(BusinessRecord, c.component)), sandbox, mustInput(t, c.input))
		if c.code == "" {
			if !only.OK() || len(only.Parts) != 1 || only.Parts[0].FromDefault != (c.component.Default != nil) {
				t.Errorf("%.60s: %+v", c.input, only)
			}
			continue
		}
		if len(only.Reviews) != 1 || only.Key != "" || only.Parts != nil {
			t.Errorf("%.60s: %+v", c.input, only)
			continue
		}
		if why := only.Reviews[0]; why.Code != c.code || why.Component != "v" || why.Path != c.component.Path || !strings.Contains(why.Words, c.words) {
			t.Errorf("%.60s: %+v, want %s %q", c.input, why, c.code, c.words)
		}
	}
}

func TestDeriveNeedsItsScope(t *testing.T) {
	in := mustInput(t, `{"request_id": "r"}`)
	unscoped := mustCompile(t, rule(IntendedEffect, field("request_id", "$.request_id")))
	if r := Derive(unscoped, sandbox, in); r.Key != "" || len(r.Reviews) != 1 || r.Reviews[0].Code != NoScope {
		t.Errorf("%+v", r)
	}
	c := mustCompile(t, effect(field("request_id", "$.request_id")))
	for _, s := range []Scope{{}, {Environment: "sandbox", Account: "a"}, {Environment: "sandbox", Effect: "e"}, {Account: "a", Effect: " "}} {
		if r := Derive(c, s, in); r.Key != "" || len(r.Reviews) == 0 || r.Reviews[0].Code != Missing {
			t.Errorf("%+v: %+v", s, r)
		}
	}
	seen := map[string]bool{}
	for _, s := range []Scope{sandbox, {"production", "crm-test", "create-crm-task"}, {"sandbox", "crm-live", "create-crm-task"}, {"sandbox", "crm-test", "book-visit"}} {
		seen[Derive(c, s, in).Key] = true
	}
	if len(seen) != 4 {
		t.Error(seen)
	}
}

func TestWhatIsTheSameText(t *testing.T) {
	c := mustCompile(t, effect(field("a", "$.a")))
	key := func(value string) string {
		r := Derive(c, sandbox, mustInput(t, `{"a": `+value+`}`))
		if !r.OK() {
			t.Fatal(value, r.Reviews)
		}
		return r.Key
	}
	for _, pair := range [][2]string{{`"é"`, `"e\u0301"`}, {`"\u212b"`, `"Å"`}, {`"\uac00"`, `"\u1100\u1161"`}, {`"a"`, `"\u0061"`}} {
		if key(pair[0]) != key(pair[1]) {
			t.Errorf("%s and %s are the same text", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{`9007199254740992`, `9007199254740993`}, {`12`, `"12"`}, {`true`, `"true"`}, {`1`, `1.0`}, {`1`, `1e0`}, {`0`, `-0`},
		{`"a"`, `"A"`}, {`"a"`, `"a "`}, {`"a"`, `"a\u200b"`}, {`"ﬁ"`, `"fi"`}, {`"\\u0041"`, `"A"`}, {`"x\u00a0"`, `"x\u2007"`}} {
		if key(pair[0]) == key(pair[1]) {
			t.Errorf("%s and %s are different values: %s", pair[0], pair[1], key(pair[0]))
		}
	}
}

func TestDeriveAll(t *testing.T) {
	rules := []VersionedRule{{1, mustCompile(t, effect(field("request_id", "$.id")))}, {3, mustCompile(t, effect(field("request_id", "$.request_id")))}}
	all := DeriveAll(rules, sandbox, mustInput(t, `{"request_id": "r"}`))
	if len(all) != 2 || all[0].Version != 1 || all[0].Result.OK() || all[1].Version != 3 || !all[1].Result.OK() {
		t.Errorf("%+v", all)
	}
	both := DeriveAll(rules, sandbox, mustInput(t, `{"request_id": "r", "id": "r"}`))
	if both[0].Result.Key != both[1].Result.Key {
		t.Error("the same components under another version are the same key")
	}
	if DeriveAll(nil, sandbox, Input{}) == nil {
		t.Error("nil")
	}
}
