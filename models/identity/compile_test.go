package identity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/models"
)

func TestCompileNamesEachMistake(t *testing.T) {
	many := make([]Component, 21)
	for i := range many {
		many[i] = field(fmt.Sprint("c", i), "$.a")
	}
	at := func(c Component) Rule { return rule(BusinessRecord, field("first", "$.first"), c) }
	for _, c := range []struct {
		rule         Rule
		field, words string
	}{
		{rule("other", field("a", "$.a")), "kind", "Choose"},
		{Rule{Kind: BusinessRecord, Missing: "guess", Components: []Component{field("a", "$.a")}}, "missing", "Nothing is guessed"},
		{rule(BusinessRecord), "components", "at least one"},
		{rule(BusinessRecord, many...), "components", "until there are 20. There are 21."},
		{at(field("", "$.a")), "components.1.name", "lower-case"},
		{at(field("Request", "$.a")), "components.1.name", "lower-case"},
		{at(field("a__b", "$.a")), "components.1.name", "lower-case"},
		{at(field("a=b", "$.a")), "components.1.name", "lower-case"},
		{at(field(strings.Repeat("a", 61), "$.a")), "components.1.name", "60 at most"},
		{at(field("first", "$.a")), "components.1.name", "Two components are called first"},
		{at(field("a", "")), "components.1.path", "Enter a path"},
		{at(field("a", "request_id")), "components.1.path", "Start the path with $"},
		{at(field("a", " $.a")), "components.1.path", "Start the path with $"},
		{at(field("a", "$.a ")), "components.1.path", "valid path"},
		{at(field("a", "$.")), "components.1.path", "valid path"},
		{at(field("a", "$.a[")), "components.1.path", "valid path"},
		{at(field("a", "$.a-b")), "components.1.path", "valid path"},
		{at(field("a", "$.a[01]")), "components.1.path", "valid path"},
		{at(field("a", "$.*")), "components.1.path", "names and positions only"},
		{at(field("a", "$[*]")), "components.1.path", "names and positions only"},
		{at(field("a", "$..a")), "components.1.path", "names and positions only"},
		{at(field("a", "$[0:2]")), "components.1.path", "names and positions only"},
		{at(field("a", "$['a','b']")), "components.1.path", "names and positions only"},
		{at(field("a", "$[?@.a == 1]")), "components.1.path", "names and positions only"},
		{at(field("a", "$[?length(@.a) == 1].b")), "components.1.path", "names and positions only"},
		{at(field("a", "$."+strings.Repeat("a", 499))), "components.1.path", "500 characters"},
		{at(field("a", "$['\xff']")), "components.1.path", "not valid text"},
		{at(Component{Name: "a", Path: "$.a", Value: "x"}), "components.1.value", "read from the input"},
		{at(Component{Name: "a", Scope: "planet"}), "components.1.scope", "Choose environment"},
		{at(Component{Name: "a", Scope: ScopeAccount, Path: "$.a"}), "components.1.path", "Remove the path"},
		{at(Component{Name: "a", Scope: ScopeAccount, Value: "x"}), "components.1.value", "comes from the claim"},
		{at(Component{Name: "a", Scope: ScopeAccount, Default: ptr("1")}), "components.1.default", "Remove the default"},
		{at(Component{Name: "a", Scope: ScopeFixed}), "components.1.value", "Enter the fixed value"},
		{at(Component{Name: "a", Scope: ScopeFixed, Value: strings.Repeat("x", 201)}), "components.1.value", "200 characters"},
		{at(Component{Name: "a", Scope: ScopeFixed, Value: "a" + strings.Repeat("\u0323", 40)}), "components.1.value", "combining marks"},
		{at(Component{Name: "a", Scope: ScopeFixed, Value: "a\nb"}), "components.1.value", "one line"},
		{at(Component{Name: "a", Path: "$.a[0]", Default: ptr("1")}), "components.1.default", "Only a named member"},
		{at(Component{Name: "a", Path: "$", Default: ptr("1")}), "components.1.default", "Only a named member"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr("")}), "components.1.default", "one JSON value"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr("null")}), "components.1.default", "one JSON value"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr(`" "`)}), "components.1.default", "one JSON value"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr("[]")}), "components.1.default", "one JSON value"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr("none")}), "components.1.default", "one JSON value"},
		{at(Component{Name: "a", Path: "$.a", Default: ptr(`"` + strings.Repeat("x", 500) + `"`)}), "components.1.default", "one JSON value"},
	} {
		got, err := Compile(c.rule)
		if e := models.AsError(err); got != nil || !models.IsKind(err, models.KindInvalid) || len(e.Fields) != 1 || !strings.Contains(e.Field(c.field), c.words) {
			t.Errorf("%+v: %v %+v, want %s %q", c.rule.Components, got, err, c.field, c.words)
		}
	}
	if _, err := Compile(rule("", field("", ""), field("", "$"))); len(models.AsError(err).Fields) != 4 {
		t.Error("all mistakes at once", models.AsError(err).Fields)
	}
}

func TestCompileTakesSingularPaths(t *testing.T) {
	for _, p := range []string{"$", "$.a", "$['a']", `$["a"]`, "$[0]", "$[-1]", "$.a [0] .b", "$.größe", "$['a/b']['c:d']", "$['']", `$['\u00e9']`, "$.true.null", "$['__proto__'].x",
		"$." + strings.Repeat("a", 498), "$" + strings.Repeat("[0]", 166)} {
		if _, err := Compile(rule(BusinessRecord, field("a", p))); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestRuleJSONIsStable(t *testing.T) {
	r := effect(field("request_id", "$.request_id"), version, Component{Name: "form", Scope: ScopeFixed, Value: "x"})
	r.Boundary, r.Example = "b", "{}"
	b, err := json.Marshal(r)
	const want = `{"kind":"intended_effect","statement":"Made up.","components":[{"name":"environment","scope":"environment"},{"name":"account","scope":"account"},{"name":"effect","scope":"effect"},` +
		`{"name":"request_id","path":"$.request_id"},{"name":"approved_version","path":"$.approved_version","default":"1"},{"name":"form","scope":"fixed","value":"x"}],"boundary":"b","missing":"review","example":"{}"}`
	if err != nil || string(b) != want {
		t.Errorf("%s %v", b, err)
	}
	var back Rule
	if err := json.Unmarshal(b, &back); err != nil || *back.Components[4].Default != "1" {
		t.Error(back, err)
	}
}
