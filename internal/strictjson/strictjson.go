// Package strictjson reads JSON from people and places that nobody trusts.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Read reads one JSON value and refuses what two readers could read differently:
// names that occur twice, bytes that are not UTF-8 and anything after the value;
// and objects and lists that are nested more than deepest levels deep. The error
// says what is wrong as a clause, "it is cut off", and where when the text has
// several lines. Numbers are json.Number.
func Read(text []byte, deepest int) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8 text")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	r := reader{d, deepest}
	v, err := r.value(0)
	if err != nil && bytes.Count(text, []byte("\n")) > 1 {
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n")), err)
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it is cut off")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands after its end")
	}
	return v, nil
}

type reader struct {
	*json.Decoder
	deepest int
}

func (r reader) value(depth int) (any, error) {
	t, err := r.Token()
	if err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("it is not JSON: %s", syntax.Error())
		}
		return nil, err
	}
	if delim, ok := t.(json.Delim); ok {
		if depth++; depth > r.deepest {
			return nil, fmt.Errorf("it is nested more than %d levels deep", r.deepest)
		}
		if delim == '{' {
			return r.object(depth)
		}
		return r.list(depth)
	}
	return t, nil
}

func (r reader) object(depth int) (any, error) {
	out := map[string]any{}
	for r.More() {
		t, err := r.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the member %q occurs twice", name)
		}
		if out[name], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := r.Token()
	return out, err
}

func (r reader) list(depth int) (any, error) {
	out := []any{}
	for r.More() {
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := r.Token()
	return out, err
}
