package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	model "countersign/models/ledger"
	"countersign/models/replay"
	"countersign/views/ui"
)

// Entry is one event of a timeline.
type Entry struct {
	Day                 string // heads the first of each day
	At                  time.Time
	Icon, Tone          string
	Before, Code, After string // its title, an identifier in the middle
	Text, Detail        string // Detail as somebody wrote it
	Link, Href          string
}

// entries are the moments of the page, and its replay requests, oldest first.
func (p Action) entries() []Entry {
	var all []Entry
	for _, m := range p.Moments {
		e := entry(m)
		if m.Kind == "suppressed" && m.Open && p.WhyNoAppeal == "" {
			e.Link, e.Href = "This was a real second request", fmt.Sprintf("?do=appeal&claim=%d#appeal", m.ID)
			if m.Code == string(model.CodeStaleVersion) {
				e.Link = "This must go on nevertheless"
			}
		}
		all = append(all, e)
	}
	for _, r := range p.Requests {
		all = append(all, Entry{At: r.AskedAt, Icon: "hourglass", Tone: "ink", Before: "Replay asked for by " + r.AskedBy, Detail: r.Reason, Link: "Open " + r.Ref(), Href: replay.Path(r.Ref())})
		if r.Decided == replay.Approve {
			all = append(all, Entry{At: *r.DecidedAt, Icon: "check-check", Tone: "ok", Before: r.Ref() + " approved by " + r.DecidedBy, Text: "One attempt was allowed.", Detail: r.Note})
		}
		if r.ClosedAt != nil {
			all = append(all, Entry{At: *r.ClosedAt, Icon: "list-checks", Tone: "idle", Before: ended(r), Text: r.Ending})
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.At.Compare(b.At) })
	day := ""
	for i, e := range all {
		d := e.At.In(zoneOr(p.Zone)).Format("Monday 2 January 2006, MST")
		if d != day {
			all[i].Day, day = d, d
		}
	}
	return all
}

// ended says how a request ended.
func ended(r replay.Asking) string {
	switch r.State {
	case replay.Rejected:
		return r.Ref() + " was rejected by " + r.DecidedBy
	case replay.Withdrawn:
		return r.Ref() + " was withdrawn by " + r.DecidedBy
	case replay.Expired:
		return r.Ref() + " ended: nobody decided in time"
	case replay.Finished:
		return r.Ref() + " ended with its attempt"
	case replay.Lapsed:
		return r.Ref() + " ended: its approval lapsed"
	case replay.Overtaken:
		return r.Ref() + " ended: the action succeeded without it"
	}
	return r.Ref() + " ended"
}

func zoneOr(z *time.Location) *time.Location {
	if z == nil {
		return time.UTC
	}
	return z
}

func entry(m model.Moment) Entry {
	e := Entry{At: m.At, Detail: m.Detail, Tone: "idle"}
	switch m.Kind {
	case "delivery":
		arrived(&e, m)
	case "attempt":
		started(&e, m)
	case "report":
		reported(&e, m)
	case "lookup":
		looked(&e, m)
	case "suppressed":
		refused(&e, m)
	case "duplicate":
		s := duplicateState(m.Code)
		e.Icon, e.Tone, e.Before = s.Icon, s.Tone, s.Word
		e.Text = sentence(idsWords(m.Result), by("Reported by ", m.By))
	case "settled":
		e.Icon, e.Tone, e.Before = "check-check", "ok", "Duplicate settled by "+m.By
	case "review":
		ref := reviewRef(m)
		e.Icon, e.Tone, e.Before, e.Link, e.Href = "scan-search", "warn", ref+" opened: "+lower(kindWords(model.ReviewKind(m.Name))), "Open "+ref, model.ReviewPath(ref)
		e.Text = by("Asked by ", m.By)
	case "decided":
		ref := reviewRef(m)
		e.Icon, e.Tone, e.Before, e.Link, e.Href = "list-checks", "idle", fmt.Sprintf("%s %s by %s", ref, m.Code, m.By), "Open "+ref, model.ReviewPath(ref)
		switch {
		case m.Number != 0:
			e.Before = fmt.Sprintf("%s linked to %s by %s", ref, A(int64(m.Number)), m.By)
		case m.Code == string(model.ReviewAccepted) && m.Name == string(model.ReviewRepeat):
			e.Before, e.Tone = fmt.Sprintf("%s approved by %s: a real second request", ref, m.By), "ok"
		}
	}
	return e
}

func reviewRef(m model.Moment) string {
	return model.ReviewRow{ID: m.ID, Kind: model.ReviewKind(m.Name)}.Ref()
}

func arrived(e *Entry, m model.Moment) {
	e.Icon, e.Before, e.Code, e.After = "arrow-down-to-line", "Delivery of ", short(m.Name), strings.ToLower(ui.StateFor(m.Code).Word)
	if m.Name == "" {
		e.Before, e.Code = "Delivery "+D(m.ID)+" without an event ID: ", ""
	}
	version := ""
	if m.Version != "" {
		version = ", version " + short(m.Version)
	}
	record := "No record stated" + version + "."
	if m.Record != "" {
		record = "Record " + short(m.Record) + version + "."
	}
	e.Text = sentence("From "+m.Result+".", record, "A receipt, not an effect.")
}

var kinds = map[string]string{"first": "claimed by ", "retry": "an automatic retry by ", "replay": "an approved replay by ", "observed": "let through by mode observe, for "}

func started(e *Entry, m model.Moment) {
	e.Icon, e.Tone, e.Before, e.Code = "play", "ink", fmt.Sprintf("Attempt %d: %s", m.Number, kinds[m.Code]), short(m.Name)
	e.Detail = ""
	if m.Code == "first" {
		e.Before = fmt.Sprintf("Attempt %d claimed by ", m.Number)
	}
	e.Text = sentence("Lease of "+lasting(m.Seconds)+".", by("Started by hand by ", m.By))
	if m.Detail != "" {
		e.Tone = "warn"
		e.Text += " Mode enforce would have refused it: " + codeWords(m.Detail) + "."
	}
}

// lasting is a lease in words.
func lasting(seconds int) string {
	switch {
	case seconds == 3600:
		return "an hour"
	case seconds == 60:
		return "a minute"
	case seconds%60 == 0:
		return fmt.Sprintf("%d minutes", seconds/60)
	}
	return fmt.Sprintf("%d seconds", seconds)
}

func reported(e *Entry, m model.Moment) {
	s := ui.StateFor(m.Code)
	e.Icon, e.Tone = s.Icon, s.Tone
	e.Before = fmt.Sprintf("Attempt %d ended: %s", m.Number, strings.ToLower(s.Word))
	switch {
	case m.Code == "lease_ended":
		e.Icon, e.Tone, e.Before, e.Text = "timer-off", "warn", fmt.Sprintf("The lease of attempt %d ended without a report", m.Number), "Nobody knows whether it had an effect."
	case m.Late:
		e.Before, e.Text = fmt.Sprintf("Late report of attempt %d: %s", m.Number, strings.ToLower(s.Word)), late(m)
	case m.Code == string(model.Failed) && m.Detail == "":
		u := ui.StateFor(string(model.Unknown))
		e.Icon, e.Tone, e.Before = u.Icon, u.Tone, fmt.Sprintf("Attempt %d reported failed", m.Number)
		e.Text = "Reported failed without saying how that is certain: counts as unknown."
	}
	if m.Result != "" {
		e.Text = sentence(e.Text, "Result "+short(m.Result)+".")
	}
	e.Text = sentence(e.Text, by("By hand by ", m.By))
}

// late says why a report is late and what it came to.
func late(m model.Moment) string {
	why := "It came after the lease had ended."
	if m.Early {
		why = "It came when a later attempt had been started."
	}
	if m.After == model.Succeeded && m.Before != model.Succeeded {
		return why + " It settled the action."
	}
	if m.After != m.Before {
		return why + " The action became " + m.After.Words() + "."
	}
	return why + " It is kept as evidence."
}

func looked(e *Entry, m model.Moment) {
	e.Icon, e.Before = "scan-search", "Lookup: "+strings.ReplaceAll(m.Code, "_", " ")
	e.Tone = map[string]string{"found": "ok", "inconclusive": "warn"}[m.Code]
	e.Text = sentence(short(m.Name)+".", idsWords(m.Result), by("Recorded by ", m.By))
	if m.Late {
		e.Text += " It does not count: it began before the last attempt ended."
	}
}

func refused(e *Entry, m model.Moment) {
	e.Icon, e.Tone, e.Code, e.After = "shield-check", "ok", short(m.Name), "asked for the same; its claim was refused"
	e.Text = "It got this action’s state and started nothing."
	switch {
	case m.Late:
		e.Icon, e.Tone, e.After, e.Text = "eye", "warn", "asked for the same and was let through", "Mode observe refuses nothing. Enforce would have refused it: "+codeWords(m.Code)+"."
	case m.Code == string(model.CodeStaleVersion):
		e.After, e.Text = "came with an older version and was refused", "A newer version of this record is known."
	case m.Code == string(model.CodeEarlierRule):
		e.After, e.Text = "was refused: only an earlier version of the rule finds this action", "A person decides whether it is the same."
	}
	if m.Result != "" {
		e.Text = sentence(e.Text, "It named event "+short(m.Result)+".")
	}
}

func codeWords(code string) string {
	return map[string]string{"already": "another claim had won", "matches_earlier_rule": "only an earlier version of the rule finds it", "stale_version": "a newer version is known",
		"in_review": "its delivery is in review", "identity_missing": "its identity is missing", "retries_used_up": "all automatic retries are used up", "replay_required": "a replay must be approved first",
		"lookup_required": "a lookup is required first", "pending": "a worker holds it", "succeeded": "it succeeded"}[code]
}

func by(words, name string) string {
	if name == "" {
		return ""
	}
	return words + name + "."
}

func idsWords(ids string) string {
	if ids == "" {
		return ""
	}
	return "Results: " + ids + "."
}

func lower(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}
