package safecsv

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestCellsThatCouldBeFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "",
		"Create CRM task":     "Create CRM task",
		"a=1":                 "a=1",
		" =1":                 " =1",
		"=HYPERLINK(\"x\")":   "'=HYPERLINK(\"x\")",
		"+1":                  "'+1",
		"-1":                  "'-1",
		"@SUM(A1)":            "'@SUM(A1)",
		"\t=1":                "'\t=1",
		"\r=1":                "'\r=1",
		"\n=1":                "'\n=1",
		"＝1":                  "'＝1",
		"'=1":                 "'=1",
		"12":                  "12",
		"\xff broken":         "\xff broken",
		"2026-05-31T00:00:00": "2026-05-31T00:00:00",
	} {
		if got := Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRowsReadBackAsTheyWere(t *testing.T) {
	var out strings.Builder
	w := New(&out)
	if err := w.Row("a \"quoted\", cell", "two\nlines", "=1+1"); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(rows) != 1 || rows[0][0] != "a \"quoted\", cell" || rows[0][1] != "two\nlines" || rows[0][2] != "'=1+1" {
		t.Errorf("%q %v from %q", rows, err, out.String())
	}
	if !strings.HasSuffix(out.String(), "\r\n") {
		t.Errorf("ends in %q", out.String())
	}
}
