package control

import (
	"strings"
	"testing"

	"countersign/models"
)

func TestCatalogue(t *testing.T) {
	wants := []int{6, 5, 5, 5, 4, 8, 0, 4}
	if len(Sections) != len(wants) {
		t.Fatalf("%d sections", len(Sections))
	}
	seen := map[string]bool{}
	for i, s := range Sections {
		if s.Number != i+1 || s.Title == "" || len(s.Fields) != wants[i] {
			t.Errorf("section %d: %d fields, want %d", s.Number, len(s.Fields), wants[i])
		}
		for _, f := range s.Fields {
			if seen[f.Key] || f.Label == "" || f.Help == "" || f.Ask == "" || f.Kind == "" || !f.Required || f.Section != i+1 {
				t.Errorf("field %+v", f)
			}
			seen[f.Key] = true
			if f.Design != (f.Section >= 2 && f.Section <= 5) {
				t.Errorf("%s: the design is sections 2 to 5", f.Key)
			}
			for _, text := range []string{f.Help, f.Ask} {
				if strings.Contains(text, "!") || overclaim.MatchString(text) {
					t.Errorf("%s: %s", f.Key, text)
				}
			}
			if !strings.HasSuffix(f.Help, ".") {
				t.Errorf("%s: the help is no sentence", f.Key)
			}
		}
	}
	if n := RequiredFields(); n != 37 || len(seen) != 37 {
		t.Errorf("%d required of %d fields", n, len(seen))
	}
}

func TestCheck(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n+1) }
	for _, c := range []struct {
		field string
		in    Input
		blame string // "": fine
		value string
		data  string
	}{
		{"exact_effect", Input{State: Answered, Text: " One task.\r\nNo more. "}, "", "One task.\nNo more.", ""},
		{"exact_effect", Input{State: Answered, Text: " "}, "text", "", ""},
		{"exact_effect", Input{State: Answered, Text: long(4000)}, "text", "", ""},
		{"exact_effect", Input{State: Answered, Text: "a\x00b"}, "text", "", ""},
		{"exact_effect", Input{State: Answered, Text: "a\u202eb"}, "text", "", ""},
		{"exact_effect", Input{State: Answered, Text: "\xff"}, "text", "", ""},
		{"exact_effect", Input{State: "done", Text: "x"}, "state", "", ""},
		{"exact_effect", Input{Text: "x"}, "state", "", ""},
		{"exact_effect", Input{State: NotApplicable, Reason: "because"}, "state", "", ""},
		{"late_update", Input{State: NotApplicable, Reason: "A change is a new request."}, "", "", ""},
		{"late_update", Input{State: NotApplicable, Reason: " "}, "reason", "", ""},
		{"late_update", Input{State: NotApplicable, Reason: long(2000)}, "reason", "", ""},
		{"late_update", Input{State: Unresolved, Reason: "Asked the sender."}, "", "", ""},
		{"late_update", Input{State: Unresolved, Reason: "\x07"}, "reason", "", ""},
		{"approved_version", Input{State: Answered, Text: "$.approved_version"}, "", "$.approved_version", ""},
		{"approved_version", Input{State: Answered, Text: "two\nlines"}, "text", "", ""},
		{"duplicate_in_plain_words", Input{State: Answered, Text: long(1000)}, "text", "", ""},
		{"workflow", Input{State: Answered, Text: "other"}, "text", "", ""},
		{"workflow", Input{State: NotApplicable, Reason: "none"}, "state", "", ""},
		{"review_date", Input{State: Answered, Date: "2026-06-02"}, "", "2 June 2026", `{"date":"2026-06-02"}`},
		{"review_date", Input{State: Answered, Date: "2026-06-01"}, "date", "", ""},
		{"review_date", Input{State: Answered, Date: "2025-12-31"}, "date", "", ""},
		{"review_date", Input{State: Answered, Date: "2026-02-30"}, "date", "", ""},
		{"review_date", Input{State: Answered, Date: "2026-6-2"}, "date", "", ""},
		{"review_date", Input{State: Answered, Date: "9999-01-01"}, "date", "", ""},
		{"review_date", Input{State: Answered}, "date", "", ""},
		{"mode", Input{State: Answered, Mode: "enforce"}, "", "Enforce", `{"mode":"enforce"}`},
		{"mode", Input{State: Answered, Mode: "observe"}, "", "Observe", `{"mode":"observe"}`},
		{"mode", Input{State: Answered, Mode: "éclair"}, "mode", "", ""},
		{"mode", Input{State: Answered}, "mode", "", ""},
		{"automatic_retries", Input{State: Answered, Number: "0"}, "", "0", `{"number":0}`},
		{"automatic_retries", Input{State: Answered, Number: "20"}, "", "20", `{"number":20}`},
		{"automatic_retries", Input{State: Answered, Number: "21"}, "number", "", ""},
		{"automatic_retries", Input{State: Answered, Number: "-1"}, "number", "", ""},
		{"automatic_retries", Input{State: Answered, Number: "1.5"}, "number", "", ""},
		{"automatic_retries", Input{State: Answered, Number: ""}, "number", "", ""},
		{"retry_window", Input{State: Answered, Number: "24", Basis: "API reference."}, "", "24 hours. API reference.", `{"basis":"API reference.","hours":24}`},
		{"retry_window", Input{State: Answered, Number: "0", Basis: "API reference."}, "number", "", ""},
		{"retry_window", Input{State: Answered, Number: "24"}, "basis", "", ""},
		{"evidence_retention", Input{State: Answered, Number: "1", Basis: "Policy."}, "", "1 day. Policy.", `{"basis":"Policy.","days":1}`},
		{"evidence_retention", Input{State: Answered, Number: "99999", Basis: "Policy."}, "number", "", ""},
		{"evidence_retention", Input{State: Answered, Number: "1", Basis: long(1000)}, "basis", "", ""},
	} {
		f, ok := FieldByKey(c.field)
		if !ok {
			t.Fatal(c.field)
		}
		a, done, err := c.in.clean().check(f, "2026-06-01")
		if c.blame != "" {
			if models.AsError(err).Field(c.blame) == "" {
				t.Errorf("%s %+v: %v", c.field, c.in, err)
			}
			continue
		}
		if err != nil || !done || a.Value != c.value || string(a.Data) != c.data {
			t.Errorf("%s %+v: %+v %s %v", c.field, c.in, a, a.Data, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	for text, want := range map[string]int{
		"It is delivered exactly once.": 1, "EXACTLY-ONCE delivery": 1, "exactly\nonce": 1, "exactly–once": 1,
		"Once exactly.": 0, "exactly one": 0, "inexactly oncep": 0, "": 0,
	} {
		if got := len(warnings(draftAnswer{Value: text})); got != want {
			t.Errorf("%q: %d warnings", text, got)
		}
	}
}
