package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"countersign/models"
)

func TestAddAWebhook(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	b.get("/admin/webhooks").want(200).says("No webhook yet")
	form := b.get("/admin/webhooks/new").want(200)
	b.submit(form, "Add webhook", url.Values{"name": {""}}).errorAt("name")
	again := b.submit(form, "Add webhook", url.Values{"name": {"Chat"}, "url": {"http://hooks.example.test/token"}, "events": {"replay.requested"}}).errorAt("url")
	if again.Find("input[value='replay.requested'][checked]").Length() != 1 {
		t.Error("the event chosen is gone")
	}
	action, typed := again.filled("Add webhook", url.Values{"url": {"https://hooks.example.test/token"}})
	added := b.post(action, typed).goesTo("/admin/webhooks/1")
	secret := b.post(action, typed).goesTo("/admin/webhooks/1").follow().Find("#webhook-secret").Text() // a double click
	if !strings.HasPrefix(secret, "whsec_") || a.count("select count(*) from webhooks") != 1 {
		t.Errorf("secret %q", secret)
	}
	page := added.follow().saysNot("whsec_").says("Replay requested")
	b.submit(page, "Send a test message", nil).goesTo("/admin/webhooks/1").follow().says("Test message from Countersign").says("Not tried yet")
	renewed := b.submit(page, "Make new secret", url.Values{"hours": {"24"}}).follow().says("the signature of the old secret too")
	if s := renewed.Find("#webhook-secret").Text(); s == secret || !strings.HasPrefix(s, "whsec_") {
		t.Errorf("new secret %q", s)
	}
	b.submit(page, "Make new secret", url.Values{"hours": {"0"}}).want(409).says("Somebody else changed this webhook")
	b.submit(b.get("/admin/webhooks/1"), "Send again", nil).follow().says("on its way again")
	b.submit(b.get("/admin/webhooks/1"), "Disable webhook", nil).follow().says("Webhook disabled.").says("Held")
	if _, off := b.get("/admin/webhooks/1").Find("form[action$='/resend'] button").Attr("disabled"); !off {
		t.Error("a disabled webhook offers to send again")
	}
	b.post("/admin/webhooks/1/deliveries/1/resend", url.Values{}).want(409)
	b.submit(b.get("/admin/webhooks/1"), "Enable webhook", nil).follow().says("Webhook enabled.")
	b.get("/admin/webhooks/1?state=failed").want(200).says("Nothing here")
	b.get("/admin/webhooks/2").want(404)
	b.get("/admin/webhooks/x").want(404)
	b.get("/audit?type=webhook").says("Chat").saysNot("token").saysNot("whsec")
}

func TestEditAWebhook(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	b.submit(b.get("/admin/webhooks/new"), "Add webhook", url.Values{"name": {"Chat"}, "url": {"https://hooks.example.test/"}}).want(303)
	stale := b.get("/admin/webhooks/1/edit").want(200)
	b.submit(b.get("/admin/webhooks/1/edit"), "Save webhook", url.Values{"name": {"Tickets"}}).goesTo("/admin/webhooks/1").follow().says("Webhook saved.")
	conflict := b.submit(stale, "Save webhook", url.Values{"name": {"Mine"}}).want(409).says("Tickets").says("Mine")
	b.submit(conflict, "Save webhook", nil).goesTo("/admin/webhooks/1") // having seen both
	b.get("/admin/webhooks").says("Mine")
}

func TestOnlyAdministratorsSeeWebhooksAndMail(t *testing.T) {
	a := newApp(t)
	admin := a.as(a.person("Admin", models.Admin))
	admin.submit(admin.get("/admin/webhooks/new"), "Add webhook", url.Values{"name": {"Chat"}, "url": {"https://hooks.example.test/"}}).want(303)
	owner := a.as(a.person("Owner", models.BusinessOwner))
	for _, p := range []string{"/admin/webhooks", "/admin/webhooks/new", "/admin/webhooks/1", "/admin/webhooks/1/edit", "/admin/mail"} {
		owner.get(p).want(403).says("Only an administrator")
	}
	for _, p := range []string{"", "/1/edit", "/1/secret", "/1/disabled", "/1/enabled", "/1/test", "/1/deliveries/1/resend"} {
		owner.post("/admin/webhooks"+p, url.Values{"name": {"Mine"}, "url": {"https://mine.example.test/"}, "version": {"1"}}).want(403)
	}
	owner.post("/admin/mail/test", url.Values{}).want(403)
	owner.post("/admin/mail/1/resend", url.Values{}).want(403)
	if a.count("select count(*) from webhooks where name = 'Chat' and version = 1") != 1 || a.count("select count(*) from mails") != 0 {
		t.Error("a refused form changed something")
	}
}

func TestTheMailPage(t *testing.T) {
	a := newApp(t)
	b := a.as(a.person("Admin", models.Admin))
	page := b.get("/admin/mail").want(200).says("No mail server is set, so people are told in their inbox only.").says("admin@example.test")
	if _, off := page.Find("form[action='/admin/mail/test'] button").Attr("disabled"); !off {
		t.Error("a test message is offered without a mail server")
	}
	b.submit(page, "Send a test message", nil).goesTo("/admin/mail").follow().says("Test message").says("Waiting")
	b.post("/admin/mail/1/resend", url.Values{}).want(409)
	if err := a.db.Query(t.Context()).Exec("update mails set state = 'failed', attempts = 12, last_error = 'Mailbox full.'").Error; err != nil {
		t.Fatal(err)
	}
	b.submit(b.get("/admin/mail?state=failed").says("Mailbox full.").says("12 attempts"), "Send again", nil).follow().says("on its way again")
	b.post("/admin/mail/9/resend", url.Values{}).want(404)
}
