package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// axe-core finds what breaks the Web Content Accessibility Guidelines.
// https://github.com/dequelabs/axe-core
//
//go:embed testdata/axe.min.js
var axeSource string

//go:embed looks.js
var looks string

// readable are the looks of text whose contrast axe has measured and found to be
// enough, on any page; looks.js says what a look is.
var readable = struct {
	sync.Mutex
	looks map[string]bool
}{looks: map[string]bool{}}

type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, Why string }
}

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for i, n := range v.Nodes {
		if i == 3 {
			fmt.Fprintf(&b, "\n      and %d more", len(v.Nodes)-3)
			break
		}
		fmt.Fprintf(&b, "\n      %.200s\n        %.300s", n.HTML, strings.ReplaceAll(n.Why, "\n", " "))
	}
	return b.String()
}

// The rules that every page keeps, and those of them that the colours decide.
const (
	allRules    = "{ type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }"
	colourRules = "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }"
)

// axe checks the page as it stands, or the part that a selector names, once no
// colour is changing any more. It looks from the top, where the bar that stays
// in view covers nothing.
func (t *Tab) axe(part, rules string) []violation {
	t.r.Helper()
	if !eval[bool](t, "'axe' in window") {
		eval[any](t, axeSource+"\n;void 0")
	}
	readable.Lock()
	passed, err := json.Marshal(slices.AppendSeq([]string{}, maps.Keys(readable.looks)))
	readable.Unlock()
	if err != nil {
		t.r.Fatalf("%v", err)
	}
	found := eval[struct {
		Looks      []string
		Violations []violation
	}](t, `(async () => {
		scrollTo({ top: 0, behavior: 'instant' });
		const frame = () => new Promise(requestAnimationFrame);
		do { await frame(); await frame(); } while (document.getAnimations().some(a => a.playState === 'running'));
		return (`+strings.TrimSpace(looks)+`).run(`+fmt.Sprintf("%q, %s, %s", part, rules, passed)+`);
	})()`)
	readable.Lock()
	defer readable.Unlock()
	for _, look := range found.Looks {
		readable.looks[look] = true
	}
	return found.Violations
}

// shape is what every page has to have, apart from what axe looks at.
type shape struct {
	Lang, Title string
	H1          int
	Over        string // what reaches beyond the right edge; "" when nothing does
}

func (t *Tab) shape() shape {
	t.r.Helper()
	return eval[shape](t, `(() => {
		const page = document.scrollingElement, edge = document.documentElement.clientWidth;
		let over = '';
		if (page.scrollWidth > edge) {
			const out = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > edge + 1 &&
				!e.closest('.sr-only') && ![...e.children].some(c => c.getBoundingClientRect().right > edge + 1));
			over = page.scrollWidth + ' wide on a screen of ' + edge + ': ' + out.slice(0, 3).map(e => e.outerHTML.slice(0, 160)).join(' / ');
		}
		return { Lang: document.documentElement.lang, Title: document.title, H1: document.querySelectorAll('h1').length, Over: over };
	})()`)
}
