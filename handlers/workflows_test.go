package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/workflow"
)

// crew is one person per role and a workflow with them.
type crew struct {
	*app
	owner, implementer, reviewer, viewer, admin models.Actor
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	a := newApp(t)
	c := &crew{app: a, owner: a.person("Business owner", models.BusinessOwner), implementer: a.person("Implementer", models.Implementer),
		reviewer: a.person("Reviewer", models.Reviewer), viewer: a.person("Viewer", models.Viewer), admin: a.person("Admin", models.Admin)}
	if _, err := workflow.Create(t.Context(), a.db, c.implementer, workflow.CreateCmd{Slug: "intake", Facts: workflow.Facts{Name: "Intake",
		BusinessOwnerID: c.owner.ID, ImplementerID: c.implementer.ID, ReviewerID: c.reviewer.ID}}); err != nil {
		t.Fatal(err)
	}
	return c
}

func id(n int64) string { return fmt.Sprint(n) }

func TestWorkflowCreated(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.owner)
	form := b.get("/workflows/new").want(http.StatusOK)
	if form.Find("select[name=business_owner] option[selected]").AttrOr("value", "") != id(c.owner.ID) {
		t.Error("the business owner is not chosen already")
	}
	typed := url.Values{"name": {"  "}, "review_date": {"31 May"}, "incident_plan": {"plan"}, "description": {"Kept as typed"}, "implementer": {id(c.implementer.ID)}}
	wrong := b.submit(form, "Save workflow", typed)
	wrong.errorAt("name").errorAt("review_date").errorAt("incident_plan").errorAt("reviewer")
	if order := words(wrong.Find(".error-summary li").Text()); !strings.HasPrefix(order, "Enter a name.") || !strings.HasSuffix(order, "starts with https://") {
		t.Errorf("the summary is not in the order of the form: %s", order)
	}
	if !strings.HasPrefix(wrong.Find("title").Text(), "Error: ") || wrong.Find("textarea[name=description]").Text() != "Kept as typed" ||
		wrong.Find("select[name=implementer] option[selected]").AttrOr("value", "") != id(c.implementer.ID) {
		t.Error("what was typed is not kept")
	}
	typed = url.Values{"name": {"Lead intake"}, "review_date": {"2150-05-31"}, "incident_plan": {"https://docs.example.test/plan"}, "reviewer": {id(c.reviewer.ID)}}
	b.submit(wrong, "Save workflow", typed).goesTo("/workflows/lead-intake")
	b.get("/workflows/lead-intake").want(http.StatusOK).says("Workflow saved.").says("Kept as typed").says("31 May 2150")
	b.get("/workflows").says("Lead intake").says("Intake")
	b.get("/workflows?q=lead").says("Lead intake")
	b.get("/workflows?q=zzz").says("No workflow matches")
	b.get("/workflows?archived=yes").says("No workflow matches")
	if n := c.count("select count(*) from audit_events where action = 'workflow.created' and object_label = 'Lead intake'"); n != 1 {
		t.Errorf("%d audit events", n)
	}
	c.as(c.reviewer).get("/workflows/new").want(http.StatusForbidden).says("Only an implementer")
}

func TestWorkflowWarnsAboutOnePersonInTwoDuties(t *testing.T) {
	c := newCrew(t)
	both := c.person("Both", models.BusinessOwner, models.Implementer)
	b := c.as(both)
	b.submit(b.get("/workflows/new"), "Save workflow", url.Values{"name": {"Alone"}, "business_owner": {id(both.ID)}, "implementer": {id(both.ID)}, "reviewer": {id(c.reviewer.ID)}}).
		follow().want(http.StatusOK).says("One person is business owner and implementer.")
}

// Two people edit: each field that only one of them changed keeps the change,
// and both versions are on the page.
func TestWorkflowEditedByTwo(t *testing.T) {
	c := newCrew(t)
	first, second := c.as(c.owner), c.as(c.implementer)
	mine, theirs := first.get("/workflows/intake/edit"), second.get("/workflows/intake/edit")
	second.submit(theirs, "Save workflow", url.Values{"name": {"Intake of requests"}, "help_contact": {"Service desk"}}).goesTo("/workflows/intake")
	conflict := first.submit(mine, "Save workflow", url.Values{"name": {"Customer intake"}, "description": {"Typed at length"}}).want(http.StatusConflict)
	conflict.says("Someone else changed this workflow").says("Intake of requests").says("Customer intake").says("Implementer, ")
	for name, want := range map[string]string{"name": "Customer intake", "help_contact": "Service desk"} {
		if got := conflict.Find("form input[name="+name+"]").AttrOr("value", ""); got != want {
			t.Errorf("%s starts with %q, want %q", name, got, want)
		}
	}
	if n := c.count("select count(*) from workflows where name = 'Intake of requests' and version = 2"); n != 1 {
		t.Error("the refused edit changed something")
	}
	first.submit(conflict, "Save workflow", nil).goesTo("/workflows/intake")
	if n := c.count("select count(*) from workflows where name = 'Customer intake' and help_contact = 'Service desk' and description = 'Typed at length' and version = 3"); n != 1 {
		t.Error("the merged answers are not saved")
	}
}

func TestWorkflowStoppedAndLifted(t *testing.T) {
	c := newCrew(t)
	owner, reviewer, viewer := c.as(c.owner), c.as(c.reviewer), c.as(c.viewer)
	reads := viewer.get("/workflows/intake").want(http.StatusOK)
	if stop := reads.Find("main .page-header button:contains('Stop workflow')"); stop.Length() != 1 || stop.AttrOr("disabled", "no") == "no" {
		t.Error("a viewer sees no disabled stop button")
	}
	reads.says("A viewer may not stop a workflow.")
	viewer.post("/workflows/intake/stop", url.Values{"reason": {"x"}}).want(http.StatusForbidden).says("A viewer may not stop")

	ask := reviewer.get("/workflows/intake/stop").want(http.StatusOK)
	reviewer.submit(ask, "Stop workflow", url.Values{"reason": {""}}).errorAt("reason")
	reviewer.submit(ask, "Stop workflow", url.Values{"reason": {"Two tasks per request."}}).goesTo("/workflows/intake")
	reviewer.submit(ask, "Stop workflow", url.Values{"reason": {"Two tasks per request."}}).goesTo("/workflows/intake") // sent twice
	reviewer.get("/workflows/intake").says("Intake is stopped").says("Two tasks per request.").says("Only the workflow’s business owner, or their delegate, may lift a stop.")
	reviewer.get("/workflows/intake/stop").want(http.StatusConflict).says("Reviewer stopped this workflow on")
	owner.get("/workflows").says("Stopped").says("by Reviewer")
	if n := c.count("select count(*) from stops"); n != 1 {
		t.Errorf("%d stops", n)
	}

	reviewer.post("/workflows/intake/lift", url.Values{"reason": {"x"}, "stop": {"1"}}).want(http.StatusForbidden)
	lift := owner.get("/workflows/intake/lift").want(http.StatusOK).says("Two tasks per request.")
	owner.submit(lift, "Lift stop", nil).errorAt("reason")
	owner.submit(lift, "Lift stop", url.Values{"reason": {"Fixed in the form."}}).goesTo("/workflows/intake")
	owner.get("/workflows/intake").saysNot("is stopped").says("Earlier stops").says("Fixed in the form.")
	owner.get("/workflows/intake/lift").want(http.StatusConflict)
}

// The dialogs on the workflow's page hold the same forms as the pages.
func TestStopDialogs(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.owner)
	p := b.get("/workflows/intake")
	form := p.Find("dialog#stop form[action='/workflows/intake/stop']")
	if form.Length() != 1 || form.Find("textarea[name=reason]").Length() != 1 || p.Find("dialog#stop button[type=submit]:contains('Stop workflow')").AttrOr("form", "") != form.AttrOr("id", "none") {
		t.Fatal("no dialog that stops")
	}
	b.post("/workflows/intake/stop", url.Values{"reason": {"Stop."}}).goesTo("/workflows/intake")
	if stop := b.get("/workflows/intake").Find("dialog#lift input[name=stop]").AttrOr("value", ""); stop == "" || stop == "0" {
		t.Error("the dialog that lifts does not say which stop")
	}
}

func TestWorkflowArchivedAndRestored(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.owner)
	b.submit(b.get("/workflows/intake/archive").want(http.StatusOK), "Archive workflow", nil).goesTo("/workflows/intake")
	shown := b.get("/workflows/intake").says("This workflow is archived")
	b.get("/workflows").says("No workflow yet")
	b.get("/workflows?archived=yes").says("Intake")
	edit := b.get("/workflows/intake/edit").want(http.StatusOK)
	b.submit(edit, "Save workflow", url.Values{"name": {"Other"}}).want(http.StatusConflict).says("Restore it first.")
	b.submit(shown, "Restore workflow", nil).goesTo("/workflows/intake")
	b.get("/workflows").says("Intake")
	c.as(c.reviewer).get("/workflows/intake/archive").want(http.StatusForbidden)
}

func TestWorkflowBadRequests(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.implementer)
	before := c.count("select coalesce(sum(version), 0) from workflows")
	b.get("/workflows/none").want(http.StatusNotFound)
	b.get("/workflows?at=damaged").want(http.StatusBadRequest)
	b.post("/workflows/intake/edit", url.Values{"version": {"one"}}).want(http.StatusBadRequest)
	b.post("/workflows/intake/edit", url.Values{"version": {"99"}, "name": {"X"}}).want(http.StatusConflict)
	b.post("/workflows/intake/edit", url.Values{"version": {"1"}, "name": {strings.Repeat("x", 201)}}).errorAt("name")
	b.post("/workflows/none/stop", url.Values{"reason": {"X"}}).want(http.StatusNotFound)
	if after := c.count("select coalesce(sum(version), 0) from workflows"); after != before {
		t.Error("a refused request changed a workflow")
	}
}

func TestSenderPages(t *testing.T) {
	c := newCrew(t)
	b := c.as(c.implementer)
	form := b.get("/workflows/intake/senders/new").want(http.StatusOK)
	wrong := b.submit(form, "Save sender", url.Values{"name": {"Web form"}, "checked": {"true"}, "retry_horizon_hours": {"two"}})
	wrong.errorAt("doc_url").errorAt("duplicates").errorAt("ordering").errorAt("retry_horizon_hours")
	if wrong.Find("input[name=checked][checked]").Length() != 1 || wrong.Find("input[name=name]").AttrOr("value", "") != "Web form" {
		t.Error("what was typed is not kept")
	}
	b.submit(wrong, "Save sender", url.Values{"duplicates": {"possible"}, "ordering": {"not_guaranteed"}, "retry_horizon_hours": {"24"}, "doc_url": {"https://docs.example.test/form"}}).
		goesTo("/workflows/intake/senders/web-form")
	b.get("/workflows/intake/senders/web-form").says("by Implementer").says("24 hours").says("Possible")
	b.get("/workflows/intake").says("Web form").says("Duplicates: possible.")

	mine, theirs := b.get("/workflows/intake/senders/web-form/edit"), c.as(c.owner)
	theirs.submit(theirs.get("/workflows/intake/senders/web-form/edit"), "Save sender", url.Values{"retry_schedule": {"Every hour"}}).goesTo("/workflows/intake/senders/web-form")
	theirs.get("/workflows/intake/senders/web-form").says("Not yet checked")
	b.submit(mine, "Save sender", url.Values{"signature": {"HMAC"}}).want(http.StatusConflict).says("Someone else changed this sender").says("Every hour")

	viewer := c.as(c.viewer)
	viewer.get("/workflows/intake/senders/web-form").want(http.StatusOK).saysNot("Edit sender")
	viewer.get("/workflows/intake/senders/web-form/edit").want(http.StatusForbidden)
	b.submit(b.get("/workflows/intake/senders/web-form/archive"), "Archive sender", nil).goesTo("/workflows/intake/senders/web-form")
	b.submit(b.get("/workflows/intake/senders/web-form").says("Archived"), "Restore sender", nil).goesTo("/workflows/intake/senders/web-form")
	b.get("/workflows/intake/senders/none").want(http.StatusNotFound)
}
