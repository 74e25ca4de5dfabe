package identity

import (
	"strings"
	"testing"
)

func suggestRules(effectVersion, repeatVersion bool) []Rule {
	one := "1"
	const example = `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 1}`
	version := Component{Name: "approved_version", Path: "$.approved_version", Default: &one}
	request := Component{Name: "request_id", Path: "$.request_id"}
	effect, repeat := append(ScopeComponents(), request), []Component{request}
	if effectVersion {
		effect = append(effect, version)
	}
	if repeatVersion {
		repeat = append(repeat, version)
	}
	return []Rule{
		{Kind: TransportEvent, Components: []Component{{Name: "event_id", Path: "$.event_id"}}, Example: example},
		{Kind: BusinessRecord, Components: []Component{request}},
		{Kind: IntendedEffect, Components: effect},
		{Kind: LegitimateRepeat, Components: repeat},
	}
}

// Under rules that do what their owner wants, every suggestion comes to what it says.
func TestSuggestionsHoldUnderGoodRules(t *testing.T) {
	for _, c := range []struct{ effect, repeat bool }{{true, true}, {false, true}, {true, false}} {
		rules := suggestRules(c.effect, c.repeat)
		set, err := NewSet(rules...)
		if err != nil {
			t.Fatal(err)
		}
		all := Suggest(rules, "$.approved_version")
		if len(all) != 9 {
			t.Fatalf("%d suggestions", len(all))
		}
		for _, s := range all {
			a, b := sandbox, sandbox
			if s.OtherEnvironment {
				b.Environment = "elsewhere"
			}
			if s.OtherAccount {
				b.Account = "elsewhere"
			}
			if v := Compare(set, Side{a, mustInput(t, s.A)}, Side{b, mustInput(t, s.B)}); v.Code != s.Expected {
				t.Errorf("%+v: %s came to %s (%s), expected %s\n%s\n%s", c, s.Name, v.Code, v.Words, s.Expected, s.A, s.B)
			}
		}
	}
}

func TestSuggestionsWithoutAnExample(t *testing.T) {
	rules := suggestRules(true, true)
	rules[0].Example = "{"
	if got := Suggest(rules, ""); got != nil {
		t.Error(got)
	}
	if got := Suggest(suggestRules(true, true)[:2], ""); got != nil {
		t.Error("suggested without a rule of the effect", got)
	}
	rules[0].Example = `{"items": [{"event_id": 9007199254740993}], "<b>": 1.0}`
	got := Suggest(rules, "")
	if len(got) != 9 || !strings.Contains(got[0].A, "9007199254740993") || !strings.Contains(got[0].A, `"<b>": 1.0`) || !strings.Contains(got[0].A, `"request_id": "demo-01"`) {
		t.Error(got)
	}
}

func TestPersonalDataSaysWhere(t *testing.T) {
	text := "{\n  \"mail\": \"person@example.test\"\n}"
	found := PersonalData(text)
	if len(found) != 1 || found[0].Where == nil || found[0].Where.Pointer != "/mail" || found[0].Severity != Block {
		t.Fatal(found)
	}
	if line, column := Place(text, found[0].Where.Span.Start); line != 2 || column != 11 {
		t.Error(line, column)
	}
	if found := PersonalData(`{"request_id": "request-demo-01"}`); len(found) != 0 {
		t.Error(found)
	}
}
