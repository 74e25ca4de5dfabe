//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"countersign/internal/localpg"
	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/people"

	"github.com/google/uuid"
)

// crowd is workers that claim over HTTP while what they talk to dies and comes
// back. Several want each key.
type crowd struct {
	*controltest.World
	t           *testing.T
	url, token  string
	control     string
	unavailable bool // a lost connection is no answer of ours: only 503 will do

	next  atomic.Int64
	mu    sync.Mutex
	owned map[string]owned // by request
	spoke map[int]int      // answers by status
}

// owned is an acknowledged claim.
type owned struct {
	action, claimToken string
	reported           bool // and its success was acknowledged
}

const rivals = 3 // that want each key

func newCrowd(t *testing.T, w *controltest.World) *crowd {
	t.Helper()
	c := &crowd{World: w, t: t, owned: map[string]owned{}, spoke: map[int]int{}}
	c.control = c.Create("Create CRM task")
	c.FillQuickly(c.control)
	made, err := people.CreateTokenByCommand(t.Context(), c.DB, people.CreateTokenByCommandCmd{TokenFacts: people.TokenFacts{Name: "crowd", Workflow: "service-request", Environment: "sandbox"}})
	if err != nil {
		t.Fatal(err)
	}
	c.token, c.url = made.Token, freeAddress(t)
	return c
}

// freeAddress is where nobody listens yet.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// work claims and reports until ctx ends; begun work is finished.
func (c *crowd) work(ctx context.Context) {
	for ctx.Err() == nil {
		n := c.next.Add(1)
		request := fmt.Sprint("request-", n/rivals)
		body := map[string]any{"control": c.control, "environment": "sandbox", "input": map[string]string{"request_id": request}, "worker": fmt.Sprint("worker-", n), "lease_seconds": 600}
		status, answer := c.send("actions/claim", body)
		if status != http.StatusCreated {
			continue // somebody else's
		}
		mine := owned{action: fmt.Sprint(answer["action_id"]), claimToken: fmt.Sprint(answer["claim_token"])}
		c.own(request, mine)
		if n%2 == 0 {
			continue
		}
		status, _ = c.send("actions/"+mine.action+"/outcome", map[string]any{"claim_token": mine.claimToken, "outcome": "succeeded", "destination_result_id": "task-of-" + request})
		if mine.reported = status == http.StatusOK; !mine.reported {
			c.t.Errorf("a success was answered %d", status)
		}
		c.own(request, mine)
	}
}

func (c *crowd) own(request string, mine owned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, there := c.owned[request]; there && other.claimToken != mine.claimToken {
		c.t.Errorf("%s has two owners: actions %s and %s", request, other.action, mine.action)
	}
	c.owned[request] = mine
}

// send makes one call and repeats it, the same and with its key, until somebody
// answers it.
func (c *crowd) send(path string, body any) (status int, answer map[string]any) {
	raw, _ := json.Marshal(body)
	key := uuid.NewString()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, retryAfter, text, err := c.once(path, key, raw)
		if err != nil {
			if c.unavailable {
				c.t.Errorf("%s was not answered: %v", path, err)
			}
			continue
		}
		answer = nil
		_ = json.Unmarshal(text, &answer)
		c.mu.Lock()
		c.spoke[status]++
		c.mu.Unlock()
		switch {
		case status == http.StatusServiceUnavailable:
			if retryAfter == "" {
				c.t.Errorf("503 without Retry-After: %s", text)
			}
		case status >= 500:
			c.t.Errorf("%s was answered %d: %s", path, status, text)
		case answer["code"] != "idempotency_running": // its first sending holds the key until its connection is gone
			return status, answer
		}
	}
	c.t.Errorf("%s was never answered", path)
	return 0, nil
}

var caller = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func (c *crowd) once(path, key string, body []byte) (status int, retryAfter string, text []byte, err error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+"/api/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	res, err := caller.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("Retry-After"), text, err
}

// during runs workers until do has returned, and fails when there was no load.
func (c *crowd) during(workers int, do func()) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { c.work(ctx) })
	}
	do()
	stop()
	all.Wait()
	if len(c.owned) < 50 || c.spoke[http.StatusConflict] == 0 {
		c.t.Errorf("hardly a load: %d claims, answers %v", len(c.owned), c.spoke)
	}
}

// inOrder checks what is there afterwards against what was acknowledged.
func (c *crowd) inOrder() {
	c.t.Helper()
	for request, o := range c.owned {
		var there, succeeded bool
		err := c.DB.Pool.QueryRow(c.t.Context(), `select exists (select 1 from attempts t where t.action_id = a.id and t.token_hash = sha256(convert_to($3, 'UTF8'))), a.state = 'succeeded'
			from actions a where a.id = $1::text::bigint and a.record_id = $2`, o.action, request, o.claimToken).Scan(&there, &succeeded)
		if err != nil || !there || succeeded != o.reported {
			c.t.Errorf("%s: acknowledged as %+v; found: attempt %t, succeeded %t, %v", request, o, there, succeeded, err)
		}
	}
	for what, sql := range map[string]string{
		"keys with two actions":         "select count(*) from (select identity_key from actions group by 1 having count(*) > 1) x",
		"actions with two attempts":     "select count(*) from (select action_id from attempts group by 1 having count(*) > 1) x",
		"actions without their attempt": "select count(*) from actions a where not exists (select 1 from attempts t where t.id = a.attempt_id and t.action_id = a.id)",
		"keys without an action":        "select count(*) from action_keys k where not exists (select 1 from actions a where a.id = k.action_id)",
	} {
		if n := c.Count(sql); n != 0 {
			c.t.Errorf("%d %s", n, what)
		}
	}
}

// answers waits until the server is ready, and says how long that took.
func (c *crowd) answers(since time.Time) time.Duration {
	c.t.Helper()
	until(c.t, "the server is ready", func() bool {
		res, err := caller.Get(c.url + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return time.Since(since)
}

const (
	kills    = 20
	promptly = 15 * time.Second // a restart takes less; usually below one second
)

// The server is killed twenty times in a row while workers claim and report. What
// it acknowledged is there, and no key has two owners.
func TestTheServerIsKilledUnderLoad(t *testing.T) {
	c := newCrowd(t, controltest.New(t))
	url, addr := c.DB.Pool.Config().ConnString(), c.url[len("http://"):]
	server := serve(t, url, 1, "ADDR="+addr)
	c.answers(time.Now())
	var slowest time.Duration
	c.during(8, func() {
		for range kills {
			time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
			kill(t, server)
			began := time.Now()
			server = serve(t, url, 1, "ADDR="+addr)
			slowest = max(slowest, c.answers(began))
		}
		time.Sleep(200 * time.Millisecond)
	})
	if slowest > promptly {
		t.Errorf("a restart took %s", slowest)
	}
	c.inOrder()
	t.Logf("%d kills, %d claims, slowest restart %s, answers %v", kills, len(c.owned), slowest.Round(time.Millisecond), c.spoke)
}

// Three hundred callers want one key at the same instant, from two processes on
// one database: one of them owns it, and everybody else hears who does.
func TestOneOwnerAcrossTwoProcesses(t *testing.T) {
	w := controltest.New(t)
	c := newCrowd(t, w)
	other := &crowd{World: w, t: t, url: freeAddress(t), token: c.token}
	for _, each := range []*crowd{c, other} {
		serve(t, w.DB.Pool.Config().ConnString(), 1, "ADDR="+each.url[len("http://"):])
		each.answers(time.Now())
	}
	type answer struct {
		status int
		action any
	}
	answers := make([]answer, 300)
	errs := controltest.AtOnce(len(answers), func(i int) error {
		body, err := json.Marshal(map[string]any{"control": c.control, "environment": "sandbox", "input": map[string]string{"request_id": "request-300"}, "worker": fmt.Sprint("worker-", i)})
		if err != nil {
			return err
		}
		status, _, text, err := []*crowd{c, other}[i%2].once("actions/claim", uuid.NewString(), body)
		var said map[string]any
		_ = json.Unmarshal(text, &said)
		answers[i] = answer{status, said["action_id"]}
		return err
	})
	owners := 0
	for i, a := range answers {
		if errs[i] != nil || a.action != answers[0].action || a.action == nil || a.status != http.StatusCreated && a.status != http.StatusConflict {
			t.Errorf("%+v %v", a, errs[i])
		}
		if a.status == http.StatusCreated {
			owners++
		}
	}
	if n := w.Count("select count(*) from attempts"); owners != 1 || n != 1 {
		t.Errorf("%d owners, %d attempts", owners, n)
	}
}

// PostgreSQL crashes and restarts three times while workers claim and report:
// until it is back, calls are answered 503 and when to come again; then the server
// goes on by itself.
func TestPostgreSQLRestartsUnderLoad(t *testing.T) {
	pg, err := localpg.Open(t.Context(), localpg.Options{DataDir: t.TempDir(), Mode: localpg.Serve, Throwaway: true, NoDownload: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Close() })
	db, err := models.Open(t.Context(), pg.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if _, err := models.Migrate(t.Context(), db.Pool); err != nil {
		t.Fatal(err)
	}
	c := newCrowd(t, controltest.On(t, db))
	c.unavailable = true
	server := serve(t, c.DB.Pool.Config().ConnString(), 1, "ADDR="+c.url[len("http://"):])
	c.answers(time.Now())
	c.during(8, func() {
		for range 3 {
			time.Sleep(400 * time.Millisecond)
			crash(t, c)
			began := c.said(http.StatusCreated)
			until(t, "claims go on", func() bool { return c.said(http.StatusCreated) > began+20 })
		}
	})
	if c.spoke[http.StatusServiceUnavailable] == 0 {
		t.Errorf("no call met the restart: answers %v", c.spoke)
	}
	if err := server.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the server is gone: %v", err)
	}
	c.DB.Pool.Reset() // the test's own connections met the crash too
	c.inOrder()
	t.Logf("%d claims, answers %v", len(c.owned), c.spoke)
}

func (c *crowd) said(status int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spoke[status]
}

// crash kills a process of PostgreSQL, so that it throws everybody out and recovers.
func crash(t *testing.T, c *crowd) {
	t.Helper()
	var pid int
	until(t, "a connection of the server", func() bool {
		return c.DB.Pool.QueryRow(t.Context(), "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1").Scan(&pid) == nil
	})
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
