package evidence_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/evidence"
)

func (w *world) file(by models.Actor, name string, body io.Reader) evidence.AttachFileCmd {
	return evidence.AttachFileCmd{Details: evidence.Details{Slot: "event-id", Proves: "The event arrived."}, Place: w.place(by), Name: name, Body: body}
}

// attach attaches a file that nothing is found in.
func (w *world) attach(name, body string) evidence.Attachment {
	w.Helper()
	done, err := evidence.AttachFile(w.Context(), w.db, w.author, w.file(w.author, name, strings.NewReader(body)))
	if err != nil || done.Upload != 0 {
		w.Fatal(done, err)
	}
	return w.of(done.ID)
}

// flag sends a file that something is found in.
func (w *world) flag(name, body string) evidence.Upload {
	w.Helper()
	done, err := evidence.AttachFile(w.Context(), w.db, w.author, w.file(w.author, name, strings.NewReader(body)))
	if err != nil || done.Upload == 0 {
		w.Fatal(done, err)
	}
	u, err := evidence.LoadUpload(w.Context(), w.db, done.Upload)
	if err != nil {
		w.Fatal(err)
	}
	return u
}

func (w *world) of(id int64) evidence.Attachment {
	w.Helper()
	all, err := evidence.Of(w.db.Query(w.Context()), id)
	if err != nil || len(all) != 1 {
		w.Fatal(all, err)
	}
	return all[0]
}

func (w *world) bytes(id int64) string {
	w.Helper()
	_, content, err := evidence.Open(w.Context(), w.db, id)
	if err != nil {
		w.Fatal(err)
	}
	var all []byte
	for {
		b, err := content.Next()
		if err != nil {
			w.Fatal(err)
		}
		if b == nil {
			return string(all)
		}
		all = append(all, b...)
	}
}

func TestAttachFile(t *testing.T) {
	w := newWorld(t)
	body := make([]byte, 5<<20/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	body[0] = 0
	a := w.attach("../../trace.bin", string(body))
	sum := sha256.Sum256(body)
	if a.Kind != evidence.File || a.Name != "trace.bin" || a.SHA256 != hex.EncodeToString(sum[:]) || a.Size != int64(len(body)) || a.MediaType != "application/octet-stream" || a.Scanned {
		t.Errorf("%+v", a)
	}
	if got := w.bytes(a.ID); got != string(body) {
		t.Errorf("%d bytes came back", len(got))
	}
	again := w.attach("copy.bin", string(body))
	if again.SHA256 != a.SHA256 || again.ID == a.ID {
		t.Errorf("%+v", again)
	}
	if n := w.number("select count(*) from blobs"); n != 1 {
		t.Errorf("%d blobs", n)
	}
	if n := w.number("select count(*) from blob_chunks"); n != 3 {
		t.Errorf("%d chunks", n)
	}
	if n := w.number("select count(*) from uploads where decided_at is null"); n != 0 {
		t.Errorf("%d uploads wait", n)
	}
	if n := w.number("select count(*) from audit_events where action = 'evidence.attached' and after ->> 'sha256' = ? and (after ->> 'bytes')::int = ?", a.SHA256, len(body)); n != 2 {
		t.Errorf("%d events", n)
	}
}

// A body that ends early, is empty or too large, and a person or a place that
// refuses leave nothing.
func TestRefusedFilesLeaveNothing(t *testing.T) {
	w := newWorld(t)
	half := io.MultiReader(bytes.NewReader(make([]byte, 3<<20)), errReader{})
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, "half", half)); !evidence.CutOff(err) {
		t.Error(err)
	}
	w.nothing()
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, "empty", strings.NewReader(""))); models.AsError(err).Field("file") == "" {
		t.Error(err)
	}
	w.nothing()
	endless := io.LimitReader(zeros{}, evidence.Limit+1)
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, "large", endless)); !errors.Is(err, evidence.ErrTooLarge) {
		t.Error(err)
	}
	w.nothing()
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, "wide", strings.NewReader("\xff\xfep\x00e\x00r\x00s\x00o\x00n\x00"))); models.AsError(err).Field("file") == "" {
		t.Error(err)
	}
	w.nothing()
	cmd := w.file(w.author, "x", failing{t})
	cmd.Place.WhyNot = models.Forbiddenf("You do not attach here.")
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, cmd); !models.IsKind(err, models.KindForbidden) {
		t.Error(err)
	}
	cmd = w.file(w.author, "x", failing{t})
	cmd.Proves = ""
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, cmd); models.AsError(err).Field("proves") == "" {
		t.Error(err)
	}
	w.refuse = models.Conflictf("This run was recorded in the meantime.")
	if _, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, "late", strings.NewReader("late"))); !models.IsKind(err, models.KindConflict) {
		t.Error(err)
	}
	if n := w.number("select (select count(*) from evidence) + (select count(*) from uploads) + (select count(*) from blob_chunks)"); n != 0 {
		t.Errorf("%d rows stayed", n)
	}
	if n := w.number("select count(*) from audit_events where refused"); n != 1 {
		t.Errorf("%d refusals", n)
	}
}

// A file whose name promises text is looked through, whatever its bytes look
// like, or refused when it cannot be.
func TestNamedTextIsNotTakenUnscanned(t *testing.T) {
	w := newWorld(t)
	const mail = "sent to person@example.test\n"
	wide := strings.Join(strings.Split("sent to person", ""), "\x00") + "\x00"
	for name, body := range map[string]string{"wide.csv": wide, "WIDE.LOG.1": "\x00" + wide, "wide32.json": "\x00\x00\x00" + strings.ReplaceAll(wide, "\x00", "\x00\x00\x00"),
		"late.log": strings.Repeat("event-demo-01\n", 10000) + wide, "nul.txt": "\x00" + mail, "bom.yaml": "\xff\xfe" + wide} {
		_, err := evidence.AttachFile(t.Context(), w.db, w.author, w.file(w.author, name, strings.NewReader(body)))
		if e := models.AsError(err); e == nil || !strings.Contains(e.Field("file"), "Save this text as UTF-8") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.nothing()
	for name, head := range map[string]string{"a.log": "%PDF-1.4\n", "b.txt": "GIF89a\n", "c.csv": "MZ ", "d.ini": "\x01\x02\n", "e.eml": "\x1b[31m", "f.Conf": "ID3 ", "g.html": "caf\xe9 ", "h.md": "PK\x03\x04", "i.2026.log.2": "BM "} {
		if u := w.flag(name, head+mail); u.Found != 1 || u.Findings[0].Offset != int64(len(head)+8) || !u.Scanned {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if a := w.attach("photo.gif", "GIF89a\x00person@example.test"); a.Scanned {
		t.Error("an image was looked through as text")
	}
	if u := w.flag("person%40example.test.bin", "\x00"); u.Found != 1 || u.SafeName() != "[removed: e-mail address]" {
		t.Errorf("%+v %q", u, u.SafeName())
	}
}

// What is found in another spelling is taken out whole.
func TestRedactOtherSpellings(t *testing.T) {
	w := newWorld(t)
	u := w.flag("log.txt", "a=person%40example.test&b=1\né {\"e\":\"person\\u0040example.test\"}\nperson＠example.test.\n<b>person&#64;example.test</b>")
	if u.Found != 4 || u.Findings[1].Line != 2 || u.Findings[1].Column != 9 {
		t.Fatalf("%+v", u.Findings)
	}
	done, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.All = evidence.Redact, true })
	if err != nil {
		t.Fatal(err)
	}
	const mark = "[removed: e-mail address]"
	if got := w.bytes(done.ID); got != "a="+mark+"&b=1\né {\"e\":\""+mark+"\"}\n"+mark+".\n<b>"+mark+"</b>" {
		t.Errorf("%q", got)
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type failing struct{ t *testing.T }

func (f failing) Read([]byte) (int, error) { f.t.Error("a byte was read"); return 0, io.EOF }

func TestSameFormSentTwice(t *testing.T) {
	w := newWorld(t)
	ids := make([]int64, 4)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			cmd := evidence.AttachFileCmd{Once: models.Once{Submission: "form-1"}, Details: evidence.Details{Slot: "event-id", Proves: "The event arrived."}, Name: "log.txt", Body: strings.NewReader("event-demo-01"),
				Place: evidence.Place{Path: "/runs/41", About: "Run 41", KeepDays: 90, KeepBasis: "Policy", Link: func(*models.Tx, evidence.Linked) error { return nil }}}
			done, err := evidence.AttachFile(t.Context(), w.db, w.author, cmd)
			if err != nil {
				t.Error(err)
			}
			ids[i] = done.ID
		})
	}
	all.Wait()
	if ids[0] == 0 || ids[1] != ids[0] || ids[2] != ids[0] || ids[3] != ids[0] {
		t.Error(ids)
	}
	if n := w.number("select count(*) from evidence"); n != 1 {
		t.Errorf("%d attachments", n)
	}
	if n := w.number("select (select count(*) from uploads where decided_at is null) * 100 + (select count(*) from blob_chunks)"); n != 1 {
		t.Errorf("%d left", n)
	}
	other := w.file(w.author, "log.txt", strings.NewReader("event-demo-02"))
	other.Submission = "form-1"
	if done, err := evidence.AttachFile(t.Context(), w.db, w.author, other); err != nil || done.ID == ids[0] {
		t.Error("another file of the same form was lost", err)
	}
}

func TestFlaggedTwiceIsOneDecision(t *testing.T) {
	w := newWorld(t)
	a, b := w.flag("log.txt", "to person@example.test"), w.flag("log.txt", "to person@example.test")
	if a.ID != b.ID {
		t.Error(a.ID, b.ID)
	}
	w.number("update uploads set expires_at = now() - interval '1 minute' returning id")
	if _, err := evidence.LoadUpload(t.Context(), w.db, a.ID); !models.IsKind(err, models.KindNotFound) {
		t.Error(err)
	}
	if c := w.flag("log.txt", "to person@example.test"); c.ID != a.ID {
		t.Error("its hour did not begin again", c.ID)
	}
}

// A form sent again after its file was decided leads to what became of it.
func TestSameFormAfterTheDecision(t *testing.T) {
	w := newWorld(t)
	for i, decision := range []evidence.Decision{evidence.Redact, evidence.Discard} {
		send := func() evidence.Received {
			t.Helper()
			cmd := w.file(w.author, "log.txt", strings.NewReader("to person@example.test, "+string(decision)))
			cmd.Submission = "form-" + string(decision)
			done, err := evidence.AttachFile(t.Context(), w.db, w.author, cmd)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		first := send()
		if again := send(); first.Upload == 0 || again != first {
			t.Fatalf("%s: %+v, then %+v", decision, first, again)
		}
		u, err := evidence.LoadUpload(t.Context(), w.db, first.Upload)
		if err != nil {
			t.Fatal(err)
		}
		made, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision, c.All = decision, true })
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if again := send(); again.Upload != 0 || !again.Before || again.ID != made.ID {
				t.Errorf("%s: %+v", decision, again)
			}
		}
		if err := w.exec("delete from uploads where expires_at > now()"); err != nil {
			t.Fatal(err)
		}
		if again := send(); again.Upload != 0 || !again.Before || again.ID != 0 {
			t.Errorf("%s, and its hour over: %+v", decision, again)
		}
		if n := w.number("select count(*) from audit_events where action = 'upload.flagged'"); n != int64(i+1) {
			t.Errorf("%s: %d uploads in the log", decision, n)
		}
	}
	if n := w.number("select (select count(*) from evidence) * 10 + (select count(*) from uploads)"); n != 10 {
		t.Errorf("%d", n)
	}
}

// A form that repeats what another form sent as well takes nothing from it.
func TestRepeatedFormLeavesAnothersUpload(t *testing.T) {
	w := newWorld(t)
	send := func(form string) evidence.Received {
		cmd := w.file(w.author, "log.txt", strings.NewReader("to person@example.test"))
		cmd.Submission = form
		done, err := evidence.AttachFile(t.Context(), w.db, w.author, cmd)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	u, _ := evidence.LoadUpload(t.Context(), w.db, send("a").Upload)
	if _, err := w.decide(w.author, u, func(c *evidence.DecideCmd) { c.Decision = evidence.Discard }); err != nil {
		t.Fatal(err)
	}
	other := send("b")
	if again := send("a"); !again.Before {
		t.Errorf("%+v", again)
	}
	if _, err := evidence.LoadUpload(t.Context(), w.db, other.Upload); err != nil || other.Upload == u.ID {
		t.Error(other, err)
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"../../etc/passwd": "passwd", `C:\logs\a.txt`: "a.txt", "a\x00b.txt": "a_b.txt", "invoice\u202etxt.exe": "invoicetxt.exe", "a\r\nContent-Type: x.txt": "a__Content-Type: x.txt",
		"": "unnamed file", "..": "unnamed file", " \u200b ": "unnamed file", "\xff.log": "_.log", "Größe 1.csv": "Größe 1.csv", "a\u00a0b": "a b",
		strings.Repeat("n", 300) + ".json": strings.Repeat("n", 195) + ".json", strings.Repeat("é", 300): strings.Repeat("é", 200),
	} {
		if got := evidence.SafeName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct{ name, media, says, served string }{
		{"a.png", "text/html; charset=utf-8", ".png", "application/octet-stream"},
		{"a.png", "image/png", "", "image/png"},
		{"a.txt", "application/json", "", "application/json"},
		{"a.json", "text/plain; charset=utf-8", "", "text/plain; charset=utf-8"},
		{"a.pdf", "application/zip", ".pdf", "application/octet-stream"},
		{"a.docx", "application/zip", "", "application/octet-stream"},
		{"a.svg", "image/svg+xml", "", "application/octet-stream"},
		{"a.csv", "image/svg+xml", ".csv", "application/octet-stream"},
		{"a.demo", "text/plain", "", "text/plain; charset=utf-8"},
	} {
		a := evidence.Attachment{Kind: evidence.File, Name: c.name, MediaType: c.media}
		if a.SaysOther() != c.says || a.ServedAs() != c.served {
			t.Errorf("%+v: %q %q", c, a.SaysOther(), a.ServedAs())
		}
	}
}
