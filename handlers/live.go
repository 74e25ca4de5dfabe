package handlers

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"countersign/models"
)

// live passes on what the database tells to every open stream of this server.
// One connection listens for all of them, from the first stream on.
type live struct {
	db     *models.DB
	ended  context.Context
	end    context.CancelFunc
	begin  sync.Once
	listen sync.WaitGroup

	mu      sync.Mutex
	streams map[*stream]bool
}

// stream is one open page. What it is told waits until it is taken.
type stream struct {
	person int64
	wake   chan struct{}
	refs   []string
}

// mostTold is how many numbers wait for a slow page; more are told as Anything.
const mostTold = 50

func newLive(db *models.DB) *live {
	ctx, cancel := context.WithCancel(context.Background())
	return &live{db: db, ended: ctx, end: cancel, streams: map[*stream]bool{}}
}

// join adds a stream for somebody; leave must be called.
func (l *live) join(person int64) (s *stream, leave func()) {
	s = &stream{person: person, wake: make(chan struct{}, 1)}
	l.mu.Lock()
	l.streams[s] = true
	l.mu.Unlock()
	l.begin.Do(func() { l.listen.Go(func() { models.Listen(l.ended, l.db, l.tell) }) })
	return s, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.streams, s)
	}
}

// tell wakes the streams that ref concerns: a person's own, or all.
func (l *live) tell(ref string) {
	var person int64
	_, _ = fmt.Sscanf(ref, "P-%d", &person)
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.streams {
		if person != 0 && person != s.person || slices.Contains(s.refs, ref) {
			continue
		}
		if s.refs = append(s.refs, ref); len(s.refs) > mostTold {
			s.refs = []string{models.Anything}
		}
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// take is what a stream was told since it was asked last.
func (l *live) take(s *stream) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	refs := s.refs
	s.refs = nil
	return refs
}

// close ends every stream and the connection, and waits for the latter.
func (l *live) close() {
	l.end()
	l.listen.Wait()
}
