package handlers_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/evidence"
)

// bench is an app with something that evidence can be attached to, at /things/1:
// by an implementer or a reviewer, and the reviewer may let personal data stay.
type bench struct {
	*app
	implementer, reviewer, viewer models.Actor
}

func newBench(t *testing.T) *bench {
	b := &bench{app: newApp(t)}
	b.implementer, b.reviewer, b.viewer = b.person("Implementer", models.Implementer), b.person("Reviewer", models.Reviewer), b.person("Viewer", models.Viewer)
	b.srv.AddPlace("things", func(_ context.Context, by models.Actor, id string) (evidence.Place, error) {
		if id != "1" {
			return evidence.Place{}, models.NotFoundf("There is no such thing.")
		}
		p := evidence.Place{Path: "/things/1", About: "Thing 1", KeepDays: 90, KeepBasis: "Resend horizon", Slots: []evidence.Slot{{Key: "event-id", Words: "Event ID"}, {Key: "other", Words: "Something else"}},
			Link: func(*models.Tx, evidence.Linked) error { return nil }}
		if by.Has(models.Viewer) {
			p.WhyNot = models.Forbiddenf("A viewer attaches nothing.")
		}
		if !by.Has(models.Reviewer) {
			p.WhyNotKeep = models.Forbiddenf("Only the reviewer lets personal data stay.")
		}
		return p, nil
	})
	return b
}

// part is a file of a form, its name written into the header as it is.
type part struct{ name, body string }

// form is what a browser would send.
func form(fields url.Values, files ...part) (contentType string, body []byte) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	all := url.Values{"slot": {"event-id"}, "proves": {"The event arrived."}, "keep_until": {""}, "keep_basis": {""}, "text": {""}, "url": {""}, "name": {""}}
	for k, v := range fields {
		all[k] = v
	}
	for k, v := range all {
		_ = w.WriteField(k, v[0])
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", `form-data; name="file"; filename="`+f.name+`"`)
		h.Set("Content-Type", "application/octet-stream")
		p, _ := w.CreatePart(h)
		_, _ = io.WriteString(p, f.body)
	}
	_ = w.Close()
	return w.FormDataContentType(), buf.Bytes()
}

func (b *browser) attach(fields url.Values, files ...part) *page {
	b.a.t.Helper()
	kind, body := form(fields, files...)
	return b.send(b.upload(kind, bytes.NewReader(body)))
}

func (b *browser) upload(kind string, body io.Reader) *http.Request {
	b.a.t.Helper()
	r, err := http.NewRequestWithContext(b.a.t.Context(), http.MethodPost, b.a.url+"/evidence?to=/things/1", body)
	if err != nil {
		b.a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// download is the raw answer to a download.
func (b *browser) download(id int, change func(*http.Request)) (*http.Response, []byte) {
	b.a.t.Helper()
	r := b.request(http.MethodGet, fmt.Sprintf("/evidence/%d/file", id), nil)
	if change != nil {
		change(r)
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.a.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.a.t.Fatal(err)
	}
	return res, body
}

func (b *bench) newest() int { return b.count("select max(id) from evidence") }

// left counts everything an upload can leave behind.
func (b *bench) left() int {
	return b.count("select (select count(*) from evidence) + (select count(*) from blobs) + (select count(*) from blob_chunks) + (select count(*) from uploads)")
}

func TestHostileFilesAreStoredAndServedHarmlessly(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	const script = "<script>alert(1)</script>"
	var bomb bytes.Buffer
	z := zip.NewWriter(&bomb)
	inside, _ := z.Create("zeros.txt")
	_, _ = io.CopyN(inside, nulls{}, 64<<20)
	_ = z.Close()
	for _, c := range []struct{ name, body, stored, looks, served string }{
		{"../../../etc/passwd", "root", "passwd", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
		{`C:\\windows\\system.ini`, "x", "system.ini", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
		{"invoice\u202efdp.exe", "MZ\x90\x00", "invoicefdp.exe", "application/vnd.microsoft.portable-executable", "application/octet-stream"},
		{strings.Repeat("n", 296) + ".txt", "long", strings.Repeat("n", 196) + ".txt", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
		{"page.html", "<!DOCTYPE html><html>" + script + "</html>", "page.html", "text/html; charset=utf-8", "application/octet-stream"},
		{"drawing.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">` + script + `</svg>`, "drawing.svg", "image/svg+xml", "application/octet-stream"},
		{"photo.png", "<!DOCTYPE html><html>" + script + "</html>", "photo.png", "text/html; charset=utf-8", "application/octet-stream"},
		{"bomb.zip", bomb.String(), "bomb.zip", "application/zip", "application/octet-stream"},
		{"%22; evil=%22.txt", "quotes", `"; evil=".txt`, "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
		{"Größe 100% \U0001F4CE.txt", "name", "Größe 100% \U0001F4CE.txt", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
	} {
		impl.attach(nil, part{c.name, c.body}).goesTo("/things/1#evidence")
		id := b.newest()
		page := impl.get(fmt.Sprintf("/evidence/%d", id)).want(http.StatusOK)
		if page.Find("main script, main svg[onload]").Length() != 0 {
			t.Errorf("%q runs on our page", c.name)
		}
		if c.stored != "" {
			var name, looks string
			_ = b.db.Query(t.Context()).Raw("select name, media_type from evidence where id = ?", id).Row().Scan(&name, &looks)
			if name != c.stored || looks != c.looks {
				t.Errorf("%q: stored as %q, %q", c.name, name, looks)
			}
		}
		res, body := impl.download(id, nil)
		h := res.Header
		if string(body) != c.body || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment; filename=") || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || c.served != "" && h.Get("Content-Type") != c.served || h.Get("Content-Length") != fmt.Sprint(len(c.body)) {
			t.Errorf("%q: %v", c.name, h)
		}
		if strings.ContainsAny(h.Get("Content-Disposition"), "\r\n\x00") || strings.Count(h.Get("Content-Disposition"), `"`) != 2 {
			t.Errorf("%q: %q", c.name, h.Get("Content-Disposition"))
		}
	}
	if says := words(impl.get("/evidence?q=photo").want(http.StatusOK).Find("tbody").Text()); !strings.Contains(says, "photo.pngHTML, 53 bytes") {
		t.Error(says)
	}
	impl.get(fmt.Sprintf("/evidence/%d", b.count("select id from evidence where name = 'photo.png'"))).says("Its name ends in .png, its bytes look like something else")
	res, body := impl.download(b.newest(), func(r *http.Request) { r.Header.Set("If-None-Match", `"`+hash("name")+`"`) })
	if res.StatusCode != http.StatusNotModified || len(body) != 0 {
		t.Error(res.StatusCode)
	}
	if got := res.Header.Get("Content-Disposition"); !strings.Contains(got, `filename*=UTF-8''Gr%C3%B6%C3%9Fe%20100%25%20%F0%9F%93%8E.txt`) {
		t.Error(got)
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Names that end the header line, or hold a NUL, never reach a form of ours: the
// request is not readable, and nothing is kept.
func TestUnreadableFormsLeaveNothing(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	for name, status := range map[string]int{"a\r\nX-Evil: 1\r\n\r\nbody": 0, "a\x00b.txt": 0} {
		p := impl.attach(nil, part{name, "x"})
		if p.status == http.StatusSeeOther {
			var stored string
			_ = b.db.Query(t.Context()).Raw("select name from evidence order by id desc limit 1").Row().Scan(&stored)
			if strings.ContainsAny(stored, "\r\n\x00") {
				t.Errorf("%q is stored as %q", name, stored)
			}
		} else if p.status >= 500 {
			t.Errorf("%q: %d, %d", name, p.status, status)
		}
	}
	before := b.left()
	impl.send(impl.upload("multipart/form-data; boundary=x", strings.NewReader("nothing of the kind"))).want(http.StatusBadRequest)
	impl.send(impl.upload("multipart/form-data", strings.NewReader(""))).want(http.StatusBadRequest)
	impl.send(impl.upload("application/x-www-form-urlencoded", strings.NewReader("slot=x"))).want(http.StatusBadRequest)
	impl.attach(url.Values{"surprise": {"x"}}).want(http.StatusBadRequest)
	impl.attach(url.Values{"slot": {strings.Repeat("x", 200)}}).want(http.StatusRequestEntityTooLarge)
	impl.attach(nil, part{"empty.txt", ""}).want(http.StatusUnprocessableEntity).says("“empty.txt” holds nothing")
	impl.attach(nil).errorAt("file").says("Choose a file, paste a text or give a link.")
	impl.attach(url.Values{"proves": {""}}, part{"a.txt", "x"}).errorAt("proves")
	b.as(b.viewer).attach(nil, part{"a.txt", "x"}).want(http.StatusForbidden).says("A viewer attaches nothing.")
	other := impl.upload("multipart/form-data; boundary=x", strings.NewReader(""))
	other.URL.RawQuery = "to=/things/2"
	impl.send(other).want(http.StatusNotFound)
	if b.left() != before {
		t.Error("something stayed")
	}
}

// A body that ends half-way leaves nothing, whether the connection breaks or the
// browser says that it ended.
func TestCutOffUploadLeavesNothing(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	kind, body := form(nil, part{"large.bin", strings.Repeat("\x00half", 1<<20)})
	impl.send(impl.upload(kind, bytes.NewReader(body[:len(body)/2]))).want(http.StatusBadRequest).says("The upload ended early")
	broken := impl.upload(kind, io.MultiReader(bytes.NewReader(body[:len(body)/2]), breaks{}))
	if _, err := impl.client.Do(broken); err == nil {
		t.Error("the connection did not break")
	}
	for range 50 { // the server ends its side a moment later
		if b.left() == 0 && b.count("select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'") == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if b.left() != 0 {
		t.Errorf("%d rows stayed", b.left())
	}
}

type breaks struct{}

func (breaks) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestTooLargeIsSaid(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	kind, body := form(nil, part{"large.bin", "\x00START"})
	head, tail, _ := bytes.Cut(body, []byte("START"))
	large := func() io.Reader {
		return io.MultiReader(bytes.NewReader(head), io.LimitReader(nulls{}, evidence.Limit), bytes.NewReader(tail))
	}
	p := impl.send(impl.upload(kind, large())).want(http.StatusRequestEntityTooLarge).says("Choose a file of at most 50 MB.")
	if p.Find("#proves").AttrOr("value", "") != "The event arrived." {
		t.Error("the form is not as it was typed")
	}
	if b.left() != 0 {
		t.Errorf("%d rows stayed", b.left())
	}
}

// What was typed comes back when it is too long, and when the place is closed meanwhile.
func TestTypedTextComesBack(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	long := strings.Repeat("long ", 6000)
	p := impl.attach(url.Values{"proves": {long}, "text": {"event-demo-01"}}, part{"a.txt", "x"}).errorAt("proves").says("Shorten this to 2000 characters.")
	if p.Find("#proves").AttrOr("value", "") != long || p.Find("#text").Text() != "event-demo-01" {
		t.Error("the form is not as it was typed")
	}
	huge := strings.Repeat("word ", 120_000)
	if p := impl.attach(url.Values{"text": {huge}}).errorAt("text").says("as a file"); p.Find("#text").Text() != huge {
		t.Error("the long text is gone")
	}
	closed, late := false, models.Conflictf("This thing was reviewed in the meantime.")
	b.srv.AddPlace("things", func(context.Context, models.Actor, string) (evidence.Place, error) {
		p := evidence.Place{Path: "/things/1", About: "Thing 1", KeepDays: 90, KeepBasis: "Resend horizon", Link: func(*models.Tx, evidence.Linked) error { closed = true; return late }}
		if closed {
			p.WhyNot = late
		}
		return p, nil
	})
	for range 2 { // closed while it is sent, and before
		impl.attach(url.Values{"proves": {"My long reason."}, "text": {"event-demo-01"}}, part{"a.txt", "x"}).want(http.StatusConflict).says("reviewed in the meantime").
			says("You wrote").says("My long reason.").says("event-demo-01").says("Open Thing 1")
	}
	if b.left() != 0 {
		t.Error("something stayed")
	}
}

type nulls struct{}

func (nulls) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestSameUploadTwiceIsOneItem(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	f := url.Values{"submission": {"form-1"}}
	impl.attach(f, part{"a.txt", "event-demo-01"}, part{"b.txt", "event-demo-02"}).goesTo("/things/1#evidence")
	impl.attach(f, part{"a.txt", "event-demo-01"}, part{"b.txt", "event-demo-02"}).goesTo("/things/1#evidence")
	impl.attach(url.Values{"submission": {"form-2"}}, part{"c.txt", "event-demo-01"}).goesTo("/things/1#evidence")
	if n := b.count("select count(*) from evidence"); n != 3 {
		t.Errorf("%d attachments", n)
	}
	if n := b.count("select count(*) from blobs"); n != 2 {
		t.Errorf("%d blobs", n)
	}
	impl.get(fmt.Sprintf("/evidence/%d", b.newest())).says("The same bytes elsewhere").says("a.txt")
}
