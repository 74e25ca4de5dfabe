package ui

import "testing"

func TestDiffKeepsSpaces(t *testing.T) {
	doc := render(t, Diff([]DiffPart{{Text: "one "}, {Op: "del", Text: "two"}, {Op: "ins", Text: "three"}, {Text: ", four"}}))
	if got := doc.Find("body").Text(); got != "one twothree, four" {
		t.Errorf("rendered %q", got)
	}
	if doc.Find("ins").Text() != "three" || doc.Find("del").Text() != "two" {
		t.Error("wrong marks")
	}
}
