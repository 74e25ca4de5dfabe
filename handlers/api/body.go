package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/models"
	"countersign/models/identity"
	"countersign/models/ledger"

	"github.com/danielgtaylor/huma/v2"
)

// jsonFormat reads and writes bodies. Numbers of the caller's own documents are
// kept as they were written: only what a schema looks at becomes a float64.
var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: readJSON}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

var errNotText = models.BadRequestf("The body is not UTF-8 text.")

// readJSON reads into a struct, or into an any that is only held against a schema.
func readJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errNotText
	}
	err := json.Unmarshal(data, v)
	look, ok := v.(*any)
	var number *json.UnmarshalTypeError
	if !ok || !errors.As(err, &number) { // 1e999 is JSON, and no float64
		return explained(err, data)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(look); err != nil {
		return explained(err, data)
	}
	*look = floats(*look)
	return nil
}

// explained gives a syntax error its line and column.
func explained(err error, data []byte) error {
	if words := inWords(err); words != nil {
		return words
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	var place *identity.InputError
	if _, strict := identity.ParseInput(data); errors.As(strict, &place) {
		return place
	}
	return err
}

// floats turns numbers as written into what a schema can look at.
func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := strconv.ParseFloat(string(v), 64) // out of range: infinite, which no schema of ours allows
		return f
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

// scalar is a text or a number, kept as it was written; null is absent.
type scalar string

// Schema is what the OpenAPI document says about a scalar.
func (scalar) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: "null"}}}
}

// UnmarshalJSON keeps the text of a string, and a number as it was written.
func (s *scalar) UnmarshalJSON(raw []byte) error {
	text, ok := scalarText(raw)
	if !ok {
		return models.BadRequestf("Send text or a number.")
	}
	*s = scalar(text)
	return nil
}

// identifier is a scalar that never fails: whatever is neither text nor a number
// counts as missing, which is for a person to review.
type identifier string

// Schema is what the OpenAPI document says about an identifier: it never fails.
func (identifier) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {}}}
}

// UnmarshalJSON keeps the text of a string, and a number as it was written.
func (i *identifier) UnmarshalJSON(raw []byte) error {
	text, _ := scalarText(raw)
	*i = identifier(text)
	return nil
}

// version is a scalar that never fails: whatever is neither text nor a number is
// kept as it was written, cut to a length that fits, and is for a person to review.
type version struct {
	text       string
	unreadable bool
}

// Schema is what the OpenAPI document says about a version: it never fails.
func (version) Schema(r huma.Registry) *huma.Schema { return identifier("").Schema(r) }

// UnmarshalJSON keeps the text of a string, and a number as it was written.
func (v *version) UnmarshalJSON(raw []byte) error {
	text, ok := scalarText(raw)
	if v.text, v.unreadable = text, !ok; ok {
		return nil
	}
	var plain bytes.Buffer
	if err := json.Compact(&plain, raw); err != nil {
		return err
	}
	written := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, plain.String()))
	v.text = string(written[:min(len(written), ledger.MaxVersion)])
	return nil
}

// scalarText is the text that raw stands for; not ok for what is no scalar, and
// for a string with half a surrogate pair, which no text can hold.
func scalarText(raw []byte) (text string, ok bool) {
	switch c := raw[0]; {
	case c == '"':
		if _, err := identity.ParseInput(raw); err != nil {
			return "", false
		}
		return text, json.Unmarshal(raw, &text) == nil
	case c == '-' || c >= '0' && c <= '9':
		return string(raw), true
	}
	return "", string(raw) == "null"
}

// document is a JSON document of the caller's, as it was written.
type document json.RawMessage

// Schema is what the OpenAPI document says about a document: anything.
func (document) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// UnmarshalJSON keeps raw.
func (d *document) UnmarshalJSON(raw []byte) error {
	*d = append(document(nil), raw...)
	return nil
}

// orNil is nil when nothing was sent: null is nothing.
func (d document) orNil() json.RawMessage {
	if len(d) == 0 || string(d) == "null" {
		return nil
	}
	return json.RawMessage(d)
}

// said is the text of an optional member, "" when it is absent or null.
func said(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
