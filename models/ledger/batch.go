package ledger

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"countersign/models"

	"github.com/jackc/pgx/v5/pgconn"
)

// Claims wait only while every lane is busy: then those that came meanwhile go
// together, in one statement and one commit. An idle desk delays nothing.
//
// A lane is a connection; half of them at most, so that other calls find one.
const (
	mostLanes = 4
	maxBatch  = 64

	batchTimeout = 20 * time.Second
)

type batch struct {
	db    *models.DB
	lanes int

	mu      sync.Mutex
	waiting []*waiter
	busy    int
}

type waiter struct {
	ctx    context.Context
	row    claimRow
	result claimResult
	err    error
	done   chan struct{}
}

func newBatch(db *models.DB) *batch {
	return &batch{db: db, lanes: min(max(int(db.Pool.Config().MaxConns)/2, 1), mostLanes)}
}

// run decides row and returns when it is committed. When ctx ends first the claim
// may have been made nevertheless, as with any statement.
func (b *batch) run(ctx context.Context, row claimRow) (claimResult, error) {
	w := &waiter{ctx: ctx, row: row, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	if b.busy < b.lanes {
		b.busy++
		go b.work()
	}
	b.mu.Unlock()
	select {
	case <-w.done:
		return w.result, w.err
	case <-ctx.Done():
		return claimResult{}, ctx.Err()
	}
}

// work takes what waits until nothing does. It lets those go first that are on
// their way already: claims whose token was read together come together.
func (b *batch) work() {
	runtime.Gosched()
	for {
		b.mu.Lock()
		n := min(len(b.waiting), maxBatch)
		if n == 0 {
			b.busy--
			b.mu.Unlock()
			return
		}
		group := slices.Clone(b.waiting[:n])
		b.waiting = slices.Delete(b.waiting, 0, n)
		b.mu.Unlock()
		b.decide(group)
	}
}

// decide runs a group. All servers take records and keys in one order, so groups
// do not wait for one another in a circle. When the statement is rolled
// back, each claim is tried alone: none suffers from another's failure. When the
// connection broke, nobody knows, and each is told so.
func (b *batch) decide(group []*waiter) {
	group = slices.DeleteFunc(group, func(w *waiter) bool {
		if w.err = w.ctx.Err(); w.err == nil {
			return false
		}
		close(w.done)
		return true
	})
	if len(group) == 0 {
		return
	}
	if len(group) == 1 {
		b.alone(group[0])
		return
	}
	slices.SortFunc(group, func(x, y *waiter) int {
		return cmp.Or(cmp.Compare(x.row.Record, y.row.Record), cmp.Compare(x.row.Key, y.row.Key))
	})
	rows := make([]claimRow, len(group))
	for i, w := range group {
		rows[i] = w.row
	}
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	results, err := runClaims(ctx, b.db, rows)
	rolledBack := errors.As(err, new(*pgconn.PgError)) && !models.IsKind(models.Classify(err), models.KindUnavailable)
	for i, w := range group {
		switch {
		case rolledBack:
			b.alone(w)
			continue
		case err != nil:
			w.err = err
		default:
			w.result = results[i]
		}
		close(w.done)
	}
}

func (b *batch) alone(w *waiter) {
	results, err := runClaims(w.ctx, b.db, []claimRow{w.row})
	if w.err = err; err == nil {
		w.result = results[0]
	}
	close(w.done)
}
