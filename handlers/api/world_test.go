package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/handlers"
	"countersign/handlers/api"
	"countersign/models"
	"countersign/models/control/controltest"
	"countersign/models/people"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// world is controltest's with a control that makes keys, served over HTTP.
type world struct {
	*controltest.World
	url, token string // the token may do everything in the sandbox
	slug       string
	log        *log
	seen       *exercised
}

// log keeps what the server logs as an error.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// newWorld serves a filled draft, which serves in the sandbox. What the server
// logs as an error fails the test.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{World: controltest.New(t), log: &log{}, seen: newExercised(t)}
	w.slug = w.Create("Create CRM task")
	w.FillQuickly(w.slug)
	w.url = w.serve(w.DB)
	w.token = w.makeToken("sandbox", 0)
	return w
}

// serve starts a server on db, as one of several.
func (w *world) serve(db *models.DB) string {
	app := handlers.New(db, slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelError})), handlers.Config{})
	app.API.BodyTimeout = 2 * time.Second
	web := httptest.NewServer(app.Handler())
	app.Ready()
	w.T.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		app.Close()
	})
	return web.URL
}

func (w *world) makeToken(environment string, rate int, scopes ...people.Scope) string {
	w.T.Helper()
	made, err := people.CreateTokenByCommand(w.T.Context(), w.DB, people.CreateTokenByCommandCmd{TokenFacts: people.TokenFacts{Name: "test", Workflow: "service-request",
		Environment: environment, Scopes: scopes, RatePerMinute: rate}})
	if err != nil {
		w.T.Fatal(err)
	}
	return made.Token
}

// reply is an answer.
type reply struct {
	w      *world
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (r reply) text(member string) string {
	if r.body[member] == nil {
		return ""
	}
	return fmt.Sprint(r.body[member])
}

// is checks the status.
func (r reply) is(status int) reply {
	r.w.T.Helper()
	if r.status != status {
		r.w.T.Fatalf("status %d, want %d: %s", r.status, status, r.raw)
	}
	return r
}

// refused checks the status and code of a problem.
func (r reply) refused(status int, code string) reply {
	r.w.T.Helper()
	r.is(status)
	if r.text("code") != code || r.text("type") != "/api/problems/"+code {
		r.w.T.Fatalf("code %s, want %s: %s", r.text("code"), code, r.raw)
	}
	return r
}

// standing checks what every answer about an action carries.
func (r reply) standing(action, state, result string) reply {
	r.w.T.Helper()
	for _, member := range []string{"action_id", "state", "destination_result_id"} {
		if _, there := r.body[member]; !there {
			r.w.T.Fatalf("%s is missing: %s", member, r.raw)
		}
	}
	if r.text("action_id") != action || r.text("state") != state || r.text("destination_result_id") != result {
		r.w.T.Fatalf("want action %s, %s, %q: %s", action, state, result, r.raw)
	}
	return r
}

// call is a request: a body that is text is sent as it is, everything else as JSON.
type call struct {
	method, path string
	body         any
	token        string // "-" for none, "" for the world's
	key          string // Idempotency-Key
	kind         string // Content-Type
	url          string // "" for the world's
}

func (c call) request(ctx context.Context, w *world) *http.Request {
	var body io.Reader
	switch b := c.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			w.T.Fatal(err)
		}
		body = bytes.NewReader(raw)
	}
	url := c.url
	if url == "" {
		url = w.url
	}
	r, err := http.NewRequestWithContext(ctx, c.method, url+c.path, body)
	if err != nil {
		w.T.Fatal(err)
	}
	if c.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.kind != "" {
		r.Header.Set("Content-Type", c.kind)
	}
	if c.token == "" {
		c.token = w.token
	}
	if c.token != "-" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.key != "" {
		r.Header.Set("Idempotency-Key", c.key)
	}
	return r
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 400, MaxConnsPerHost: 400}, Timeout: time.Minute}

// send makes a call and holds its answer against the OpenAPI document.
func (w *world) send(c call) reply {
	w.T.Helper()
	r, err := w.try(c)
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// try is send without failing on a lost connection; safe in goroutines.
func (w *world) try(c call) (reply, error) {
	res, err := client.Do(c.request(w.T.Context(), w))
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return reply{}, err
	}
	out := reply{w: w, status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &out.body)
	if err := w.seen.note(c.method, c.path, out); err != nil {
		w.T.Errorf("%s %s: %v\n%s", c.method, c.path, err, raw)
	}
	return out, nil
}

func (w *world) post(path string, body any) reply {
	w.T.Helper()
	return w.send(call{method: http.MethodPost, path: "/api/v1/" + path, body: body})
}

func (w *world) get(path string) reply {
	w.T.Helper()
	return w.send(call{method: http.MethodGet, path: "/api/v1/" + path})
}

type object = map[string]any

func (w *world) claimBody(request string) object {
	return object{"control": w.slug, "environment": "sandbox", "input": object{"request_id": request}, "worker": "worker-of-" + request}
}

// claim owns a new action and returns the answer.
func (w *world) claim(request string) reply {
	w.T.Helper()
	return w.post("actions/claim", w.claimBody(request)).is(http.StatusCreated)
}

func (w *world) outcome(claim reply, outcome, result, detail string) reply {
	w.T.Helper()
	body := object{"claim_token": claim.text("claim_token"), "outcome": outcome}
	if result != "" {
		body["destination_result_id"] = result
	}
	if detail != "" {
		body["detail"] = detail
	}
	return w.post("actions/"+claim.text("action_id")+"/outcome", body)
}

// endLease ends the lease of an attempt without waiting for it.
func (w *world) endLease(claim reply) {
	w.T.Helper()
	w.Exec("update attempts set lease_until = clock_timestamp() - interval '1 ms' where id = ?", claim.text("attempt_id"))
	w.Exec("update actions set lease_until = clock_timestamp() - interval '1 ms' where id = ? and attempt_id = ?", claim.text("action_id"), claim.text("attempt_id"))
}

// exercised is which statuses of which calls came, each held against its schema.
type exercised struct {
	mu       sync.Mutex
	patterns map[string]*regexp.Regexp // "POST /api/v1/actions/{id}/outcome"
	shapes   map[string]*jsonschema.Schema
	seen     map[string]bool // "report-outcome 409"
	ids      map[string]string
}

func newExercised(t testing.TB) *exercised {
	t.Helper()
	e := &exercised{patterns: map[string]*regexp.Regexp{}, shapes: map[string]*jsonschema.Schema{}, seen: map[string]bool{}, ids: map[string]string{}}
	compiler := schemas(t)
	for path, item := range api.Describe().Paths {
		for method, op := range map[string]any{http.MethodGet: item.Get, http.MethodPost: item.Post} {
			var o struct {
				ID        string `json:"operationId"`
				Responses map[string]struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
			raw, _ := json.Marshal(op)
			if _ = json.Unmarshal(raw, &o); o.ID == "" {
				continue
			}
			e.patterns[method+" "+path] = regexp.MustCompile("^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, `[^/]+`) + `(\?.*)?$`)
			e.ids[method+" "+path] = o.ID
			for status, res := range o.Responses {
				for kind, content := range res.Content {
					shape, err := compiler.Compile("doc:openapi.json" + content.Schema.Ref)
					if err != nil {
						t.Fatal(err)
					}
					e.shapes[o.ID+" "+status+" "+kind] = shape
				}
			}
		}
	}
	return e
}

// note remembers an answer. Its status, content type and members must be those
// that the document promises.
func (e *exercised) note(method, path string, r reply) error {
	var id string
	for name, pattern := range e.patterns {
		if strings.HasPrefix(name, method+" ") && pattern.MatchString(path) {
			if id == "" || strings.HasSuffix(name, "/claim") { // a place of its own beside {id}
				id = e.ids[name]
			}
		}
	}
	if id == "" {
		return nil // no call of ours
	}
	shape := e.shapes[fmt.Sprintf("%s %d %s", id, r.status, strings.SplitN(r.header.Get("Content-Type"), ";", 2)[0])]
	if shape == nil {
		return fmt.Errorf("%s does not document status %d as %s", id, r.status, r.header.Get("Content-Type"))
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(r.raw))
	if err != nil {
		return err
	}
	if err := shape.Validate(body); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[fmt.Sprintf("%s %d", id, r.status)] = true
	return nil
}

// missing are the documented statuses that never came.
func (e *exercised) missing() (list []string) {
	documented := map[string]bool{}
	for key := range e.shapes {
		id, rest, _ := strings.Cut(key, " ")
		documented[id+" "+rest[:3]] = true
	}
	for key := range documented {
		if !e.seen[key] {
			list = append(list, key)
		}
	}
	return list
}

// readReply reads an answer from a bare connection.
func readReply(w *world, from io.Reader) (reply, error) {
	res, err := http.ReadResponse(bufio.NewReader(from), nil)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return reply{w: w, status: res.StatusCode, header: res.Header, raw: string(raw)}, err
}
