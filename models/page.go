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

// Keyset returns the page of q at the cursor `at` ("" for the first). key gives
// a row's values for the order's columns, in their order. BadRequest for a
// cursor that no page of ours made.
func Keyset[T any](q *gorm.DB, at string, size int, order Order, key func(T) []any) (Page[T], error) {
	var c cursor
	if at != "" {
		raw, err := base64.RawURLEncoding.DecodeString(at)
		if err != nil || json.Unmarshal(raw, &c) != nil || len(c.Key) != len(order.Columns) {
			return Page[T]{}, BadRequestf("This page link is damaged. Start again from the first page.")
		}
	}
	desc := order.Desc != c.Back
	comparison, direction := ">", " asc"
	if desc {
		comparison, direction = "<", " desc"
	}
	if at != "" {
		args := make([]any, len(c.Key))
		for i, k := range c.Key {
			args[i] = k
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(args)), ",")
		q = q.Where(fmt.Sprintf("(%s) %s (%s)", strings.Join(order.Columns, ","), comparison, marks), args...)
	}
	// The limit is written out: bound as a value, PostgreSQL would plan the
	// statement anew each time, which takes longer than the page.
	q = q.Order(strings.Join(order.Columns, direction+",") + fmt.Sprintf("%s limit %d", direction, size+1))
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
