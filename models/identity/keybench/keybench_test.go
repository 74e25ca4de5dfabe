package keybench

import (
	"strings"
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	rows, err := Measure("../testdata/payloads", 10*time.Millisecond)
	if err != nil || len(rows) != len(inputs) {
		t.Fatal(rows, err)
	}
	var b strings.Builder
	if err := Print(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Ratio() <= 0 || r.AllocRatio() <= 0 || r.PerSecond() <= 0 || !strings.Contains(b.String(), r.Name) {
			t.Errorf("%+v", r)
		}
	}
	t.Log("\n" + b.String())
	if _, err := Measure("nowhere", 0); err == nil {
		t.Error("no error without payloads")
	}
}
