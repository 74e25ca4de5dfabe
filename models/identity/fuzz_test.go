package identity

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func seeds(f *testing.F) []string {
	texts := []string{"", "{}", `{"a": 1, "a": 2}`, `"\ud800"`, "1e", "[[[[", `{"a": {"b": [1, null, "é"]}}`, "\xff", `{"a":"e\u0301|b=\"x\""}`, "9007199254740993"}
	files, _ := filepath.Glob("testdata/payloads/*.json")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil && len(b) < 2000 {
			texts = append(texts, string(b))
		}
	}
	return texts
}

// ParseInput agrees with encoding/json on what is JSON, besides what it refuses
// on purpose, and reads the same values.
func FuzzParseInput(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := ParseInput(text)
		if err != nil {
			e := err.(*InputError)
			if e.Code == NotJSON && json.Valid(text) {
				t.Fatalf("%q: %v", text, err)
			}
			if e.Words == "" || e.Offset > len(text) || e.Code != TooLarge && (e.Line < 1 || e.Column < 1) {
				t.Fatalf("%q: %+v", text, e)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is not JSON", text)
		}
		var want any
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		twice := false
		_, _ = parse(text, func(c container) {
			names := map[string]bool{}
			for _, e := range c.entries {
				twice = twice || c.object && names[e.name]
				names[e.name] = true
				if raw := string(text[e.span.Start:e.span.End]); !json.Valid([]byte(raw)) || strings.TrimSpace(raw) != raw {
					t.Fatalf("%q: span %q", text, raw)
				}
			}
		})
		if got := plain(in.root); !twice && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %#v, want %#v", text, got, want)
		}
	})
}

// Whatever the path and the input, a rule ends quickly in a key or in reasons.
func FuzzDerive(f *testing.F) {
	for _, s := range seeds(f) {
		for _, p := range []string{"$.a", "$", "$.body.data.submission_id", "$['a/b'][-1]", "$.a[?@.b]", "$..x"} {
			f.Add(p, "1", []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, path, standby string, text []byte) {
		r := effect(Component{Name: "c", Path: path, Default: &standby}, field("d", path))
		if standby == "" {
			r.Components[3].Default = nil
		}
		c, err := Compile(r)
		if err != nil {
			return
		}
		in, err := ParseInput(text)
		if err != nil {
			return
		}
		begun := time.Now()
		made := Derive(c, sandbox, in)
		if d := time.Since(begun); d > 2*time.Second {
			t.Fatal(d)
		}
		if !reflect.DeepEqual(made, Derive(c, sandbox, in)) {
			t.Fatal("two answers for one input")
		}
		if made.OK() == (len(made.Reviews) > 0) || len(made.Key) > MaxKey || !utf8.ValidString(made.Key) || strings.ContainsAny(made.Key, "\x00\n\r\t") {
			t.Fatalf("%q %q: %+v", path, text, made)
		}
		if !made.OK() {
			return
		}
		if strings.HasPrefix(made.Key, "cs1:") {
			if _, names, values, err := takeApart(made.Key); err != nil || len(names) != 5 || len(values) != 5 {
				t.Fatalf("%q: %v", made.Key, err)
			}
		}
		if v := Compare(Set{Effect: c}, Side{sandbox, in}, Side{sandbox, in}); v.Code != SameAction {
			t.Fatalf("%q %q: %s", path, text, v.Words)
		}
	})
}

// The checker looks at drafts: any names, paths and examples.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add("request_id", "$.body.data.email", "1", s)
		f.Add("", "$[0].a", "", s)
	}
	f.Fuzz(func(t *testing.T, name, path, standby, example string) {
		rules := []Rule{rule(TransportEvent, field(name, path)), effect(Component{Name: name, Path: path, Default: &standby}), rule(LegitimateRepeat, field(name, path))}
		for i := range rules {
			rules[i].Example = example
		}
		about := CheckContext{VersionOrder: "rfc3339", Senders: []SenderFacts{{Name: name, EventIDField: path, VersionField: standby}}}
		findings := Check(rules, about)
		if !reflect.DeepEqual(findings, Check(rules, about)) {
			t.Fatal("two answers for one draft")
		}
		for _, found := range findings {
			if found.Words == "" || found.Key == "" || found.Severity == "" {
				t.Fatalf("%+v", found)
			}
			if w := found.Where; w != nil && (w.Span.Start < 0 || w.Span.End > len(example) || w.Span.End < w.Span.Start) {
				t.Fatalf("%q: %+v", example, w)
			}
		}
	})
}
