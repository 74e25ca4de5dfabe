package handlers

import (
	"reflect"
	"testing"

	"countersign/views/ui"
)

func TestMerge(t *testing.T) {
	list := func(a, b, c, d *string) []answer {
		return []answer{{"a", "A", a, nil}, {"b", "B", b, nil}, {"c", "C", c, nil}, {"d", "D", d, nil}}
	}
	text := func(s string) *string { return &s }
	base := packed(list(text("1"), text("1"), text("1"), text("1\n2")))
	mineA, mineB, mineC, mineD := "1", "mine", "mine", "1\r\n2"
	mine := list(&mineA, &mineB, &mineC, &mineD)
	saved := list(text("saved"), text("1"), text("saved"), text("1\n2"))
	pairs := merge(base, mine, saved)
	if mineA != "saved" || mineB != "mine" || mineC != "mine" {
		t.Errorf("merged to %q, %q, %q; want theirs, mine, mine", mineA, mineB, mineC)
	}
	want := []ui.VersionPair{{Label: "A", Base: "1", Saved: "saved", Yours: "1"}, {Label: "B", Base: "1", Saved: "1", Yours: "mine"}, {Label: "C", Base: "1", Saved: "saved", Yours: "mine"}}
	if !reflect.DeepEqual(pairs, want) {
		t.Errorf("pairs %+v, want %+v", pairs, want)
	}
	mineA = "1"
	if merge("", mine, saved); mineA != "1" {
		t.Error("without a common start, mine was replaced")
	}
}
