package workspace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"countersign/internal/strictjson"
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

func strict(line []byte) (any, error) { return strictjson.Read(line, deepest) }

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
