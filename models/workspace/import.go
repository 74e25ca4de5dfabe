package workspace

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"countersign/models"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

const (
	batchRows  = 500
	batchBytes = 1 << 20
)

// Import reads what Export wrote into an empty workspace of the same schema, in
// one transaction. Nothing is left of a file that has a problem: a Refused lists
// them by line. Conflict when the workspace is not empty.
//
// History stays closed to changes: rows are only inserted, which its triggers
// allow. For this one transaction the links between tables are taken off and put
// back at the end, where the database checks every one of them, and the triggers
// that add rows after an insert are off, because those rows come with the file.
// Then the audit chain, every fingerprint and every hash of evidence is computed
// again.
func Import(ctx context.Context, db *models.DB, from io.Reader) (Report, error) {
	var report Report
	err := db.Query(ctx).Transaction(func(q *gorm.DB) error {
		l := &loader{q: q, in: bufio.NewReaderSize(from, 1<<16), sum: sha256.New(), rows: map[string]int64{}}
		var err error
		if l.known, err = catalogue(q); err != nil {
			return err
		}
		for _, step := range []func() error{l.empty, l.first, l.open, l.read, l.close, l.verify, l.goOn} {
			if err := step(); err != nil {
				return err
			}
			if len(l.problems) > 0 {
				return &Refused{l.problems}
			}
		}
		for _, n := range l.rows {
			report.Rows += n
		}
		report.Tables = len(Tables)
		return report.read(q)
	})
	return report, models.Classify(err)
}

type loader struct {
	q        *gorm.DB
	in       *bufio.Reader
	known    map[string]table
	line     int
	sum      hash.Hash
	rows     map[string]int64
	batch    batch
	end      *tail
	links    []link
	numbers  []sequence
	problems []Problem
}

// batch is rows of one table that wait to be inserted together.
type batch struct {
	table string
	rows  []json.RawMessage
	lines []int
	size  int
}

func (l *loader) problem(format string, args ...any) {
	l.problems = append(l.problems, Problem{l.line, fmt.Sprintf(format, args...)})
}

func (l *loader) full() bool { return len(l.problems) >= MaxProblems }

// empty is a Conflict when anything is there. A set-up link that nobody used is
// not anything.
func (l *loader) empty() error {
	if err := l.q.Exec("set local lock_timeout = '20s'").Error; err != nil {
		return err
	}
	if err := l.q.Exec("lock table people, audit_events in access exclusive mode").Error; err != nil {
		return models.Conflictf("Somebody is working in this workspace. Stop its servers, then import again.")
	}
	for _, name := range Tables {
		there := "select exists (select 1 from " + quoted(name) + ")"
		if name == "access_links" {
			there = "select exists (select 1 from access_links where kind <> 'setup' or used_at is not null)"
		}
		var any bool
		if err := l.q.Raw(there).Row().Scan(&any); err != nil {
			return err
		}
		if any {
			return models.Conflictf("This workspace is not empty: there are %s. Import into a new database.", strings.ReplaceAll(name, "_", " "))
		}
	}
	return l.q.Exec("delete from access_links").Error
}

// first reads the first line.
func (l *loader) first() error {
	line, err := readLine(l.in)
	l.line = 1
	if errors.Is(err, io.EOF) {
		l.problem("the file is empty.")
		return nil
	}
	if errors.Is(err, errTooLong) {
		l.problem("%v.", err)
		return nil
	}
	if err != nil {
		return err
	}
	var h head
	have, err := migrations(l.q)
	if err != nil {
		return err
	}
	switch err := decode(line, &h); {
	case err != nil:
		l.problem("this is no export of a workspace: %v.", err)
	case h.Format != Format:
		l.problem("the format is %q; this program reads %q.", h.Format, Format)
	case !slices.Equal(h.Migrations, have):
		l.problem("it was written with the schema %s, this program has %s. Export and import with the same version of Countersign.", version(h.Migrations), version(have))
	}
	l.hash(line)
	return nil
}

func version(migrations []int64) string {
	if len(migrations) == 0 {
		return "0"
	}
	return fmt.Sprint(migrations[len(migrations)-1])
}

func (l *loader) hash(line []byte) {
	l.sum.Write(line)
	l.sum.Write([]byte{'\n'})
}

// read takes every line after the first.
func (l *loader) read() error {
	for !l.full() {
		line, err := readLine(l.in)
		if errors.Is(err, io.EOF) {
			break
		}
		l.line++
		if errors.Is(err, errTooLong) {
			l.problem("%v.", err)
			return nil
		}
		if err != nil {
			return err
		}
		if l.end != nil {
			l.problem("something stands after the last line of the export.")
			return nil
		}
		if err := l.take(line); err != nil {
			return err
		}
	}
	if err := l.flush(); err != nil {
		return err
	}
	if l.full() {
		return nil
	}
	l.line = 0
	if l.end == nil {
		l.problem("The file is cut off: its last line is missing.")
		return nil
	}
	for _, name := range Tables {
		if n, ok := l.end.Rows[name]; !ok || n != l.rows[name] {
			l.problem("%s: %d rows came, and the last line says %d.", name, l.rows[name], n)
		}
	}
	return nil
}

// take reads one line.
func (l *loader) take(line []byte) error {
	v, err := strict(line)
	if err != nil {
		l.hash(line)
		l.problem("%v.", err)
		return nil
	}
	o, _ := v.(map[string]any)
	if _, last := o["end"]; last {
		var end tail
		if err := decode(line, &end); err != nil {
			l.problem("the last line: %v.", err)
			return nil
		}
		if got := hex.EncodeToString(l.sum.Sum(nil)); end.SHA256 != got {
			l.problem("the lines before were changed: their SHA-256 is %s, and this line says %q.", got, end.SHA256)
		}
		l.end = &end
		return nil
	}
	l.hash(line)
	name, _ := o["table"].(string)
	t, ok := l.known[name]
	row, isRow := o["row"].(map[string]any)
	switch {
	case o == nil || len(o) != 2 || o["table"] == nil || !isRow:
		l.problem("a line is {\"table\": name, \"row\": {...}} and nothing else.")
		return nil
	case !ok:
		l.problem("there is no table %q.", name)
		return nil
	case !l.fits(t, row):
		return nil
	}
	l.rows[name]++
	return l.add(name, row)
}

// fits notes every member that is missing, unknown, or neither text nor null.
func (l *loader) fits(t table, row map[string]any) bool {
	before := len(l.problems)
	for _, c := range t.columns {
		v, ok := row[c.Name]
		_, isText := v.(string)
		switch {
		case !ok:
			l.problem("%s: the member %q is missing.", t.name, c.Name)
		case v == nil && c.NotNull:
			l.problem("%s.%s: it cannot be null.", t.name, c.Name)
		case v != nil && !isText:
			l.problem("%s.%s: it must be a text or null, as in an export.", t.name, c.Name)
		}
	}
	for name := range row {
		if _, ok := t.at[name]; !ok {
			l.problem("%s: there is no member %q.", t.name, name)
		}
	}
	return len(l.problems) == before
}

func (l *loader) add(name string, row map[string]any) error {
	if l.batch.table != name || len(l.batch.rows) >= batchRows || l.batch.size >= batchBytes {
		if err := l.flush(); err != nil {
			return err
		}
		l.batch.table = name
	}
	plain, err := json.Marshal(row)
	l.batch.rows, l.batch.lines, l.batch.size = append(l.batch.rows, plain), append(l.batch.lines, l.line), l.batch.size+len(plain)
	return err
}

// flush inserts what waits. Where the database refuses, it is asked about row
// after row, so that each line is named.
func (l *loader) flush() error {
	b := l.batch
	l.batch = batch{}
	if len(b.rows) == 0 {
		return nil
	}
	refused, err := l.try(l.known[b.table].inserted(), list2json(b.rows))
	if err != nil || refused == "" {
		return err
	}
	was := l.line
	for i := range b.rows {
		if refused, err = l.try(l.known[b.table].inserted(), list2json(b.rows[i:i+1])); err != nil {
			return err
		}
		if l.line = b.lines[i]; refused != "" && !l.full() {
			l.problem("%s: %s", b.table, refused)
		}
	}
	l.line = was
	return nil
}

func list2json(rows []json.RawMessage) string {
	parts := make([]string, len(rows))
	for i, r := range rows {
		parts[i] = string(r)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// try runs one statement and takes it back when the database refuses it; refused
// is why, in the database's words.
func (l *loader) try(sql string, args ...any) (refused string, err error) {
	if err := l.q.Exec("savepoint tried").Error; err != nil {
		return "", err
	}
	err = l.q.Exec(sql, args...).Error
	var pg *pgconn.PgError
	if err == nil {
		return "", l.q.Exec("release savepoint tried").Error
	}
	if !errors.As(err, &pg) || strings.HasPrefix(pg.Code, "57") || strings.HasPrefix(pg.Code, "53") || strings.HasPrefix(pg.Code, "40") {
		return "", err
	}
	refused = pg.Message + "."
	if pg.Detail != "" {
		refused += " " + pg.Detail
	}
	return refused, l.q.Exec("rollback to savepoint tried").Error
}
