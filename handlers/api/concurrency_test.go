package api_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/models"

	"github.com/google/uuid"
)

// atOnce makes n calls at the same instant and counts their statuses.
func (w *world) atOnce(n int, each func(i int) call) (replies []reply, statuses map[int]int) {
	w.T.Helper()
	replies, statuses = slices.Repeat([]reply{{}}, n), map[int]int{}
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			c := each(i)
			ready.Done()
			<-start
			r, err := w.try(c)
			if err != nil {
				w.T.Error(err)
			}
			replies[i] = r
		}()
	}
	ready.Wait()
	close(start)
	done.Wait()
	for _, r := range replies {
		statuses[r.status]++
	}
	return replies, statuses
}

// Three hundred callers of one identity, through two servers with a pool each on
// one database: one owner, and everybody else hears who it is.
func TestOneOwnerOfThreeHundredClaims(t *testing.T) {
	w := newWorld(t)
	other, err := models.Open(t.Context(), w.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	servers := []string{w.url, w.serve(other)}
	replies, statuses := w.atOnce(300, func(i int) call {
		body := w.claimBody("request-300")
		body["worker"] = fmt.Sprintf("worker-%d", i)
		return call{method: http.MethodPost, path: "/api/v1/actions/claim", body: body, url: servers[i%2], key: uuid.NewString()}
	})
	if statuses[201] != 1 || statuses[409] != 299 {
		t.Fatalf("statuses %v", statuses)
	}
	owner := ""
	for _, r := range replies {
		if r.status == 201 {
			owner = r.text("action_id")
		}
	}
	for _, r := range replies {
		if r.status == 409 {
			r.refused(409, "already").standing(owner, "pending", "")
		}
	}
	if n := w.Count("select count(*) from actions"); n != 1 {
		t.Errorf("%d actions", n)
	}
	if n := w.Count("select count(*) from attempts"); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

// One call that is sent fifty times at once, with its key, runs once.
func TestFiftyCallsWithOneKeyAreOne(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]call{
		"claim":    {path: "/api/v1/actions/claim", body: w.claimBody("request-50")},
		"delivery": {path: "/api/v1/deliveries", body: object{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": "event-50", "business_record_id": "request-50", "source_version": 1}},
	} {
		w.run(name, func(t *testing.T, w *world) {
			c.method, c.key = http.MethodPost, uuid.NewString()
			replies, statuses := w.atOnce(50, func(int) call { return c })
			first := ""
			for _, r := range replies {
				switch r.status {
				case 201:
					if first != "" && r.raw != first {
						t.Errorf("two answers:\n%s\n%s", first, r.raw)
					}
					first = r.raw
				case 409:
					r.refused(409, "idempotency_running")
				default:
					t.Errorf("status %d: %s", r.status, r.raw)
				}
			}
			fresh := 0
			for _, r := range replies {
				if r.status == 201 && r.header.Get("Idempotency-Replayed") == "" {
					fresh++
				}
			}
			if fresh != 1 {
				t.Errorf("%d calls ran, statuses %v", fresh, statuses)
			}
			if again := w.send(c).is(201); again.raw != first || again.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("repeated: %s %v", again.raw, again.header)
			}
		})
	}
	if n := w.Count("select (select count(*) from attempts) + (select count(*) from deliveries)"); n != 2 {
		t.Errorf("%d attempts and deliveries", n)
	}
}

func TestAKeyIsForOneCall(t *testing.T) {
	w := newWorld(t)
	key := uuid.NewString()
	send := func(path string, body any, key string) reply {
		t.Helper()
		return w.send(call{method: http.MethodPost, path: "/api/v1/" + path, body: body, key: key})
	}
	first := send("actions/claim", w.claimBody("request-k1"), key).is(201)
	send("actions/claim", w.claimBody("request-k2"), key).refused(422, "idempotency_mismatch")
	other := w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: w.claimBody("request-k3"), key: key, token: w.makeToken("sandbox", 0)})
	other.is(201) // another token's keys are its own
	path := "actions/" + first.text("action_id")
	report := object{"claim_token": first.text("claim_token"), "outcome": "failed", "detail": "Not sent."}
	send(path+"/outcome", report, key).is(200) // another address is another call
	if r := send(path+"/outcome", report, key).is(200); r.header.Get("Idempotency-Replayed") != "true" {
		t.Error("not marked as repeated")
	}
	// Its lease is over: the first answer would be wrong by now.
	send("actions/claim", w.claimBody("request-k1"), key).refused(409, "lease_ended").standing(first.text("action_id"), "failed", "")

	retry := uuid.NewString()
	again := send(path+"/retry", object{"worker": "w"}, retry).is(201)
	if r := send(path+"/retry", object{"worker": "w"}, retry).is(201); r.text("claim_token") != again.text("claim_token") || r.text("attempt_id") != again.text("attempt_id") {
		t.Errorf("repeated retry: %s", r.raw)
	}
	w.endLease(again)
	send(path+"/retry", object{"worker": "w"}, retry).refused(409, "lease_ended").standing(first.text("action_id"), "unknown", "")

	// Only what succeeded is kept: a refusal is decided anew.
	refused := uuid.NewString()
	send("actions/claim", w.claimBody("request-k3"), refused).refused(409, "already")
	body := w.claimBody("request-k4")
	send("actions/claim", body, refused).is(201)

	for _, bad := range []string{"request-k5", " request-k5", strings.Repeat("x", 256)} {
		send("actions/claim", w.claimBody("request-k5"), bad).refused(422, "idempotency_key")
	}
	delivery := `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": "event-k", "business_record_id": 77, "payload": {"deep": ["request\u002dk"]}}`
	for _, bad := range []string{"event-k", "77", "request-k"} {
		send("deliveries", delivery, bad).refused(422, "idempotency_key")
	}
	if n := w.Count("select count(*) from deliveries"); n != 0 {
		t.Errorf("%d deliveries after refusals", n)
	}
}

// A caller that hangs up loses nothing: the repeat of its call gets the first
// answer, or does it now.
func TestACallerThatHangsUp(t *testing.T) {
	w := newWorld(t)
	u, _ := url.Parse(w.url)
	for i := range 25 {
		body := fmt.Sprintf(`{"control": %q, "environment": "sandbox", "input": {"request_id": "request-h%d"}, "worker": "w-%d"}`, w.slug, i, i)
		key := uuid.NewString()
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/actions/claim HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", w.token, key, len(body), body)
		time.Sleep(time.Duration(i) * time.Millisecond)
		_ = conn.Close()
		var r reply
		for range 100 {
			r = w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: body, key: key})
			if r.status != 409 || r.text("code") != "idempotency_running" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		r.is(201)
		w.outcome(r, "succeeded", "task", "").is(200)
	}
	if n := w.Count("select count(*) from attempts"); n != 25 {
		t.Errorf("%d attempts for 25 calls", n)
	}
}

// proxy stands between a server and its database and can be cut.
type proxy struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	open     map[net.Conn]bool
	cut      bool
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, open: map[net.Conn]bool{}}
	t.Cleanup(func() { p.set(true); _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(c)
		}
	}()
	return p
}

func (p *proxy) carry(c net.Conn) {
	defer c.Close()
	to, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer to.Close()
	p.mu.Lock()
	if p.cut {
		p.mu.Unlock()
		return
	}
	p.open[c], p.open[to] = true, true
	p.mu.Unlock()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{c, to}, {to, c}} {
		go func() {
			buf := make([]byte, 32<<10)
			for {
				n, err := pair[0].Read(buf)
				if n > 0 {
					if _, err := pair[1].Write(buf[:n]); err != nil {
						break
					}
				}
				if err != nil {
					break
				}
			}
			done <- struct{}{}
		}()
	}
	<-done
}

// set cuts every connection and refuses new ones, or lets them through again.
func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for c := range p.open {
			_ = c.Close()
		}
		clear(p.open)
	}
}

// While the database is away every call says so and when to come back; afterwards
// the server goes on by itself, and nothing that was acknowledged is lost.
func TestTheDatabaseGoesAwayUnderLoad(t *testing.T) {
	w := newWorld(t)
	u, err := url.Parse(w.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u.Host)
	u.Host = p.listener.Addr().String()
	db, err := models.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	server := w.serve(db)

	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	claimed, statuses := map[string]bool{}, map[int]int{}
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := 0; ctx.Err() == nil; n++ {
				request := fmt.Sprintf("request-away-%d-%d", i, n)
				r, err := w.try(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: w.claimBody(request), url: server})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				statuses[r.status]++
				if r.status == 201 {
					claimed[r.text("action_id")] = true
				} else if r.status == 503 && r.header.Get("Retry-After") == "" || r.status != 503 {
					t.Errorf("status %d: %s", r.status, r.raw)
				}
				mu.Unlock()
				if r.status == 503 {
					time.Sleep(20 * time.Millisecond)
				}
			}
		}()
	}
	for range 3 {
		time.Sleep(300 * time.Millisecond)
		p.set(true)
		time.Sleep(300 * time.Millisecond)
		p.set(false)
	}
	time.Sleep(500 * time.Millisecond)
	stop()
	workers.Wait()
	if statuses[201] == 0 || statuses[503] == 0 {
		t.Fatalf("statuses %v", statuses)
	}
	w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: w.claimBody("request-back"), url: server}).is(201)
	if n := w.Count("select count(*) from actions where id = any(string_to_array(?, ',')::bigint[])", strings.Join(slices.Collect(maps.Keys(claimed)), ",")); n != len(claimed) {
		t.Errorf("%d of %d acknowledged claims are there", n, len(claimed))
	}
	if n := w.Count("select count(*) from (select action_id from attempts group by action_id having count(*) > 1) a"); n != 0 {
		t.Errorf("%d actions have two attempts", n)
	}
}
