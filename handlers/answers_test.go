package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
)

func TestAnswerEdited(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	form := impl.get("/controls/book-visit?edit=exact_effect").want(http.StatusOK)
	if form.Find("#f-exact_effect.answer--editing").Length() != 1 || form.Find(".answer--editing").Length() != 1 {
		t.Fatal("the one field is not opened")
	}
	empty := impl.submit(form, "Save answer", url.Values{"text": {"  "}}).errorAt("exact_effect-text")
	if !strings.HasPrefix(empty.Find("title").Text(), "Error: ") {
		t.Error("the title does not say that something must change")
	}
	typed := url.Values{"text": {"One visit\r\nfor the request"}}
	impl.submit(empty, "Save answer", typed).goesTo("/controls/book-visit#f-exact_effect")
	saved := impl.get("/controls/book-visit").says("One visit for the request").says("Implementer, ")
	if got := words(saved.Find("#f-exact_effect [role=status]").Text()); got != "Saved. “Exact effect” is answered." || saved.Find("main [role=status]").Length() != 1 {
		t.Errorf("the field says %q, or something else on the page does too", got)
	}
	impl.get("/controls/book-visit").saysNot("Saved.")
	if n := b.count("select count(*) from answers where field = 'exact_effect' and value = E'One visit\\nfor the request' and state = 'answered' and version = 1"); n != 1 {
		t.Errorf("%d answers", n)
	}
	if n := b.count("select count(*) from audit_events where action = 'control.answered' and after->>'field' = 'exact_effect'"); n != 1 {
		t.Errorf("%d audit events", n)
	}
	second := impl.get("/controls/book-visit?edit=exact_effect")
	impl.submit(second, "Save answer", url.Values{"text": {"One confirmed visit for the request"}}).want(http.StatusSeeOther)
	history := impl.get("/controls/book-visit/answers/exact_effect/history").want(http.StatusOK).says("Version 2").says("Version 1")
	if got := history.Find("ins").Text(); !strings.Contains(got, "confirmed") || strings.Contains(got, "request") {
		t.Errorf("the difference marks %q", got)
	}
	impl.get("/controls/book-visit").says("2 versions")
	impl.get("/controls/book-visit/answers/nothing/history").want(http.StatusNotFound)
}

func TestAnswerNotApplicable(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	form := impl.get("/controls/book-visit?edit=late_update")
	no := impl.submit(form, "Not applicable", url.Values{"do": {"not_applicable"}, "text": {"half a thought"}}).errorAt("late_update-reason")
	if no.Find("textarea[name=text]").Text() == "" || no.Find("#f-late_update details[open]").Length() != 1 {
		t.Error("what was typed is gone, or the reason is folded away")
	}
	impl.submit(no, "Not applicable", url.Values{"do": {"not_applicable"}, "reason": {"Nothing is updated."}}).want(http.StatusSeeOther)
	impl.get("/controls/book-visit").says("does not apply").says("Nothing is updated.")
	impl.submit(impl.get("/controls/book-visit?edit=late_update"), "Mark unresolved", url.Values{"do": {"unresolved"}}).want(http.StatusSeeOther)
	impl.get("/controls/book-visit").says("is unresolved again")
	if impl.get("/controls/book-visit?edit=exact_effect").Find("#f-exact_effect details").Length() != 0 {
		t.Error("a field that is always needed offers not applicable")
	}
}

func TestEveryKindOfAnswer(t *testing.T) {
	b := newBooking(t)
	other := b.person("Second reviewer", models.Reviewer)
	impl := b.as(b.implementer)
	for field, c := range map[string]struct {
		form  url.Values
		shown string
	}{
		"reviewer":           {url.Values{"person": {id(other.ID)}}, "Second reviewer"},
		"environment":        {url.Values{"environments": {"sandbox"}}, "Sandbox"},
		"review_date":        {url.Values{"date": {"2150-05-31"}}, "31 May 2150"},
		"sender":             {url.Values{"sender": {"web-form"}}, "Web form"},
		"approved_version":   {url.Values{"text": {"$.approved_version"}}, "$.approved_version"},
		"operation":          {url.Values{"operations.sandbox": {b.operation}}, "Book visit at booking-demo-01"},
		"mode":               {url.Values{"mode": {"enforce"}}, "Enforce"},
		"automatic_retries":  {url.Values{"number": {"0"}}, "0"},
		"retry_window":       {url.Values{"number": {"24"}, "basis": {"Reference page"}}, "24 hours. Reference page"},
		"evidence_retention": {url.Values{"number": {"90"}, "basis": {"Resend horizon"}}, "90 days. Resend horizon"},
	} {
		open := impl.get("/controls/book-visit?edit=" + field).want(http.StatusOK)
		for name := range c.form {
			if open.Find("#f-"+field+" form [name='"+name+"']").Length() == 0 {
				t.Errorf("%s has no input %s", field, name)
			}
		}
		impl.submit(open, "Save answer", c.form).goesTo("/controls/book-visit#f-" + field)
		if got := words(impl.get("/controls/book-visit").Find("#f-" + field + " dd:not(.tail)").First().Text()); !strings.Contains(got, c.shown) {
			t.Errorf("%s shows %q, want %q", field, got, c.shown)
		}
		again := impl.get("/controls/book-visit?edit=" + field)
		_, kept := again.filled("Save answer", nil)
		for name, v := range c.form {
			if kept.Get(name) != v[0] {
				t.Errorf("%s: editing again starts with %s=%q, want %q", field, name, kept.Get(name), v[0])
			}
		}
	}
	impl.submit(impl.get("/controls/book-visit?edit=retry_window"), "Save answer", url.Values{"number": {"x"}, "basis": {""}}).errorAt("retry_window-number").errorAt("retry_window-basis")
	impl.submit(impl.get("/controls/book-visit?edit=exact_effect"), "Save answer", url.Values{"text": {"It runs exactly once."}}).follow().says("This claims more than can be promised.")
}

func TestAnswerConflict(t *testing.T) {
	b := newBooking(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	impl.submit(impl.get("/controls/book-visit?edit=exact_effect"), "Save answer", url.Values{"text": {"One visit in the calendar for the request."}})
	mine, theirs := impl.get("/controls/book-visit?edit=exact_effect"), owner.get("/controls/book-visit?edit=exact_effect")
	owner.submit(theirs, "Save answer", url.Values{"text": {"One confirmed visit in the calendar for the request."}}).want(http.StatusSeeOther)
	before := b.changes()
	clash := impl.submit(mine, "Save answer", url.Values{"text": {"One visit in the calendar for the request, at the agreed time."}}).want(http.StatusConflict)
	if b.changes() != before {
		t.Error("a conflict changed something")
	}
	clash.says("Someone else changed this answer").says("Business owner saved “Exact effect”").says("Show version 1, where you both started")
	versions := clash.Find(".versions .text")
	if words(versions.First().Text()) != "One confirmed visit in the calendar for the request." || words(versions.Last().Text()) != "One visit in the calendar for the request, at the agreed time." {
		t.Errorf("versions are %q", words(versions.Text()))
	}
	if versions.First().Find("ins").Text() == "" || versions.Last().Find("ins").Text() == "" {
		t.Error("what is new is not marked")
	}
	_, form := clash.filled("Save this answer", nil)
	if merged := strings.TrimSpace(form.Get("text")); merged != "One confirmed visit in the calendar for the request, at the agreed time." || form.Get("version") != "2" {
		t.Errorf("the form starts with %q at version %s", merged, form.Get("version"))
	}
	impl.submit(clash, "Save this answer", nil).goesTo("/controls/book-visit#f-exact_effect")
	impl.get("/controls/book-visit").says("One confirmed visit in the calendar for the request, at the agreed time.").says("3 versions")
}

func TestConflictOfChoices(t *testing.T) {
	b := newBooking(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	mine, theirs := impl.get("/controls/book-visit?edit=automatic_retries"), owner.get("/controls/book-visit?edit=automatic_retries")
	owner.submit(theirs, "Save answer", url.Values{"number": {"2"}}).want(http.StatusSeeOther)
	clash := impl.submit(mine, "Save answer", url.Values{"number": {"5"}}).want(http.StatusConflict)
	impl.submit(clash, "Save this answer", nil).want(http.StatusSeeOther)
	if n := b.count("select count(*) from answers where field = 'automatic_retries' and version = 2 and value = '5'"); n != 1 {
		t.Error("the second answer was not saved on top of the first")
	}
	stale := impl.get("/controls/book-visit?edit=late_update")
	owner.submit(owner.get("/controls/book-visit?edit=late_update"), "Save answer", url.Values{"text": {"Versions are compared."}}).want(http.StatusSeeOther)
	clash = impl.submit(stale, "Not applicable", url.Values{"do": {"not_applicable"}, "reason": {"No update exists."}}).want(http.StatusConflict)
	clash.says("Versions are compared.").says("Not applicable: No update exists.")
	impl.submit(clash, "Save this answer", url.Values{"do": {"not_applicable"}}).want(http.StatusSeeOther)
}

func TestFormSentTwice(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	action, form := impl.get("/controls/book-visit?edit=exact_effect").filled("Save answer", url.Values{"text": {"One visit."}})
	impl.post(action, form).want(http.StatusSeeOther)
	impl.post(action, form).want(http.StatusSeeOther)
	if n := b.count("select count(*) from answers where field = 'exact_effect'"); n != 1 {
		t.Errorf("%d answers", n)
	}
	action, form = impl.get("/controls/book-visit?talk=exact_effect").filled("Ask a question", url.Values{"body": {"Which one?"}})
	impl.post(action, form).want(http.StatusSeeOther)
	impl.post(action, form).want(http.StatusSeeOther)
	if n := b.count("select count(*) from comments"); n != 1 {
		t.Errorf("%d questions", n)
	}
}

func TestAnswerWhileInReview(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	impl := b.as(b.implementer)
	open := impl.get("/controls/book-visit?edit=exact_effect")
	impl.submit(impl.get("/controls/book-visit"), "Submit for review", nil).want(http.StatusSeeOther)
	before := b.changes()
	late := impl.submit(open, "Save answer", url.Values{"text": {"Typed for an hour."}}).want(http.StatusConflict)
	if !strings.Contains(late.Find("textarea[name=text]").Text(), "Typed for an hour.") || b.changes() != before {
		t.Error("the text is lost, or it was saved")
	}
	if impl.get("/controls/book-visit?edit=exact_effect").says("Withdraw it to change one.").Find(".edit, .answer--editing").Length() != 0 {
		t.Error("answers can be edited in review")
	}
}

func TestThreads(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	rev, impl := b.as(b.reviewer), b.as(b.implementer)
	empty := rev.submit(rev.get("/controls/book-visit?talk=exact_effect"), "Ask a question", url.Values{"body": {""}}).want(http.StatusUnprocessableEntity)
	if empty.Find("#exact_effect-body-error").Length() != 1 {
		t.Error("no message at the question")
	}
	rev.submit(empty, "Ask a question", url.Values{"body": {"Is a moved visit the same?"}}).goesTo("/controls/book-visit#f-exact_effect")
	if got := words(rev.get("/controls/book-visit").Find("#f-exact_effect [role=status]").Text()); got != "Question asked. It stays open until you close it." {
		t.Errorf("the field says %q", got)
	}
	page := impl.get("/controls/book-visit").says("Is a moved visit the same?").says("It blocks submission until it is closed.").says("A question is closed by whoever asked it")
	if page.Find("button:contains('Close question')").Length() != 0 {
		t.Error("somebody else is offered to close the question")
	}
	question := id(int64(b.count("select id from comments")))
	impl.post("/controls/book-visit/fields/exact_effect/questions/"+question+"/close", nil).want(http.StatusForbidden).says("closed by whoever asked it")
	impl.submit(impl.get("/controls/book-visit?reply="+question), "Reply", url.Values{"body": {"It is a new one."}}).want(http.StatusSeeOther)
	action, form := page.filled("Submit for review", nil)
	blocked := impl.post(action, form).want(http.StatusConflict).says("cannot be submitted yet")
	if blocked.Find(".error-summary a[href='/controls/book-visit#f-exact_effect']").Length() != 1 {
		t.Error("the open question is not linked")
	}
	rev.submit(rev.get("/controls/book-visit").says("It is a new one."), "Close question", nil).want(http.StatusSeeOther)
	rev.get("/controls/book-visit").says("Closed by Reviewer").says("1 settled entry").saysNot("It blocks submission")
	talk, form := impl.get("/controls/book-visit?talk=sender").filled("Comment", url.Values{"body": {"Noted."}})
	impl.post(strings.TrimSuffix(talk, "questions")+"comments", form).want(http.StatusSeeOther)
	impl.get("/controls/book-visit").says("Noted.")
}

func TestHtmxSwapsOneAnswer(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	r := impl.request(http.MethodGet, "/controls/book-visit/answers/exact_effect?edit=exact_effect", nil)
	r.Header.Set("HX-Request", "true")
	r.Header.Set("HX-Request-Type", "partial")
	p := impl.send(r).want(http.StatusOK)
	if p.Find("main").Length() != 0 || p.Find(".answer").Length() != 1 || p.Find("#f-exact_effect form textarea").Length() != 1 {
		t.Error("htmx does not get exactly the one answer")
	}
	impl.get("/controls/book-visit/answers/exact_effect?edit=exact_effect").goesTo("/controls/book-visit?edit=exact_effect#f-exact_effect")
	impl.get("/controls/book-visit/answers/nothing").want(http.StatusSeeOther)
}

func TestObserveNeedsTheOwner(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	impl, owner := b.as(b.implementer), b.as(b.owner)
	toObserve := url.Values{"mode": {"observe"}, "reason": {"A trial week."}}
	impl.submit(impl.get("/controls/book-visit?edit=mode"), "Save answer", toObserve).want(http.StatusForbidden).says("from enforce to observe")
	owner.submit(owner.get("/controls/book-visit?edit=mode"), "Save answer", url.Values{"mode": {"observe"}}).errorAt("mode-reason")
	owner.submit(owner.get("/controls/book-visit?edit=mode"), "Save answer", toObserve).want(http.StatusSeeOther)
	if got := b.count("select count(*) from answers where field = 'mode' and state = 'answered' and reason = 'A trial week.' and person_id = ?", b.owner.ID); got != 1 {
		t.Error("the owner's choice is not kept with its reason")
	}
}
