package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// gives fails unless the page gives back what was typed under its label.
func (p *page) gives(label, text string) *page {
	p.b.a.t.Helper()
	for i := range p.Find(".lost dt").Length() {
		if words(p.Find(".lost dt").Eq(i).Text()) == label && p.Find(".lost dd").Eq(i).Text() == text {
			return p
		}
	}
	p.b.a.t.Errorf("%s is not given back as %q: %s", label, text, words(p.Find(".lost").Text()))
	return p
}

// What somebody typed is given back when somebody else was faster.
func TestTypedTextIsGivenBack(t *testing.T) {
	b := agreed(t)
	impl, owner, rev := b.as(b.implementer), b.as(b.owner), b.as(b.reviewer)
	run := b.started(nil)
	form, ask := impl.get(run), impl.get(run+"/abandon")
	impl.submit(form, "Record as failed", result("failed", "8")).want(http.StatusSeeOther)
	late := result("failed", "9")
	late.Set("observed", "Two visits.\nBoth today.")
	late.Set("log_reference", "log-demo-02")
	late.Set("submission", "another-form-1")
	impl.post(run+"/result", late).want(http.StatusConflict).gives("What did you observe?", "Two visits.\nBoth today.").gives("Count after: Book visit", "9").
		gives("What did you look at?", "The calendar").gives("Automation log", "log-demo-02")
	impl.submit(ask, "Abandon run", url.Values{"reason": {"The sandbox was down."}}).want(http.StatusConflict).gives("Why it is abandoned", "The sandbox was down.")

	// A decision on a proposal that was decided meanwhile.
	owner.post(board+"/"+first+"/decision", url.Values{"version": {"1"}, "decision": {"declined"}, "note": {"Say in which calendar."}}).want(http.StatusConflict).gives("Note", "Say in which calendar.")

	// Waivers: asked for twice, ended twice.
	until := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	wanted := func(key string) url.Values {
		return url.Values{"reason": {"It cannot be repeated."}, "until": {until}, "submission": {key}}
	}
	impl.post(board+"/"+first+"/waiver", wanted("another-form-2")).goesTo(card)
	impl.post(board+"/"+first+"/waiver", wanted("another-form-3")).want(http.StatusConflict).gives("Reason", "It cannot be repeated.").gives("Until", until)
	end := rev.get(board + "/" + first + "/waiver/end")
	rev.submit(end, "Turn down waiver", url.Values{"reason": {"It can."}}).goesTo(card)
	rev.submit(end, "Turn down waiver", url.Values{"reason": {"It can now."}, "submission": {"another-form-4"}}).want(http.StatusConflict).gives("Reason", "It can now.")
}

// A start is refused when the scenario became not applicable meanwhile.
func TestTypedStartIsGivenBack(t *testing.T) {
	b := agreed(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	form := impl.get(start)
	impl.submit(impl.get(board+"?do=not-applicable&case="+first), "Propose as not applicable", url.Values{"reason": {"It cannot happen."}}).goesTo(card)
	owner.submit(owner.get(board), "Agree", url.Values{"decision": {"agreed"}}).follow().says("The scenario needs no run.")
	impl.submit(form, "Start run", startValues).want(http.StatusConflict).says("agreed to be not applicable").
		gives("How the destination looks", "One visit for request-demo-01.").gives("Count before: Book visit", "7")
}

// Enter in a field presses the first button, which decides nothing.
func TestEnterDecidesNothing(t *testing.T) {
	b := agreed(t)
	impl, rev := b.as(b.implementer), b.as(b.reviewer)
	run := b.started(nil)
	v, before := result("", "8"), b.written()
	p := impl.post(run+"/result", v).errorAt("outcome").says("Choose how it went: passed, failed or inconclusive.")
	if p.Find("#record form button").First().AttrOr("name", "") != "" || p.Find("#record form button").First().AttrOr("type", "") != "submit" {
		t.Error("the first button of the form decides something")
	}
	if p.Find("input[name='after.book-visit']").AttrOr("value", "") != "8" || strings.TrimSpace(p.Find("textarea[name=observed]").Text()) != "Looked at the calendar." {
		t.Error("what was typed is lost")
	}
	if b.written() != before {
		t.Error("something was recorded")
	}
	impl.submit(impl.get(run), "Record as failed", result("failed", "8")).want(http.StatusSeeOther)
	before = b.written()
	rev.post(run+"/review", url.Values{"reason": {"The log of today."}}).errorAt("decision").says("The log of today.")
	if b.written() != before {
		t.Error("something was reviewed")
	}
}

// Each reason of the gate leads to where it is put right.
func TestGateReasonsLead(t *testing.T) {
	b := newTesting(t)
	if n := b.as(b.viewer).get("/controls/book-visit").Find(".gate a[href='/controls/book-visit/sign-off']").Length(); n != 1 {
		t.Errorf("%d links from the gate", n)
	}
}
