package identity

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplitKey(t *testing.T) {
	parts := []Part{{Name: "environment", Value: literal("sandbox")}, {Name: "request_id", Value: literal(`a|b="c"`)}, {Name: "version", Value: "2"}}
	want := []Part{{Name: "environment", Value: "sandbox"}, {Name: "request_id", Value: `a|b="c"`}, {Name: "version", Value: "2"}}
	if got := SplitKey(makeKey(IntendedEffect, parts)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	parts[1].Value = literal(strings.Repeat("x", 600))
	if got := SplitKey(makeKey(IntendedEffect, parts)); len(got) != 2 || got[0].Value != "sandbox" || got[1].Name != "request_id" {
		t.Errorf("a long key: %+v", got)
	}
	for _, bad := range []string{"", "x", "cs1:", "cs1:intended_effect", "cs1h:00"} {
		if got := SplitKey(bad); got != nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}
