package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/matrix"

	"github.com/PuerkitoBio/goquery"
)

// newTesting is a booking whose control is answered, and not tested.
func newTesting(t *testing.T) *booking {
	t.Helper()
	b := newBooking(t)
	b.answer("book-visit")
	return b
}

const (
	board = "/controls/book-visit/matrix"
	first = "repeated-delivery"
	card  = board + "#c-" + first
	start = board + "/" + first + "/start"
)

// agreed is newTesting with one agreed scenario: the count stays.
func agreed(t *testing.T) *booking {
	t.Helper()
	b := newTesting(t)
	b.agree(first)
	return b
}

// agree proposes that one scenario changes nothing, and agrees it.
func (b *booking) agree(key string) {
	b.t.Helper()
	impl, owner := b.as(b.implementer), b.as(b.owner)
	v := url.Values{"expected": {"No second visit."}, "changes.book-visit": {"0"}}
	impl.submit(impl.get(board+"?do=propose&case="+key), "Propose to the business owner", v).goesTo(board + "#c-" + key)
	owner.post(board+"/"+key+"/decision", url.Values{"version": {"1"}, "decision": {"agreed"}}).goesTo(board + "#c-" + key)
}

var startValues = url.Values{"environment": {"sandbox"}, "starting_state": {"One visit for request-demo-01."}, "before.book-visit": {"7"}}

// started starts a run and returns its path.
func (b *booking) started(more url.Values) string {
	b.t.Helper()
	impl := b.as(b.implementer)
	v := url.Values{}
	for name, value := range startValues {
		v[name] = value
	}
	for name, value := range more {
		v[name] = value
	}
	return impl.submit(impl.get(start), "Start run", v).want(http.StatusSeeOther).header.Get("Location")
}

// attach fills every required slot of a run.
func (b *booking) attach(path string) {
	b.t.Helper()
	id := int64(b.count("select max(id) from runs"))
	place, err := matrix.EvidencePlace(b.t.Context(), b.db, b.implementer, id)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range place.Slots {
		cmd := evidence.AttachTextCmd{Place: place, Details: evidence.Details{Slot: s.Key, Proves: "It."}, Text: path + s.Key}
		if _, err := evidence.AttachText(b.t.Context(), b.db, b.implementer, cmd); err != nil {
			b.t.Fatal(err)
		}
	}
}

func result(outcome, after string) url.Values {
	return url.Values{"outcome": {outcome}, "observed": {"Looked at the calendar."}, "after.book-visit": {after}, "inspected": {"true"}, "inspected_what": {"The calendar"}}
}

// runs counts what the matrix wrote.
func (b *booking) written() int {
	b.t.Helper()
	return b.changes() + b.count(`select (select count(*) from expectations) + (select count(*) from expectation_decisions) + (select count(*) from runs) + (select count(*) from run_results)
		+ (select count(*) from run_reviews) + (select count(*) from waivers) + (select count(*) from waivers where ended_at is not null) + (select count(*) from test_cases)`)
}

func TestExpectationProposedAndAgreed(t *testing.T) {
	b := newTesting(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	page := impl.get(board).want(http.StatusOK).says("Test matrix of Book visit").says("6 not agreed").says("No expected result is proposed.")
	if page.Find(".case").Length() != 6 || page.Find(".strip > li").Length() != 6 {
		t.Fatal("not every scenario has its card and its place in the strip")
	}
	form := impl.get(board + "?do=propose&case=" + first)
	impl.submit(form, "Propose to the business owner", url.Values{"changes.book-visit": {"many"}}).errorAt("c-repeated-delivery-expected").errorAt("c-repeated-delivery-changes.book-visit").says("Enter by how much the count changes")
	values := url.Values{"expected": {"No second visit."}, "changes.book-visit": {"0"}}
	impl.submit(form, "Propose to the business owner", values).goesTo(card)
	waiting := impl.get(board).says("Proposed.").says("Proposed, waits for the business owner").says("No second visit.")
	if waiting.Find("form[action$='/decision']").Length() != 0 {
		t.Error("the implementer is offered to agree")
	}
	// Another tab still has the form of before: both versions are there.
	stale := impl.submit(form, "Propose to the business owner", url.Values{"expected": {"No other visit."}, "changes.book-visit": {"1"}}).want(http.StatusConflict)
	stale.says("proposed version 1 while you were editing").says("No second visit.")
	if stale.Find("#c-repeated-delivery-expected").Text() != "No other visit." || stale.Find("#c-repeated-delivery-form input[name=version]").AttrOr("value", "") != "1" {
		t.Error("what was typed is lost, or still based on the old version")
	}
	owner.submit(owner.get(board), "Decline", url.Values{"decision": {"declined"}}).errorAt("c-repeated-delivery-note")
	owner.submit(owner.get(board), "Decline", url.Values{"decision": {"declined"}, "note": {"Say in which calendar."}}).follow().says("Declined.").says("Say in which calendar.")
	impl.submit(impl.get(board+"?do=propose&case="+first), "Propose to the business owner", url.Values{"expected": {"No second visit in the sandbox calendar."}}).goesTo(card)
	owner.submit(owner.get(board), "Agree", url.Values{"decision": {"agreed"}}).follow().says("Agreed.").says("Agreed by Business owner").says("1 earlier version of the expectation").says("5 not agreed")
	impl.get(board + "?do=propose&case=" + first).says("so the business owner reads why it changes")
}

func TestNotApplicableNeedsAReasonAndTheOwner(t *testing.T) {
	b := newTesting(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	form := impl.get(board + "?do=not-applicable&case=out-of-order-update")
	impl.submit(form, "Propose as not applicable", nil).errorAt("c-out-of-order-update-reason")
	impl.submit(form, "Propose as not applicable", url.Values{"reason": {"A visit has no later version."}}).want(http.StatusSeeOther)
	owner.submit(owner.get(board), "Agree", url.Values{"decision": {"agreed"}}).follow().says("Not applicable: A visit has no later version.")
	b.as(b.viewer).get("/matrix").says("Not applicable")
}

func TestFailureAnsweredByARetest(t *testing.T) {
	b := agreed(t)
	impl, rev, owner := b.as(b.implementer), b.as(b.reviewer), b.as(b.owner)

	form := impl.get(start).want(http.StatusOK).says("No second visit.").says("What the run has to show")
	impl.submit(form, "Start run", url.Values{"before.book-visit": {"some"}}).errorAt("starting_state").errorAt("before.book-visit")
	failed := b.started(nil)
	page := impl.get(failed).want(http.StatusOK).says("0 of 4 attached").says("Not recorded yet")
	if _, off := page.Find("button[value=passed]").Attr("disabled"); !off || page.Find("#"+page.Find("button[value=passed]").AttrOr("aria-describedby", "none")).Length() != 1 {
		t.Error("a pass can be recorded without evidence, or nobody says why not")
	}
	if page.Find("button[value=failed][disabled], button[value=inconclusive][disabled]").Length() != 0 {
		t.Error("a failure needs no evidence")
	}
	impl.submit(page, "Record as failed", url.Values{"outcome": {"failed"}, "inspected": {"true"}}).errorAt("observed").errorAt("after.book-visit").errorAt("inspected_what")
	impl.submit(page, "Record as failed", result("passed", "8")).follow().says("Recorded as failed.").says("so it is not passed").says("1 more than agreed").says("Discrepancy D-").says("Only a passing, accepted retest closes it.").says("Start retest")
	impl.get(failed).says("Only the reviewer of this control").saysNot("Accept run")
	rev.submit(rev.get("/matrix").says("Runs waiting for your review").b.get(failed), "Accept run", url.Values{"decision": {"accepted"}}).follow().says("Accepted as failed by Reviewer").says("Discrepancy D-")
	rev.get("/matrix").saysNot("Runs waiting for your review").says("1 discrepancy open")
	owner.get(board).says("Failed").says("Change +1, agreed 0")

	// The expectation stays while the discrepancy is open, except by the owner with a reason.
	impl.get(board + "?do=propose&case=" + first).says("shown at sign-off for good")
	if impl.get(board).Find(".case a[href*='do=not-applicable&case="+first+"']").Length() != 0 {
		t.Error("a failing scenario is offered as not applicable")
	}

	without := impl.submit(impl.get(start).says("What was corrected?"), "Start run", startValues)
	without.errorAt("correction")
	passed := b.started(url.Values{"correction": {"The automation claims first."}})
	b.attach(passed)
	ready := impl.get(passed).says("4 of 4 attached").says("What answers this failure").says("The automation claims first.")
	impl.submit(ready, "Record as passed", result("passed", "7")).follow().says("Recorded as passed.").says("As agreed")
	rev.submit(rev.get(passed).says("Accepting closes the discrepancy"), "Accept run", url.Values{"decision": {"accepted"}}).follow().says("The discrepancy is closed: this retest answers it.").says("Closed by retest")
	owner.get("/matrix").says("Passed after 1 failure")
	chain := owner.get(board).says("Passed after 1 failure").Find(".case .chain > li")
	if chain.Length() != 3 || !strings.Contains(chain.Eq(1).Text(), "The automation claims first.") || !strings.Contains(words(chain.Eq(1).Text()), "Design unchanged.") {
		t.Errorf("the chain reads %q", words(chain.Text()))
	}
	for _, key := range []string{"simultaneous-workers", "timeout-after-success", "out-of-order-update", "partial-success", "legitimate-second-request"} {
		impl.submit(impl.get(board+"?do=not-applicable&case="+key), "Propose as not applicable", url.Values{"reason": {"One worker only."}}).want(http.StatusSeeOther)
	}
	if _, off := impl.get("/controls/book-visit").says("5 scenarios to agree").Find("form[action$='/submit'] button").Attr("disabled"); !off {
		t.Error("it can be submitted while proposals wait")
	}
	for range 5 {
		owner.submit(owner.get(board), "Agree", url.Values{"decision": {"agreed"}}).want(http.StatusSeeOther)
	}
	impl.submit(impl.get("/controls/book-visit"), "Submit for review", nil).goesTo("/controls/book-visit/sign-off")
	sign := owner.get("/controls/book-visit/sign-off").says("Passed after 1 failure").says("One scenario failed first. This is how it was put right:").says("Tested: all 1").says("and that the tests show it")
	if _, off := sign.Find("button[value=approve]").Attr("disabled"); off {
		t.Error("it cannot be approved although every scenario is proven")
	}
	owner.get(board).says("Revision 1 is in review").saysNot("Propose another expected result")
	owner.get("/controls/book-visit/revisions/1").says("No second visit.").says("Not applicable: One worker only.")
	if sign.Find(".strip [data-chain]").Length() != 1 {
		t.Error("the strip does not show which scenario failed first")
	}
	owner.get("/controls").says("1 of 1 passed")
	owner.get("/controls/book-visit").says("Open the matrix").says("Passed after 1 failure")
}

func TestGreenLogNeverPasses(t *testing.T) {
	b := agreed(t)
	impl := b.as(b.implementer)
	run := b.started(nil)
	b.attach(run)
	v := result("passed", "7")
	v.Del("inspected")
	v.Del("inspected_what")
	v.Set("log_reference", "run-log-demo-01")
	impl.submit(impl.get(run), "Record as passed", v).follow().says("Recorded as inconclusive.").says("Nobody looked at the destination itself, so it is not passed.").says("run-log-demo-01").says("by the rules it is inconclusive")
}

func TestStartedRunsAreRecordedOrAbandoned(t *testing.T) {
	b := agreed(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	run := b.started(nil)
	owner.get(board).says("Started, not recorded yet")
	owner.get("/controls/book-visit/sign-off").says("was started and is not recorded")
	owner.get(run).saysNot("Abandon run").says("Only the implementer of this control")
	owner.get(run + "/abandon").want(http.StatusForbidden)
	ask := impl.get(run + "/abandon").want(http.StatusOK).says("Abandon run")
	impl.submit(ask, "Abandon run", nil).errorAt("reason")
	impl.submit(ask, "Abandon run", url.Values{"reason": {"The sandbox was down."}}).follow().says("Run abandoned.").says("The sandbox was down.").saysNot("Record the result")
	impl.get(run + "/abandon").want(http.StatusConflict)
	impl.post(run+"/result", result("failed", "9")).want(http.StatusConflict).says("abandoned this run")
	impl.get(board).says("Abandoned: The sandbox was down.")
}

func TestTwoReviewersOneDecisionStands(t *testing.T) {
	b := agreed(t)
	impl, rev := b.as(b.implementer), b.as(b.reviewer)
	deputy := b.person("Deputy", models.Reviewer)
	b.exec("insert into delegations (person_id, delegate_id, until, created_by) values (?, ?, '2150-01-01', ?)", b.reviewer.ID, deputy.ID, b.reviewer.ID)
	other := b.as(deputy)
	run := b.started(nil)
	impl.submit(impl.get(run), "Inconclusive", result("inconclusive", "7")).want(http.StatusSeeOther)
	mine, theirs := rev.get(run), other.get(run)
	rev.submit(mine, "Return run", url.Values{"decision": {"returned"}}).errorAt("reason")
	other.submit(theirs, "Accept run", url.Values{"decision": {"accepted"}}).want(http.StatusSeeOther)
	lost := rev.submit(mine, "Return run", url.Values{"decision": {"returned"}, "reason": {"The traces are of another run."}}).want(http.StatusConflict)
	lost.says("Deputy").says("This was not recorded").says("The traces are of another run.").saysNot("Return run")
	if n := b.count("select count(*) from run_reviews"); n != 1 {
		t.Errorf("%d reviews", n)
	}
}

func TestWaiver(t *testing.T) {
	b := agreed(t)
	impl, owner, rev := b.as(b.implementer), b.as(b.owner), b.as(b.reviewer)
	form := impl.get(board + "?do=waive&case=" + first)
	impl.submit(form, "Ask both to sign", url.Values{"until": {"2199-01-01"}}).errorAt("c-repeated-delivery-reason").errorAt("c-repeated-delivery-until")
	until := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	impl.submit(form, "Ask both to sign", url.Values{"reason": {"The sandbox cannot repeat an event."}, "until": {until}}).follow().says("Waiver asked for.").says("Waits for the reviewer").saysNot("Sign waiver")
	owner.submit(owner.get(board), "Sign waiver", nil).follow().says("It counts once the other signature is in.").says("Signed as business owner by Business owner")
	rev.submit(rev.get(board), "Sign waiver", nil).follow().says("Both signatures are in").says("Waived")
	owner.get("/matrix").says("Waived")
	owner.get("/controls/book-visit/sign-off").says("The sandbox cannot repeat an event.")
	b.as(b.viewer).get(board).saysNot("End waiver")
	b.as(b.viewer).get(board + "/" + first + "/waiver/end").want(http.StatusForbidden)
	ask := rev.get(board + "/" + first + "/waiver/end").want(http.StatusOK).says("End the waiver of repeated delivery?")
	rev.submit(ask, "End waiver", nil).errorAt("reason")
	rev.submit(ask, "End waiver", url.Values{"reason": {"It can be repeated now."}}).follow().says("Waiver ended.").says("1 earlier waiver").says("It can be repeated now.")
	rev.submit(ask, "End waiver", url.Values{"reason": {"Again."}, "submission": {"another-form-1"}}).want(http.StatusConflict)
}

func TestThreadOfAScenario(t *testing.T) {
	b := newTesting(t)
	rev, impl := b.as(b.reviewer), b.as(b.implementer)
	form := rev.get(board + "?do=talk&case=" + first)
	rev.submit(form, "Ask a question", url.Values{"body": {" "}}).want(http.StatusUnprocessableEntity).says("Enter the question.")
	rev.submit(form, "Ask a question", url.Values{"body": {"Does the log count drafts?"}}).goesTo(card)
	id := b.count("select max(id) from comments")
	asked := impl.get(fmt.Sprintf("%s?reply=%d", board, id)).says("Does the log count drafts?")
	impl.submit(asked, "Reply", url.Values{"body": {"No, only what left."}}).follow().says("Reply added.").says("No, only what left.").saysNot("Close question")
	impl.get("/controls/book-visit").says("Does the log count drafts?")
	if link := impl.get("/controls/book-visit").Find("a[href='" + card + "']"); link.Length() == 0 {
		t.Error("the open question of a scenario does not lead to its card")
	}
	rev.submit(rev.get(board), "Close question", nil).follow().says("Question closed.")
	impl.submit(impl.get(board+"?do=talk&case="+first), "Comment", url.Values{"body": {"Thank you."}}).want(http.StatusSeeOther)
	b.as(b.viewer).get(board).saysNot("Ask or comment")
}

func TestCustomScenario(t *testing.T) {
	b := newTesting(t)
	impl := b.as(b.implementer)
	form := impl.get(board + "?do=add")
	impl.submit(form, "Add scenario", nil).errorAt("title").errorAt("needs")
	impl.submit(form, "Add scenario", url.Values{"title": {"Two people press at once"}, "needs": {"Both screens\nThe calendar"}}).follow().says("Scenario added.").says("Two people press at once")
	if n := impl.get(board).Find(".strip > li").Length(); n != 7 {
		t.Errorf("%d scenarios in the strip", n)
	}
	impl.get("/matrix").says("1 scenario of its own")
	b.as(b.viewer).get(board).says("Scenarios are added by")
}

func TestRefusalsOfTheMatrixChangeNothing(t *testing.T) {
	b := agreed(t)
	run := b.started(nil)
	impl := b.as(b.implementer)
	impl.submit(impl.get(run), "Record as failed", result("failed", "9")).want(http.StatusSeeOther)
	before := b.written()
	for _, try := range []struct {
		by     models.Actor
		path   string
		form   url.Values
		status int
	}{
		{b.owner, board + "/" + first + "/expectations", url.Values{"version": {"1"}, "expected": {"x"}, "changes.book-visit": {"1"}, "reason": {"x"}}, http.StatusForbidden},
		{b.implementer, board + "/" + first + "/decision", url.Values{"version": {"1"}, "decision": {"agreed"}}, http.StatusForbidden},
		{b.owner, board + "/" + first + "/decision", url.Values{"version": {"1"}, "decision": {"agreed"}}, http.StatusConflict},
		{b.reviewer, start, startValues, http.StatusForbidden},
		{b.implementer, board + "/simultaneous-workers/start", startValues, http.StatusConflict},
		{b.implementer, board + "/nothing/start", startValues, http.StatusNotFound},
		{b.reviewer, run + "/result", result("passed", "7"), http.StatusForbidden},
		{b.implementer, run + "/result", result("passed", "7"), http.StatusConflict},
		{b.implementer, run + "/review", url.Values{"decision": {"accepted"}}, http.StatusForbidden},
		{b.viewer, run + "/review", url.Values{"decision": {"accepted"}}, http.StatusForbidden},
		{b.viewer, board, url.Values{"title": {"x"}, "needs": {"y"}}, http.StatusForbidden},
		{b.viewer, board + "/" + first + "/waiver", url.Values{"reason": {"x"}, "until": {"2026-01-01"}}, http.StatusForbidden},
		{b.implementer, "/runs/999/result", result("passed", "7"), http.StatusNotFound},
		{b.implementer, "/runs/x/review", nil, http.StatusNotFound},
	} {
		p := b.as(try.by).post(try.path, try.form)
		if p.status != try.status {
			t.Errorf("%s as %s: %d, want %d: %s", try.path, try.by.Name, p.status, try.status, words(p.Find("main").Text()))
		}
	}
	if b.written() != before {
		t.Error("a refused form changed something")
	}
	for path, status := range map[string]int{"/runs/999": 404, "/runs/x": 404, "/controls/nothing/matrix": 404, board + "?at=x": 400, "/matrix?at=x": 400, "/matrix?owner=x": 400, start: 403,
		"/matrix?state=failed": 200, "/matrix?state=nonsense": 200, "/matrix?workflow=intake&owner=" + id(b.owner.ID): 200, board + "?runs=" + first: 200, board + "/nothing/waiver/end": 404} {
		b.as(b.viewer).get(path).want(status)
	}
	n := strings.TrimPrefix(run, "/runs/")
	impl.get("/evidence/new?to=" + run).want(http.StatusOK)
	for _, other := range []string{"%2B" + n, "0" + n, "-" + n, n + "/"} {
		impl.get("/evidence/new?to=/runs/" + other).want(http.StatusNotFound)
	}
}

func TestGridFilters(t *testing.T) {
	b := agreed(t)
	viewer := b.as(b.viewer)
	viewer.get("/matrix?state=not_run").says("Book visit").says("Not run 1")
	viewer.get("/matrix?state=failed").says("No scenario matches")
	viewer.get("/matrix?workflow=x").says("No scenario matches")
	page := viewer.get("/matrix")
	if page.Find(".tabbar a[aria-current]").Text() != "All 6" || page.Find(".matrix tbody td").Length() != 6 {
		t.Errorf("tabs %q", words(page.Find(".tabbar").Text()))
	}
}

// While a later revision is open, a run is started on it or on the one in force.
func TestARunOnTheRevisionInForce(t *testing.T) {
	a := newDemo(t)
	impl := a.as(models.Actor{Email: "implementer@example.test"})
	const at = "/controls/create-crm-task/matrix"
	p := impl.get(at).says("Start a run on revision 1, in force")
	href := ""
	p.Find("a").Each(func(_ int, s *goquery.Selection) {
		if to := s.AttrOr("href", ""); strings.Contains(to, first) && strings.Contains(s.Text(), "Start a run on revision 1") {
			href = to
		}
	})
	v := url.Values{"environment": {"sandbox"}, "starting_state": {"One task."}, "before.create-crm-task": {"1"}}
	impl.get(at + "/" + first + "/start").says("Revision 2").says("Run it on revision 1 instead")
	form := impl.get(href).says("Revision 1").says("Run it on revision 2 instead")
	run := impl.submit(form, "Start run", v).want(http.StatusSeeOther).follow().says("Revision 1")
	if n := a.count("select r.number from runs x join revisions r on r.id = x.revision_id order by x.id desc limit 1"); n != 1 {
		t.Errorf("revision %d, want 1: %s", n, words(run.Find("h1").Text()))
	}
}

// An address names the scenario that a waiver or question belongs to.
func TestWaiversAndQuestionsStayUnderTheirScenario(t *testing.T) {
	b := agreed(t)
	owner := b.as(b.owner)
	until := time.Now().UTC().AddDate(0, 0, 9).Format(time.DateOnly)
	owner.post(board+"/"+first+"/waiver", url.Values{"reason": {"It cannot be run."}, "until": {until}})
	waiver := fmt.Sprint(b.count("select coalesce(max(id), 0) from waivers"))
	owner.post(board+"/"+first+"/questions", url.Values{"body": {"Why?"}})
	question := fmt.Sprint(b.count("select max(id) from comments"))
	for _, path := range []string{"/waiver/signature", "/waiver/end", "/questions/" + question + "/close"} {
		form := url.Values{"waiver": {waiver}, "reason": {"No."}}
		owner.post(board+"/partial-success"+path, form).want(http.StatusNotFound)
		owner.post(board+"/"+first+path, form).want(http.StatusSeeOther)
	}
}
