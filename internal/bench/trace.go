package main

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// statement is one statement that a page sent, as it sent it.
type statement struct {
	sql  string
	args []any
}

// tracer notes the statements of one render. It does nothing while it is off.
type tracer struct {
	mu   sync.Mutex
	on   bool
	seen []statement
}

func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on {
		t.seen = append(t.seen, statement{d.SQL, d.Args})
	}
	return ctx
}

func (t *tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// record returns what was sent while do ran.
func (t *tracer) record(do func() error) ([]statement, error) {
	t.set(true)
	err := do()
	seen := t.set(false)
	return seen, err
}

func (t *tracer) set(on bool) []statement {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := t.seen
	t.on, t.seen = on, nil
	return seen
}

// replay sends the statements one after the other on one connection, reads every
// row without looking at it, and returns how long each took.
func replay(ctx context.Context, pool *pgxpool.Pool, statements []statement) ([]time.Duration, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	took := make([]time.Duration, len(statements))
	for i, s := range statements {
		start := time.Now()
		rows, err := conn.Query(ctx, s.sql, s.args...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		took[i] = time.Since(start)
	}
	return took, nil
}
