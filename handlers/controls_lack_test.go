package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
)

func TestNothingToChooseYet(t *testing.T) {
	a := newApp(t)
	a.as(a.person("Rita", models.Reviewer)).get("/controls/new").says("There is no workflow yet").says("Only an implementer, a business owner or an admin may write a workflow.").
		says("Only an implementer or an admin may change a destination.")
	p := a.as(a.person("Ines", models.Implementer)).get("/controls/new")
	if p.Find("main a[href='/workflows/new']").Length() != 1 || p.Find("main a[href='/destinations/new']").Length() != 1 {
		t.Error("nothing leads to the first workflow or destination")
	}

	b := newBooking(t)
	b.exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('production', 'Production', 'production', true, ?)", b.admin.ID)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	impl.get("/controls/new").saysNot("no workflow yet").saysNot("No destination")
	impl.submit(impl.get("/controls/book-visit?edit=environment"), "Save answer", url.Values{"environments": {"sandbox", "production"}}).want(http.StatusSeeOther)
	bare := impl.get("/controls/book-visit?edit=operation").says("Production: no destination and no operation described yet.")
	if bare.Find("#f-operation select").Length() != 1 || bare.Find("#f-operation a[href='/destinations/new']").Length() != 1 {
		t.Error("sandbox cannot be chosen, or nothing leads to a destination for production")
	}
	b.exec("insert into destinations (slug, system, account, environment_id) select 'booking-live', 'Booking system', 'live', id from environments where slug = 'production'")
	if impl.get("/controls/book-visit?edit=operation").says("Production: no operation described yet.").Find("#f-operation a[href='/destinations/booking-live/operations/new']").Length() != 1 {
		t.Error("nothing leads to the operation to describe")
	}
	owner.get("/controls/book-visit?edit=operation").says("Only an implementer may write down what an operation’s documentation says.")
	impl.submit(impl.get("/controls/book-visit?edit=operation"), "Save answer", url.Values{"operations.sandbox": {b.operation}}).
		follow().says("Production: no operation chosen yet.")

	impl.get("/controls/book-visit?edit=sender").saysNot("is described yet")
	b.exec("update senders set archived_at = now()")
	if impl.get("/controls/book-visit?edit=sender").says("No sender of Intake is described yet.").Find("#f-sender a[href='/workflows/intake/senders/new']").Length() != 1 {
		t.Error("nothing leads to the sender to describe")
	}
}

func TestWhoDecidesAndGoesOn(t *testing.T) {
	b := newBooking(t)
	owner, impl := b.as(b.owner), b.as(b.implementer)
	form := url.Values{"sentence": {"One message only."}, "name": {"Send confirmation"}, "workflow": {"intake"}}
	owner.submit(owner.get("/controls/new"), "Write control", form).follow().says("Implementer goes on from here.")
	form.Set("name", "Send reminder")
	impl.submit(impl.get("/controls/new"), "Write control", form).follow().says("Answer its questions next").saysNot("goes on from here")
	p := impl.get("/controls/book-visit?edit=mode")
	for field, hint := range map[string]bool{"legitimate_repeat": true, "mode": true, "duplicate_in_plain_words": true, "atomic_claim": false} {
		if got := strings.Contains(p.Find("#f-"+field).Text(), "The business owner decides this"); got != hint {
			t.Errorf("%s: hint %v", field, got)
		}
	}
	b.complete("book-visit")
	if got := words(impl.get("/controls/book-visit").Find("#before").Text()); !strings.Contains(got, "Nothing is missing") || !strings.Contains(got, "nobody has checked yet what its documentation says") {
		t.Errorf("before submission stands %q", got)
	}
	if impl.get("/controls/book-visit").Find("button:contains('Submit for review')").AttrOr("disabled", "no") != "no" {
		t.Error("a warning blocks submission")
	}
}

func TestAnEarlierAnswerIsUsedAgain(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	for _, text := range []string{"One visit for the request.", "x"} {
		impl.submit(impl.get("/controls/book-visit?edit=exact_effect"), "Save answer", url.Values{"text": {text}}).want(http.StatusSeeOther)
	}
	const history = "/controls/book-visit/answers/exact_effect/history"
	links := impl.get(history).Find("a:contains('Use these words again')")
	if links.Length() != 1 || links.AttrOr("href", "") != "/controls/book-visit?edit=exact_effect&from=1#f-exact_effect" {
		t.Fatalf("%d links, to %s", links.Length(), links.AttrOr("href", ""))
	}
	open := impl.get("/controls/book-visit?edit=exact_effect&from=1").says("Starts with what version 1 said.")
	impl.submit(open, "Save answer", nil).follow().says("One visit for the request.").says("3 versions")
	impl.get("/controls/book-visit?edit=exact_effect&from=9").want(http.StatusOK).saysNot("Starts with")
	b.as(b.viewer).get(history).saysNot("Use these words again")
	if n := b.count("select count(*) from answers where field = 'exact_effect' and version = 3 and value = 'One visit for the request.'"); n != 1 {
		t.Error("the earlier words were not saved as a new version")
	}
}
