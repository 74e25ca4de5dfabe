package handlers_test

import (
	"bufio"
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
	b.get("/api/guide").want(http.StatusOK).says("Claim each effect before acting")
	b.get("/api/problems").want(http.StatusOK)
	for _, k := range api.Kinds {
		b.get(k.Path()).want(http.StatusOK).says(k.Do)
	}
	b.get("/api/problems/none").want(http.StatusNotFound)
	if r := b.get("/api/openapi.json").want(http.StatusOK); !strings.Contains(r.header.Get("Content-Type"), "json") {
		t.Errorf("type %s", r.header.Get("Content-Type"))
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
