package queue

import (
	"fmt"
	"strings"
	"time"

	"countersign/models/ledger"
	"countersign/models/replay"
	"countersign/views/ui"
)

// cardTitle says whose turn it is.
func (p Show) cardTitle() string {
	switch {
	case p.decides():
		return "Your decision"
	case p.State.Open():
		return requestState(p.State).Word
	}
	return "How it ended"
}

// clock is how long is left of what runs now; "" when nothing does.
func (p Show) clock() string {
	if p.State == replay.Pending || p.State == replay.Approved {
		return left(&p.NextAt, p.Facts.Now)
	}
	return ""
}

// standing says where the request stands for somebody who cannot decide it.
func (p Show) standing() string {
	switch p.State {
	case replay.Pending:
		return p.whyNot()
	case replay.EvidenceWanted:
		return "The clock stands still until the evidence is there. It is the turn of who asked."
	case replay.Approved:
		return "One attempt may be started until " + p.at(p.NextAt) + "."
	case replay.Started:
		return "The one attempt is under way."
	}
	for i := len(p.History) - 1; i >= 0; i-- {
		if e := p.History[i]; e.Kind == "decision" {
			return strings.TrimSpace(fmt.Sprintf("%s: %s.\n%s\n%s", e.Did(), e.WhoWords(), e.Words, p.Ending))
		}
	}
	return p.Ending
}

// at is a moment in the reader's zone: the hour of today, else with its day.
func (p Show) at(t time.Time) string {
	if words := shortTime(t, p.Facts.Now, p.Zone); strings.Contains(words, ":") {
		return words
	}
	return ui.TimeWords(t, p.Zone, p.Facts.Now)
}

func (p Show) current(r replay.Rung) bool { return r.Reached && r.Number == p.Level }

// used is how many minutes of a level have passed, of the policy's hours.
func (p Show) used(r replay.Rung) int {
	if !r.Reached {
		return 0
	}
	return min(max(r.RespondMinutes-p.Policy.Hours.Passed(p.Facts.Now, r.DueAt), 0), r.RespondMinutes)
}

// rung says who is on a level and until when they are asked.
func (p Show) rung(r replay.Rung) string {
	switch {
	case r.Over:
		return names(r) + ", time is over"
	case r.Reached:
		return names(r) + ", to " + p.at(r.DueAt)
	}
	return names(r) + ", then " + span(time.Duration(r.RespondMinutes)*time.Minute)
}

// names are the people of a level who can decide.
func names(r replay.Rung) string {
	var list []string
	for _, person := range r.People {
		if person.Able() {
			list = append(list, person.Name)
		}
	}
	if len(list) == 0 {
		return "Nobody"
	}
	return strings.Join(list, " or ")
}

// who answers the third question in one sentence.
func (p Show) who() string {
	now, later := []string{}, ""
	for _, r := range p.Ladder {
		if r.Reached {
			now = append(now, names(r))
		} else {
			later += ", then " + names(r)
		}
	}
	text := strings.Join(now, " or ")
	switch {
	case p.State == replay.Pending && p.Unanswered:
		return text + ". Nobody answered in time."
	case p.State == replay.Pending:
		return text + " until " + p.at(p.NextAt) + later + "."
	}
	return text + later + "."
}

// skipped says who of the levels cannot decide, and why.
func (p Show) skipped() (all []string) {
	for _, r := range p.Ladder {
		for _, person := range r.People {
			if !person.Able() {
				all = append(all, fmt.Sprintf("%s on level %d is skipped. %s", person.Name, r.Number, person.WhyNot()))
			}
		}
	}
	return all
}

func (p Show) lookupNote() string {
	if n := len(p.Lookups); n == 1 {
		return "1 lookup"
	} else if n > 1 {
		return fmt.Sprintf("%d lookups", n)
	}
	return "No lookup"
}

func (p Show) siblingText(s replay.Sibling) string {
	switch {
	case s.State == ledger.Pending:
		return fmt.Sprintf("Held by %s, its lease ends in %s", s.Worker, span(s.LeaseUntil.Sub(p.Facts.Now).Round(time.Minute)))
	case s.ResultID != "":
		return "Result " + s.ResultID
	}
	return ""
}

func (p Show) permitText() string {
	switch p.Permit.State(p.Facts.Now) {
	case ledger.Open:
		return "Not used yet. It lapses at " + p.at(p.Permit.Expires) + "."
	case ledger.Used:
		return "Used once. It opens nothing any more."
	}
	return "Not used. It opens nothing any more."
}

func attemptBy(a *replay.Tried) string {
	if a.By != "" {
		return "By hand, " + a.By
	}
	return "By " + a.Worker
}

func attemptEnd(a *replay.Tried) string {
	if a.Outcome == ledger.Pending {
		return "It is under way"
	}
	return "It ended as " + string(a.Outcome)
}

func attemptText(a *replay.Tried) string {
	text := a.Detail
	if a.ResultID != "" {
		text = strings.TrimSpace("Result " + a.ResultID + ". " + text)
	}
	return text
}

var entryIcons = map[string]string{"asked": "message-circle-question-mark", "told": "bell", "decision": "check", "refused": "ban", "saw": "eye", "started": "play", "ended": "clipboard-check"}

func entryIcon(e replay.Entry) string {
	if icon := map[string]string{string(replay.Reject): "ban", string(replay.Return): "undo-2", string(replay.Supply): "reply", string(replay.Withdraw): "circle-minus"}[e.What]; icon != "" && e.Kind == "decision" {
		return icon
	}
	return entryIcons[e.Kind]
}

func entryTone(e replay.Entry) string {
	switch {
	case e.Kind == "refused", e.Kind == "decision" && e.What == string(replay.Reject):
		return "bad"
	case e.Kind == "decision" && e.What == string(replay.Approve):
		return "ok"
	}
	return ""
}

func entryTitle(e replay.Entry) string {
	if who := e.WhoWords(); who != "" {
		return e.Did() + ", " + who
	}
	return e.Did()
}

// entryText is what was said, what was ticked, and what it was bound to.
func entryText(e replay.Entry) string {
	lines := append([]string{e.Words}, e.Ticks...)
	if e.Kind == "saw" {
		lines[0] = "Shown: " + e.Words + "."
	}
	if e.Bound != "" {
		lines = append(lines, "It covers: "+e.Bound+".")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func lookupTitle(l replay.Looked) string {
	switch l.Result {
	case "found":
		return "Found: " + l.ResultIds
	case "not_found":
		return "Nothing was found"
	}
	return "No result: neither proves nor rules out the effect"
}

func lookupTone(l replay.Looked) string {
	switch {
	case l.Result == "found":
		return "warn"
	case l.Result == "not_found" && l.Counts:
		return "ok"
	}
	return ""
}

func lookupText(l replay.Looked) string {
	text := l.Method
	if l.Detail != "" {
		text += ". " + l.Detail
	}
	if l.By != "" {
		text = strings.TrimSuffix(text, ".") + ". By " + l.By + "."
	}
	if !l.Counts {
		text = strings.TrimSuffix(text, ".") + ". It began before the last attempt ended, so it does not count."
	}
	return text
}

func action(id int64) string { return ledger.ActionPath(id) }

// problem is what must change in the note of somebody who supplies evidence.
func (p Show) problem() string {
	if p.Decision != string(replay.Supply) {
		return ""
	}
	return ui.Field{Name: "note"}.With(p.Problems).Error
}

func (p Show) withdrawProblem() string {
	if p.Decision != string(replay.Withdraw) {
		return ""
	}
	return ui.Field{Name: "note"}.With(p.Problems).Error
}
