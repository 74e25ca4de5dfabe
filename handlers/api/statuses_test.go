package api_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/people"
	"countersign/models/replay"
	"countersign/models/workflow"
)

// sample is a request of each call that is well formed and about nothing there is.
var samples = map[string]call{
	"report-delivery": {path: "/api/v1/deliveries", body: object{"workflow": "service-request", "environment": "sandbox", "sender": "nobody"}},
	"claim-action":    {path: "/api/v1/actions/claim", body: object{"control": "none", "environment": "sandbox", "input": object{}, "worker": "w"}},
	"heartbeat":       {path: "/api/v1/actions/999/heartbeat", body: object{"claim_token": "t"}},
	"report-outcome":  {path: "/api/v1/actions/999/outcome", body: object{"claim_token": "t", "outcome": "unknown"}},
	"report-lookup":   {path: "/api/v1/actions/999/lookups", body: object{"method": "m", "result": "not_found"}},
	"retry-action":    {path: "/api/v1/actions/999/retry", body: object{"worker": "w"}},
	"ask-replay":      {path: "/api/v1/actions/999/replay-requests", body: object{"reason": "r", "uncertain_result": "u"}},
	"start-replay":    {path: "/api/v1/replay-requests/RR-999/start", body: object{"authorization": "a", "worker": "w"}},
	"read-replay":     {path: "/api/v1/replay-requests/RR-999"},
	"read-action":     {path: "/api/v1/actions/999"},
	"read-gate":       {path: "/api/v1/controls/none/gate?environment=sandbox"},
	"read-review":     {path: "/api/v1/reviews/RV-999"},
}

// Every status that the OpenAPI document promises of every call comes, and every
// answer has the members that it promises.
func TestEveryDocumentedStatusIsExercised(t *testing.T) {
	w := newWorld(t)
	for id := range w.seen.ids {
		if samples[w.seen.ids[id]].path == "" {
			t.Fatalf("no sample of %s", id)
		}
	}
	w.run("before a call is reached", refusedBefore)
	w.run("deliveries", deliveries)
	w.run("claims", claims)
	w.run("outcomes", outcomes)
	w.run("lookups", lookups)
	w.run("replays", replays)
	w.run("reading", reading)
	w.run("stopped", stopped)
	missing := w.seen.missing()
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("documented and never seen:\n%s", strings.Join(missing, "\n"))
	}
	if len(w.seen.seen) < 100 {
		t.Errorf("only %d statuses", len(w.seen.seen))
	}
	if text := strings.ReplaceAll(w.log.text(), "closed pool", ""); strings.Contains(text, "internal") || strings.Contains(text, "panic") {
		t.Errorf("the server logged:\n%s", text)
	}
}

// run is a subtest in the same world.
func (w *world) run(name string, test func(*testing.T, *world)) {
	parent := w.T
	defer func() { w.T = parent }()
	parent.(*testing.T).Run(name, func(t *testing.T) {
		w.T = t
		test(t, w)
	})
}

func (w *world) sample(id string) call {
	c := samples[id]
	c.method = http.MethodPost
	if c.body == nil {
		c.method = http.MethodGet
	}
	return c
}

// refusedBefore sends each call in every way that is refused before it runs.
func refusedBefore(t *testing.T, w *world) {
	away, err := models.Open(t.Context(), w.DB.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	awayURL := w.serve(away)
	away.Close()
	var slow sync.WaitGroup
	for id := range samples {
		c := w.sample(id)
		with := func(change func(*call)) reply {
			t.Helper()
			changed := c
			change(&changed)
			return w.send(changed)
		}
		if r := with(func(c *call) { c.token = "-" }).refused(401, "unauthorized"); r.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", id)
		}
		with(func(c *call) { c.token = "cs_" + strings.Repeat("x", 43) }).refused(401, "unauthorized")
		w.send(c).refused(404, "not_found")
		limited := w.makeToken("sandbox", 1)
		with(func(c *call) { c.token = limited }).is(404)
		if r := with(func(c *call) { c.token = limited }).refused(429, "rate_limited"); r.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", id)
		}
		if r := with(func(c *call) { c.url = awayURL }).refused(503, "unavailable"); r.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", id)
		}
		scope := people.ScopeRead
		if strings.HasPrefix(id, "read-") && id != "read-replay" {
			scope = people.ScopeClaims
		}
		other := w.makeToken("sandbox", 0, scope)
		with(func(c *call) { c.token = other }).refused(403, "forbidden")
		if c.method == http.MethodGet {
			with(func(c *call) { c.path += "%00" }).refused(400, "malformed")
			with(func(c *call) { c.path = strings.SplitN(c.path, "?", 2)[0] + "?envronment=sandbox" }).refused(422, "invalid")
			continue
		}
		with(func(c *call) { c.body = `{"worker": ` }).refused(400, "malformed")
		with(func(c *call) { c.body = "" }).refused(400, "malformed")
		with(func(c *call) { c.body = "{\"worker\": \"\xff\"}" }).refused(400, "malformed")
		with(func(c *call) { c.body = object{} }).refused(422, "invalid")
		with(func(c *call) { c.body = `[]` }).refused(422, "invalid")
		with(func(c *call) { c.body = `null` }).refused(422, "invalid")
		with(func(c *call) { c.key = strings.Repeat("k", 256) }).refused(422, "idempotency_key")
		for _, kind := range []string{"text/plain", "garbage", "application/json, text/plain"} {
			if r := with(func(c *call) { c.kind = kind }).refused(415, "unsupported_media_type"); !strings.Contains(r.text("detail"), "application/json") {
				t.Errorf("%s", r.raw)
			}
		}
		with(func(c *call) { c.kind = "APPLICATION/JSON; Charset=UTF-8" }).refused(404, "not_found")
		with(func(c *call) { c.body = `{"x": "` + strings.Repeat("x", 1<<20) + `"}` }).refused(413, "body_too_large")
		slow.Add(1)
		go func() {
			defer slow.Done()
			w.sendSlowly(t, c)
		}()
	}
	slow.Wait()
}

// sendSlowly opens a request and never ends its body.
func (w *world) sendSlowly(t *testing.T, c call) {
	u, _ := url.Parse(w.url)
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{", c.path, w.token)
	r, err := readReply(w, conn)
	if err != nil || r.status != http.StatusRequestTimeout {
		t.Errorf("%s: %d %v", c.path, r.status, err)
		return
	}
	if err := w.seen.note(http.MethodPost, c.path, r); err != nil {
		t.Error(err)
	}
}

func deliveries(t *testing.T, w *world) {
	send := func(event, record, version any) reply {
		t.Helper()
		return w.post("deliveries", object{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "event_id": event, "business_record_id": record, "source_version": version})
	}
	first := send("event-1", "request-d1", 2).is(201)
	if first.text("disposition") != "accepted" {
		t.Errorf("%s", first.raw)
	}
	if again := send("event-1", "request-d1", 2).is(200); again.text("disposition") != "duplicate" || again.text("first_delivery_id") != first.text("delivery_id") {
		t.Errorf("%s", again.raw)
	}
	if stale := send("event-2", "request-d1", 1).is(202); stale.text("disposition") != "stale" || stale.text("reason") == "" {
		t.Errorf("%s", stale.raw)
	}
	for _, missing := range []any{nil, "", "  ", object{}, []int{}, true} {
		if r := send(missing, "request-d2", 1).is(202); r.text("disposition") != "needs_review" || !strings.HasPrefix(r.text("review"), "RV-") {
			t.Errorf("%v: %s", missing, r.raw)
		}
		send("event-3", missing, 1).is(202)
	}
	w.post("deliveries", object{"workflow": "service-request", "environment": "sandbox", "sender": "web-form"}).is(202)
	w.post("deliveries", object{"workflow": "service-request", "environment": "production", "sender": "web-form"}).refused(403, "forbidden")
	w.running(call{method: http.MethodPost, path: "/api/v1/deliveries", body: `{"workflow": "service-request", "environment": "sandbox", "sender": "web-form"}`})
}

// running makes a call while the first one with its key still runs.
func (w *world) running(c call) {
	w.T.Helper()
	c.key = "key-" + models.Slugify(c.path)
	who, err := people.Authenticate(w.T.Context(), w.DB, w.token)
	if err != nil {
		w.T.Fatal(err)
	}
	lock := models.Idempotency{Token: who.TokenID, Route: c.method + " " + c.path, Key: c.key}.Lock()
	conn, err := w.DB.Pool.Acquire(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := conn.Exec(w.T.Context(), "select pg_advisory_lock($1)", lock); err != nil {
		w.T.Fatal(err)
	}
	if r := w.send(c).refused(409, "idempotency_running"); r.header.Get("Retry-After") != "1" {
		w.T.Errorf("Retry-After %q", r.header.Get("Retry-After"))
	}
	_, err = conn.Exec(w.T.Context(), "select pg_advisory_unlock($1)", lock)
	conn.Release()
	if err != nil {
		w.T.Fatal(err)
	}
}

func claims(t *testing.T, w *world) {
	c := w.claim("request-c1")
	c.standing(c.text("action_id"), "pending", "")
	if len(c.text("destination_key")) > 64 || c.text("identity_key") == "" || c.text("claim_token") == "" || c.body["warnings"] == nil {
		t.Errorf("%s", c.raw)
	}
	w.post("actions/claim", w.claimBody("request-c1")).refused(409, "already").standing(c.text("action_id"), "pending", "")
	w.outcome(c, "succeeded", "task-1", "").is(200).standing(c.text("action_id"), "succeeded", "task-1")
	w.post("actions/claim", w.claimBody("request-c1")).refused(409, "already").standing(c.text("action_id"), "succeeded", "task-1")
	missing := w.claimBody("")
	if r := w.post("actions/claim", missing).refused(422, "identity_missing"); !strings.HasPrefix(r.text("review"), "RV-") {
		t.Errorf("no review item: %s", r.raw)
	}
	production := w.claimBody("request-c1")
	production["environment"] = "production"
	w.post("actions/claim", production).refused(403, "forbidden")
	blocked := w.makeToken("production", 0)
	w.send(call{method: http.MethodPost, path: "/api/v1/actions/claim", body: production, token: blocked}).refused(423, "blocked").standing("", "", "")
	misspelt := w.claimBody("request-c2")
	misspelt["deliveryId"] = "1"
	if r := w.post("actions/claim", misspelt).refused(422, "invalid"); !strings.Contains(r.raw, "body.deliveryId") {
		t.Errorf("%s", r.raw)
	}
	for i, written := range []string{"60.0", "6e1", "1E+2", "null"} {
		w.post("actions/claim", fmt.Sprintf(`{"control": %q, "environment": "sandbox", "input": {"request_id": "request-lease-%d"}, "worker": "w", "lease_seconds": %s}`, w.slug, i, written)).is(201)
	}
	for _, written := range []string{"60.5", "9", "1e400", `"60"`, "true", "3601", "[60]"} {
		body := fmt.Sprintf(`{"control": %q, "environment": "sandbox", "input": {"request_id": "request-lease-x"}, "worker": "w", "lease_seconds": %s}`, w.slug, written)
		if r := w.post("actions/claim", body).refused(422, "invalid"); !strings.Contains(r.raw, "lease_seconds") || strings.Contains(r.raw, "Go ") || strings.Contains(r.raw, "unmarshal") {
			t.Errorf("%s: %s", written, r.raw)
		}
	}
	bad := w.claimBody("request-c2")
	bad["delivery_id"] = "x"
	w.post("actions/claim", bad).refused(422, "invalid")

	beat := func(c reply, token string) reply {
		return w.post("actions/"+c.text("action_id")+"/heartbeat", object{"claim_token": token})
	}
	c = w.claim("request-c3")
	beat(c, c.text("claim_token")).is(200).standing(c.text("action_id"), "pending", "")
	beat(c, "another").refused(409, "wrong_claim_token").standing(c.text("action_id"), "pending", "")
	w.endLease(c)
	beat(c, c.text("claim_token")).refused(409, "ended").standing(c.text("action_id"), "unknown", "")
}

func outcomes(t *testing.T, w *world) {
	c := w.claim("request-o1")
	w.outcome(c, "failed", "", "").is(200).standing(c.text("action_id"), "unknown", "") // failed needs a detail
	w.outcome(c, "succeeded", "task-2", "").is(200).standing(c.text("action_id"), "succeeded", "task-2")
	w.outcome(c, "succeeded", "task-2", "").is(200)
	w.outcome(c, "unknown", "", "").refused(409, "succeeded").standing(c.text("action_id"), "succeeded", "task-2")
	c = w.claim("request-o2")
	w.endLease(c)
	if late := w.outcome(c, "succeeded", "9007199254740993", "").is(202).standing(c.text("action_id"), "succeeded", "9007199254740993"); late.body["late"] != true {
		t.Errorf("%s", late.raw)
	}
	c = w.claim("request-o3")
	w.post("actions/"+c.text("action_id")+"/outcome", `{"claim_token": "`+c.text("claim_token")+`", "outcome": "succeeded", "destination_result_id": 9007199254740993}`).
		is(200).standing(c.text("action_id"), "succeeded", "9007199254740993")

	c = w.claim("request-o4")
	w.outcome(c, "failed", "", "Not sent: the queue was full.").is(200).standing(c.text("action_id"), "failed", "")
	retry := w.post("actions/"+c.text("action_id")+"/retry", object{"worker": "retry-of-o4"}).is(201)
	if retry.text("destination_key") != c.text("destination_key") || retry.text("attempt") != "2" {
		t.Errorf("%s", retry.raw)
	}
	w.post("actions/"+c.text("action_id")+"/retry", object{"worker": "again"}).refused(409, "pending").standing(c.text("action_id"), "pending", "")
}

func lookups(t *testing.T, w *world) {
	c := w.claim("request-l1")
	w.outcome(c, "unknown", "", "").is(200)
	path := "actions/" + c.text("action_id")
	w.post(path+"/retry", object{"worker": "w"}).refused(409, "lookup_required").standing(c.text("action_id"), "unknown", "")
	w.post(path+"/lookups", object{"method": "GET /tasks", "result": "not_found"}).is(201).standing(c.text("action_id"), "unknown", "")
	w.post(path+"/lookups", object{"method": "GET /tasks", "result": "found"}).refused(422, "invalid")
	w.post(path+"/lookups", `{"method": "GET /tasks", "result": "found", "destination_result_id": 12}`).is(201).standing(c.text("action_id"), "succeeded", "12")
	w.running(call{method: http.MethodPost, path: "/api/v1/" + path + "/lookups", body: `{"method": "m", "result": "inconclusive"}`})
}

func replays(t *testing.T, w *world) {
	c := w.claim("request-r1")
	path := "actions/" + c.text("action_id")
	ask := object{"reason": "The CRM did not answer.", "uncertain_result": "Whether the task exists."}
	w.post(path+"/replay-requests", ask).refused(409, "pending").standing(c.text("action_id"), "pending", "")
	w.outcome(c, "unknown", "", "").is(200)
	made := w.post(path+"/replay-requests", ask).is(201)
	ref := made.text("ref")
	if again := w.post(path+"/replay-requests", ask).is(200); again.text("ref") != ref || again.text("state") != "pending" || again.text("action_state") != "unknown" {
		t.Errorf("%s", again.raw)
	}
	w.post(path+"/lookups", object{"method": "GET /tasks", "result": "not_found"}).is(201)
	if r := w.get("replay-requests/" + ref).is(200); r.text("state") != "pending" || r.text("authorization") != "" {
		t.Errorf("%s", r.raw)
	}
	w.approve(t, ref)
	approved := w.get("replay-requests/" + ref).is(200)
	if approved.text("state") != "approved" || approved.text("authorization") == "" {
		t.Errorf("%s", approved.raw)
	}
	start := func(code string) reply {
		return w.post("replay-requests/"+ref+"/start", object{"authorization": code, "worker": "w"})
	}
	if r := start(approved.text("authorization")).is(201).standing(c.text("action_id"), "pending", ""); r.text("destination_key") != c.text("destination_key") {
		t.Errorf("%s", r.raw)
	}
	start(approved.text("authorization")).refused(409, "used").standing(c.text("action_id"), "pending", "")
	start("another").refused(404, "not_found")
	for _, none := range []string{"", " "} {
		if r := start(none).refused(422, "invalid"); !strings.Contains(r.raw, "Enter authorization, from the approved request.") {
			t.Errorf("%s", r.raw)
		}
	}
}

// approve approves a request as the approver, seeing what there is to see.
func (w *world) approve(t *testing.T, ref string) {
	t.Helper()
	page, err := replay.RequestPage(t.Context(), w.DB, w.Approver, ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replay.Decide(t.Context(), w.DB, w.Approver, replay.DecideCmd{Ref: ref, Decision: replay.Approve, Version: page.Version, Seen: page.SeenText, Note: "Nothing was found."}); err != nil {
		t.Fatal(err)
	}
}

func reading(t *testing.T, w *world) {
	c := w.claim("request-read")
	w.outcome(c, "succeeded", "task-9", "").is(200)
	r := w.get("actions/"+c.text("action_id")).is(200).standing(c.text("action_id"), "succeeded", "task-9")
	if r.text("control") != w.slug || r.text("identity_key") != c.text("identity_key") || !strings.Contains(r.raw, `"worker":"worker-of-request-read"`) || strings.Contains(r.raw, c.text("claim_token")) {
		t.Errorf("%s", r.raw)
	}
	for _, id := range []string{"0", "-1", "+1", "01", "x", "9999999999999999999"} {
		if r := w.get("actions/"+id).refused(404, "not_found"); r.text("detail") != "There is no action "+id+"." {
			t.Errorf("%s", r.raw)
		}
	}
	if g := w.get("controls/" + w.slug + "/gate").is(200); g.text("state") == "" || g.text("environment") != "sandbox" || len(g.body["reasons"].([]any)) == 0 {
		t.Errorf("%s", g.raw)
	}
	w.get("controls/"+w.slug+"/gate?environment=production").refused(403, "forbidden")
	review := w.post("actions/claim", w.claimBody("")).refused(422, "identity_missing").text("review")
	if r := w.get("reviews/" + review).is(200); r.text("state") != "open" || r.text("allows") != "wait" {
		t.Errorf("%s", r.raw)
	}
	other := w.makeToken("production", 0)
	for _, path := range []string{"actions/" + c.text("action_id"), "reviews/" + review} {
		w.send(call{method: http.MethodGet, path: "/api/v1/" + path, token: other}).refused(403, "forbidden")
	}
	if r := w.send(call{method: http.MethodGet, path: "/api/v1/nothing/here"}).is(404); r.text("code") != "not_found" || r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s", r.raw)
	}
	for _, path := range []string{"/api/v2/actions/claim", "/api/nothing"} {
		if r := w.send(call{method: http.MethodGet, path: path}).is(404); r.text("code") != "not_found" {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
	if r := w.send(call{method: http.MethodPut, path: "/api/v1/deliveries", body: "{}"}).is(405); r.text("code") != "method_not_allowed" {
		t.Errorf("%s", r.raw)
	}
}

func stopped(t *testing.T, w *world) {
	failed, held := w.claim("request-s1"), w.claim("request-s2")
	w.outcome(failed, "failed", "", "Not sent.").is(200)
	w.outcome(w.claim("request-s3"), "unknown", "", "").is(200)
	ref := w.post("actions/"+failed.text("action_id")+"/replay-requests", object{"reason": "r", "uncertain_result": "u"}).is(201).text("ref")
	w.approve(t, ref)
	code := w.get("replay-requests/" + ref).text("authorization")
	if _, err := workflow.Stop(t.Context(), w.DB, w.Owner, workflow.StopCmd{Slug: "service-request", Reason: "Two tasks were seen."}); err != nil {
		t.Fatal(err)
	}
	w.post("actions/claim", w.claimBody("request-s4")).refused(423, "stopped").standing("", "", "")
	w.post("actions/"+failed.text("action_id")+"/retry", object{"worker": "w"}).refused(423, "stopped").standing(failed.text("action_id"), "failed", "")
	w.post("replay-requests/"+ref+"/start", object{"authorization": code, "worker": "w"}).refused(423, "stopped").standing(failed.text("action_id"), "failed", "")
	w.post("actions/"+held.text("action_id")+"/heartbeat", object{"claim_token": held.text("claim_token")}).is(200)
	w.outcome(held, "succeeded", "task-s2", "").is(200)
}
