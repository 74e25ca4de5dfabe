package handoff_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/control"
	"countersign/models/demo"
	"countersign/models/handoff"
	"countersign/models/people"

	"github.com/gowebpki/jcs"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func demoDB(t *testing.T) *models.DB {
	t.Helper()
	db := testdb.New(t)
	if err := demo.Load(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

// One demo workspace serves all of these, in this order.
func TestHandoff(t *testing.T) {
	db := demoDB(t)
	t.Run("every revision is as documented", func(t *testing.T) { everyRevision(t, db) })
	t.Run("unresolved is visible everywhere", func(t *testing.T) { unresolvedIsVisible(t, db) })
	t.Run("hostile text stays text", func(t *testing.T) { hostileText(t, db) })
	t.Run("bundle", func(t *testing.T) { bundle(t, db) })
}

func load(t *testing.T, db *models.DB, slug string, number int) handoff.Record {
	t.Helper()
	r, err := handoff.Load(t.Context(), db, slug, number)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("../../docs/control-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("control-1.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("control-1.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func everyRevision(t *testing.T, db *models.DB) {
	s := schema(t)
	for _, which := range []struct {
		slug   string
		number int
	}{{"create-crm-task", 1}, {"create-crm-task", 2}, {"send-confirmation", 0}, {"book-visit", 0}} {
		r := load(t, db, which.slug, which.number)
		b, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s %d: %v", which.slug, which.number, err)
		}
		var back struct {
			Revision handoff.Revision
			Content  json.RawMessage
		}
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		canonical, err := jcs.Transform(back.Content)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(canonical); hex.EncodeToString(sum[:]) != back.Revision.FullFingerprint {
			t.Errorf("%s %d: the content has another fingerprint than %s", which.slug, which.number, back.Revision.FullFingerprint)
		}
	}
	_, err := handoff.Load(t.Context(), db, "none", 0)
	if !models.IsKind(err, models.KindNotFound) {
		t.Errorf("an unknown control: %v", err)
	}
	if _, err := handoff.Load(t.Context(), db, "book-visit", 9); !models.IsKind(err, models.KindNotFound) {
		t.Errorf("an unknown revision: %v", err)
	}
}

// Each open field and scenario is named as unresolved in every form.
func unresolvedIsVisible(t *testing.T, db *models.DB) {
	r := load(t, db, "book-visit", 0)
	if len(r.Unresolved) < 5 {
		t.Fatalf("the demo's draft has %d unresolved fields", len(r.Unresolved))
	}
	md, sheet := r.Markdown(), r.Sheet()
	rows := table(t, r)
	for _, u := range r.Unresolved {
		if !strings.Contains(md, "**UNRESOLVED** "+string(rune('0'+u.Section))+". "+u.Label+": "+u.Ask) {
			t.Errorf("Markdown does not begin with %s", u.Field)
		}
		if row := rows[u.Field]; row == nil || row[7] != "unresolved" || row[10] != u.Ask {
			t.Errorf("CSV has %q for %s", row, u.Field)
		}
		found := strings.HasPrefix(u.Field, "case.")
		for _, s := range sheet.Sections {
			for _, e := range s.Entries {
				found = found || e.Field == u.Field && e.State == control.Unresolved && e.Ask == u.Ask
			}
		}
		if !found {
			t.Errorf("the sheet does not show %s", u.Field)
		}
	}
	if n := strings.Count(md, "**UNRESOLVED.**") + strings.Count(md, "**UNRESOLVED**:"); n != len(r.Unresolved) {
		t.Errorf("Markdown marks %d places for %d unresolved", n, len(r.Unresolved))
	}
	settled := load(t, db, "create-crm-task", 2)
	if len(settled.Unresolved) != 0 || !strings.Contains(settled.Markdown(), "No field is unresolved.") {
		t.Errorf("a submitted revision has %v unresolved", settled.Unresolved)
	}
}

// table is the CSV by field.
func table(t *testing.T, r handoff.Record) map[string][]string {
	t.Helper()
	var b bytes.Buffer
	if err := r.CSV(&b); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := len(control.Fields()) + len(r.Tests) + 1; len(all) != want {
		t.Errorf("%d rows, want %d", len(all), want)
	}
	rows := map[string][]string{}
	for _, row := range all[1:] {
		rows[row[5]] = row
	}
	return rows
}

// What people type makes no formula, heading, link or HTML.
func hostileText(t *testing.T, db *models.DB) {
	by, err := people.ActorByEmail(t.Context(), db, "implementer@example.test")
	if err != nil {
		t.Fatal(err)
	}
	const text = "=HYPERLINK(\"http://x\")\n# Heading\n<script>alert(1)</script> [a](javascript:b) `code` | pipe\n1. one\n- two\n\n---\n&lt;"
	if _, err := control.SaveAnswer(t.Context(), db, by, control.SaveAnswerCmd{Control: "book-visit", Field: "stalled_owner", Input: control.Input{State: control.Answered, Text: text}}); err != nil {
		t.Fatal(err)
	}
	r := load(t, db, "book-visit", 0)
	if got := table(t, r)["stalled_owner"][8]; got != "'"+text {
		t.Errorf("CSV has %q", got)
	}
	_, md, _ := strings.Cut(r.Markdown(), "### Stalled owner\n\n")
	md, _, _ = strings.Cut(md, "\n\n*")
	want := `> \=HYPERLINK("http://x")\
> \# Heading\
> \<script\>alert(1)\</script\> \[a\](javascript:b) \` + "`code\\`" + ` \| pipe\
> 1\. one\
> \- two
>
> \---\
> \&lt;`
	if md != want {
		t.Errorf("Markdown has\n%s\nwant\n%s", md, want)
	}
}

func bundle(t *testing.T, db *models.DB) {
	if _, err := db.Pool.Exec(t.Context(), "alter table run_results disable trigger run_results_append_only; update run_results set observed = 'Seen by Business owner, mail to someone@example.test, twice.' where outcome = 'failed'"); err != nil {
		t.Fatal(err)
	}
	files := unzip(t, db, "create-crm-task", 2)
	sums := strings.Split(strings.TrimSpace(files["SHA256SUMS"]), "\n")
	if len(sums) != len(files)-1 {
		t.Errorf("%d hashes for %d files", len(sums), len(files))
	}
	for _, line := range sums {
		hash, name, _ := strings.Cut(line, "  ")
		if sum := sha256.Sum256([]byte(files[name])); hex.EncodeToString(sum[:]) != hash {
			t.Errorf("%s has another hash", name)
		}
	}
	r := load(t, db, "create-crm-task", 2)
	if sum := sha256.Sum256([]byte(files["content.json"])); hex.EncodeToString(sum[:]) != r.Revision.FullFingerprint {
		t.Error("content.json does not give the full fingerprint")
	}
	var e handoff.Example
	if err := json.Unmarshal([]byte(files["failed-test/example.json"]), &e); err != nil {
		t.Fatal(err)
	}
	runs := e.Chain.Runs
	if len(runs) < 2 || runs[0].Outcome != "failed" || runs[len(runs)-1].Outcome != "passed" || runs[1].Correction == "" || e.Chain.ClosedAt == "" {
		t.Errorf("the chain is %+v", runs)
	}
	if got := runs[0].Observed; got != "Seen by the business owner, mail to [removed: e-mail address], twice." || runs[0].StartedBy != "the implementer" {
		t.Errorf("not sanitized: %q by %s", got, runs[0].StartedBy)
	}
	if len(e.Evidence) < 8 || len(e.Evidence[0].SHA256) != 64 || e.Evidence[0].Size == 0 || e.Evidence[0].KeepUntil == "" {
		t.Errorf("evidence %+v", e.Evidence)
	}
	for name, words := range map[string][]string{
		"README.md":        {"## What is uncertain", "## Who can approve the next action", "**Business owner: Business owner**", "Level 1: Approver; Level 2: Lead approver"},
		"documentation.md": {"Sender: Web form", "https://docs.example.test"},
	} {
		for _, w := range words {
			if !strings.Contains(files[name], w) {
				t.Errorf("%s does not say %q", name, w)
			}
		}
	}
	draft := unzip(t, db, "book-visit", 0)
	if !strings.Contains(draft["README.md"], "**Unresolved** 1. Review date") || !strings.Contains(draft["README.md"], "nothing here is frozen or signed") {
		t.Errorf("the draft's README says\n%s", draft["README.md"])
	}
}

func unzip(t *testing.T, db *models.DB, slug string, number int) map[string]string {
	t.Helper()
	b, err := handoff.LoadBundle(t.Context(), db, slug, number)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}
