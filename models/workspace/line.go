package workspace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	longestLine = 16 << 20 // bytes; a chunk of evidence takes two million
	deepest     = 4        // objects inside each other
)

var errTooLong = fmt.Errorf("it is longer than %d MiB, which no line of an export is", longestLine>>20)

// readLine returns the next line without its end. io.EOF at the end of the file.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longestLine:
			return nil, errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// strict reads one JSON value and refuses what two readers could read
// differently: names that occur twice, bytes that are not UTF-8, anything after
// the value, and nesting that no line of an export has.
func strict(line []byte) (any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("it is not UTF-8 text")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	v, err := value(d, 0)
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

func value(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("it is not JSON: %s", syntax.Error())
		}
		return nil, err
	}
	if delim, ok := t.(json.Delim); ok {
		if depth++; depth > deepest {
			return nil, fmt.Errorf("it is nested more than %d levels deep", deepest)
		}
		if delim == '{' {
			return object(d, depth)
		}
		return list(d, depth)
	}
	return t, nil
}

func object(d *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the member %q occurs twice", name)
		}
		if out[name], err = value(d, depth); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return out, err
}

func list(d *json.Decoder, depth int) (any, error) {
	out := []any{}
	for d.More() {
		v, err := value(d, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return out, err
}

// decode is strict into a struct whose members must all be known.
func decode(line []byte, into any) error {
	if _, err := strict(line); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is not as expected: %s", bytes.TrimPrefix([]byte(err.Error()), []byte("json: ")))
	}
	return nil
}
