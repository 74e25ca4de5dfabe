package identity

import (
	"slices"
	"strings"
	"testing"
)

// demoRules are the rules of the demo control, with the version in the effect.
func demoRules(t testing.TB) Set {
	t.Helper()
	s, err := NewSet(rule(TransportEvent, field("event_id", "$.event_id")), rule(BusinessRecord, field("request_id", "$.request_id")),
		effect(field("request_id", "$.request_id"), version), rule(LegitimateRepeat, field("request_id", "$.request_id"), version))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCompareVerdicts(t *testing.T) {
	production := Scope{"production", "crm-live", "create-crm-task"}
	other := Scope{"sandbox", "crm-other", "create-crm-task"}
	const first = `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 1}`
	for _, c := range []struct {
		name   string
		a, b   string
		scope  Scope // of the second
		code   VerdictCode
		apart  string
		spoken string
	}{
		{"the same event twice", first, first, sandbox, SameDelivery, "", "sent one notification again"},
		{"sent again under a new event ID", first, `{"event_id": "event-demo-02", "request_id": "request-demo-01"}`, sandbox, SameAction, "", "nothing may happen twice"},
		{"same customer, new request", first, `{"event_id": "event-demo-02", "request_id": "request-demo-02", "approved_version": 1}`, sandbox, RepeatVerdict, "request_id", "request_id sets it apart"},
		{"revised version", first, `{"event_id": "event-demo-03", "request_id": "request-demo-01", "approved_version": 2}`, sandbox, RepeatVerdict, "approved_version", "may happen"},
		{"missing request ID", first, `{"event_id": "event-demo-04", "approved_version": 1}`, sandbox, ToReview, "", "Input B: $.request_id is not in this input."},
		{"renamed field", first, `{"event_id": "event-demo-04", "request_no": "request-demo-01"}`, sandbox, ToReview, "", "$.request_id is not"},
		{"null", `{"event_id": null, "request_id": "r"}`, first, sandbox, ToReview, "", "Input A: $.event_id is null"},
		{"number against text", `{"event_id": "e1", "request_id": 12}`, `{"event_id": "e2", "request_id": "12"}`, sandbox, RepeatVerdict, "request_id", ""},
		{"another account", first, first, other, KeysNeverCross, "account", "Another account"},
		{"another environment", first, first, production, KeysNeverCross, "environment account", "Another environment and account"},
		{"event ID reused for another request", first, `{"event_id": "event-demo-01", "request_id": "request-demo-02"}`, sandbox, ToReview, "request_id", "another business record"},
		{"event ID reused for another version", first, `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 2}`, sandbox, ToReview, "approved_version", "another intended effect"},
		{"missing in another environment", first, `{}`, production, ToReview, "", ""},
	} {
		v := Compare(demoRules(t), Side{sandbox, mustInput(t, c.a)}, Side{c.scope, mustInput(t, c.b)})
		if v.Code != c.code || strings.Join(v.Apart, " ") != c.apart && c.code != ToReview || !strings.Contains(v.Words, c.spoken) {
			t.Errorf("%s: %s %v %q", c.name, v.Code, v.Apart, v.Words)
		}
		back := Compare(demoRules(t), Side{c.scope, mustInput(t, c.b)}, Side{sandbox, mustInput(t, c.a)})
		if back.Code != v.Code {
			t.Errorf("%s: %s, the other way round %s", c.name, v.Code, back.Code)
		}
		if len(v.Comparisons) != 4 || v.Of(IntendedEffect).Kind != IntendedEffect {
			t.Error(c.name, v.Comparisons)
		}
	}
}

func TestCompareWithTheVersionOutsideTheEffect(t *testing.T) {
	s, _ := NewSet(rule(TransportEvent, field("event_id", "$.event_id")), effect(field("request_id", "$.request_id")),
		rule(LegitimateRepeat, field("request_id", "$.request_id"), field("approved_version", "$.approved_version")))
	one := Side{sandbox, mustInput(t, `{"event_id": 1, "request_id": "r", "approved_version": 1}`)}
	two := Side{sandbox, mustInput(t, `{"event_id": 2, "request_id": "r", "approved_version": 2}`)}
	none := Side{sandbox, mustInput(t, `{"event_id": 3, "request_id": "r"}`)}
	if v := Compare(s, one, two); v.Code != RepeatVerdict || !strings.Contains(v.Words, "held until a person approves") {
		t.Errorf("%+v", v)
	}
	if v := Compare(s, one, none); v.Code != SameAction || !strings.Contains(v.Words, "cannot be read") {
		t.Errorf("%+v", v)
	}
}

func TestCompareDifferentAction(t *testing.T) {
	s := demoRules(t)
	s.Effect = mustCompile(t, effect(field("request_id", "$.request_id"), field("service", "$.service")))
	one := Side{sandbox, mustInput(t, `{"event_id": 1, "request_id": "r", "service": "repair"}`)}
	two := Side{sandbox, mustInput(t, `{"event_id": 2, "request_id": "q", "service": "inspection"}`)}
	if v := Compare(s, one, two); v.Code != OtherAction || !slices.Equal(v.Apart, []string{"request_id", "service"}) {
		t.Errorf("%+v", v) // the owner named the request, not the service, as what makes a repeat
	}
	s.Repeat = nil
	if v := Compare(s, one, two); v.Code != OtherAction || v.Of(LegitimateRepeat).Outcome != Undefined {
		t.Errorf("%+v", v)
	}
	if v := Compare(Set{}, one, two); v.Code != ToReview || !strings.Contains(v.Words, "no rule") {
		t.Errorf("%+v", v)
	}
}

func TestRowsExplain(t *testing.T) {
	s := Set{Effect: mustCompile(t, effect(field("v", "$.v"))), Record: mustCompile(t, rule(BusinessRecord, Component{Name: "v", Path: "$.v", Default: ptr("1")}))}
	row := func(a, b string, k Kind) Row {
		v := Compare(s, Side{sandbox, mustInput(t, a)}, Side{sandbox, mustInput(t, b)})
		rows := v.Of(k).Rows
		return rows[len(rows)-1]
	}
	for _, c := range []struct {
		a, b    string
		outcome Outcome
		note    string
	}{
		{`{"v": 12}`, `{"v": "12"}`, Different, "A number on one side"},
		{`{"v": 12}`, `{"v": 12.0}`, Different, "The same number, written differently"},
		{`{"v": 1e99999999}`, `{"v": 1e99999998}`, Different, ""},
		{`{"v": "r1"}`, `{"v": "R1"}`, Different, "upper and lower case"},
		{`{"v": "r1"}`, `{"v": "r1 "}`, Different, "spaces"},
		{`{"v": "e\u0301"}`, `{"v": "é"}`, Same, "mean the same text"},
		{`{"v": "é"}`, `{"v": "é"}`, Same, ""},
		{`{"v": "a"}`, `{"v": "b"}`, Different, ""},
		{`{"v": null}`, `{"v": "b"}`, NeedsReview, ""},
	} {
		if r := row(c.a, c.b, IntendedEffect); r.Outcome != c.outcome || !strings.Contains(r.Note, c.note) || c.note == "" && r.Note != "" || r.From != "$.v" {
			t.Errorf("%s %s: %+v", c.a, c.b, r)
		}
	}
	if r := row(`{}`, `{"v": 1}`, BusinessRecord); r.Outcome != Same || !r.A.FromDefault || r.B.FromDefault || !strings.Contains(r.Note, "declared default") {
		t.Errorf("%+v", r)
	}
	if r := row(`{"v": null}`, `{"v": 1}`, BusinessRecord); r.A.Review == nil || r.A.Review.Code != Null {
		t.Errorf("%+v", r)
	}
}
