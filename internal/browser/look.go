package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Text is what can be read on the screen, in one line.
func (t *Tab) Text() string {
	t.r.Helper()
	return evalArgs[string](t, "text")
}

// See waits until the words can be read on the screen.
func (t *Tab) See(words ...string) {
	t.r.Helper()
	for _, w := range words {
		t.until(func() bool { return strings.Contains(t.Text(), w) }, func() string { return fmt.Sprintf("cannot read %q", w) })
	}
}

// NotSee waits until none of the words is on the screen.
func (t *Tab) NotSee(words ...string) {
	t.r.Helper()
	for _, w := range words {
		t.until(func() bool { return !strings.Contains(t.Text(), w) }, func() string { return fmt.Sprintf("%q is still on the screen", w) })
	}
}

// Offers reports whether there is a button or link with these words that can be pressed.
func (t *Tab) Offers(words string) bool {
	t.r.Helper()
	s := t.find("press", words)
	return s.Count > 0 && !s.Disabled
}

// Focused is the name of what has the focus: its label or words. "" when nothing has.
func (t *Tab) Focused() string {
	t.r.Helper()
	return evalArgs[string](t, "focused")
}

// Theme is the document's data-theme, and whether the page is dark to the eye.
func (t *Tab) Theme() (name string, dark bool) {
	t.r.Helper()
	return eval[string](t, "document.documentElement.dataset.theme"),
		eval[bool](t, `(() => { const c = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
			c.fillStyle = getComputedStyle(document.body).backgroundColor; c.fillRect(0, 0, 1, 1);
			const [r, g, b] = c.getImageData(0, 0, 1, 1).data; return r + g + b < 384 })()`)
}

// Picture is a PNG of the screen, or of the whole page however long it is.
func (t *Tab) Picture(whole bool) []byte {
	t.r.Helper()
	png, err := t.picture(whole)
	if err != nil {
		t.r.Fatalf("screenshot: %v", err)
	}
	return png
}

func (t *Tab) picture(whole bool) ([]byte, error) {
	res, err := within(t, func(ctx context.Context) (page.CaptureScreenshotResult, error) {
		p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
		if whole {
			m, err := chromedp.Call(ctx, page.GetLayoutMetrics, cdp.Empty{})
			if err != nil {
				return page.CaptureScreenshotResult{}, err
			}
			yes := true
			p.CaptureBeyondViewport = &yes
			p.Clip = &page.Viewport{Width: float64(t.view.Width), Height: max(m.CSSContentSize.Height, float64(t.view.Height)), Scale: 1}
		}
		return chromedp.Call(ctx, page.CaptureScreenshot, p)
	})
	return res.Data, err
}

// failurePicture keeps what was on the screen when a test failed: among the
// artifacts of `go test -artifacts`, else in a temporary folder.
func (t *Tab) failurePicture() {
	test, ok := t.r.(interface {
		Failed() bool
		Name() string
		ArtifactDir() string
	})
	if !ok || !test.Failed() {
		return
	}
	png, err := t.picture(true)
	if err != nil {
		t.r.Logf("no screenshot: %v", err)
		return
	}
	dir := artifacts(test.ArtifactDir)
	name := regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(test.Name(), "-")
	file, err := os.CreateTemp(dir, name+"-*.png")
	if err == nil {
		_, err = file.Write(png)
		_ = file.Close()
	}
	if err != nil {
		t.r.Logf("no screenshot: %v", err)
		return
	}
	t.r.Logf("what was on the screen: %s", file.Name())
}

// artifacts is the folder for pictures; the test's own is deleted after the test
// unless somebody asked to keep it.
func artifacts(kept func() string) string {
	for _, arg := range os.Args {
		if strings.HasPrefix(arg, "-test.artifacts") && arg != "-test.artifacts=false" {
			return kept()
		}
	}
	dir := filepath.Join(os.TempDir(), "countersign-browser")
	_ = os.MkdirAll(dir, 0o755)
	return dir
}
