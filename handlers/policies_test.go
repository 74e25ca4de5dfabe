package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"countersign/models"
)

func TestPolicies(t *testing.T) {
	a := newApp(t)
	approver, lead := a.person("Approver", models.Approver), a.person("Lead", models.Approver)
	admin := a.as(a.person("Admin", models.Admin))
	first := url.Values{"name": {"Replays"}, "people-1": {fmt.Sprint(approver.ID)}, "minutes-1": {"60"}, "expiry_days": {"7"}, "authorization_minutes": {"30"}, "time_zone": {"UTC"}}

	form := admin.get("/admin/policies/new").want(http.StatusOK)
	admin.submit(form, "Save policy", nil).errorAt("name").errorAt("people-1")
	more := admin.submit(form, "Add a level", url.Values{"name": {"Replays"}, "people-1": {fmt.Sprint(approver.ID)}, "minutes-1": {"60"}, "do": {"level"}}).want(http.StatusOK).says("Level 2")
	if more.Find("#name").AttrOr("value", "") != "Replays" || more.Find("input[name=people-1][checked]").Length() != 1 {
		t.Error("a new level forgets what was typed")
	}
	admin.submit(form, "Save policy", first).goesTo("/admin/policies/replays").follow().says("Policy saved.").says("Level 1, within 60 minutes").says("Approver")
	admin.get("/admin/policies").says("Replays").says("1 level").says("Everybody can decide")

	edit := admin.get("/admin/policies/replays/edit").want(http.StatusOK)
	if edit.Find("input[name=people-1][checked]").Length() != 1 || edit.Find("#minutes-1").AttrOr("value", "") != "60" {
		t.Error("the form does not hold what is saved")
	}
	second := url.Values{"people-2": {fmt.Sprint(lead.ID)}, "minutes-2": {"30"}, "days": {"1", "2"}, "opens": {"09:00"}, "closes": {"17:00"}, "people-1": {fmt.Sprint(approver.ID)}}
	admin.submit(edit, "Save policy", second).goesTo("/admin/policies/replays").follow().says("Version 2").says("Mon, Tue, 09:00 to 17:00, UTC").says("Version 1")
	admin.submit(edit, "Save policy", url.Values{"expiry_days": {"9"}, "people-1": {fmt.Sprint(lead.ID)}}).want(http.StatusConflict).says("Someone else changed this policy").says("Level 2, who is asked").says("Lead")
	a.exec("update people set active = false where id = ?", approver.ID)
	admin.get("/admin/policies/replays").says("Approver is no longer active.").says("Nobody is left on this level")
	admin.get("/admin/policies/replays/edit").says("Skipped.")
	admin.get("/admin/policies").says("1 person is skipped")
	admin.submit(admin.get("/admin/policies/replays/archive"), "Archive policy", nil).follow().says("Policy archived.")
	admin.submit(admin.get("/admin/policies/replays"), "Restore policy", nil).follow().says("Policy restored.")

	viewer := a.as(a.person("Viewer", models.Viewer))
	viewer.get("/admin/policies/replays").want(http.StatusOK).saysNot("Edit policy")
	viewer.get("/admin/policies").says("Only an admin may set up escalation policies.")
	for _, path := range []string{"/admin/policies/new", "/admin/policies/replays/edit", "/admin/policies/replays/archive"} {
		viewer.get(path).want(http.StatusForbidden)
	}
	viewer.get("/admin/policies/none").want(http.StatusNotFound)
}
