package handlers_test

import (
	"net/http"
	"net/url"
	"testing"

	"countersign/models/matrix"
)

// What an administrator says is proposed where a control says nothing, and bounds
// what a workflow may choose.
func TestRetentionOfTheWorkspace(t *testing.T) {
	b := newBooking(t)
	admin := b.as(b.admin)
	b.as(b.owner).get("/admin/retention").want(http.StatusForbidden)
	form := admin.get("/admin/retention").want(http.StatusOK)
	admin.submit(form, "Save", url.Values{"payload_days": {"many"}}).errorAt("payload_days").says("Enter whole days between 1 and 3650.")
	admin.submit(form, "Save", url.Values{"evidence_days": {"30"}, "evidence_basis": {""}}).errorAt("evidence_basis")
	admin.submit(form, "Save", url.Values{"evidence_days": {"30"}, "evidence_basis": {"Longer than a resend by hand."}, "payload_days": {"14"}, "notice_days": {"60"}}).follow().says("Saved.").
		says("30 days are proposed where its control does not say.").says("A workflow may keep them for up to 14 days.").says("60 days. What is unread")
	late := admin.submit(form, "Save", url.Values{"notice_days": {"10"}}).want(http.StatusConflict).says("Somebody else changed these").says("60")
	admin.submit(late, "Save", nil).follow().says("10 days. What is unread")

	days, basis, err := matrix.KeptFor(b.db.Query(t.Context()), int64(b.count("select id from controls where slug = 'book-visit'")))
	if err != nil || days != 0 || basis != "" {
		t.Errorf("the form that was shown again says no evidence days: %d %q %v", days, basis, err)
	}
	admin.submit(admin.get("/admin/retention"), "Save", url.Values{"evidence_days": {"30"}, "evidence_basis": {"Longer than a resend by hand."}, "payload_days": {"14"}}).goesTo("/admin")
	if days, basis, err = matrix.KeptFor(b.db.Query(t.Context()), int64(b.count("select id from controls where slug = 'book-visit'"))); err != nil || days != 30 || basis != "Longer than a resend by hand." {
		t.Errorf("proposed: %d %q %v", days, basis, err)
	}
	owner := b.as(b.owner)
	edit := owner.get("/workflows/intake/edit").want(http.StatusOK)
	owner.submit(edit, "Save workflow", url.Values{"payload_days": {"15"}}).errorAt("payload_days").says("Enter whole days between 1 and 14, or nothing.")
	owner.submit(edit, "Save workflow", url.Values{"payload_days": {"14"}}).want(http.StatusSeeOther)
}
