package workspace

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"1","b":null}`:       "",
		`{"a":"1","a":"1"}`:        `the member "a" occurs twice`,
		`{"a":{"b":1,"b":2}}`:      `the member "b" occurs twice`,
		`{"a":"1"} x`:              "something stands after its end",
		`{"a":"1"}{}`:              "something stands after its end",
		`{"a":`:                    "it is cut off",
		`{"a" "1"}`:                "it is not JSON",
		`[[[[1]]]]`:                "",
		`[[[[[1]]]]]`:              "nested more than 4 levels deep",
		"":                         "it is cut off",
		"\"\xff\"":                 "it is not UTF-8",
		strings.Repeat("[", 1<<20): "nested more than 4 levels deep",
		`{"a":` + "\"\x01\"" + `}`: "it is not JSON",
	} {
		_, err := strict([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// Whatever strict accepts, every reader reads the same way.
func FuzzStrict(f *testing.F) {
	for _, seed := range []string{`{"table":"people","row":{"id":"1","name":null}}`, `{"a":1,"a":2}`, `[[[[[]]]]]`, `{"a":"\u0000"}`, `"\ud800"`, `1e999`, `{}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		v, err := strict(line)
		if err != nil {
			return
		}
		d := json.NewDecoder(strings.NewReader(string(line)))
		d.UseNumber()
		var plain any
		if err := d.Decode(&plain); err != nil || !reflect.DeepEqual(plain, v) {
			t.Errorf("%q is %v here and %v (%v) elsewhere", line, v, plain, err)
		}
	})
}
