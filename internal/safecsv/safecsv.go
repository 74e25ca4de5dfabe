// Package safecsv writes CSV (RFC 4180) that a spreadsheet shows and never runs:
// a cell that would be read as a formula gets an apostrophe in front.
package safecsv

import (
	"encoding/csv"
	"io"
	"strings"
)

// Cell is text as it stands in a cell. What begins with =, +, -, @, a tab or a
// line break gets a leading apostrophe, negative numbers too: nobody has to
// guess which cells were changed.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return "'" + text
	}
	return text
}

// Writer writes rows. The zero value is not ready; use New.
type Writer struct{ csv *csv.Writer }

// New returns a writer to w whose lines end in CRLF, as RFC 4180 says.
func New(w io.Writer) Writer {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	return Writer{c}
}

// Row writes one row, each cell made safe.
func (w Writer) Row(cells ...string) error {
	safe := make([]string, len(cells))
	for i, text := range cells {
		safe[i] = Cell(text)
	}
	return w.csv.Write(safe)
}

// Flush sends what is kept back, and returns the first error of any row.
func (w Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}
