package browser

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var (
	pdfPage  = regexp.MustCompile(`/Type /Page\b[^s]`)
	contents = regexp.MustCompile(`/Contents (\d+) 0 R`)
	shown    = regexp.MustCompile(`<([0-9A-F]+)> Tj`)
)

// A control prints on several pages, and the same words stand at the head of each.
func TestPrintRepeatsItsHeader(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	tab := site.NewTab(t, Desk)
	tab.SignIn("viewer")
	tab.Open(task + "/print?revision=1")
	head := eval[string](tab, "document.querySelector('.running span').textContent.trim()")
	yes := true
	var printed page.PrintToPDFResult
	tab.do("print", chromedp.Func(func(ctx context.Context, target *chromedp.Target) (err error) {
		printed, err = cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &yes})
		return err
	}))
	pages := textOf(t, printed.Data)
	if len(pages) < 3 || len(pages) > 9 {
		t.Fatalf("%d pages", len(pages))
	}
	same := len(pages[0])
	for _, text := range pages {
		n := 0
		for n < same && n < len(text) && text[n] == pages[0][n] {
			n++
		}
		same = n
	}
	if same < len([]rune(head)) {
		t.Errorf("the pages have %d characters in common at their head, %q has %d", same, head, len([]rune(head)))
	}
}

// textOf are the glyphs of each page in the order they are drawn: after the page
// number, "3 / 7", comes the head.
func textOf(t *testing.T, pdf []byte) (pages [][]string) {
	t.Helper()
	for _, at := range pdfPage.FindAllIndex(pdf, -1) {
		from := bytes.LastIndex(pdf[:at[0]], []byte(" obj"))
		object := pdf[from : at[0]+bytes.Index(pdf[at[0]:], []byte("endobj"))]
		stream := content(t, pdf, string(contents.FindSubmatch(object)[1]))
		var glyphs []string
		for _, m := range shown.FindAllStringSubmatch(stream, -1) {
			for i := 0; i+4 <= len(m[1]); i += 4 {
				glyphs = append(glyphs, m[1][i:i+4])
			}
		}
		pages = append(pages, glyphs[min(len("3 / 7"), len(glyphs)):])
	}
	return pages
}

func content(t *testing.T, pdf []byte, object string) string {
	t.Helper()
	if _, err := strconv.Atoi(object); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(pdf, []byte("\n"+object+" 0 obj"))
	start := at + bytes.Index(pdf[at:], []byte("stream")) + len("stream")
	for start < len(pdf) && strings.ContainsRune("\r\n", rune(pdf[start])) {
		start++
	}
	r, err := zlib.NewReader(bytes.NewReader(pdf[start:]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
