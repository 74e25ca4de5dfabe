package browser

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"countersign/models/demo"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a person waits for a page, here on a very busy machine.
const patience = time.Minute

// View is what somebody looks at the application with.
type View struct {
	Width, Height int64
	Touch         bool // a phone: taps instead of clicks
	Dark          bool // the system's colour scheme
	NoScript      bool // JavaScript is off
}

// The two sizes that everything has to work in.
var (
	Desk  = View{Width: 1440, Height: 900}
	Phone = View{Width: 390, Height: 844, Touch: true}
)

// WithoutScript is v with JavaScript off.
func (v View) WithoutScript() View { v.NoScript = true; return v }

// InDark is v on a system with dark colours.
func (v View) InDark() View { v.Dark = true; return v }

// Tab is one person's browser window.
type Tab struct {
	r     Reporter
	site  *Site
	ctx   context.Context
	view  View
	watch *watch
}

// NewTab opens a window for somebody who is not signed in yet. It closes when r
// ends; whatever went wrong on the page unseen (a script error, a blocked or
// missing file, an error page that nobody expected) fails r then.
func (s *Site) NewTab(r Reporter, v View) *Tab {
	r.Helper()
	w := newWatch(s.URL)
	ctx, cancel := chromedp.NewContext(s.chrome.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(w.event))
	t := &Tab{r: r, site: s, ctx: ctx, view: v, watch: w}
	r.Cleanup(func() {
		t.unseen()
		t.failurePicture()
		cancel()
	})
	t.do("open a tab",
		call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), call(page.Enable, page.EnableParams{}),
		call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.NoScript}),
		call(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
	)
	t.Resize(v)
	t.Scheme(v.Dark)
	return t
}

// Resize turns the screen into that of v; the page stays.
func (t *Tab) Resize(v View) {
	t.r.Helper()
	t.view.Width, t.view.Height, t.view.Touch = v.Width, v.Height, v.Touch
	touch := emulation.SetTouchEmulationEnabledParams{Enabled: v.Touch}
	if v.Touch {
		touch.MaxTouchPoints = 1
	}
	t.do("resize the screen", call(emulation.SetTouchEmulationEnabled, touch),
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: v.Width, Height: v.Height, DeviceScaleFactor: 1, Mobile: v.Touch}))
}

// Scheme changes the system's colour scheme.
func (t *Tab) Scheme(dark bool) {
	t.r.Helper()
	t.view.Dark = dark
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	t.do("colour scheme", call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}))
}

// Open goes to a path of the site, as typed into the address bar.
func (t *Tab) Open(path string) {
	t.r.Helper()
	res, err := within(t, func(ctx context.Context) (page.NavigateResult, error) {
		return chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: t.site.URL + path})
	})
	if err != nil {
		t.r.Fatalf("open %s: %v", path, err)
	}
	if res.ErrorText != "" {
		t.r.Fatalf("open %s: %s", path, res.ErrorText)
	}
	t.settle()
}

// Reload loads the page again.
func (t *Tab) Reload() {
	t.r.Helper()
	t.do("reload", call(page.Reload, page.ReloadParams{}))
	t.settle()
}

// SignIn signs in through the form with a demo account: "owner" is owner@example.test.
func (t *Tab) SignIn(who string) {
	t.r.Helper()
	t.SignInAs(who+"@example.test", demo.Password)
}

// SignInAs signs in through the form.
func (t *Tab) SignInAs(email, password string) {
	t.r.Helper()
	t.Open("/login")
	t.Fill("E-mail", email)
	t.Fill("Password", password)
	t.Press("Sign in")
	t.At("/")
}

// Path is the path and query of the page.
func (t *Tab) Path() string {
	t.r.Helper()
	u, err := url.Parse(eval[string](t, "location.href"))
	if err != nil {
		t.r.Fatalf("the address of the page: %v", err)
	}
	return u.RequestURI()
}

// At waits until the page is the one at path; a trailing * stands for anything.
func (t *Tab) At(path string) {
	t.r.Helper()
	var at string
	t.until(func() bool {
		at = t.Path()
		start, open := strings.CutSuffix(path, "*")
		return at == path || (open && strings.HasPrefix(at, start))
	}, func() string { return fmt.Sprintf("at %s, not at %s", at, path) })
}

// Answered says that the page on the screen came with this status. A page with
// 4xx that no test asked about fails the test when it ends.
func (t *Tab) Answered(status int64) {
	t.r.Helper()
	var got int64
	t.until(func() bool { got = t.watch.last(); return got == status }, func() string { return fmt.Sprintf("answered %d, not %d", got, status) })
	t.watch.acknowledge()
}

// Source is the page's HTML as the server sent it.
func (t *Tab) Source() string {
	t.r.Helper()
	id := t.watch.documentID()
	body, err := within(t, func(ctx context.Context) (network.GetResponseBodyResult, error) {
		return chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: id})
	})
	if err != nil {
		t.r.Fatalf("the page's source: %v", err)
	}
	return string(body.Body)
}

// call is a protocol command as a step.
func call[P, R any](cmd cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cmd, params)
		return err
	})
}

func (t *Tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	t.r.Helper()
	for _, step := range steps {
		if _, err := within(t, func(ctx context.Context) (chromedp.Void, error) { return chromedp.Run(ctx, step) }); err != nil {
			t.r.Fatalf("%s: %v", what, err)
		}
	}
}

// within runs f with the patience of a person. The first run starts the tab,
// which lives as long as the context of that run, so that one has no limit.
func within[T any](t *Tab, f func(context.Context) (T, error)) (T, error) {
	ctx := t.ctx
	if c := chromedp.FromContext(ctx); c.Target != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return f(ctx)
}

// until waits for a condition; says tells what was there instead.
func (t *Tab) until(holds func() bool, says func() string) {
	t.r.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		if holds() {
			return
		}
		if time.Now().After(end) {
			t.r.Fatalf("%s\non the page %s:\n%s", says(), t.Path(), t.Text())
		}
	}
}
