package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const demoInput = `{"event_id": "event-demo-01", "request_id": "request-demo-01", "approved_version": 1}`

// ruleValues is the form of a rule of the intended effect.
func ruleValues(paths ...string) url.Values {
	v := url.Values{"do": {"answered"}, "statement": {"One visit for one request."}, "boundary": {"Two requests of one customer."}, "example": {demoInput},
		"components.0.scope": {"environment"}, "components.1.scope": {"account"}, "components.2.scope": {"effect"}}
	for i, p := range paths {
		at := "components." + id(int64(i+3))
		v[at+".name"], v[at+".path"] = []string{strings.TrimPrefix(p, "$.")}, []string{p}
	}
	return v
}

func TestRuleWrittenOnTheControlPage(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	const page, edit = "/controls/book-visit", "/controls/book-visit?edit=action_identity"
	first := impl.get(edit).want(http.StatusOK)
	if first.Find("#f-action_identity fieldset.part").Length() != 0 || first.Find("#action_identity-statement").Length() != 1 {
		t.Fatal("the statement is asked before the components")
	}
	impl.submit(first, "Go on to the components", url.Values{"do": {"add"}}).errorAt("action_identity-statement")
	form := impl.submit(first, "Go on to the components", url.Values{"do": {"add"}, "statement": {"Half"}}).want(http.StatusOK)
	if form.Find("#f-action_identity fieldset.part").Length() != 4 || form.Find("[name='components.0.scope'] option[selected]").AttrOr("value", "") != "environment" {
		t.Fatal("a new intended effect does not start with its scope")
	}
	more := impl.submit(form, "Save answer", url.Values{"do": {"add"}, "statement": {"Half a thought"}, "components.3.name": {"request_id"}}).want(http.StatusOK)
	if more.Find("#f-action_identity fieldset.part").Length() != 5 || more.Find("#action_identity-statement").Text() != "Half a thought" || more.Find("#f-action_identity .error").Length() != 0 {
		t.Fatal("adding a row lost what was typed, or complained")
	}
	impl.submit(form, "Save answer", url.Values{"statement": {""}, "components.3.path": {"$..x"}}).errorAt("action_identity-statement")
	bad := ruleValues("$..id")
	bad.Set("example", "{\n  \"mail\": \"somebody@example.test\"\n}")
	bad.Set("components.4.scope", "fixed")
	bad.Set("components.4.name", "kind")
	refused := impl.submit(form, "Save answer", bad).errorAt("action_identity-components-3-path").errorAt("action_identity-example").errorAt("action_identity-components-4-path")
	if !strings.Contains(refused.Find("#action_identity-example-error").Text(), "Line 2, column 11") || refused.Find("#action_identity-example").Text() == "" {
		t.Error("the place is not named, or the example is gone")
	}
	if b.count("select count(*) from answers where field = 'action_identity'") != 0 {
		t.Error("a refused rule was saved")
	}
	impl.submit(form, "Save answer", ruleValues("$.request_id")).goesTo(page + "#f-action_identity")
	shown := impl.get(page).says("Rule version 1").says("A missing identifier goes to review")
	if got := words(shown.Find("#f-action_identity ol.key").Text()); got != "environmentthe environmentaccountthe destination accounteffectthe effectrequest_id$.request_id" {
		t.Errorf("the key reads %q", got)
	}
	if shown.Find("#f-action_identity a[href='/identity-rules/lab?control=book-visit']").Length() != 1 {
		t.Error("no link to the lab")
	}
	impl.submit(impl.get(edit), "Save answer", ruleValues("$.customer_email")).follow().says("Saved, with findings.").says("Findings to settle")
	impl.get(page).says("Blocks")
	other := impl.get(edit)
	b.as(b.owner).submit(other, "Save answer", ruleValues("$.request_id")).want(http.StatusSeeOther)
	mine := ruleValues("$.request_no")
	mine.Set("boundary", "Two forms of one customer.")
	clash := impl.submit(other, "Save answer", mine).want(http.StatusConflict).says("Your rule as you typed it, on top of version 3").says("Saving makes it version 4.")
	parts := map[string]string{}
	clash.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
		parts[words(row.Find("th").Text())] = words(row.Find("td").Text())
	})
	for part, want := range map[string]string{"Component request_id": "None$.request_idNoneOnly " + b.owner.Name + " changed it", "Component request_no": "NoneNone$.request_noOnly you changed it",
		"Never mixed up": "Two requests of one customer.Two requests of one customer.Two forms of one customer.Only you changed it", "Missing identifier": "Goes to reviewGoes to reviewGoes to reviewSame in both"} {
		if parts[part] != want {
			t.Errorf("%s: %q, want %q", part, parts[part], want)
		}
	}
	impl.submit(clash, "Save this answer", nil).want(http.StatusSeeOther)
	impl.get(page).says("$.request_no").says("Two forms of one customer.").says("Rule version 4")
}

func TestOwnerKeepsAFinding(t *testing.T) {
	b := newBooking(t)
	impl, owner := b.as(b.implementer), b.as(b.owner)
	const page = "/controls/book-visit"
	impl.submit(impl.get(page+"?edit=action_identity"), "Go on to the components", ruleValues("$.request_id")).want(http.StatusSeeOther)
	repeat := url.Values{"do": {"answered"}, "statement": {"A new request is a new visit."}, "boundary": {"A new request and the same one again."}, "example": {demoInput},
		"components.0.name": {"request_id"}, "components.0.path": {"$.request_id"}}
	impl.submit(impl.get(page+"?edit=legitimate_repeat"), "Go on to the components", repeat).follow().says("Needs a reason")
	if impl.get(page).Find("form[action$='/keep']").Length() != 0 {
		t.Error("the implementer is offered to keep it")
	}
	action, values := owner.get(page).filled("Keep this finding", url.Values{"reason": {"Each request is its own effect."}})
	impl.post(action, values).want(http.StatusForbidden)
	owner.submit(owner.get(page), "Keep this finding", url.Values{"reason": {" "}}).want(http.StatusUnprocessableEntity).says("Say why this is right here.")
	owner.post(action, values).goesTo(page + "#f-legitimate_repeat")
	owner.get(page).says("Kept with a reason").says("Why it stays: Each request is its own effect.")
	owner.get(page + "/sign-off").says("a finding is kept")
	stale := url.Values{"version": {"1"}, "finding": {"gone@x"}, "reason": {"x"}}
	owner.post(page+"/answers/legitimate_repeat/keep", stale).want(http.StatusConflict)
}

func TestLab(t *testing.T) {
	b := newBooking(t)
	impl, viewer := b.as(b.implementer), b.as(b.viewer)
	viewer.get("/identity-rules/lab").want(http.StatusOK).says("Write the rule of the intended effect")
	impl.submit(impl.get("/controls/book-visit?edit=action_identity"), "Go on to the components", ruleValues("$.request_id")).want(http.StatusSeeOther)
	lab := viewer.get("/identity-rules/lab?control=book-visit").want(http.StatusOK).says("Another account")
	if lab.Find("button:contains('Save')").Length() != 0 {
		t.Error("a viewer is offered to save a pair")
	}
	pair := url.Values{"input_a": {demoInput}, "input_b": {`{"event_id": "event-demo-02", "request_id": "request-demo-01"}`}}
	same := viewer.submit(lab, "Compare", pair).want(http.StatusOK)
	if same.Find("[data-verdict=same_action]").Length() != 1 || same.Find("#input_b").Text() != pair.Get("input_b") {
		t.Errorf("verdict %s", words(same.Find("#result").Text()))
	}
	viewer.submit(lab, "Compare", url.Values{"input_b": {"{\n  \"a\": }"}}).errorAt("input_b").says("Line 2, column 8: Expected a value")
	action, form := lab.filled("Compare", pair)
	viewer.post(action+"/pairs", form).want(http.StatusForbidden)
	form.Set("name", "Sent again by hand")
	form.Set("expected", "same_delivery")
	impl.post("/identity-rules/lab/pairs", url.Values{"control": {"book-visit"}, "input_a": {`{"mail": "somebody@example.test"}`}, "input_b": {"{}"}}).errorAt("input_a").errorAt("name").errorAt("expected")
	form.Set("submission", "pair-form-1")
	impl.post("/identity-rules/lab/pairs", form).follow().says("Pair saved, and broken.").says("Comes to: Same action.")
	impl.get("/identity-rules?broken=1").want(http.StatusOK).says("1 broken")
	impl.get("/controls/book-visit").says("1 saved pair broken by the rules")
	impl.submit(impl.get("/identity-rules/lab?control=book-visit"), "Archive", nil).follow().says("Pair archived.").says("1 archived pair")
	impl.submit(impl.get("/identity-rules/lab?control=book-visit"), "Restore", nil).follow().says("Pair restored.")
	impl.submit(impl.get("/identity-rules/lab?control=book-visit"), "Save: ", nil).follow().says("Pair saved")
	tried := viewer.get("/identity-rules/lab?control=book-visit&try=missing").want(http.StatusOK)
	if tried.Find("[data-verdict=goes_to_review]").Length() != 1 {
		t.Errorf("the missing request ID came to %s", words(tried.Find("#result").Text()))
	}
	for path, status := range map[string]int{"/identity-rules/lab?control=nothing": 404, "/identity-rules/lab?control=book-visit&pair=999": 404, "/identity-rules?at=x": 400} {
		viewer.get(path).want(status)
	}
	impl.post("/identity-rules/lab/pairs/999/archive", url.Values{"control": {"book-visit"}}).want(http.StatusNotFound)
	if strings.Contains(viewer.submit(lab, "Compare", pair).header.Get("Location"), "request") {
		t.Error("an input went into an address")
	}
}

func TestLabFindsAControl(t *testing.T) {
	b := newBooking(t)
	viewer := b.as(b.viewer)
	viewer.get("/identity-rules/lab?find=VISIT").goesTo("/identity-rules/lab?control=book-visit")
	viewer.get("/identity-rules/lab?find=nothing").want(http.StatusOK).says("No control matches")
	viewer.get("/identity-rules/lab?find=%00").want(http.StatusBadRequest)
}

func TestIdentityRulesList(t *testing.T) {
	b := newBooking(t)
	viewer := b.as(b.viewer)
	if n := viewer.get("/identity-rules").want(http.StatusOK).Find("tbody tr").Length(); n != 4 {
		t.Errorf("%d rules", n)
	}
	if n := viewer.get("/identity-rules?kind=intended_effect&state=unresolved&q=visit").Find("tbody tr").Length(); n != 1 {
		t.Errorf("%d rules", n)
	}
	viewer.get("/identity-rules?state=answered").says("No rule matches")
}
