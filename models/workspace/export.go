package workspace

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// head is the first line.
type head struct {
	Format     string  `json:"format"`
	Migrations []int64 `json:"migrations"` // of the schema; the same are needed to read it
	ExportedAt string  `json:"exported_at"`
}

// tail is the last line. Without it the file was cut off.
type tail struct {
	End       string           `json:"end"` // Format again
	Rows      map[string]int64 `json:"rows"`
	Sequences map[string]int64 `json:"sequences"` // the last number given by each
	SHA256    string           `json:"sha256"`    // of every line before
}

// Report says what was written or read.
type Report struct {
	Rows     int64
	Tables   int
	LastHash string // of the audit log, hex; "" when it is empty
	Waiting  int64  // e-mails and webhook messages that were still to be sent
}

// Export writes the whole workspace as it is at one instant. Constant memory.
func Export(ctx context.Context, db *models.DB, to io.Writer) (Report, error) {
	var report Report
	err := db.Query(ctx).Transaction(func(q *gorm.DB) error {
		w := newWriter(to)
		if err := w.all(q); err != nil {
			return err
		}
		for _, n := range w.end.Rows {
			report.Rows += n
		}
		report.Tables = len(Tables)
		return report.read(q)
	}, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	return report, models.Classify(err)
}

func (r *Report) read(q *gorm.DB) error {
	if err := q.Raw("select coalesce((select encode(hash, 'hex') from audit_events order by id desc limit 1), '')").Row().Scan(&r.LastHash); err != nil {
		return err
	}
	return q.Raw("select (select count(*) from mails where state = 'waiting') + (select count(*) from webhook_deliveries where state = 'waiting')").Row().Scan(&r.Waiting)
}

type writer struct {
	to  *bufio.Writer
	sum hash.Hash
	end tail
}

func newWriter(to io.Writer) *writer {
	w := &writer{sum: sha256.New(), end: tail{End: Format, Rows: map[string]int64{}, Sequences: map[string]int64{}}}
	w.to = bufio.NewWriterSize(to, 1<<16)
	return w
}

func (w *writer) line(text string) error {
	_, _ = io.WriteString(w.sum, text)
	_, err := w.to.WriteString(text)
	return err
}

func (w *writer) all(q *gorm.DB) error {
	h := head{Format: Format}
	var err error
	if h.Migrations, err = migrations(q); err != nil {
		return err
	}
	var now time.Time
	if err := q.Raw("select now()").Row().Scan(&now); err != nil {
		return err
	}
	h.ExportedAt = now.UTC().Format(time.RFC3339)
	first, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := w.line(string(first) + "\n"); err != nil {
		return err
	}
	known, err := catalogue(q)
	if err != nil {
		return err
	}
	for _, name := range Tables {
		if err := w.table(q, known[name]); err != nil {
			return err
		}
	}
	numbers, err := sequences(q)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		w.end.Sequences[n.Rel] = n.Last
	}
	w.end.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	last, err := json.Marshal(w.end)
	if err != nil {
		return err
	}
	if err := w.line(string(last) + "\n"); err != nil {
		return err
	}
	return w.to.Flush()
}

func (w *writer) table(q *gorm.DB, t table) error {
	rows, err := q.Raw(t.selected()).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	w.end.Rows[t.name] = 0
	for rows.Next() {
		var row sql.RawBytes
		if err := rows.Scan(&row); err != nil {
			return err
		}
		w.end.Rows[t.name]++
		if err := w.line(fmt.Sprintf("{\"table\":%q,\"row\":%s}\n", t.name, row)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// sequence numbers the rows of a table.
type sequence struct {
	Rel, Name string // the table and its column
	Last      int64  // the last number given; 0: none
}

func sequences(q *gorm.DB) (all []sequence, err error) {
	err = q.Raw(`select c.relname as rel, a.attname as name, coalesce(pg_sequence_last_value(d.objid), 0) as last from pg_depend d
		join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_class c on c.oid = d.refobjid join pg_namespace n on n.oid = c.relnamespace
		join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
		where d.classid = 'pg_class'::regclass and d.deptype in ('i', 'a') and n.nspname = current_schema() and c.relname in ? order by c.relname`, Tables).Scan(&all).Error
	return all, err
}
