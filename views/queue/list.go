package queue

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"countersign/models/replay"
	"countersign/views/ui"
)

// List is one view of the queue: the left pane, or all of a phone's screen.
type List struct {
	View   replay.View
	Kind   replay.Kind // "" for every kind
	At     string      // page cursor
	Rows   []replay.Item
	Pager  ui.Pager
	Counts map[replay.View]int // beside the tabs; a view without one has none
	Open   string              // ref of the item beside the list; "" on the list's own page
	Now    time.Time
	Zone   *time.Location
}

func (p List) tabs() []ui.Tab {
	tab := func(v replay.View, text string) ui.Tab {
		if n := p.Counts[v]; n >= replay.CountLimit {
			text += " 99+"
		} else if n > 0 {
			text += fmt.Sprintf(" %d", n)
		}
		return ui.Tab{Text: text, Href: viewPath(v, ""), Current: p.View == v}
	}
	return []ui.Tab{tab(replay.Waiting, "Waiting on you"), tab(replay.All, "All open"), tab(replay.Closed, "Decided")}
}

// viewPath is the list of one view and kind.
func viewPath(v replay.View, kind replay.Kind) string {
	q := url.Values{}
	if v != replay.Waiting {
		q.Set("view", string(v))
	}
	if kind != "" {
		q.Set("kind", string(kind))
	}
	if len(q) == 0 {
		return "/queue"
	}
	return "/queue?" + q.Encode()
}

// group is a run of items of one kind.
type group struct {
	Title, Href string
	Count       string // "" when the page does not show all of them
	Items       []replay.Item
}

var groupTitles = map[replay.Kind]string{
	replay.ConfirmedDuplicate: "Confirmed duplicates", replay.PossibleDuplicate: "Possible duplicates", replay.Replay: "Replay requests",
	replay.UnknownOutcome: "A lookup comes first", replay.ReviewItem: "To review", replay.StalledOwner: "Stalled owners",
}

// groups are the items by kind, in the order of the queue. What was decided
// keeps its own order, the latest first, under one heading.
func (p List) groups() (all []group) {
	if p.View == replay.Closed && p.Kind == "" {
		return []group{{Title: "Latest first", Items: p.Rows}}
	}
	for _, i := range p.Rows {
		if n := len(all); n == 0 || all[n-1].Items[0].Kind != i.Kind {
			all = append(all, group{Title: groupTitles[i.Kind], Href: viewPath(p.View, i.Kind)})
		}
		g := &all[len(all)-1]
		g.Items = append(g.Items, i)
	}
	for n := range all {
		g := &all[n]
		if whole := (n > 0 || p.Pager.Prev == "") && (n < len(all)-1 || p.Pager.Next == ""); whole {
			g.Count = fmt.Sprint(len(g.Items))
		}
		if g.Items[0].Kind == replay.Replay && p.View == replay.Waiting {
			g.Title = yours(g.Items)
		}
		if p.Kind != "" {
			g.Href = ""
		}
	}
	return all
}

// yours says whether a person's requests all wait for a decision of theirs.
func yours(items []replay.Item) string {
	for _, i := range items {
		if i.State != string(replay.Pending) {
			return "Your turn"
		}
	}
	return "Your decision"
}

// href leads to an item. A request opens beside the list, which stays where it is.
func (p List) href(i replay.Item) string {
	if !strings.HasPrefix(i.Path, "/queue/") {
		return i.Path
	}
	q := url.Values{}
	for name, value := range map[string]string{"kind": string(p.Kind), "at": p.At} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if p.View != replay.Waiting {
		q.Set("view", string(p.View))
	}
	if len(q) == 0 {
		return i.Path
	}
	return i.Path + "?" + q.Encode()
}

// state is how an item stands: an open request by its action's outcome.
func (p List) state(i replay.Item) ui.State {
	switch {
	case i.Kind == replay.StalledOwner:
		return ui.State{Word: "Held for over an hour", Icon: "timer-off", Tone: "warn", Open: true}
	case i.Kind == replay.ConfirmedDuplicate || i.Kind == replay.PossibleDuplicate:
		if p.View == replay.Closed {
			return ui.State{Word: "Settled", Icon: "copy", Tone: "ok"}
		}
		return ui.State{Word: kinds[i.Kind], Icon: "copy", Tone: "bad"}
	case i.Kind == replay.ReviewItem && p.View == replay.Closed:
		return map[string]ui.State{"accepted": {Word: "Accepted", Icon: "check", Tone: "ok"}, "linked": {Word: "Linked", Icon: "link", Tone: "ok"}, "dismissed": {Word: "Dismissed", Icon: "ban", Tone: "idle"}}[i.State]
	case i.Kind == replay.ReviewItem:
		return ui.State{Word: "To review", Icon: "scan-search", Tone: "warn", Open: true}
	case i.Kind == replay.Replay && (p.View == replay.Closed || i.State != string(replay.Pending)):
		return requestState(replay.State(i.State))
	}
	return ui.StateFor(string(i.Outcome))
}

// opened is the item beside the list.
func (p List) opened() replay.Item { return replay.Item{Ref: p.Open, Path: replay.Path(p.Open)} }

// fresh is where the list is read anew.
func (p List) fresh() string {
	q := url.Values{"view": {string(p.View)}}
	for name, value := range map[string]string{"kind": string(p.Kind), "at": p.At, "open": p.Open} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return "/queue/live?" + q.Encode()
}

// title is what the item is about, as short as it can be said.
func (p List) title(i replay.Item) string {
	if words := reviewTitles[i.State]; words != "" && i.Kind == replay.ReviewItem && p.View != replay.Closed {
		return words
	}
	return i.Control
}

var reviewTitles = map[string]string{
	"delivery": "Delivery to review", "identity_missing": "Identity missing", "earlier_rule": "Matches an earlier rule",
	"stale_version": "Appeal: stale version", "repeat": "A real second request?",
}

// sub is the line under the title: RR-117 · request-demo-07 · failed · level 2.
func (p List) sub(i replay.Item) string {
	parts := []string{i.Ref}
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(i.Record)
	add(strings.ToLower(p.state(i).Word[:1]) + p.state(i).Word[1:])
	if i.Kind == replay.Replay && p.View != replay.Closed && i.State == string(replay.Pending) && (i.Level > 1 || p.View == replay.All) {
		add(fmt.Sprintf("level %d", i.Level))
	}
	add(strings.ToLower(i.Environment))
	return strings.Join(parts, " · ")
}

// next is the step that somebody takes now; "" where the heading says it.
func (p List) next(i replay.Item) string {
	switch {
	case p.View == replay.Closed && i.DecidedBy != "":
		return "By " + i.DecidedBy
	case i.Kind == replay.Replay && i.State == string(replay.Pending) && !i.Unanswered:
		return ""
	}
	return i.NextStep
}

// when is how long is left, or since when it waits.
func (p List) when(i replay.Item) string {
	if i.Due != nil && p.View != replay.Closed {
		return left(i.Due, p.Now)
	}
	return shortTime(i.Since, p.Now, p.Zone)
}

// urgent reports whether the time left is short or over.
func (p List) urgent(i replay.Item) bool {
	return i.Due != nil && p.View != replay.Closed && i.Due.Sub(p.Now) < 10*time.Minute
}

// shortTime is the hour of today, the day of this year, or the date.
func shortTime(t, now time.Time, tz *time.Location) string {
	if tz == nil {
		tz = time.UTC
	}
	t, now = t.In(tz), now.In(tz)
	switch {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}
