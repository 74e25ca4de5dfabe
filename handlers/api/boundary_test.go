package api_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/handlers/api"
	"countersign/models"
)

// A number keeps every digit, and text is never a number.
func TestIdentifiersKeepTheirDigits(t *testing.T) {
	w := newWorld(t)
	claim := func(id string) reply {
		t.Helper()
		return w.post("actions/claim", `{"control": "`+w.slug+`", "environment": "sandbox", "input": {"request_id": `+id+`}, "worker": "w"}`)
	}
	first := claim("9007199254740993").is(201)
	if !strings.Contains(first.text("identity_key"), "9007199254740993") {
		t.Errorf("key %s", first.text("identity_key"))
	}
	claim("9007199254740992").is(201)
	claim("123456789012345678901234567890").is(201)
	claim("123456789012345678901234567891").is(201)
	claim("9007199254740993").refused(409, "already").standing(first.text("action_id"), "pending", "")
	claim("1e400").is(201)

	deliver := func(event, record string) reply {
		t.Helper()
		return w.post("deliveries", `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": `+event+`, "business_record_id": `+record+`}`)
	}
	deliver("9007199254740993", "1").is(201)
	deliver("9007199254740992", "1").is(201)
	deliver("9007199254740993", "1").is(200)
	deliver(`"9007199254740993"`, "1").is(200) // the same event, sent as text
	deliver(`"\ud800"`, "1").is(202)
}

// The API knows no cookies and no forms: what guards pages against other sites
// neither helps nor hinders it.
func TestTheAPIKnowsNoCookies(t *testing.T) {
	w := newWorld(t)
	c := call{method: http.MethodPost, path: "/api/v1/actions/claim", body: w.claimBody("request-cross")}
	r := c.request(t.Context(), w)
	r.Header.Set("Origin", "https://automation.example.test")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Cookie", "countersign=anything")
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 201 || res.Header.Get("Set-Cookie") != "" || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("status %d %v", res.StatusCode, res.Header)
	}
	if n := w.Count("select count(*) from sessions"); n != 0 {
		t.Errorf("%d sessions", n)
	}
	// A signed-in person's cookie opens nothing here.
	w.send(call{method: http.MethodGet, path: "/api/v1/actions/1", token: "-"}).refused(401, "unauthorized")
	metrics, err := http.Get(w.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	text, err := io.ReadAll(metrics.Body)
	if err != nil || !strings.Contains(string(text), `route="/api/v1/actions/claim"`) || !strings.Contains(string(text), `route="/api/v1/actions/:id"`) || strings.Contains(string(text), "/api/v1/actions/1") {
		t.Errorf("metrics do not name the route: %v\n%s", err, text)
	}
}

func TestWhoATokenCountsAs(t *testing.T) {
	w := newWorld(t)
	w.Exec("update people set active = false where id = ?", w.Implementer.ID)
	if r := w.post("actions/claim", w.claimBody("request-left")).refused(401, "unauthorized"); !strings.Contains(r.text("detail"), "deactivated") {
		t.Errorf("%s", r.raw)
	}
}

// Calls that come together share the reading of their token, and still hear at
// once that it was revoked.
func TestARevokedTokenIsRefusedAtOnceUnderLoad(t *testing.T) {
	w := newWorld(t)
	token := w.makeToken("sandbox", 0)
	get := call{method: http.MethodGet, path: "/api/v1/controls/" + w.slug + "/gate", token: token}
	if _, statuses := w.atOnce(100, func(int) call { return get }); statuses[200] != 100 {
		t.Fatalf("statuses %v", statuses)
	}
	var load sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 4 {
		load.Add(1)
		go func() {
			defer load.Done()
			for ctx.Err() == nil {
				_, _ = w.try(get)
			}
		}()
	}
	w.Exec("update tokens set revoked_at = now(), revoked_by = ? where id = (select max(id) from tokens)", w.Admin.ID)
	w.send(get).refused(401, "unauthorized")
	stop()
	load.Wait()
	w.get("controls/" + w.slug + "/gate").is(200)
}

// Every code of the ledger is a kind of problem with a page, and every kind has
// words and a status of its own family.
func TestEveryCodeIsAKindOfProblem(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../models/ledger/code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := []string{models.CodeIdempotencyMismatch, models.CodeIdempotencyRunning}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 && strings.HasPrefix(v.Names[0].Name, "Code") {
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				code, _ := strconv.Unquote(lit.Value)
				codes = append(codes, code)
			}
		}
		return true
	})
	for _, code := range codes {
		if _, ok := api.FindKind(code); !ok {
			t.Errorf("no kind of problem %q", code)
		}
	}
	if len(codes) < 20 {
		t.Errorf("only %d codes found", len(codes))
	}
	seen := map[string]bool{}
	for _, k := range api.Kinds {
		if seen[k.Slug] || k.Title == "" || k.Meaning == "" || k.Do == "" || k.Status < 400 || strings.ContainsAny(k.Title+k.Meaning+k.Do, "!") {
			t.Errorf("%+v", k)
		}
		seen[k.Slug] = true
	}
}
