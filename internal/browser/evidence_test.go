package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"countersign/models/evidence"
	"countersign/models/matrix"
	"countersign/models/people"

	"github.com/chromedp/chromedp"
)

const peopleFile = "id,email\n1,first@example.test\n2,second@example.test\n"

func TestFilesAreAttachedToARun(t *testing.T) {
	for name, view := range map[string]View{"with JavaScript": Desk, "without JavaScript": Phone.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			run := site.openRun(t)
			tab := site.NewTab(t, view)
			tab.SignIn("implementer")
			tab.Open("/evidence/new?to=" + run)
			tab.Choose("What it is", "Something else")
			tab.Fill("What it proves", "Both workers wrote this.")
			tab.files(t.TempDir(), "file", map[string]string{"traces.log": "worker 1 claimed, worker 2 waited", "people.csv": peopleFile})
			tab.Press("Attach")
			tab.See("Take personal data out of “people.csv”?", "E-mail address, line 2, column 3")
			tab.Press("Redact these places")
			tab.See("people.csv", "traces.log")
			if path, _, _ := strings.Cut(tab.Path(), "#"); path != run {
				t.Errorf("it leads to %s", tab.Path())
			}
			if n := site.text(t, "select count(*)::text from evidence where path = '"+run+"' and name in ('people.csv', 'traces.log')"); n != "2" {
				t.Errorf("%s attached", n)
			}
			tab.Open("/evidence?q=traces")
			tab.Press("traces.log")
			tab.See("Both workers wrote this.", "Nothing was found")
		})
	}
}

// files fills a file field.
func (t *Tab) files(dir, field string, contents map[string]string) {
	t.r.Helper()
	var paths []string
	for name, text := range contents {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.r.Fatalf("%v", err)
		}
		paths = append(paths, path)
	}
	t.do("choose files", chromedp.SetUploadFiles(chromedp.CSS("#"+field), paths))
}

// openRun is the page of a demo run that waits for its result.
func (s *Site) openRun(t *testing.T) string {
	t.Helper()
	return s.text(t, "select '/runs/' || min(r.id) from runs r where not exists (select from run_results x where x.run_id = r.id)")
}

// flaggedFile sends a file with personal data and a long name, and returns the
// page where it waits.
func (s *Site) flaggedFile(t *testing.T) string {
	t.Helper()
	by, err := people.ActorByEmail(t.Context(), s.DB, "implementer@example.test")
	if err != nil {
		t.Fatal(err)
	}
	run, _ := strconv.ParseInt(strings.TrimPrefix(s.openRun(t), "/runs/"), 10, 64)
	place, err := matrix.EvidencePlace(t.Context(), s.DB, by, run)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Wm", 98)
	send := func(name, body string) evidence.Received {
		done, err := evidence.AttachFile(t.Context(), s.DB, by, evidence.AttachFileCmd{Place: place, Name: name, Body: strings.NewReader(body),
			Details: evidence.Details{Slot: matrix.OtherSlot, Proves: long}})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	send(long+".png", "<!DOCTYPE html>")
	return evidence.PathOfUpload(send(long+".csv", peopleFile+long+",third@example.test,"+long).Upload)
}

// evidencePages are the pages around evidence, as an implementer sees them.
func evidencePages(t *testing.T, site *Site) []place {
	t.Helper()
	run, upload, newest := "/runs/1", "/evidence/uploads/1", "/evidence/1"
	if site != nil {
		run, upload = site.openRun(t), site.flaggedFile(t)
		newest = "/evidence/" + site.text(t, "select max(id)::text from evidence")
	}
	form := "/evidence/new?to=" + run
	return []place{
		{path: "/evidence"}, {path: "/evidence?q=nothing"}, {path: "/evidence?state=expiring"}, {path: newest}, {path: "/evidence/1"}, {path: "/evidence/0", status: 404}, {path: form}, {path: upload},
		{path: upload, status: 422, name: "with a place left", by: func(t *Tab) {
			t.Tick("E-mail address, line 2, column 3 1,first@example.test")
			t.Press("Redact these places")
		}},
		{path: form, status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Attach") }},
		{path: form, status: 422, name: "with personal data in a text", by: func(t *Tab) {
			t.Press("Paste a text or give a link instead of a file")
			t.Fill("Text", fmt.Sprintf("event-demo-01\nsent to %s@example.test", strings.Repeat("w", 60)))
			t.Press("Attach")
		}},
	}
}
