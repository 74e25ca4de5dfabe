package handlers_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"countersign/handlers"
	"countersign/internal/testdb"
	"countersign/models/demo"
)

// newStreams is newCounter on a server that gives everything but streams so long; 0 is no limit.
func newStreams(t *testing.T, patience time.Duration) *counter {
	t.Helper()
	db := testdb.Loaded(t, "demo", demo.Load)
	srv := handlers.New(db, slog.New(slog.DiscardHandler), handlers.Config{})
	srv.Beat(50 * time.Millisecond)
	web := httptest.NewUnstartedServer(srv.Handler())
	web.Config.ReadTimeout, web.Config.WriteTimeout = patience, patience
	web.Start()
	t.Cleanup(func() { srv.Close(); web.Close() })
	srv.Ready()
	return &counter{&app{t: t, db: db, srv: srv, url: web.URL}}
}

// lines opens a stream without a page and passes on what it says; closed when it ends.
func (b *browser) lines() <-chan string {
	b.a.t.Helper()
	return b.stream("/queue/events")
}

// stream opens the stream of a page.
func (b *browser) stream(path string) <-chan string {
	b.a.t.Helper()
	res, err := b.client.Do(b.request(http.MethodGet, path, nil))
	if err != nil {
		b.a.t.Fatal(err)
	}
	b.a.t.Cleanup(func() { res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || kind != "text/event-stream" || res.Header.Get("Content-Encoding") != "" || len(res.Cookies()) != 0 {
		b.a.t.Fatalf("status %d, %s, %v", res.StatusCode, kind, res.Header)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for text := bufio.NewScanner(res.Body); text.Scan(); {
			lines <- text.Text()
		}
	}()
	return lines
}

// hear waits for a line; "" stands for the end of the stream.
func hear(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	var heard []string
	for late := time.After(15 * time.Second); ; {
		select {
		case line, open := <-lines:
			if !open && want == "" || open && line == want && want != "" {
				return
			}
			if !open {
				t.Fatalf("the stream ended before %q", want)
			}
			heard = append(heard, line)
		case <-late:
			t.Fatalf("did not hear %q, only %q", want, heard)
		}
	}
}

func TestStreamsNameWhatChanged(t *testing.T) {
	const patience = 4 * time.Second
	c := newStreams(t, patience)
	approver, lead := c.who("approver"), c.who("lead")
	c.browser().get("/queue/events").want(http.StatusSeeOther)
	lines := lead.lines()
	hear(t, lines, "data: *") // the server listens now
	time.Sleep(patience + 500*time.Millisecond)
	page := approver.get("/queue/RR-1")
	lead.get("/queue/RR-1").want(http.StatusOK)
	shown := approver.get("/queue/RR-1").Find("[data-live=standing]")
	fresh := "/queue/live?view=waiting&open=RR-1&" + url.Values{"state": {shown.AttrOr("data-state", "")}, "version": {shown.AttrOr("data-version", "")}, "seen": {shown.AttrOr("data-seen", "")}}.Encode()
	if got := words(approver.get(fresh).want(http.StatusOK).Find("[data-live=standing]").Text()); got != "" {
		t.Errorf("nothing happened, and the page says %q", got)
	}
	approver.submit(page, "Return for evidence", url.Values{"decision": {"return"}, "note": {"Show the log."}}).want(http.StatusSeeOther)
	hear(t, lines, "data: RR-1")
	part := lead.get(fresh).want(http.StatusOK)
	if got := words(part.Find("[data-live=standing]").Text()); !strings.HasPrefix(got, "RR-1 was returned for evidence by Approver.") {
		t.Errorf("the page says %q", got)
	}
	if part.Find(".split-list .tabbar a").Length() != 3 || part.Find("[data-count=queue]").Length() != 1 {
		t.Error("the list or the counts are missing")
	}
	if got := words(approver.get("/queue").Find(".flash").Text()); !strings.HasPrefix(got, "RR-1 returned for evidence.") {
		t.Errorf("a page that asked by itself took the message away: %q", got)
	}
}

func TestAPageHearsWhatChangedBeforeItsStream(t *testing.T) {
	c := newStreams(t, 0)
	lead := c.who("lead")
	first := lead.lines()
	hear(t, first, "data: *") // the server listens now
	stream := func() string {
		return lead.get("/controls").want(http.StatusOK).Find(".sidebar").AttrOr("data-events", "")
	}
	touch := func() {
		if err := c.db.Query(t.Context()).Exec("update requests set level = level where id = 1").Error; err != nil {
			t.Fatal(err)
		}
	}
	before := stream()
	touch()
	hear(t, first, "data: RR-1")
	late := lead.stream(before)
	hear(t, late, "data: *")
	after := lead.stream(stream())
	elsewhere := lead.stream("/queue/events?since=another-server1")
	hear(t, elsewhere, "data: *")
	touch()
	hear(t, late, "data: RR-1")
	for line := range after {
		if line == "data: *" {
			t.Fatal("a page that has seen everything is told to look again")
		}
		if line == "data: RR-1" {
			return
		}
	}
	t.Fatal("a page that has seen everything hears of nothing more")
}

func TestASessionHasAFewStreams(t *testing.T) {
	c := newStreams(t, 0)
	viewer, other := c.who("viewer"), c.who("viewer")
	kept := other.lines()
	var all []<-chan string
	for range 6 {
		all = append(all, viewer.lines())
		hear(t, all[len(all)-1], "retry: 2000")
	}
	for _, oldest := range all[:2] {
		hear(t, oldest, "event: full")
		hear(t, oldest, "")
	}
	if err := c.db.Query(t.Context()).Exec("update requests set level = level where id = 1").Error; err != nil {
		t.Fatal(err)
	}
	for _, newer := range append(all[2:], kept) {
		hear(t, newer, "data: RR-1")
	}
}

func TestAnInboxIsToldToItsOwner(t *testing.T) {
	c := newStreams(t, 0)
	approver, viewer := c.who("approver"), c.who("viewer")
	own, others := approver.lines(), viewer.lines()
	hear(t, own, "data: *")
	if err := c.db.Query(t.Context()).Exec("update notices set read_at = now() where person_id = (select id from people where email = 'approver@example.test')").Error; err != nil {
		t.Fatal(err)
	}
	hear(t, own, fmt.Sprintf("data: N-%d", c.count("select id from people where email = 'approver@example.test'")))
	if n := approver.get("/queue/counts").want(http.StatusOK).Find("[data-count=inbox]").Text(); n != "" {
		t.Errorf("%q in the inbox", n)
	}
	if n := words(approver.get("/queue/counts").Find("[data-count=queue]").Text()); n != "1 waiting" {
		t.Errorf("%q in the queue", n)
	}
	if err := c.db.Query(t.Context()).Exec("update requests set level = level where id = 1").Error; err != nil {
		t.Fatal(err)
	}
	for line := range others {
		if strings.HasPrefix(line, "data: N-") {
			t.Fatal("told to somebody else")
		}
		if line == "data: RR-1" {
			return
		}
	}
}

func TestStreamsListenAgainWhenTheirConnectionBreaks(t *testing.T) {
	c := newStreams(t, 0)
	lines := c.who("viewer").lines()
	hear(t, lines, "data: *")
	if n := c.count("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and query = 'listen countersign_pages'"); n != 1 {
		t.Fatalf("%d connections listen", n)
	}
	hear(t, lines, "data: *") // something may have been missed
	if err := c.db.Query(t.Context()).Exec("update requests set level = level where id = 1").Error; err != nil {
		t.Fatal(err)
	}
	hear(t, lines, "data: RR-1")
}

func TestStreamsEndWithTheirSession(t *testing.T) {
	c := newStreams(t, 0)
	viewer, other, lead := c.who("viewer"), c.who("viewer"), c.who("lead")
	out, kept, everywhere := viewer.lines(), other.lines(), lead.lines()
	hear(t, out, "data: *") // whoever came later may find the server listening
	viewer.post("/logout", nil).want(http.StatusSeeOther)
	hear(t, out, "")
	if err := c.db.Query(t.Context()).Exec("update requests set level = level where id = 1").Error; err != nil {
		t.Fatal(err)
	}
	hear(t, kept, "data: RR-1") // the same person's other session goes on
	lead.post("/account/sign-out", url.Values{"submission": {"one"}}).want(http.StatusSeeOther)
	hear(t, everywhere, "")
	c.srv.EndStreams()
	hear(t, kept, "")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var all strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
		if !strings.Contains(all.String(), "queueEvents") && !strings.Contains(all.String(), "models.Listen") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("something still runs:\n%s", all.String())
		}
	}
}
