package ledger

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/evidence"
	model "countersign/models/ledger"
	"countersign/models/replay"
	"countersign/models/signoff"
	"countersign/views/ui"
)

// Action is the page of one action.
type Action struct {
	model.ActionPage
	Requests []replay.Asking
	Evidence []evidence.Attachment // attached to the action
	Entries  []Entry
	Next     Next
	Zone     *time.Location
	Form     Form
	Refused  string // why a form was not taken, and nothing was changed
	Appeal   int64  // the suppressed claim whose form is open

	WhyNoLookup, WhyNoReplay, WhyNoAppeal, WhyNoReport, WhyNoSettle, WhyNoAttach string
}

// Form is a form of the page as it was typed; Name says which.
type Form struct {
	Name       string
	Values     map[string]string
	Problems   []ui.FieldProblem
	Submission string
}

// field is a field of the form called name, as it was typed.
func (f Form) field(name string, field ui.Field) ui.Field {
	field.ID = name + "_" + field.Name
	if f.Name != name {
		return field
	}
	if v, ok := f.Values[field.Name]; ok {
		field.Value = v
	}
	return field.With(f.Problems)
}

func (f Form) at(name, action string, version int64) ui.FormAt {
	at := ui.FormAt{Action: action, Version: version, ID: name}
	if f.Name == name {
		at.Submission = f.Submission
	}
	return at
}

// summary leads to the fields of the form that must change.
func (f Form) summary() (all []ui.FieldProblem) {
	for _, p := range f.Problems {
		if p.Field != "" {
			p.Field = f.Name + "_" + p.Field
		}
		all = append(all, p)
	}
	return all
}

// Next is what happens next, or what a person can do. There always is one.
type Next struct {
	Text, Link, Href string
	Form             string // the form on this page that does it
}

// NextStep says what follows from where an action stands.
func NextStep(p model.ActionPage, open *replay.Asking, duplicate bool) Next {
	stopped := ""
	if len(p.Gate.Reasons) > 0 && p.Gate.State == signoff.GateBlocked {
		stopped = " Nothing can be started now: " + p.Gate.Reasons[0].Words
	}
	switch {
	case duplicate:
		return Next{Text: "Look at the destination, put right what is there twice, then say what was done.", Link: "Say what was done", Href: "#settle", Form: "settle"}
	case p.State == model.Succeeded:
		return Next{Text: "Nothing. It succeeded and is never tried again. A wanted second action is a legitimate repeat.", Link: "Ask for a real second one", Href: "?do=appeal#appeal", Form: "appeal"}
	case p.State == model.Pending && p.Now.Sub(p.StartedAt) > model.StalledAfter:
		return Next{Text: fmt.Sprintf("%s has held it for more than an hour. Find out what the worker is doing before anything else is started.", short(p.Worker))}
	case p.State == model.Pending:
		return Next{Text: fmt.Sprintf("%s holds it. Wait for its report. When the lease ends without one, the outcome is unknown.", short(p.Worker))}
	case open != nil && open.State == replay.Approved:
		return Next{Text: "One attempt is approved. The automation starts it, or somebody starts it by hand." + stopped, Link: "Open " + open.Ref(), Href: replay.Path(open.Ref())}
	case open != nil && open.State == replay.EvidenceWanted:
		return Next{Text: "The request was returned for evidence. Supply it there.", Link: "Open " + open.Ref(), Href: replay.Path(open.Ref())}
	case open != nil:
		return Next{Text: "A person decides the request. Nothing is tried again before that." + stopped, Link: "Open " + open.Ref(), Href: replay.Path(open.Ref())}
	case p.State == model.Unknown && p.LookupDocumented && p.Counting != model.NotFound:
		return Next{Text: "Look it up at the destination, then record what was found. The operation documents how: " + p.LookupMethod, Link: "Record a lookup", Href: "?do=lookup#lookup", Form: "lookup"}
	case p.State == model.Unknown && p.LookupDocumented:
		return Next{Text: "The lookup found nothing, so a person may decide to try it again." + stopped, Link: "Ask for a replay", Href: "?do=replay#replay", Form: "replay"}
	case p.State == model.Unknown:
		return Next{Text: "No lookup is documented for this operation. Gather what shows whether it arrived, then ask for a replay." + stopped, Link: "Ask for a replay", Href: "?do=replay#replay", Form: "replay"}
	case p.RetryCode == "" && stopped == "":
		return Next{Text: fmt.Sprintf("The automation may try it again: %d of %d automatic retries are left.", p.Retries-p.AutomaticUsed, p.Retries)}
	case p.RetryCode == "":
		return Next{Text: "The automation may try it again once that is lifted." + stopped, Link: "Open the workflow", Href: "/workflows/" + p.WorkflowSlug}
	}
	return Next{Text: p.RetryWhy + stopped, Link: "Ask for a replay", Href: "?do=replay#replay", Form: "replay"}
}

// Ready fills what follows from the rest.
func (p Action) Ready() Action {
	var open *replay.Asking
	for i, r := range p.Requests {
		if r.ClosedAt == nil {
			open = &p.Requests[i]
			break
		}
	}
	p.Next = NextStep(p.ActionPage, open, p.Facts.Duplicate != "")
	whyNot := map[string]string{"lookup": p.WhyNoLookup, "replay": p.WhyNoReplay, "appeal": p.WhyNoAppeal, "settle": p.WhyNoSettle}[p.Next.Form]
	if whyNot != "" {
		p.Next.Text, p.Next.Link, p.Next.Form = p.Next.Text+" "+whyNot, "", ""
	}
	p.Entries = p.entries()
	return p
}

// noResult says why no result is known, by where the action stands.
func noResult(s model.State) ui.State {
	switch s {
	case model.Pending:
		return ui.State{Word: "Not yet", Icon: "hourglass", Tone: "idle", Open: true}
	case model.Failed:
		return ui.State{Word: "None", Icon: "ban", Tone: "idle"}
	case model.Succeeded:
		return ui.State{Word: "Not given", Icon: "circle-dashed", Tone: "idle"}
	}
	return ui.State{Word: "Not known", Icon: "circle-question-mark", Tone: "warn", Open: true}
}

// repeatWords say of which action another one is a legitimate repeat.
func repeatWords(r model.ActionRow) string {
	if r.RepeatOf == 0 {
		return ""
	}
	return ", repeat of " + A(r.RepeatOf)
}

func (p Action) path() string { return model.ActionPath(p.Action) }

func (p Action) title() string { return about(p.ControlName, p.Record) }

func (p Action) counted() string {
	return plural(p.AttemptCount, "attempt", "attempts") + ", " + plural(p.Lookups, "lookup", "lookups") + ", " + plural(p.Events, "delivery", "deliveries")
}

func (p Action) owner() string {
	if p.State != model.Pending {
		if p.LastEnded == nil || p.AttemptCount == 0 {
			return "None"
		}
		return "None, the last attempt ended"
	}
	return short(p.Worker) + ", until " + ui.TimeWords(p.LeaseUntil, p.Zone, p.Now) + " " + p.Now.In(zoneOr(p.Zone)).Format("MST")
}

func (p Action) retriesLeft() string {
	left := max(p.Retries-p.AutomaticUsed, 0)
	if p.Replayed || p.State == model.Succeeded {
		left = 0
	}
	return fmt.Sprintf("%d automatic", left)
}

// openDuplicate is the one that waits for a person; nil when none does.
func (p Action) openDuplicate() *model.DuplicateRow {
	for i, d := range p.Duplicates {
		if d.SettledAt == nil {
			return &p.Duplicates[i]
		}
	}
	return nil
}

func (p Action) replayOff() string {
	for _, r := range p.Requests {
		if r.ClosedAt == nil {
			return r.Ref() + " is open already. One request at a time."
		}
	}
	switch p.State {
	case model.Succeeded:
		return "It succeeded, so it is never tried again. A real second request is a new action."
	case model.Pending:
		return "A worker holds it. Wait for its report, or for the end of its lease."
	}
	return p.WhyNoReplay
}

func (p Action) isOpen(form string) bool { return p.Form.Name == form }

func sentence(parts ...string) string {
	var kept []string
	for _, s := range parts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}
