package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed find.js
var find string

// spot is a thing on the screen.
type spot struct {
	Count    int
	Disabled bool
	X, Y     float64
	Covered  string // what lies over it
	Kind     string // of a field: text, date, textarea, select, checkbox ...
	Value    string
	Checked  bool
}

// Press presses the button or link with these words. Where the same words are on
// the page more than once, the first in the page's own part is pressed.
func (t *Tab) Press(words string) {
	t.r.Helper()
	t.hit(t.ready(words), 1)
	t.settle()
}

// PressTwice is an impatient double click.
func (t *Tab) PressTwice(words string) {
	t.r.Helper()
	t.hit(t.ready(words), 2)
	t.settle()
}

func (t *Tab) ready(words string) spot {
	t.r.Helper()
	var s spot
	t.until(func() bool { s = t.find("press", words); return s.Count > 0 && (s.Disabled || s.Covered == "") },
		func() string {
			if s.Count > 0 {
				return fmt.Sprintf("%q cannot be pressed: something lies over it: %s", words, s.Covered)
			}
			return fmt.Sprintf("there is no button or link %q", words)
		})
	if s.Disabled {
		t.r.Fatalf("%q cannot be pressed: it is disabled, at %s", words, t.Path())
	}
	return s
}

// hit taps on a phone and clicks elsewhere, and waits until the page knows.
func (t *Tab) hit(s spot, times int) {
	t.r.Helper()
	before := t.clicks()
	for n := 1; n <= times; n++ {
		if t.view.Touch {
			t.do("tap", chromedp.TapXY(s.X, s.Y))
			continue
		}
		t.do("click", chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, s.X, s.Y, chromedp.ButtonLeft, chromedp.ClickCount(n)),
			chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, s.X, s.Y, chromedp.ButtonLeft, chromedp.ClickCount(n)))
	}
	for end := time.Now().Add(patience); t.clicks() == before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.r.Fatalf("the page %s does not notice the press", t.Path())
		}
	}
}

// clicks changes with every click that the page handled, and with the page.
func (t *Tab) clicks() string {
	t.r.Helper()
	return eval[string](t, "performance.timeOrigin + ' ' + performance.eventCounts.get('click')")
}

// Fill types into the field with this label, in place of what is there.
func (t *Tab) Fill(label, text string) {
	t.r.Helper()
	f := t.Field(label)
	if f.Kind == "date" {
		t.run("set", label, text) // how a date is typed depends on the machine's language
		return
	}
	t.run("select", label)
	if text == "" {
		t.Key("Backspace")
		return
	}
	t.Type(text)
}

// Choose picks an option of the list with this label.
func (t *Tab) Choose(label, option string) {
	t.r.Helper()
	t.Field(label)
	if others := evalArgs[string](t, "choose", label, option); others != "" {
		t.r.Fatalf("%q has no option %q, only: %s", label, option, others)
	}
}

// Tick presses the box or the choice with this label.
func (t *Tab) Tick(label string) {
	t.r.Helper()
	t.hit(t.Field(label), 1)
	t.settle()
}

// Field waits for the field with this label.
func (t *Tab) Field(label string) spot {
	t.r.Helper()
	var s spot
	t.until(func() bool { s = t.find("field", label); return s.Count > 0 },
		func() string { return fmt.Sprintf("there is no field %q", label) })
	return s
}

var keys = map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Backspace": kb.Backspace, "Space": " "}

// Key presses keys one after the other: "Tab", "Shift+Tab", "Enter", "?" ...
func (t *Tab) Key(names ...string) {
	t.r.Helper()
	for _, name := range names {
		key, shift := strings.CutPrefix(name, "Shift+")
		if k, ok := keys[key]; ok {
			key = k
		}
		var options []chromedp.KeyOption
		if shift {
			options = append(options, chromedp.KeyModifiers(chromedp.ModifierShift))
		}
		t.do("key "+name, chromedp.KeyEvent(key, options...))
	}
	t.settle()
}

// Type types where the focus is.
func (t *Tab) Type(text string) {
	t.r.Helper()
	t.do("type", call(input.InsertText, input.InsertTextParams{Text: text}))
}

// TabTo presses the Tab key until the focus is on what is called so.
func (t *Tab) TabTo(name string) {
	t.r.Helper()
	var passed []string
	for range 150 {
		t.do("tab", chromedp.KeyEvent(kb.Tab))
		at := t.Focused()
		if at == name {
			return
		}
		passed = append(passed, at)
	}
	t.r.Fatalf("the Tab key never reaches %q; it passes: %s", name, strings.Join(passed, " | "))
}

func (t *Tab) find(what, words string) spot {
	t.r.Helper()
	return evalArgs[spot](t, what, words)
}

func (t *Tab) run(what string, args ...any) {
	t.r.Helper()
	evalArgs[any](t, what, args...)
}

// evalArgs calls a function of find.js.
func evalArgs[T any](t *Tab, function string, args ...any) T {
	t.r.Helper()
	if args == nil {
		args = []any{}
	}
	list, err := json.Marshal(args)
	if err != nil {
		t.r.Fatalf("%v", err)
	}
	return eval[T](t, fmt.Sprintf("(%s).%s(...%s)", strings.TrimSpace(find), function, list))
}

// eval runs an expression as the developer tools do, so that it works while the
// page's own scripts are off. A page that is just leaving is asked again.
func eval[T any](t *Tab, expression string) T {
	t.r.Helper()
	var v T
	var last error
	for range 20 {
		yes := true
		res, err := within(t, func(ctx context.Context) (runtime.EvaluateResult, error) {
			return chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
		})
		switch {
		case err == nil && res.ExceptionDetails != nil:
			t.r.Fatalf("a question to the page failed: %s", exception(res.ExceptionDetails))
		case err == nil && (res.Result == nil || res.Result.Value == nil):
			return v
		case err == nil:
			if err := json.Unmarshal(res.Result.Value, &v); err != nil {
				t.r.Fatalf("the page answered %s: %v", res.Result.Value, err)
			}
			return v
		case errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "context"):
			t.r.Fatalf("a question to the page failed: %v", err)
		}
		last = err
		t.settle()
	}
	t.r.Fatalf("the page does not stand still: %v", last)
	return v
}
