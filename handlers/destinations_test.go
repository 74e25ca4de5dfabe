package handlers_test

import (
	"net/http"
	"net/url"
	"testing"
)

// sandbox makes an environment through its form.
func (c *crew) sandbox() {
	c.t.Helper()
	b := c.as(c.admin)
	b.submit(b.get("/admin/environments/new"), "Save environment", url.Values{"name": {"Sandbox"}, "slug": {"sandbox"}, "kind": {"test"}, "reach": {"cannot"}}).goesTo("/admin/environments/sandbox")
}

func TestEnvironmentPages(t *testing.T) {
	c := newCrew(t)
	admin, owner := c.as(c.admin), c.as(c.owner)
	admin.get("/admin/environments").want(http.StatusOK).says("No environment yet")
	wrong := admin.submit(admin.get("/admin/environments/new"), "Save environment", nil)
	wrong.errorAt("name").errorAt("kind").errorAt("reach")
	c.sandbox()
	admin.get("/admin/environments/sandbox").says("Counts as reaching them").says("Only a business owner may confirm").saysNot("Confirm: it")
	admin.post("/admin/environments/sandbox/confirmation", url.Values{"version": {"1"}}).want(http.StatusForbidden)

	list := owner.get("/admin/environments").says("Sandbox").saysNot("Add an environment")
	list.says("Not confirmed. Said that it cannot").says("Wrong? Don’t confirm. Tell Admin or another administrator: they edit it and say that it can.")
	owner.get("/admin/environments/sandbox").says("Wrong? Don’t confirm.")
	owner.submit(list, "Confirm: it cannot reach real customers", nil).goesTo("/admin/environments/sandbox")
	owner.get("/admin/environments/sandbox").says("Confirmed.").says("Cannot reach real customers").saysNot("Confirm: it").saysNot("Wrong?")
	owner.get("/admin/environments/sandbox/edit").want(http.StatusForbidden)

	mine, theirs := admin.get("/admin/environments/sandbox/edit"), admin.get("/admin/environments/sandbox/edit")
	admin.submit(theirs, "Save environment", url.Values{"reach": {"can"}}).goesTo("/admin/environments/sandbox")
	admin.get("/admin/environments/sandbox").says("Can reach real customers, not yet confirmed")
	admin.submit(mine, "Save environment", url.Values{"name": {"Test bench"}}).want(http.StatusConflict).says("Someone else changed this environment").says("It can")
	fixed := admin.get("/admin/environments/sandbox/edit").says("stays so")
	admin.submit(fixed, "Save environment", url.Values{"reach": {"cannot"}}).errorAt("reach").says("Make a new environment instead.")

	admin.submit(admin.get("/admin/environments/sandbox/archive"), "Archive environment", nil).goesTo("/admin/environments/sandbox")
	admin.get("/admin/environments?archived=yes").says("Sandbox")
	admin.submit(admin.get("/admin/environments/sandbox"), "Restore environment", nil).goesTo("/admin/environments/sandbox")
	c.as(c.viewer).get("/admin/environments").want(http.StatusOK).says("Only an admin may set up environments.")
	admin.submit(admin.get("/admin/environments/new"), "Save environment", url.Values{"name": {"Test bench 2"}, "kind": {"test"}, "reach": {"can"}}).goesTo("/admin/environments/test-bench-2")
	owner.get("/admin/environments").says("they archive it and make a new environment.")
	admin.get("/admin/environments/none").want(http.StatusNotFound)
}

func TestDestinationPages(t *testing.T) {
	c := newCrew(t)
	c.sandbox()
	b := c.as(c.implementer)
	b.get("/destinations").says("No destination yet")
	wrong := b.submit(b.get("/destinations/new"), "Save destination", url.Values{"system": {"CRM"}})
	wrong.errorAt("account").errorAt("slug").errorAt("environment")
	b.submit(wrong, "Save destination", url.Values{"account": {"Demo"}, "slug": {"crm-demo"}, "environment": {"sandbox"}}).goesTo("/destinations/crm-demo")
	b.get("/destinations/crm-demo").says("CRM, Demo").says("said not to reach real customers")
	b.get("/destinations?q=crm").says("CRM, Demo").says("None yet")

	mine, theirs := b.get("/destinations/crm-demo/edit"), b.get("/destinations/crm-demo/edit")
	b.submit(theirs, "Save destination", url.Values{"account": {"Demo EU"}}).goesTo("/destinations/crm-demo")
	conflict := b.submit(mine, "Save destination", url.Values{"notes": {"One tenant."}}).want(http.StatusConflict).says("Demo EU")
	b.submit(conflict, "Save destination", nil).goesTo("/destinations/crm-demo")
	b.get("/destinations/crm-demo").says("CRM, Demo EU").says("One tenant.")

	c.as(c.viewer).get("/destinations/crm-demo").want(http.StatusOK).saysNot("Edit destination").saysNot("Add an operation")
	c.as(c.viewer).post("/destinations", url.Values{"system": {"CRM"}}).want(http.StatusForbidden)
	b.submit(b.get("/destinations/crm-demo/archive"), "Archive destination", nil).goesTo("/destinations/crm-demo")
	b.get("/destinations").says("No destination yet")
	b.submit(b.get("/destinations/crm-demo"), "Restore destination", nil).goesTo("/destinations/crm-demo")
	b.get("/destinations/none").want(http.StatusNotFound)
}

func TestOperationPages(t *testing.T) {
	c := newCrew(t)
	c.sandbox()
	b := c.as(c.implementer)
	b.submit(b.get("/destinations/new"), "Save destination", url.Values{"system": {"CRM"}, "account": {"Demo"}, "slug": {"crm-demo"}, "environment": {"sandbox"}}).goesTo("/destinations/crm-demo")

	wrong := b.submit(b.get("/destinations/crm-demo/operations/new"), "Save operation", url.Values{"name": {"Create task"}, "mechanism": {"documented"}, "key_lifetime_hours": {"24"}})
	wrong.errorAt("doc_url").errorAt("repeat_returns").says("2 answers need your attention")
	if wrong.Find("input[name=mechanism][checked]").AttrOr("value", "") != "documented" || wrong.Find("input[name=key_lifetime_hours]").AttrOr("value", "") != "24" {
		t.Error("what was typed is not kept")
	}
	b.submit(wrong, "Save operation", url.Values{"doc_url": {"https://docs.example.test/tasks"}, "repeat_returns": {"The first answer."}, "key_field": {"Idempotency-Key"}, "checked": {"true"}}).
		goesTo("/destinations/crm-demo/operations/create-task")
	shown := b.get("/destinations/crm-demo/operations/create-task")
	shown.says("The documentation says that a repeat with the same key in Idempotency-Key within 24 hours returns: The first answer.").says("How to look up the result afterwards.").says("by Implementer")

	mine, theirs := b.get("/destinations/crm-demo/operations/create-task/edit"), b.get("/destinations/crm-demo/operations/create-task/edit")
	b.submit(theirs, "Save operation", url.Values{"mechanism": {"none"}, "key_field": {""}, "key_lifetime_hours": {""}}).goesTo("/destinations/crm-demo/operations/create-task")
	b.get("/destinations/crm-demo/operations/create-task").says("The destination does not recognise a repeat.").says("Whether this matches the documentation as it is now.")
	b.submit(mine, "Save operation", url.Values{"lookup_method": {"GET /tasks"}}).want(http.StatusConflict).says("Idempotency mechanism").says("None").says("Documented")

	c.as(c.admin).get("/destinations/crm-demo/operations/new").want(http.StatusForbidden).says("Only an implementer")
	c.as(c.viewer).get("/destinations/crm-demo/operations/create-task").want(http.StatusOK).saysNot("Edit operation")
	b.submit(b.get("/destinations/crm-demo/operations/create-task/archive"), "Archive operation", nil).goesTo("/destinations/crm-demo/operations/create-task")
	b.submit(b.get("/destinations/crm-demo/operations/create-task"), "Restore operation", nil).goesTo("/destinations/crm-demo/operations/create-task")
	b.get("/destinations/crm-demo/operations/none").want(http.StatusNotFound)
}
