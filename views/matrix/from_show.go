package matrix

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
	"countersign/views/ui"
)

// Open is the form that stands open on a control's matrix, with what was typed
// into it.
type Open struct {
	Do         string // propose, not-applicable, decide, waive, talk or add; end and start have pages of their own
	Case       string // key
	Reply      int64  // entry of a thread
	Typed      *Typed // nil shows what is saved
	Problems   []models.FieldError
	Submission string
}

// Typed is what came with a form that was not taken.
type Typed struct {
	Version                   int
	Expected, Reason, Note    string
	Until, Body, Title, Needs string
	Changes                   map[string]string
	Correction, StartingState string            // of a run that was not started
	Before                    map[string]string // counts of it
}

// NewShow is the matrix of a control for its reader.
func NewShow(reader models.Actor, p matrix.Page, open Open, zone *time.Location) Show {
	show := Show{Slug: p.Slug, Name: p.Name, WorkflowSlug: p.Workflow.Slug, WorkflowName: p.Workflow.Name, Number: p.Latest.Number,
		State: string(p.Latest.Shown(p.Now)), Summary: SummaryOf(p), Design: p.DesignHash, Strip: StripOf(p, true, zone), WhyNoCustom: why(p.AddRefusal), Zone: zone}
	show.Notes = notes(p)
	for _, v := range p.Cases {
		c := newCard(reader, p, v, open, zone)
		c.Buttons, c.Links = todo(reader, p, v, c, show.Notes)
		show.Cards = append(show.Cards, c)
	}
	onePrimary(show.Cards)
	if open.Do == "add" && p.AddRefusal == nil {
		f := CustomForm{Problems: open.Problems, Submission: open.Submission}
		if t := open.Typed; t != nil {
			f.Title, f.Needs = t.Title, t.Needs
		}
		show.Custom = &f
	}
	for _, c := range show.Cards {
		show.Problems = append(show.Problems, c.Problems...)
	}
	if show.Custom != nil {
		show.Problems = open.Problems
	}
	show.Lost = open.lost(p, show.Cards, show.Custom != nil)
	return show
}

// notes say once for all cards why something is not to be done: because it is
// not this reader's, or because of where the revision stands.
func notes(p matrix.Page) []string {
	var all []string
	n := map[string]int{}
	add := func(err error) {
		words := why(err)
		if n[words]++; words != "" && !slices.Contains(all, words) && (n[words] > 1 || models.IsKind(err, models.KindForbidden)) {
			all = append(all, words)
		}
	}
	for _, v := range p.Cases {
		add(v.ProposeRefusal)
	}
	for _, v := range p.Cases {
		if v.Agreed != nil && v.Agreed.Applies {
			add(v.RunRefusal)
		}
	}
	return all
}

// onePrimary makes the first thing to do the page's filled button.
func onePrimary(cards []Card) {
	for i := range cards {
		c := &cards[i]
		if c.Settled {
			continue
		}
		if c.Propose != nil || c.Ask != nil {
			return // its own button is
		}
		if c.Decide != nil {
			c.Decide.Primary = true
			return
		}
		for j := range c.Buttons {
			if !c.Buttons[j].Off() {
				c.Buttons[j].Variant = ""
				return
			}
		}
	}
}

func newCard(reader models.Actor, p matrix.Page, v matrix.CaseView, open Open, zone *time.Location) Card {
	c := Card{Control: p.Slug, Key: v.Key, Title: v.Title, Text: v.Words, Custom: v.Custom, State: cellState(v.Cell, p.Now), Zone: zone,
		MayDiscuss: p.DiscussRefusal == nil, NoExpectation: noExpectation(p)}
	if v.Custom {
		c.Text = "Added by " + byName(v.By, v.For) + "."
	}
	for _, s := range v.Needs {
		c.Needs = append(c.Needs, s.Label)
		c.Evidence = append(c.Evidence, s.Label+": "+lower(s.Help))
		if s.Help == "" {
			c.Evidence[len(c.Evidence)-1] = s.Label
		}
	}
	c.expectations(p, v)
	for _, ch := range v.Chains {
		c.Chains = append(c.Chains, steps(ch, zone))
	}
	c.MoreChains = v.MoreChains
	c.Settled, c.Runs = v.Cell.Settled(p.Now), currentRuns(p, v)
	c.Waiver = newWaiver(p, v)
	for _, w := range v.Waivers {
		c.EarlierWaivers = append(c.EarlierWaivers, endedWaiver(w, p.Now))
	}
	for _, t := range v.Thread {
		c.Thread = append(c.Thread, newEntry(reader, p.Parties, t, open))
	}
	if open.Case == v.Key {
		c.open(p, v, open)
	}
	if v.DecideRefusal == nil {
		c.Decide = decideForm(v, open)
	}
	return c
}

func noExpectation(p matrix.Page) string {
	if p.Parties.Implementer.Name == "" {
		return "The implementer proposes one."
	}
	return "The implementer, " + p.Parties.Implementer.Name + ", proposes one."
}

// expectations parts the versions: in force, waiting, declined, earlier.
func (c *Card) expectations(p matrix.Page, v matrix.CaseView) {
	shown := map[int64]bool{}
	show := func(e *matrix.Expectation) *Expectation {
		shown[e.ID] = true
		x := newExpectation(p, *e)
		return &x
	}
	if v.Agreed != nil {
		c.Agreed = show(v.Agreed)
	}
	switch n := v.Newest; {
	case n == nil || shown[n.ID]:
	case n.Decision == "":
		c.Waiting = show(n)
	case n.Decision == matrix.Decline:
		c.Declined = show(n)
	}
	for _, e := range v.Exceptions {
		c.Exceptions = append(c.Exceptions, newException(v.All, e))
	}
	for _, e := range v.All {
		if !shown[e.ID] {
			c.Earlier = append(c.Earlier, newExpectation(p, e))
		}
	}
}

func newExpectation(p matrix.Page, e matrix.Expectation) Expectation {
	x := Expectation{Version: e.Version, Applies: e.Applies, Expected: e.Expected, Reason: e.Reason, By: byName(e.By, e.For), At: e.At,
		Decision: e.Decision, Note: e.Note, Exception: e.Exception, DecidedBy: byName(e.DecidedBy, e.DecidedFor), DecidedAt: e.DecidedAt}
	for _, f := range e.Effects {
		x.Effects = append(x.Effects, Effect{Name: f.Name, Slug: f.Slug, Accounts: accounts(p, f.ControlID), Change: signed(int64(f.Change))})
	}
	return x
}

// accounts names where an effect is counted, in the environments of runs.
func accounts(p matrix.Page, controlID int64) string {
	var all []string
	for _, place := range p.Places {
		if d, ok := place.Accounts[controlID]; ok && place.Refusal == nil && !slices.Contains(all, d.Name) {
			all = append(all, d.Name)
		}
	}
	return strings.Join(all, "; ")
}

// currentRuns are the runs a card shows beside its chains: those that wait for
// somebody and the one the state rests on, newest first.
func currentRuns(p matrix.Page, v matrix.CaseView) []RunLine {
	var all []matrix.Run
	add := func(r matrix.Run) {
		if !slices.ContainsFunc(all, func(o matrix.Run) bool { return o.ID == r.ID }) {
			all = append(all, r)
		}
	}
	for _, r := range p.Waiting {
		if r.Case.Slug == v.Key {
			add(r)
		}
	}
	if v.Run != nil {
		add(*v.Run)
	}
	for _, c := range v.Chains { // they are shown there
		all = slices.DeleteFunc(all, func(r matrix.Run) bool {
			return slices.ContainsFunc(c.Runs, func(o matrix.Run) bool { return o.ID == r.ID })
		})
	}
	slices.SortFunc(all, func(a, b matrix.Run) int { return int(b.ID - a.ID) })
	return NewReviews(all)
}

// todo is what can be done about a case now: buttons first, quieter links after.
// What said explains for all cards has no button.
func todo(reader models.Actor, p matrix.Page, v matrix.CaseView, c Card, said []string) (buttons []ui.Btn, links []Link) {
	button := func(text, href, icon string, refusal error) {
		if !slices.Contains(said, why(refusal)) {
			buttons = append(buttons, ui.Btn{Text: text, More: ": " + v.Title, Href: href, Icon: icon, Variant: "outline", Size: "sm", Why: why(refusal)})
		}
	}
	waits := false
	for _, r := range p.Waiting {
		switch {
		case r.Case.Slug != v.Key:
		case r.Waits() && matrix.MayReview(reader, p.Parties, r) == nil:
			button(fmt.Sprintf("Review run %d", r.ID), matrix.RunPath(r.ID)+"#review", "eye", nil)
		case r.Outcome == "" && matrix.MayRun(reader, p.Parties) == nil:
			waits = true
			button(fmt.Sprintf("Record run %d", r.ID), matrix.RunPath(r.ID)+"#record", "pencil-line", nil)
		}
	}
	if v.Agreed == nil && v.Newest == nil || c.Declined != nil {
		button("Propose an expected result", c.Opens("propose"), "", v.ProposeRefusal)
	}
	if v.Agreed != nil && v.Agreed.Applies {
		start := "Start run"
		if v.LatestFailure != 0 {
			start = "Start retest"
		}
		if !waits {
			if v.LatestFailure != 0 && v.Run != nil && v.Run.InForce && p.Approved != nil {
				button(start, fmt.Sprintf("%s/start?revision=%d", c.Path(), p.Approved.Number), "play", v.InForceRefusal)
			} else {
				button(start, c.Path()+"/start", "play", v.RunRefusal)
			}
		} else if v.RunRefusal == nil {
			links = append(links, Link{Text: "Start another run", Href: c.Path() + "/start"})
		}
	}
	if p.Approved != nil && v.InForce != nil && v.InForce.Applies && v.InForceRefusal == nil {
		links = append(links, Link{Text: fmt.Sprintf("Start a run on revision %d, in force", p.Approved.Number), Href: fmt.Sprintf("%s/start?revision=%d", c.Path(), p.Approved.Number)})
	}
	if v.ProposeRefusal == nil {
		if v.Newest != nil && c.Declined == nil {
			links = append(links, Link{Text: "Propose another expected result", Href: c.Opens("propose")})
		}
		if v.Cell.DiscrepancyID == 0 && (v.Agreed == nil || v.Agreed.Applies) {
			links = append(links, Link{Text: "Not applicable", Href: c.Opens("not-applicable")})
		}
	}
	if v.WaiveRefusal == nil {
		links = append(links, Link{Text: "Ask for a waiver", Href: c.Opens("waive")})
	}
	if c.MayDiscuss {
		links = append(links, Link{Text: "Ask or comment", Href: c.Opens("talk")})
	}
	if len(c.Runs)+len(c.Chains) > 0 {
		links = append(links, Link{Text: "Every run", Href: "/controls/" + c.Control + "/matrix?runs=" + c.Key + "#runs"})
	}
	return buttons, links
}

// open puts the open form on its card.
func (c *Card) open(p matrix.Page, v matrix.CaseView, open Open) {
	for _, e := range open.Problems {
		c.Problems = append(c.Problems, models.FieldError{Field: c.ID() + "-" + e.Field, Message: e.Message})
	}
	switch {
	case (open.Do == "propose" || open.Do == "not-applicable") && v.ProposeRefusal == nil:
		c.Propose = proposeForm(p, v, open)
	case open.Do == "waive" && v.WaiveRefusal == nil:
		c.Ask = &WaiverForm{Submission: open.Submission, Latest: "At the latest " + ui.DateWords(p.Now.AddDate(0, 0, matrix.MaxWaiverDays)) + ", the end of that day in UTC."}
		if t := open.Typed; t != nil {
			c.Ask.Reason, c.Ask.Until = t.Reason, t.Until
		}
	case open.Do == "talk" && c.MayDiscuss:
		c.Talk = &Talk{Submission: open.Submission}
		if t := open.Typed; t != nil {
			c.Talk.Body = t.Body
		}
		for _, e := range open.Problems {
			c.Talk.Error = e.Message
		}
	}
}

func proposeForm(p matrix.Page, v matrix.CaseView, open Open) *ProposeForm {
	f := &ProposeForm{NotApplicable: open.Do == "not-applicable", Submission: open.Submission}
	values := map[string]string{}
	if n := v.Newest; n != nil {
		f.Version, f.Expected = n.Version, n.Expected
		for _, e := range n.Effects {
			values[e.Slug] = signed(int64(e.Change))
		}
	}
	if v.Agreed != nil {
		f.NeedReason = "Something was agreed before, so the business owner reads why it changes."
	}
	if v.Cell.DiscrepancyID != 0 {
		f.NeedReason = "A discrepancy is open. Only the business owner can agree to another expectation now, and the reason is shown at sign-off for good."
	}
	if t := open.Typed; t != nil {
		f.Expected, f.Reason, values = t.Expected, t.Reason, t.Changes
		if t.Version != 0 {
			f.Version = t.Version
		}
	}
	for i, w := range p.Watchable {
		f.Effects = append(f.Effects, EffectField{Slug: w.Slug, Label: w.Name, Accounts: accounts(p, w.ID), Value: values[w.Slug], Own: i == 0})
	}
	return f
}

func decideForm(v matrix.CaseView, open Open) *DecideForm {
	f := &DecideForm{Version: v.Newest.Version, Help: "Needed to decline."}
	if v.Cell.DiscrepancyID != 0 {
		f.Help = "Needed either way: a discrepancy is open, and your reason is shown at sign-off for good."
	}
	if open.Do == "decide" && open.Case == v.Key {
		f.Submission = open.Submission
		if open.Typed != nil {
			f.Note = open.Typed.Note
		}
	}
	return f
}

func newWaiver(p matrix.Page, v matrix.CaseView) *Waiver {
	w := v.Waiver
	if w == nil {
		return nil
	}
	x := &Waiver{ID: w.ID, Reason: w.Reason, Until: w.Until, AskedBy: byName(w.AskedBy, w.AskedFor), AskedAt: w.AskedAt, State: ui.StateFor("waiver_wanted")}
	switch {
	case w.Over(p.Now):
		x.State = ui.State{Word: "Waiver ended", Icon: "calendar-x", Tone: "bad"}
	case w.InForce(p.Now):
		x.State = ui.StateFor("waived")
	}
	sign := func(slot string, by, standsFor control.Ref, at *time.Time) {
		if at == nil {
			if !w.Over(p.Now) {
				x.Missing = append(x.Missing, slot)
			}
			return
		}
		x.Signatures = append(x.Signatures, fmt.Sprintf("Signed as %s by %s, %s", slot, byName(by, standsFor), ui.DateWords(*at)))
	}
	sign("business owner", w.OwnerBy, w.OwnerFor, w.OwnerAt)
	sign("reviewer", w.ReviewerBy, w.ReviewerFor, w.ReviewerAt)
	if v.SignRefusal == nil {
		x.Sign = ui.Btn{Text: "Sign waiver", More: " of " + inside(v.Title), Icon: "signature", Variant: "outline", Size: "sm"}
	}
	if v.EndRefusal == nil {
		x.End = ui.Btn{Text: endWords(*w), More: " of " + inside(v.Title), Href: "/controls/" + p.Slug + "/matrix/" + v.Key + "/waiver/end", Variant: "outline", Size: "sm"}
	}
	return x
}

// endWords name what ending a waiver means: one that both signed ends, another
// is turned down.
func endWords(w matrix.Waiver) string {
	if w.Signed() {
		return "End waiver"
	}
	return "Turn down waiver"
}

func endedWaiver(w matrix.Waiver, now time.Time) EndedWaiver {
	e := EndedWaiver{Reason: w.Reason, At: w.Until, Words: "Its date passed,"}
	if w.EndedAt != nil {
		words := "Ended by "
		if !w.Signed() {
			words = "Turned down by "
		}
		e.At, e.Words = *w.EndedAt, words+byName(w.EndedBy, w.EndedFor)+": "+w.EndReason+","
	}
	return e
}

func newEntry(reader models.Actor, parties control.Parties, t control.Comment, open Open) Entry {
	e := Entry{ID: t.ID, Question: t.Kind == "question", Open: t.Open(), Body: t.Body, By: byName(t.By, t.For), At: t.At}
	if t.ClosedAt != nil {
		e.Closed = "Closed by " + t.ClosedBy.Name
	}
	if e.Open {
		err := control.MayClose(reader, parties, t.Asker())
		e.MayClose, e.WhyNoClose = err == nil, why(err)
	}
	for _, r := range t.Replies {
		e.Replies = append(e.Replies, Entry{Body: r.Body, By: byName(r.By, r.For), At: r.At})
	}
	if open.Reply == t.ID {
		e.Reply = &Talk{Submission: open.Submission}
		if open.Typed != nil {
			e.Reply.Body = open.Typed.Body
		}
		for _, p := range open.Problems {
			e.Reply.Error = p.Message
		}
	}
	return e
}
