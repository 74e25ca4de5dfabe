package models

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
)

// PageSize is how many rows a list shows at once.
const PageSize = 50

// Page is one page of a list, paged by key: as fast at the end of a million
// rows as at the start. Next and Prev are cursors for the URL, "" at the ends.
type Page[T any] struct {
	Items      []T
	Next, Prev string
}

type cursor struct {
	Back bool     `json:"b,omitempty"`
	Key  []string `json:"k"`
}

func (c cursor) String() string {
	b, _ := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Order names the unique sort key of a list, all in one direction.
type Order struct {
	Columns []string // SQL expressions, together unique, e.g. "c.name", "c.id"
	Desc    bool
}

// part is where a page lies in its list: the condition after the cursor, and the
// order with the limit. BadRequest for a cursor that no page of ours made.
type part struct {
	cursor
	where string // "" on the first page
	args  []any
	tail  string
}

func (o Order) part(at string, size int) (p part, err error) {
	if at != "" {
		raw, err := base64.RawURLEncoding.DecodeString(at)
		if err != nil || json.Unmarshal(raw, &p.cursor) != nil || len(p.Key) != len(o.Columns) {
			return p, BadRequestf("This page link is damaged. Start again from the first page.")
		}
	}
	comparison, direction := ">", " asc"
	if o.Desc != p.Back {
		comparison, direction = "<", " desc"
	}
	if at != "" {
		for _, k := range p.Key {
			p.args = append(p.args, k)
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(p.args)), ",")
		p.where = fmt.Sprintf("(%s) %s (%s)", strings.Join(o.Columns, ","), comparison, marks)
	}
	// The limit is written out: bound as a value, PostgreSQL would plan the
	// statement anew each time, which takes longer than the page.
	p.tail = strings.Join(o.Columns, direction+",") + fmt.Sprintf("%s limit %d", direction, size+1)
	return p, nil
}

// Walk returns the condition (" and ...", or "") and the order with its limit of
// the page at a cursor, for a query that takes the page from several walks along
// an index before Keyset puts them together. BadRequest as Keyset.
func (o Order) Walk(at string, size int) (where string, args []any, tail string, err error) {
	p, err := o.part(at, size)
	if p.where != "" {
		where = " and " + p.where
	}
	return where, p.args, " order by " + p.tail, err
}

// Keyset returns the page of q at the cursor `at` ("" for the first). key gives
// a row's values for the order's columns, in their order. BadRequest for a
// cursor that no page of ours made.
func Keyset[T any](q *gorm.DB, at string, size int, order Order, key func(T) []any) (Page[T], error) {
	c, err := order.part(at, size)
	if err != nil {
		return Page[T]{}, err
	}
	if c.where != "" {
		q = q.Where(c.where, c.args...)
	}
	q = q.Order(c.tail)
	var rows []T
	if err := q.Scan(&rows).Error; err != nil {
		if at != "" && strings.Contains(err.Error(), "SQLSTATE 22") {
			return Page[T]{}, BadRequestf("This page link is damaged. Start again from the first page.")
		}
		return Page[T]{}, Classify(err)
	}
	more := len(rows) > size
	if more {
		rows = rows[:size]
	}
	if c.Back {
		slices.Reverse(rows)
	}
	page := Page[T]{Items: rows}
	if len(rows) == 0 {
		return page, nil
	}
	if more || c.Back {
		page.Next = cursor{Key: keyText(key(rows[len(rows)-1]))}.String()
	}
	if (at != "" && !c.Back) || (c.Back && more) {
		page.Prev = cursor{Back: true, Key: keyText(key(rows[0]))}.String()
	}
	return page, nil
}

func keyText(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if t, ok := v.(time.Time); ok {
			out[i] = t.UTC().Format(time.RFC3339Nano)
			continue
		}
		out[i] = fmt.Sprint(v)
	}
	return out
}
