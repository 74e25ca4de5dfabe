package handlers_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestQueueDecides(t *testing.T) {
	c := newCounter(t)
	approver, lead, viewer, implementer := c.who("approver"), c.who("lead"), c.who("viewer"), c.who("implementer")
	approver.get("/queue").want(http.StatusOK).says("Your decision").says("RR-1").says("request-demo-01")
	viewer.get("/queue?view=open").says("Replay requests").says("RR-1")
	viewer.get("/queue?view=decided").says("Nothing was decided yet")
	viewer.get("/queue/RR-99").want(http.StatusNotFound)

	page := approver.get("/queue/RR-1").want(http.StatusOK).says("Which effect needs protection?").says("Nothing was found").says("The workflow is not stopped.")
	if page.Find("button:contains('Approve one attempt')").Length() != 1 {
		t.Fatal("the approver has no button")
	}
	if viewer.get("/queue/RR-1").Find("form[action$='/decision']").Length() != 0 {
		t.Error("a viewer is offered a decision")
	}
	if lead.get("/queue/RR-1").says("Your level has not been reached yet.").Find("button:contains('Approve one attempt')").Length() != 0 {
		t.Error("the second level decides before it is asked")
	}
	action, values := page.filled("Approve one attempt", url.Values{"decision": {"approve"}})
	implementer.post(action, values).want(http.StatusForbidden)
	approver.submit(page, "Reject", url.Values{"decision": {"reject"}, "note": {" "}}).want(http.StatusUnprocessableEntity).errorAt("note")

	ticks := url.Values{"decision": {"approve"}}
	page.Find("input[type=checkbox][name^='ack-']").Each(func(_ int, box *goquery.Selection) { ticks.Set(box.AttrOr("name", ""), box.AttrOr("value", "on")) })
	if len(ticks) > 1 {
		approver.submit(page, "Approve one attempt", url.Values{"decision": {"approve"}}).want(http.StatusUnprocessableEntity)
	}
	approver.submit(page, "Approve one attempt", ticks).follow().says("RR-1 approved.").says("Nothing else waits on you.")
	if c.count("select count(*) from authorizations where request = 'RR-1'") != 1 {
		t.Error("no permission was issued")
	}
	approver.submit(page, "Reject", url.Values{"decision": {"reject"}, "note": {"Too late."}, "submission": {"another"}}).want(http.StatusConflict).says("Nothing was changed")
	approver.get("/queue/RR-1").says("Approved one attempt, Approver").says("It covers: attempt 1, the outcome unknown, the lookup of")

	started := implementer.submit(implementer.get("/queue/RR-1"), "Start the approved attempt", nil).want(http.StatusOK).says("The attempt is yours for an hour.")
	if started.Find("button:contains('Start the approved attempt')").Length() != 0 {
		t.Error("it can be started twice")
	}
	if c.count("select count(*) from attempts where authorization_id is not null") != 1 {
		t.Error("no attempt was started")
	}
	implementer.post("/queue/RR-1/start", url.Values{"submission": {"x"}}).want(http.StatusConflict)
}

func TestQueueReturnsAndWithdraws(t *testing.T) {
	c := newCounter(t)
	approver, implementer := c.who("approver"), c.who("implementer")
	approver.submit(approver.get("/queue/RR-1"), "Return for evidence", url.Values{"decision": {"return"}, "note": {"Show the log of the CRM."}}).want(http.StatusSeeOther)
	implementer.submit(implementer.get("/queue/RR-1").says("Show the log of the CRM."), "Send it back to the approver", url.Values{"decision": {"supply"}, "note": {"It is attached to the action."}}).follow().says("RR-1 sent back to the approver.")
	implementer.submit(implementer.get("/queue/RR-1"), "Withdraw", url.Values{"decision": {"withdraw"}, "note": {"Not needed any more."}}).follow().says("RR-1 withdrawn.")
	approver.get("/queue?view=decided").says("RR-1").says("withdrawn")
	if approver.get("/queue/RR-1").Find("form[action$='/decision']").Length() != 0 {
		t.Error("a withdrawn request is decided")
	}
}
