package browser

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// watch hears what the browser tells about a tab: whether something is still
// loading, how the last page was answered, and what went wrong unseen.
type watch struct {
	site string

	mu       sync.Mutex
	busy     map[network.RequestID]string // what is on its way
	loading  bool
	moved    time.Time // when the last of these events came
	document network.RequestID
	status   int64
	expected bool // somebody asked for this status
	problems []string
}

func newWatch(site string) *watch { return &watch{site: site, busy: map[network.RequestID]string{}} }

func (w *watch) event(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.moved = time.Now()
		if strings.HasPrefix(e.Request.URL, "data:") {
			return
		}
		// No page waits for the icon of its tab, nor for the stream that stays open.
		if !strings.HasSuffix(e.Request.URL, "mark.svg") && !strings.Contains(e.Request.URL, "/queue/events?") {
			w.busy[e.RequestID] = e.Request.URL
		}
		if !strings.HasPrefix(e.Request.URL, w.site) {
			w.problem("something was asked of another host: %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		w.response(e)
	case *network.EventLoadingFinished:
		w.moved = time.Now()
		delete(w.busy, e.RequestID)
	case *network.EventLoadingFailed:
		w.moved = time.Now()
		delete(w.busy, e.RequestID)
		if !e.Canceled && e.ErrorText != "net::ERR_ABORTED" {
			w.problem("%s failed to load: %s %s", e.Type, e.ErrorText, e.BlockedReason)
		}
	case *page.EventFrameRequestedNavigation, *page.EventFrameStartedLoading:
		w.moved, w.loading = time.Now(), true
	case *page.EventFrameStoppedLoading:
		w.moved, w.loading = time.Now(), false
	case *runtime.EventExceptionThrown:
		w.problem("uncaught: %s", exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "assert" || e.Type == "warning" {
			w.problem("console %s: %s", e.Type, said(e.Args))
		}
	case *log.EventEntryAdded:
		// Failed requests come as events of their own.
		if (e.Entry.Level == "error" || e.Entry.Level == "warning") && e.Entry.Source != "network" {
			w.problem("%s %s: %s (%s)", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	}
}

func (w *watch) response(e *network.EventResponseReceived) {
	w.moved = time.Now()
	page := e.Type == "Document"
	if by := e.Response.URL; e.Response.Status == 200 && (strings.Contains(by, "/queue/counts") || strings.Contains(by, "/queue/live?")) {
		return // a page asks for these by itself: they answer nothing that was done
	}
	// A part of a page that htmx asked for is answered like a page.
	if part := e.Type == "XHR" || e.Type == "Fetch"; page || part && strings.HasPrefix(e.Response.MimeType, "text/html") {
		w.unexpected()
		w.status, w.expected = e.Response.Status, false
		if page {
			w.document = e.RequestID
		}
	} else if e.Response.Status >= 400 {
		w.problem("%s %s answered %d", e.Type, e.Response.URL, e.Response.Status)
	}
}

// unexpected notes an error page that no one asked about.
func (w *watch) unexpected() {
	if w.status >= 400 && !w.expected {
		w.problem("a page answered %d and the test did not expect it", w.status)
	}
	w.expected = true
}

func (w *watch) problem(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *watch) last() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

func (w *watch) acknowledge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = true
}

func (w *watch) documentID() network.RequestID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.document
}

// quiet reports whether nothing is loading and nothing moved for a moment.
func (w *watch) quiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.loading && len(w.busy) == 0 && time.Since(w.moved) > 40*time.Millisecond
}

// waiting says what has not come yet.
func (w *watch) waiting() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	urls := []string{fmt.Sprintf("document loading: %v", w.loading)}
	for _, url := range w.busy {
		urls = append(urls, url)
	}
	return strings.Join(urls, ", ")
}

// take returns the problems so far and forgets them.
func (w *watch) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unexpected()
	found := w.problems
	w.problems = nil
	return found
}

// settle waits until the page has loaded and nothing is on its way.
func (t *Tab) settle() {
	t.r.Helper()
	for end := time.Now().Add(patience); !t.watch.quiet(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.r.Fatalf("the page is still loading: %s", t.watch.waiting())
		}
	}
}

// unseen reports what went wrong on the tab's pages without showing.
func (t *Tab) unseen() {
	t.r.Helper()
	for _, p := range t.watch.take() {
		t.r.Errorf("%s", p)
	}
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

func said(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		if a.Description != "" {
			words = append(words, a.Description)
		} else {
			words = append(words, fmt.Sprint(a.Value))
		}
	}
	return strings.Join(words, " ")
}
