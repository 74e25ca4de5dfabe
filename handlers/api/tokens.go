package api

import (
	"context"
	"sync"
	"time"

	"countersign/models"
	"countersign/models/people"
)

// readings let calls with the same token share reading it from the database. A
// call joins only a reading that has not begun yet, so what it hears is never
// older than itself: a token that was revoked is refused at once.
type readings struct {
	mu   sync.Mutex
	next map[string]*reading // by token: the one that waits for its turn
	busy map[string]bool     // tokens that are being read
}

type reading struct {
	done       chan struct{}
	automation people.Automation
	err        error
}

const readingLimit = 10 * time.Second

// find is people.Authenticate, shared.
func (s *readings) find(ctx context.Context, db *models.DB, token string) (people.Automation, error) {
	s.mu.Lock()
	if s.next == nil {
		s.next, s.busy = map[string]*reading{}, map[string]bool{}
	}
	r := s.next[token]
	if r == nil {
		r = &reading{done: make(chan struct{})}
		s.next[token] = r
	}
	if !s.busy[token] {
		s.busy[token] = true
		go s.read(context.WithoutCancel(ctx), db, token)
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.automation, r.err
	case <-ctx.Done():
		return people.Automation{}, ctx.Err()
	}
}

// read reads a token as long as somebody waits for it, one reading at a time.
func (s *readings) read(ctx context.Context, db *models.DB, token string) {
	for {
		s.mu.Lock()
		r := s.next[token]
		delete(s.next, token)
		if r == nil {
			delete(s.busy, token)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		r.look(ctx, db, token)
	}
}

func (r *reading) look(ctx context.Context, db *models.DB, token string) {
	ctx, cancel := context.WithTimeout(ctx, readingLimit)
	defer cancel()
	defer close(r.done)
	r.automation, r.err = people.Authenticate(ctx, db, token)
}
