package identity

import "testing"

func TestBodyDigestLeavesOutWhatChanges(t *testing.T) {
	changing := ParseChanging("sent_at, attempt; $.meta.try and x-attempt.")
	base := `{"event_id":"e1","n":12345678901234567890,"sent_at":"a","meta":{"try":1,"keep":2}}`
	for _, c := range []struct {
		name, other string
		same        bool
	}{
		{"another order and space", `{ "n":12345678901234567890, "event_id":"e1", "meta":{"keep":2}}`, true},
		{"a changing member", `{"event_id":"e1","n":12345678901234567890,"sent_at":"b","meta":{"try":9,"keep":2}}`, true},
		{"another number beyond floating point", `{"event_id":"e1","n":12345678901234567891,"meta":{"keep":2}}`, false},
		{"a number as text", `{"event_id":"e1","n":"12345678901234567890","meta":{"keep":2}}`, false},
		{"a changing name deeper down", `{"event_id":"e1","n":12345678901234567890,"meta":{"keep":2,"sent_at":1}}`, false},
		{"a member twice", `{"event_id":"e1","n":12345678901234567890,"n":1,"meta":{"keep":2}}`, false},
	} {
		if got := BodyDigest([]byte(base), changing) == BodyDigest([]byte(c.other), changing); got != c.same {
			t.Errorf("%s: same %v, want %v", c.name, got, c.same)
		}
	}
	inside := BodyDigest([]byte(`{"headers":{"x-attempt":"1","id":"a"},"body":{"attempt":1}}`), changing)
	if inside != BodyDigest([]byte(`{"headers":{"x-attempt":"2","id":"a"},"body":{"attempt":3}}`), changing) {
		t.Error("names count inside headers and body too")
	}
	if BodyDigest([]byte(`{"a":1,"a":2}`), changing) == BodyDigest([]byte(`{"a":1,"a":3}`), changing) {
		t.Error("two ambiguous bodies look the same")
	}
	if BodyDigest([]byte(`not json`), changing) == BodyDigest([]byte(`not json either`), changing) {
		t.Error("two unreadable bodies look the same")
	}
}

func TestBareValueOfARecordRule(t *testing.T) {
	compile := func(parts ...Component) *Compiled {
		c, err := Compile(Rule{Kind: BusinessRecord, Components: parts})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	id, other := Component{Name: "id", Path: "$.id"}, Component{Name: "other", Path: "$.o"}
	in, _ := ParseInput([]byte(`{"id":"a|b\"ü","o":7}`))
	for _, c := range []struct {
		rule *Compiled
		want string
		ok   bool
	}{{compile(id), `a|b"ü`, true}, {compile(other), "7", true}, {compile(id, other), "", false}, {compile(Component{Name: "x", Scope: ScopeFixed, Value: "f"}, id), `a|b"ü`, true}} {
		if got, ok := Bare(c.rule, Derive(c.rule, Scope{}, in)); got != c.want || ok != c.ok {
			t.Errorf("%q %v, want %q %v", got, ok, c.want, c.ok)
		}
	}
	if _, ok := Bare(compile(Component{Name: "gone", Path: "$.gone"}), Derive(compile(Component{Name: "gone", Path: "$.gone"}), Scope{}, in)); ok {
		t.Error("a value without a key")
	}
}

func TestOnlyComponentsDecideTheDigestOfARule(t *testing.T) {
	one, two := "1", "2"
	r := Rule{Kind: IntendedEffect, Statement: "a", Components: []Component{{Name: "id", Path: "$.id"}, {Name: "v", Path: "$['v']", Default: &one}}}
	same := Rule{Kind: IntendedEffect, Statement: "b", Example: "{}", Components: []Component{{Name: "id", Path: "$['id']"}, {Name: "v", Path: "$.v", Default: &one}}}
	other := Rule{Kind: IntendedEffect, Statement: "a", Components: []Component{{Name: "id", Path: "$.id"}, {Name: "v", Path: "$.v", Default: &two}}}
	if KeyDigestOfRule(r) != KeyDigestOfRule(same) || KeyDigestOfRule(r) == KeyDigestOfRule(other) {
		t.Error("digest of a rule")
	}
}
