package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/replay"
	"countersign/models/workflow"
)

// made claims an action of the sandbox for a record.
func (c *counter) made(record string) ledger.Attempted {
	c.t.Helper()
	body, _ := json.Marshal(map[string]string{"request_id": record})
	a, err := ledger.NewDesk(c.db, false).Claim(c.t.Context(), ledger.Person(c.actor("implementer")), ledger.ClaimCmd{Control: "create-crm-task", Environment: "sandbox", Worker: "w-" + record, LeaseSeconds: 3600, Input: body})
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *counter) reports(a ledger.Attempted, said ledger.State, result, detail string) {
	c.t.Helper()
	if _, err := ledger.Outcome(c.t.Context(), c.db, ledger.Person(c.actor("implementer")), ledger.OutcomeCmd{Action: a.Action, ClaimToken: a.ClaimToken, Outcome: said, Result: result, Detail: detail}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *counter) leaseEnds(a ledger.Attempted) {
	c.t.Helper()
	for _, sql := range []string{"update attempts set lease_until = started_at + interval '1 ms' where action_id = $1", "update actions set lease_until = created_at + interval '1 ms' where id = $1"} {
		if _, err := c.db.Pool.Exec(c.t.Context(), sql, a.Action); err != nil {
			c.t.Fatal(err)
		}
	}
}

// The timeline says what each report came to, and who allowed what.
func TestTheTimelineSaysWhatEachReportCameTo(t *testing.T) {
	c := newCounter(t)
	v := c.who("viewer")

	vague := c.made("vague")
	c.reports(vague, ledger.Failed, "", "")
	v.get(ledger.ActionPath(vague.Action)).says("Lease of an hour.").says("Attempt 1 reported failed").says("counts as unknown").saysNot("ended: failed").says(identity.DestinationKey(vague.IdentityKey))

	late := c.made("late")
	c.leaseEnds(late)
	c.reports(late, ledger.Succeeded, "task-late", "")
	v.get(ledger.ActionPath(late.Action)).says("It came after the lease had ended. It settled the action.")
	v.get("/search?q=task-late").says("Called exactly so").says("A-")

	again := c.made("again")
	c.reports(again, ledger.Unknown, "", "No answer.")
	if _, err := ledger.Lookup(t.Context(), c.db, ledger.Person(c.actor("implementer")), ledger.LookupCmd{Action: again.Action, Method: "GET", Result: ledger.NotFound}); err != nil {
		t.Fatal(err)
	}
	asked, err := replay.Ask(t.Context(), c.db, ledger.Person(c.actor("implementer")), replay.AskCmd{Action: again.Action, Reason: "Try it.", Uncertain: "Whether it is there."})
	if err != nil {
		t.Fatal(err)
	}
	c.approve(asked.Ref)
	v.get(ledger.ActionPath(again.Action)).says(asked.Ref + " approved by Approver")

	two := c.made("two")
	c.reports(two, ledger.Succeeded, "two-1", "")
	if _, err := ledger.Lookup(t.Context(), c.db, ledger.Person(c.actor("implementer")), ledger.LookupCmd{Action: two.Action, Method: "GET", Result: ledger.Found, Results: []string{"two-1", "two-2"}}); err != nil {
		t.Fatal(err)
	}
	v.get(ledger.ActionPath(two.Action)).says("Results: two-1, two-2")
	v.get("/ledger?q=two-2").says("Confirmed duplicate")
}

// A stop is said where its workflow's things are looked at, and first of all to
// whoever can lift it.
func TestAStopIsSaidWhereItMatters(t *testing.T) {
	c := newCounter(t)
	if _, err := workflow.Stop(t.Context(), c.db, c.actor("owner"), workflow.StopCmd{Slug: "service-request", Reason: "Two tasks for one request."}); err != nil {
		t.Fatal(err)
	}
	v := c.who("viewer")
	v.get("/ledger").want(http.StatusOK).says("is stopped").says("Two tasks for one request.")
	v.get(c.action("create-crm-task", "request-demo-03")).says("The workflow is stopped.").saysNot("Stop the workflow")
	if first := words(c.who("owner").get("/").Find("main .rows .title").First().Text()); !strings.Contains(first, "is stopped") {
		t.Errorf("home begins with %q", first)
	}
}

// An action that is not among the choices is linked by its number.
func TestAReviewItemIsLinkedByNumber(t *testing.T) {
	c := newCounter(t)
	path, rev := c.review("repeat"), c.who("reviewer")
	p := rev.get(path)
	if p.Find("select#action option").Length() < 2 {
		t.Fatal("nothing to choose from")
	}
	rev.submit(p, "Record decision", url.Values{"decision": {"link"}, "reason": {"The same."}}).errorAt("action")
	target := strings.TrimPrefix(c.action("create-crm-task", "request-demo-01"), "/ledger/actions/")
	rev.submit(p, "Record decision", url.Values{"decision": {"link"}, "reason": {"The same."}, "other": {"A-" + target}}).goesTo(path)
	rev.get(path).says("it is A-" + target)
}
