package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

func TestHandOverBeforeSomebodyLeaves(t *testing.T) {
	c := newCounter(t)
	owner, implementer := c.actor("owner"), c.actor("implementer")
	path := fmt.Sprintf("/admin/people/%d/hand-over", owner.ID)
	c.who("owner").get(path).want(http.StatusForbidden)
	admin := c.who("admin")
	admin.get("/admin/people/0/hand-over").want(http.StatusNotFound)
	p := admin.get(path).want(http.StatusOK).says("Service request intake as business owner").says("Create CRM task").says("As business owner.")
	admin.submit(p, "Hand over as business owner", nil).want(http.StatusUnprocessableEntity).errorAt("business_owner")
	admin.post(path, url.Values{"submission": {"x"}, "role": {"reviewer"}, "reviewer": {fmt.Sprint(implementer.ID)}}).want(http.StatusConflict).says("Nothing was handed over.")
	if _, err := c.db.Pool.Exec(t.Context(), "insert into role_grants (person_id, role) select id, 'business_owner' from people where email = 'lead@example.test'"); err != nil {
		t.Fatal(err)
	}
	admin.submit(admin.get(path), "Hand over as business owner", url.Values{"business_owner": {fmt.Sprint(c.actor("lead").ID)}}).goesTo(path).follow().
		says("1 workflow names somebody else as business owner.").saysNot("Service request intake as business owner")
	admin.get(fmt.Sprintf("/admin/people/%d/hand-over", c.actor("viewer").ID)).want(http.StatusOK).says("Nothing to hand over")
	admin.get(fmt.Sprintf("/admin/people/%d/hand-over", c.actor("approver").ID)).want(http.StatusOK).says("Put another approver there.")
}
