package handlers

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
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
	name    string    // of this start of this server
	told    int       // how often something was told since
	streams []*stream // the oldest first
}

// stream is one open page. What it is told waits until it is taken.
type stream struct {
	person  int64
	session string
	wake    chan struct{}
	refs    []string
	ousted  bool // newer pages of its session have their streams
}

const (
	mostTold    = 50 // numbers that wait for a slow page; more are told as Anything
	mostStreams = 4  // of one session: browsers open six connections to a server and need some for the pages
)

func newLive(db *models.DB) *live {
	ctx, cancel := context.WithCancel(context.Background())
	return &live{db: db, ended: ctx, end: cancel, name: rand.Text()}
}

// mark says what was told so far. A page takes it before it reads anything, so
// that its stream knows whether something was told in between.
func (l *live) mark() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.latest()
}

func (l *live) latest() string { return l.name + strconv.Itoa(l.told) }

// join adds a stream for somebody; leave must be called. It is told Anything at
// once when its page's mark, if it has one, is not the latest: something was told
// since, perhaps by another server. The oldest of too many of one session is ousted.
func (l *live) join(person int64, session, mark string) (s *stream, leave func()) {
	s = &stream{person: person, session: session, wake: make(chan struct{}, 1)}
	l.mu.Lock()
	l.streams = append(l.streams, s)
	if mark != "" && mark != l.latest() {
		s.hear(models.Anything)
	}
	var same []*stream
	for _, o := range l.streams {
		if o.session == session && !o.ousted {
			same = append(same, o)
		}
	}
	if len(same) > mostStreams {
		same[0].ousted = true
		same[0].rouse()
	}
	l.mu.Unlock()
	l.begin.Do(func() { l.listen.Go(func() { models.Listen(l.ended, l.db, l.tell) }) })
	return s, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.streams = slices.DeleteFunc(l.streams, func(o *stream) bool { return o == s })
	}
}

// tell wakes the streams that ref concerns: those of the one person that P-1 or
// N-1 names, or all.
func (l *live) tell(ref string) {
	var person int64
	if _, err := fmt.Sscanf(ref, "P-%d", &person); err != nil {
		_, _ = fmt.Sscanf(ref, "N-%d", &person)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told++
	for _, s := range l.streams {
		if person == 0 || person == s.person {
			s.hear(ref)
		}
	}
}

func (s *stream) hear(ref string) {
	if slices.Contains(s.refs, ref) {
		return
	}
	if s.refs = append(s.refs, ref); len(s.refs) > mostTold {
		s.refs = []string{models.Anything}
	}
	s.rouse()
}

func (s *stream) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take is what a stream was told since it was asked last, and whether it was ousted.
func (l *live) take(s *stream) (refs []string, ousted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	refs, s.refs = s.refs, nil
	return refs, s.ousted
}

// close ends every stream and the connection, and waits for the latter.
func (l *live) close() {
	l.end()
	l.listen.Wait()
}
