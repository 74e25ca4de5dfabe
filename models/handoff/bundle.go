package handoff

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/signoff"
)

// Bundle is everything about one revision in one zip file.
type Bundle struct {
	Record
	Example *Example // nil: no test failed
	Gate    signoff.Gate
}

// LoadBundle reads a bundle; number 0 is the latest revision. NotFound.
func LoadBundle(ctx context.Context, db *models.DB, slug string, number int) (Bundle, error) {
	r, err := Load(ctx, db, slug, number)
	if err != nil {
		return Bundle{}, err
	}
	b := Bundle{Record: r}
	if b.Gate, err = signoff.LoadGate(ctx, db, slug); err != nil {
		return b, models.Classify(err)
	}
	if b.Example = r.example(); b.Example != nil {
		if err := b.Example.loadEvidence(db.Query(ctx)); err != nil {
			return b, models.Classify(err)
		}
		b.Example.sanitize(r)
	}
	return b, nil
}

// Write sends the zip file. SHA256SUMS, its last file, has the hash of every
// other; content.json is the exact text of the full fingerprint.
func (b Bundle) Write(w io.Writer) error {
	z := zipped{zip: zip.NewWriter(w)}
	if at, err := time.Parse(time.RFC3339, b.ExportedAt); err == nil {
		z.at = at
	}
	var record bytes.Buffer
	if err := b.CSV(&record); err != nil {
		return err
	}
	plain, err := b.JSON()
	if err != nil {
		return err
	}
	z.add("README.md", []byte(b.Readme()))
	z.add("record.md", []byte(b.Markdown()))
	z.add("record.json", plain)
	z.add("record.csv", record.Bytes())
	z.add("content.json", b.Content)
	z.json("signatures.json", map[string]any{"full_fingerprint": b.Revision.FullFingerprint, "design_fingerprint": b.Revision.DesignFingerprint, "frozen": b.Revision.Frozen, "signatures": b.Signatures})
	z.add("documentation.md", []byte(b.documentation()))
	if b.Example != nil {
		z.json("failed-test/example.json", b.Example)
		z.add("failed-test/example.md", []byte(b.Example.markdown()))
	}
	z.add("SHA256SUMS", []byte(z.sums.String()))
	if z.err != nil {
		return z.err
	}
	return z.zip.Close()
}

// zipped keeps the first error and the hash of each file.
type zipped struct {
	zip  *zip.Writer
	at   time.Time
	sums strings.Builder
	err  error
}

func (z *zipped) add(name string, content []byte) {
	if z.err != nil {
		return
	}
	f, err := z.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.at})
	if err == nil {
		_, err = f.Write(content)
	}
	z.err = err
	fmt.Fprintf(&z.sums, "%x  %s\n", sha256.Sum256(content), name)
}

func (z *zipped) json(name string, v any) {
	content, err := json.MarshalIndent(v, "", "  ")
	if z.err == nil {
		z.err = err
	}
	z.add(name, append(content, '\n'))
}

// documentation lists where the providers document what the record relies on.
func (b Bundle) documentation() string {
	var text strings.Builder
	markSources(&text, b.Sheet())
	return strings.TrimPrefix(text.String(), "\n")
}

func (e Example) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# A failed test and what answered it\n\nScenario: %s. Personal data that could be recognised was taken out, and people are named by role.\n\n## Agreed result\n\n%s\n", inline(e.Scenario), quote(e.Expected))
	b.WriteString("\n## What happened\n\n")
	for _, r := range e.Chain.Runs {
		markRun(&b, r)
	}
	if e.Chain.ClosedAt == "" {
		b.WriteString("\n**This failure is open**: no accepted retest answers it.\n")
	}
	b.WriteString("\n## Evidence\n\nThe bytes are not part of this bundle. Compare a file with its SHA-256.\n\n| Run | Item | Name | Bytes | SHA-256 | Attached | Kept until |\n|---|---|---|---|---|---|---|\n")
	for _, x := range e.Evidence {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s |\n", x.Run, cell(x.Slot), cell(x.Name), x.Size, cell(x.SHA256), x.AttachedAt[:10], x.KeepUntil)
	}
	if len(e.Evidence) == 0 {
		b.WriteString("\nNone was attached.\n")
	}
	return b.String()
}
