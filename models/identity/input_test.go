package identity

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseInputSaysWhereAndWhat(t *testing.T) {
	for _, c := range []struct {
		text         string
		code         string
		line, column int
		words        string
	}{
		{"", NotJSON, 1, 1, "nothing here"},
		{" \n\t", NotJSON, 2, 2, "nothing here"},
		{`{"a": 1`, NotJSON, 1, 8, "Expected a comma or the closing brace }, found the end of the input."},
		{"{\n  \"a\": 1\n  \"b\": 2\n}", NotJSON, 3, 3, `Expected a comma or the closing brace }, found ".`},
		{`{"a": 1,}`, NotJSON, 1, 9, "Expected a member name in double quotes, found }."},
		{`{'a': 1}`, NotJSON, 1, 2, "JSON uses double quotes"},
		{`{a: 1}`, NotJSON, 1, 2, "Expected a member name in double quotes, found a."},
		{`{"é" 1}`, NotJSON, 1, 6, "Expected a colon after the member name, found 1."},
		{`[1 2]`, NotJSON, 1, 4, "Expected a comma or the closing bracket ]"},
		{`[1,]`, NotJSON, 1, 4, "Expected a value, found ]."},
		{`tru`, NotJSON, 1, 1, "Expected a value, found t."},
		{`01`, NotJSON, 1, 2, "leading zero"},
		{`-`, NotJSON, 1, 2, "Expected a digit"},
		{`1.`, NotJSON, 1, 3, "Expected a digit"},
		{`1e+`, NotJSON, 1, 4, "Expected a digit"},
		{`+1`, NotJSON, 1, 1, "Expected a value, found +."},
		{`NaN`, NotJSON, 1, 1, "Expected a value, found N."},
		{`"abc`, NotJSON, 1, 5, "Expected a closing double quote"},
		{"\"a\nb\"", NotJSON, 1, 3, "before the line ends"},
		{"\"a\x01\"", NotJSON, 1, 3, `as \u0001`},
		{`"\x"`, NotJSON, 1, 3, "after the backslash"},
		{`"\u12g4"`, NotJSON, 1, 6, "four hexadecimal digits"},
		{`"\u12`, NotJSON, 1, 6, "four hexadecimal digits"},
		{`"\ud800"`, NotText, 1, 2, "half of a surrogate pair"},
		{`"\udc00\ud800"`, NotText, 1, 2, "half of a surrogate pair"},
		{`"\ud800\u0041"`, NotText, 1, 2, "half of a surrogate pair"},
		{"{\"a\": \"\xff\"}", NotText, 1, 8, "not UTF-8"},
		{"\"\xed\xa0\x80\"", NotText, 1, 2, "not UTF-8"},
		{"\ufeff{}", NotJSON, 1, 1, "byte order mark"},
		{`{} {}`, NotJSON, 1, 4, "Expected the end of the document, found {."},
		{"1\x00", NotJSON, 1, 2, "control character (U+0000)"},
		{strings.Repeat("[", MaxDepth+1), TooDeep, 1, MaxDepth + 1, "more than 64 levels"},
		{`"` + strings.Repeat("a", MaxInput) + `"`, TooLarge, 0, 0, "Shorten the input to 1024 KiB. It has 1025."},
	} {
		_, err := ParseInput([]byte(c.text))
		var e *InputError
		if !errors.As(err, &e) {
			t.Errorf("%.40q: no error", c.text)
			continue
		}
		if e.Code != c.code || e.Line != c.line || e.Column != c.column || !strings.Contains(e.Words, c.words) {
			t.Errorf("%.40q: %s %d:%d %q, want %s %d:%d %q", c.text, e.Code, e.Line, e.Column, e.Words, c.code, c.line, c.column, c.words)
		}
	}
}

func TestParseInputTakesWhatItMust(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), `"` + strings.Repeat("a", MaxInput-2) + `"`,
		`null`, ` true `, `-0.5E+7`, `{}`, `[]`, `{"":""}`, `"\ud83d\udc00\/\b\f\n\r\t\\\""`, `"` + "\ufffd" + `"`,
	} {
		if _, err := ParseInput([]byte(text)); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	in := mustInput(t, `{"n": 9007199254740993, "d": "\u00e9\ud83d\udc00", "r": 1, "r": 2}`)
	root := in.root.(map[string]any)
	if root["n"] != Number("9007199254740993") || root["d"] != "é🐀" || root["r"] != (repeated{}) {
		t.Error(root)
	}
}

// plain is an input as encoding/json would have it.
func plain(v any) any {
	switch v := v.(type) {
	case Number:
		return json.Number(v)
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, plain(item))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = plain(member)
		}
		return out
	}
	return v
}

func mustInput(t testing.TB, text string) Input {
	t.Helper()
	in, err := ParseInput([]byte(text))
	if err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	return in
}
