package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"golang.org/x/text/unicode/norm"
)

// takeApart reads a short key back, the simple way: the separators never occur
// inside a value, and each value is JSON.
func takeApart(key string) (kind string, names []string, values []any, err error) {
	rest, ok := strings.CutPrefix(key, "cs1:")
	if !ok {
		return "", nil, nil, errors.New("not a short key")
	}
	kind, rest, _ = strings.Cut(rest, ":")
	for _, piece := range strings.Split(rest, "|") {
		name, value, _ := strings.Cut(piece, "=")
		if strings.Contains(value, "=") {
			return "", nil, nil, errors.New("a bare separator")
		}
		var v any
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return "", nil, nil, err
		}
		names, values = append(names, name), append(values, v)
	}
	return kind, names, values, nil
}

func TestAKeyCanBeTakenApartInOneWay(t *testing.T) {
	check := func(texts []string, number int64, flag bool) bool {
		r := Rule{Kind: BusinessRecord}
		input := map[string]any{"n": number, "f": flag}
		want := []any{json.Number(fmt.Sprint(number)), flag}
		r.Components = []Component{field("n", "$.n"), field("f", "$.f")}
		for i, s := range texts[:min(len(texts), 6)] {
			s = strings.ToValidUTF8(s, "=|\"")
			if runes := []rune(s); len(runes) > 8 {
				s = string(runes[:8])
			}
			if s = s + "x"; i%2 == 0 {
				s = `|=":\` + s
			}
			name := fmt.Sprint("t", i)
			input[name], want = s, append(want, norm.NFC.String(s))
			r.Components = append(r.Components, field(name, "$."+name))
		}
		raw, _ := json.Marshal(input)
		made := Derive(mustCompile(t, r), Scope{}, mustInput(t, string(raw)))
		if !made.OK() || made.Key != Derive(mustCompile(t, r), Scope{}, mustInput(t, string(raw))).Key {
			return false
		}
		if len(made.Key) > 400 {
			return true
		}
		kind, names, values, err := takeApart(made.Key)
		return err == nil && kind == "business_record" && len(names) == len(r.Components) && slices.Equal(values, want)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

// Every list of up to three of these values has a key of its own.
func TestDifferentListsNeverHaveOneKey(t *testing.T) {
	values := []string{`"1"`, `1`, `12`, `"12"`, `"3"`, `"23"`, `23`, `"a|c1=b"`, `"a\"|c1=\"b"`, `"b"`, `"a"`, `"\\"`, `"\\\\"`, `"\\\""`, `"\u007c"`, `"\\u007c"`, `true`, `"true"`, `1.0`, `"="`, `":"`}
	seen := map[string]string{}
	var lists func(list []string)
	lists = func(list []string) {
		if len(list) > 0 {
			r := Rule{Kind: BusinessRecord}
			for i := range list {
				r.Components = append(r.Components, field(fmt.Sprint("c", i), fmt.Sprintf("$[%d]", i)))
			}
			text := "[" + strings.Join(list, ",") + "]"
			made := Derive(mustCompile(t, r), Scope{}, mustInput(t, text))
			if other, taken := seen[made.Key]; taken || !made.OK() {
				t.Fatalf("%s and %s: %s %v", text, other, made.Key, made.Reviews)
			}
			seen[made.Key] = text
		}
		if len(list) < 3 {
			for _, v := range values {
				lists(append(slices.Clone(list), v))
			}
		}
	}
	lists(nil)
}
