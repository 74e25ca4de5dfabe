package handlers_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"countersign/handlers/api"
	"countersign/models/people"
	"countersign/models/replay"

	"github.com/PuerkitoBio/goquery"
)

// Everybody may read about the API, also who is signed out.
func TestTheReferenceIsOpen(t *testing.T) {
	a := newApp(t)
	b := a.browser()
	docs := b.get("/api/docs").want(http.StatusOK)
	for path, item := range api.Describe().Paths {
		for _, op := range []string{"GET", "POST"} {
			if (op == "GET") == (item.Get != nil) && !docs.has("article.call code", op+" "+path) {
				t.Errorf("the reference lacks %s %s", op, path)
			}
		}
	}
	if docs.Find("article.call pre").Length() != docs.Find("article.call").Length() {
		t.Error("a call has no example")
	}
	docs.Find("article.call a[href^='/api/problems/']").Each(func(_ int, s *goquery.Selection) {
		if _, ok := api.FindKind(strings.TrimPrefix(s.AttrOr("href", ""), "/api/problems/")); !ok {
			t.Errorf("a link leads to %s", s.AttrOr("href", ""))
		}
	})
	theGuide(t, b.get("/api/guide").want(http.StatusOK))
	b.get("/api/problems").want(http.StatusOK)
	for _, k := range api.Kinds {
		p := b.get(k.Path()).want(http.StatusOK).says(strings.ReplaceAll(k.Do, "`", ""))
		var sample struct{ Code, Type string }
		_, body, _ := strings.Cut(p.Find("#sample").Text(), "\n\n")
		if err := json.Unmarshal([]byte(body), &sample); err != nil || sample.Code != k.Slug || sample.Type != k.Path() || strings.Contains(p.Find("main").Text(), "`") {
			t.Errorf("%s: %v in the sample\n%s", k.Slug, err, body)
		}
	}
	b.get("/api/problems/none").want(http.StatusNotFound)
	if r := b.get("/api/openapi.json").want(http.StatusOK); !strings.Contains(r.header.Get("Content-Type"), "json") {
		t.Errorf("type %s", r.header.Get("Content-Type"))
	}
}

// theGuide lets every claim name its delivery, says what each answer means, and
// leads nowhere that is not there.
func theGuide(t *testing.T, p *page) {
	t.Helper()
	claims := 0
	p.Find("pre").Each(func(_ int, s *goquery.Selection) {
		if text := s.Text(); strings.Contains(text, "create-crm-task\"") || strings.Contains(text, "create-crm-task'") {
			claims++
			if !strings.Contains(text, "delivery_id") {
				t.Errorf("a claim names no delivery:\n%s", text)
			}
		}
		if p.Find("button[data-copy='#"+s.AttrOr("id", "-")+"']").Length() != 1 {
			t.Errorf("nothing copies\n%s", s.Text())
		}
	})
	if claims != 5 {
		t.Errorf("%d claims", claims)
	}
	for _, code := range []string{"already", "lease_ended", "stale_version", "in_review", "matches_earlier_rule", "not_approved", "idempotency_running", "identity_missing", "invalid", "idempotency_key", "idempotency_mismatch"} {
		if !p.has("tbody code", code) {
			t.Errorf("the table lacks %s", code)
		}
	}
	for _, status := range []string{"201", "400", "401", "403", "404", "408", "413", "415", "423", "429", "500", "503"} {
		if !strings.Contains(p.Find("tbody").Text(), status) {
			t.Errorf("the table lacks %s", status)
		}
	}
	p.says("Claim each effect before acting").says("GET /api/v1/reviews/RV-4").says(`"repeat": "LR-3"`)
	if strings.Contains(p.Find("main p, main td, main dd").Text(), "](/") {
		t.Error("a link is not one")
	}
}

func (p *page) has(selector, text string) bool {
	found := false
	p.Find(selector).Each(func(_ int, s *goquery.Selection) { found = found || words(s.Text()) == text })
	return found
}

// The examples of the reference run as they are pasted against the demo data,
// in a shell, from top to bottom.
func TestTheExamplesRunAsPasted(t *testing.T) {
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is needed for this test", program)
		}
	}
	a := newDemo(t)
	made, err := people.CreateTokenByCommand(t.Context(), a.db, people.CreateTokenByCommandCmd{TokenFacts: people.TokenFacts{Name: "Trying the API", Workflow: "service-request", Environment: "sandbox"}})
	if err != nil {
		t.Fatal(err)
	}
	docs := a.browser().get("/api/docs").want(http.StatusOK)
	if setup := docs.Find("#setup").Text(); !strings.Contains(setup, "URL="+a.url) || !strings.Contains(setup, "countersign token create --workflow service-request --environment sandbox") {
		t.Errorf("set-up: %s", setup)
	}
	want := map[string]string{"report-delivery": `"disposition":"accepted"`, "claim-action": `"claim_token":"`, "heartbeat": `"lease_expires_at"`, "report-outcome": `"kept_as":"unknown"`,
		"report-lookup": `"counts":true`, "retry-action": `"attempt":2`, "ask-replay": `"ref":"RR-`, "read-replay": `"state":"approved"`, "start-replay": `"attempt":2`,
		"read-action": `"lookups":[{`, "read-gate": `"reasons":[{`, "read-review": `"allows":"wait"`}
	sh := newShell(t)
	sh.run("URL=" + a.url + "\nTOKEN=" + made.Token)
	docs.Find("article.call").Each(func(_ int, call *goquery.Selection) {
		id := call.AttrOr("id", "")
		out := sh.run(call.Find("pre").Text())
		if want[id] == "" || !strings.Contains(out, want[id]) {
			t.Fatalf("%s: want %s in\n%s", id, want[id], out)
		}
		if ref := regexp.MustCompile(`"ref":"(RR-\d+)"`).FindStringSubmatch(out); id == "ask-replay" {
			a.approve(ref[1])
		}
		delete(want, id)
	})
	for id := range want {
		t.Errorf("the example of %s did not run", id)
	}
	block := readmeBlock(t, "## Connect an automation", "Trying the API")
	if out := sh.run(block); !strings.Contains(out, `"claim_token"`) || !strings.Contains(out, `"code":"already"`) {
		t.Errorf("README.md: %s", out)
	}
}

// The tour's commands do what the tour says, after its first step.
func TestTheTourRunsAsPasted(t *testing.T) {
	a := newDemo(t)
	a.approve("RR-1")
	made, err := people.CreateTokenByCommand(t.Context(), a.db, people.CreateTokenByCommandCmd{TokenFacts: people.TokenFacts{Name: "A tour", Workflow: "service-request", Environment: "production"}})
	if err != nil {
		t.Fatal(err)
	}
	sh := newShell(t)
	sh.run("URL=" + a.url + "\nTOKEN=" + made.Token)
	out := sh.run(readmeBlock(t, "## A tour of five minutes", "A tour"))
	if !strings.Contains(out, `"state":"succeeded","destination_result_id":"task-demo-01"`) || !strings.Contains(out, `"code":"used"`) {
		t.Error(out)
	}
}

// approve approves a replay request as the approver of the demo.
func (a *app) approve(ref string) {
	a.t.Helper()
	by, err := people.ActorByEmail(a.t.Context(), a.db, "approver@example.test")
	if err != nil {
		a.t.Fatal(err)
	}
	p, err := replay.RequestPage(a.t.Context(), a.db, by, ref)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := replay.Decide(a.t.Context(), a.db, by, replay.DecideCmd{Ref: ref, Decision: replay.Approve, Version: p.Version, Seen: p.SeenText}); err != nil {
		a.t.Fatalf("%v %+v", err, p.Conditions)
	}
}

// readmeBlock is the first block of commands below a heading of the README, after
// the line that makes a token of that name: the test has set URL and TOKEN itself.
func readmeBlock(t *testing.T, heading, token string) string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), heading)
	block := strings.SplitN(section, "```", 3)[1]
	_, block, _ = strings.Cut(block, "--name \""+token+"\")\n")
	return block
}

// A shell that keeps its variables from one example to the next.
type terminal struct {
	t    *testing.T
	in   io.Writer
	read *bufio.Reader
}

func newShell(t *testing.T) *terminal {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	return &terminal{t, in, bufio.NewReader(out)}
}

// run pastes text and returns what it printed.
func (s *terminal) run(text string) string {
	s.t.Helper()
	const end = "-- that was all --"
	fmt.Fprintf(s.in, "%s\necho; echo '%s'\n", text, end)
	var out strings.Builder
	for {
		line, err := s.read.ReadString('\n')
		if strings.TrimSpace(line) == end {
			return out.String()
		}
		if err != nil {
			s.t.Fatalf("the shell ended: %v\n%s", err, out.String())
		}
		out.WriteString(line)
	}
}
