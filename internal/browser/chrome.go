package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/chromedp/chromedp"
)

// Chrome is one running browser. Every Tab has cookies of its own, as if each
// person sat at another machine.
type Chrome struct {
	ctx   context.Context
	close func()
}

var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}

// program is the Chromium on this machine: CHROME, or the first one found.
func program() (string, error) {
	if named := os.Getenv("CHROME"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CHROME names %s, which cannot be run: %w", named, err)
		}
		return path, nil
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium or Chrome on this machine: run `scripts/need.sh chromium`, or name one in CHROME")
}

// Launch starts a browser with a fresh profile. Close it.
func Launch() (*Chrome, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Flag("headless", "new"), chromedp.DisableGPU, chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en-GB"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	// Chromium tells newer events than the library knows; they are nothing to us.
	quiet := func(string, ...any) {}
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(quiet), chromedp.WithLogf(quiet))
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return &Chrome{ctx: ctx, close: sync.OnceFunc(func() { cancel(); stop() })}, nil
}

// Close ends the browser and removes its profile.
func (c *Chrome) Close() { c.close() }
