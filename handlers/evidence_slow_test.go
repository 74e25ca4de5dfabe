package handlers_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// drip sends the first half of a form with a file, and then a few bytes at a time
// until it is answered or broken off. The answer's status comes through the channel.
func (b *browser) drip(name string, every time.Duration) <-chan int {
	b.a.t.Helper()
	kind, body := form(nil, part{name, "\x00HALF"})
	head, _, _ := bytes.Cut(body, []byte("HALF"))
	r, w := io.Pipe()
	answered := make(chan int, 1)
	go func() {
		if _, err := w.Write(head); err != nil {
			return
		}
		for every > 0 {
			if _, err := w.Write([]byte{0, 0, 0}); err != nil {
				return
			}
			time.Sleep(every)
		}
	}()
	request := b.upload(kind, r)
	go func() {
		res, err := b.client.Do(request)
		if err != nil {
			answered <- 0
			return
		}
		_ = res.Body.Close()
		_ = r.Close()
		answered <- res.StatusCode
	}()
	b.a.t.Cleanup(func() { _ = r.Close() })
	return answered
}

// receiving waits until so many forms with files are being received.
func (b *bench) receiving(n int) {
	b.t.Helper()
	for range 100 {
		if b.count("select count(*) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'") == n {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Fatalf("there are not %d files being received", n)
}

// Files that come slowly keep nobody from attaching texts and links, and another
// file is told at once that its turn does not come.
func TestSlowUploadsStopNobody(t *testing.T) {
	b := newBench(t)
	b.srv.Uploads(2, 100*time.Millisecond, time.Minute, 1)
	impl, reviewer := b.as(b.implementer), b.as(b.reviewer)
	impl.drip("a.bin", 10*time.Millisecond)
	b.receiving(1)
	own := impl.attach(nil, part{"own.txt", "event-demo-01"}).want(http.StatusServiceUnavailable).says("Too many files are being received right now.")
	if own.header.Get("Retry-After") != "5" {
		t.Error("it does not say when to try again")
	}
	if own.Find("#proves").AttrOr("value", "") != "The event arrived." {
		t.Error("the form is not as it was typed")
	}
	reviewer.attach(nil, part{"other.txt", "event-demo-01"}).goesTo("/things/1#evidence")
	reviewer.drip("b.bin", 10*time.Millisecond)
	b.receiving(2)
	reviewer.attach(nil, part{"third.txt", "event-demo-01"}).want(http.StatusServiceUnavailable)
	impl.attach(url.Values{"text": {"event-demo-02"}, "url": {"https://log.example.test/run"}}).goesTo("/things/1#evidence")
	if n := b.count("select count(*) from evidence"); n != 3 {
		t.Errorf("%d attachments", n)
	}
}

// A body that is silent, or drips, is cut off.
func TestSlowUploadsAreCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		every  time.Duration
		status int
	}{"silent": {0, http.StatusBadRequest}, "dripping": {20 * time.Millisecond, http.StatusRequestTimeout}} {
		b := newBench(t)
		b.srv.Uploads(1, time.Second, 300*time.Millisecond, 1000)
		select {
		case status := <-b.as(b.implementer).drip(fmt.Sprintf("%s.bin", name), c.every):
			if status != c.status {
				t.Errorf("%s: %d", name, status)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: it was not cut off", name)
		}
		b.receiving(0)
		if b.left() != 0 {
			t.Errorf("%s: %d rows stayed", name, b.left())
		}
	}
}
