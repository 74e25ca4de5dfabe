package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/matrix/matrixtest"
)

// booking is a crew with a place to book visits in, and a control about it.
type booking struct {
	*crew
	operation string // id
}

const sentence = "The customer must not find two visits in the calendar."

func newBooking(t *testing.T) *booking {
	t.Helper()
	b := &booking{crew: newCrew(t)}
	b.exec("insert into environments (slug, name, kind, reaches_customers, reach_set_by, reach_confirmed_by, reach_confirmed_at) values ('sandbox', 'Sandbox', 'test', false, ?, ?, now())", b.admin.ID, b.owner.ID)
	b.exec("insert into destinations (slug, system, account, environment_id) select 'booking-demo-01', 'Booking system', 'booking-demo-01', id from environments")
	b.exec("insert into operations (destination_id, slug, name, lookup_method) select id, 'book', 'Book visit', 'GET /visits' from destinations")
	b.exec("insert into senders (workflow_id, slug, name) select id, 'web-form', 'Web form' from workflows")
	b.exec("insert into escalation_policies (slug, name, created_by) values ('replays', 'Replays', ?)", b.admin.ID)
	b.exec("insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, person_id) select id, 1, 7, 30, created_by from escalation_policies")
	b.operation = fmt.Sprint(b.count("select id from operations"))
	if _, err := control.Create(t.Context(), b.db, b.owner, control.CreateCmd{Workflow: "intake", Name: "Book visit", Effect: "book-visit", Sentence: sentence}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (a *app) exec(sql string, args ...any) {
	a.t.Helper()
	if err := a.db.Query(a.t.Context()).Exec(sql, args...).Error; err != nil {
		a.t.Fatal(err)
	}
}

// complete answers every field of a control that is still open, and proves it.
func (b *booking) complete(slug string) {
	b.t.Helper()
	b.answer(slug)
	matrixtest.Prove(b.t, b.db, slug)
}

// answer answers every field of a control that is still open.
func (b *booking) answer(slug string) {
	b.t.Helper()
	d, err := control.Show(b.t.Context(), b.db, slug)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range d.Sections {
		for _, f := range s.Answers {
			if f.Resolved() {
				continue
			}
			in := control.Input{State: control.Answered, Text: "As agreed about " + f.Field.Label, Environments: []string{"sandbox"}, Date: "2150-05-31", Sender: "web-form",
				Operations: map[string]int64{"sandbox": int64(b.count("select id from operations"))}, Mode: "enforce", Number: "2", Basis: "The documentation", Rule: controltest.Rule(f.Field), Policy: controltest.PolicyVersion}
			cmd := control.SaveAnswerCmd{Control: slug, Field: f.Field.Key, Version: f.Answer.Version, Input: in}
			if _, err := control.SaveAnswer(b.t.Context(), b.db, b.implementer, cmd); err != nil {
				b.t.Fatalf("%s: %v", f.Field.Key, err)
			}
		}
	}
}

// changes counts everything that a refused request must not add to.
func (b *booking) changes() int {
	b.t.Helper()
	return b.count(`select (select count(*) from answers) + (select count(*) from comments) + (select count(*) from question_closings) + (select count(*) from signatures) + (select count(*) from lab_pairs) + (select count(*) from rule_reasons)
		+ (select count(*) from revisions) + (select count(*) from controls) + (select count(*) from audit_events where not refused)
		+ (select coalesce(sum(version), 0) from revisions)`)
}

func TestControlWritten(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	form := impl.get("/controls/new?workflow=intake").want(http.StatusOK)
	if form.Find("select[name=workflow] option[selected]").AttrOr("value", "") != "intake" || form.Find("main form [name]:not([type=hidden])").First().AttrOr("name", "") != "sentence" {
		t.Error("the workflow is not chosen, or the owner's words are not asked for first")
	}
	wrong := impl.submit(form, "Write control", url.Values{"sentence": {"One message only."}, "effect": {"Not A Slug"}, "accounts.sandbox": {"booking-demo-01"}})
	wrong.errorAt("name").errorAt("effect")
	if order := words(wrong.Find(".error-summary li").First().Text()); !strings.HasPrefix(order, "Enter a name") || wrong.Find(".error-summary li").Length() != 2 {
		t.Errorf("the summary starts with %q", order)
	}
	if wrong.Find("textarea[name=sentence]").Text() != "\nOne message only." && wrong.Find("textarea[name=sentence]").Text() != "One message only." {
		t.Error("the sentence is lost")
	}
	if wrong.Find("select[name='accounts.sandbox'] option[selected]").AttrOr("value", "") != "booking-demo-01" || wrong.Find("input[name=effect]").AttrOr("value", "") != "Not A Slug" {
		t.Error("what was typed is not kept")
	}
	impl.submit(wrong, "Write control", url.Values{"name": {"Send confirmation"}, "effect": {""}}).goesTo("/controls/send-confirmation")
	if n := b.count("select count(*) from controls where slug = 'send-confirmation' and effect = 'send-confirmation'"); n != 1 {
		t.Error("the effect does not come from the name")
	}
	page := impl.get("/controls/send-confirmation").want(http.StatusOK).says("Control written.").says("Waits for the business owner").says("One message only.").saysNot("Confirm these words")
	if got := words(page.Find(".page-header .badge").Text()); got != "Revision 1, draft" {
		t.Errorf("badge %q", got)
	}
	owner := b.as(b.owner)
	owner.submit(owner.get("/controls/send-confirmation"), "Confirm these words", nil).goesTo("/controls/send-confirmation#f-duplicate_in_plain_words")
	owner.get("/controls/send-confirmation").saysNot("Waits for the business owner").says("Business owner, ")
	taken := impl.submit(impl.get("/controls/new?workflow=intake"), "Write control", url.Values{"sentence": {"x"}, "name": {"Book visit"}, "effect": {"other"}})
	taken.errorAt("slug").says("Choose another")
	b.as(b.viewer).get("/controls/new").want(http.StatusForbidden).says("business owner, implementer or reviewer")
}

func TestControlAccountBelongsToOne(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	form := url.Values{"sentence": {"x"}, "name": {"First"}, "effect": {"same"}, "workflow": {"intake"}, "accounts.sandbox": {"booking-demo-01"}}
	impl.submit(impl.get("/controls/new"), "Write control", form).goesTo("/controls/first")
	form.Set("name", "Second")
	p := impl.submit(impl.get("/controls/new"), "Write control", form).want(http.StatusUnprocessableEntity)
	p.says("First")
	if p.Find("[id='accounts.sandbox-error']").Length() == 0 {
		t.Error("no message at the account")
	}
}

func TestControlList(t *testing.T) {
	a := newApp(t)
	owner := a.person("Owner", models.BusinessOwner)
	a.as(owner).get("/controls").want(http.StatusOK).says("No control yet").says("Write a control")

	b := newBooking(t)
	who := b.as(b.owner)
	who.get("/controls").says("Book visit").says("Blocked").says("1, draft").says("Never approved").says("Intake")
	for query, found := range map[string]bool{"q=visit": true, "q=zzz": false, "workflow=intake": true, "workflow=x": false, "state=draft": true, "state=approved": false,
		"gate=blocked": true, "gate=automatic": false, "owner=me": true, "unresolved=1": true, "q=%25": false} {
		if p := who.get("/controls?" + query).want(http.StatusOK); found != (p.Find("table").Length() == 1) || !found && !strings.Contains(p.Text(), "No control matches") {
			t.Errorf("%s: found %v", query, !found)
		}
	}
	b.as(b.reviewer).get("/controls?owner=me").says("No control matches")
	who.get("/controls?at=broken").want(http.StatusBadRequest)
	who.get("/controls?q=%00").want(http.StatusBadRequest)
	if b.as(b.viewer).get("/controls").says("A control is created by").Find("main a[href='/controls/new']").Length() != 0 {
		t.Error("a viewer is offered to write a control")
	}
	b.exec(`with c as (insert into controls (slug, name, workflow_id, effect, unresolved, created_by) select 'c-' || n, 'C ' || lpad(n::text, 3, '0'), w.id, 'c-' || n, 0, ? from generate_series(1, 60) n, workflows w returning id),
		r as (insert into revisions (control_id, number, state, started_by) select id, 1, 'draft', ? from c returning id, control_id) select 1`, b.owner.ID, b.owner.ID)
	b.exec("update controls c set latest_revision_id = r.id from revisions r where r.control_id = c.id and c.latest_revision_id is null")
	first := who.get("/controls?state=draft")
	if n := first.Find("tbody tr").Length(); n != models.PageSize {
		t.Fatalf("%d rows", n)
	}
	next := first.Find("a[rel=next]").AttrOr("href", "")
	if second := who.get(next).want(http.StatusOK); !strings.Contains(next, "state=draft") || second.Find("tbody tr").Length() != 11 {
		t.Errorf("%s has %d rows", next, second.Find("tbody tr").Length())
	}
}

func TestControlShown(t *testing.T) {
	b := newBooking(t)
	p := b.as(b.implementer).get("/controls/book-visit").want(http.StatusOK).says(sentence).says("No revision was ever approved.").says("Nothing was tested yet.").says("Nothing may start or be tried again").says("Changes when the design changes")
	for _, s := range control.Sections {
		if p.Find(fmt.Sprintf("#s%d h2", s.Number)).Text() != s.Title {
			t.Errorf("section %d is missing", s.Number)
		}
		for _, f := range s.Fields {
			if p.Find("#"+f.Anchor()).Length() != 1 {
				t.Errorf("%s is missing", f.Key)
			}
		}
	}
	if p.Find("#f-workflow .edit").Length() != 0 {
		t.Error("the workflow can be edited")
	}
	submit := p.Find("button:contains('Submit for review')")
	if _, off := submit.Attr("disabled"); !off || submit.AttrOr("aria-describedby", "") != "before" || p.Find("#before").Length() != 1 {
		t.Error("submitting is not disabled with what is missing")
	}
	if n := p.Find("#before a[href='/controls/book-visit#f-exact_effect']").Length(); n != 1 {
		t.Errorf("%d links to a missing field", n)
	}
	b.as(b.viewer).get("/controls/nothing").want(http.StatusNotFound)
	b.as(b.viewer).get("/controls/book-visit/revisions/1").goesTo("/controls/book-visit")
	for _, n := range []string{"0", "-1", "9", "x", "99999999999999999999"} {
		b.as(b.viewer).get("/controls/book-visit/revisions/" + n).want(http.StatusNotFound)
	}
}

func TestViewerOnlyReads(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	viewer := b.as(b.viewer)
	for _, path := range []string{"/controls/book-visit?edit=exact_effect&talk=exact_effect", "/controls/book-visit/sign-off", "/controls"} {
		p := viewer.get(path).want(http.StatusOK)
		if n := p.Find("main form[method=post], main .edit, main button[type=submit]:not(.toolbar button)").Length(); n != 0 {
			t.Errorf("%s offers %d forms or buttons to a viewer", path, n)
		}
	}
	before := b.changes()
	for path, reason := range map[string]string{
		"/controls/book-visit/answers/exact_effect":                     "Answers are written by the business owner or an implementer.",
		"/controls/book-visit/answers/duplicate_in_plain_words/confirm": "Only the business owner of this control",
		"/controls/book-visit/fields/exact_effect/questions":            "Questions and comments come from",
		"/controls/book-visit/fields/exact_effect/comments":             "Questions and comments come from",
		"/controls/book-visit/submit":                                   "Only the business owner or implementer of this control",
		"/controls/book-visit/sign-off":                                 "signed by the business owner, implementer and reviewer",
		"/controls/book-visit/draft":                                    "Answers are written by",
		"/controls":                                                     "A control is created by",
	} {
		viewer.post(path, url.Values{"do": {"answered"}, "text": {"x"}, "body": {"x"}, "version": {"1"}, "decision": {"approve"}}).want(http.StatusForbidden).says(reason)
	}
	if b.changes() != before {
		t.Error("a refused request changed something")
	}
	if n := b.count("select count(*) from audit_events where refused"); n != 8 {
		t.Errorf("%d refusals are recorded, want 8", n)
	}
}

func TestControlBadRequests(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	other, err := control.Create(t.Context(), b.db, b.owner, control.CreateCmd{Workflow: "intake", Name: "Other", Effect: "other", Sentence: "Other."})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := control.Ask(t.Context(), b.db, b.owner, control.AskCmd{Control: other.Slug, Field: "exact_effect", Body: "Which?"})
	if err != nil {
		t.Fatal(err)
	}
	owner, answer := b.as(b.owner), "/controls/book-visit/answers/exact_effect"
	before := b.changes()
	for name, r := range map[string]struct {
		path   string
		form   url.Values
		status int
	}{
		"version that is no number":  {answer, url.Values{"version": {"one"}, "text": {"x"}}, 400},
		"version ahead":              {answer, url.Values{"version": {"99"}, "text": {"x"}}, 409},
		"version below zero":         {answer, url.Values{"version": {"-1"}, "text": {"x"}}, 409},
		"unknown field":              {"/controls/book-visit/answers/nothing", url.Values{"version": {"0"}, "text": {"x"}}, 404},
		"unknown control":            {"/controls/nothing/answers/exact_effect", url.Values{"version": {"0"}, "text": {"x"}}, 404},
		"a slug that is none":        {"/controls/%00/answers/exact_effect", url.Values{"version": {"0"}, "text": {"x"}}, 400},
		"control characters":         {answer, url.Values{"version": {"1"}, "text": {"a\x00b"}}, 422},
		"too long":                   {answer, url.Values{"version": {"1"}, "text": {strings.Repeat("ä", 4001)}}, 422},
		"oversized":                  {answer, url.Values{"version": {"1"}, "text": {strings.Repeat("x", 1<<20+1)}}, 413},
		"unknown state":              {answer, url.Values{"version": {"1"}, "do": {"approved"}, "text": {"x"}}, 422},
		"never not applicable":       {answer, url.Values{"version": {"1"}, "do": {"not_applicable"}, "reason": {"x"}}, 422},
		"the workflow":               {"/controls/book-visit/answers/workflow", url.Values{"version": {"1"}, "text": {"x"}}, 422},
		"a person that is none":      {"/controls/book-visit/answers/reviewer", url.Values{"version": {"1"}, "person": {"999999"}}, 422},
		"a person without the role":  {"/controls/book-visit/answers/reviewer", url.Values{"version": {"1"}, "person": {id(b.viewer.ID)}}, 422},
		"an environment that is not": {"/controls/book-visit/answers/environment", url.Values{"version": {"1"}, "environments": {"moon"}}, 422},
		"an operation that is not":   {"/controls/book-visit/answers/operation", url.Values{"version": {"1"}, "operations.sandbox": {"999999"}}, 422},
		"an operation that is text":  {"/controls/book-visit/answers/operation", url.Values{"version": {"1"}, "operations.sandbox": {"x"}}, 400},
		"a date that is past":        {"/controls/book-visit/answers/review_date", url.Values{"version": {"1"}, "date": {"2020-01-01"}}, 422},
		"a date that is none":        {"/controls/book-visit/answers/review_date", url.Values{"version": {"1"}, "date": {"2150-02-30"}}, 422},
		"confirming another field":   {answer + "/confirm", url.Values{"version": {"1"}}, 404},
		"a reply to another control": {"/controls/book-visit/fields/exact_effect/comments/" + id(asked.ID) + "/replies", url.Values{"body": {"x"}}, 404},
		"closing another control's":  {"/controls/book-visit/fields/exact_effect/questions/" + id(asked.ID) + "/close", nil, 404},
		"a question's id as text":    {"/controls/book-visit/fields/exact_effect/questions/x/close", nil, 404},
		"a question on no field":     {"/controls/book-visit/fields/nothing/questions", url.Values{"body": {"x"}}, 404},
		"an empty question":          {"/controls/book-visit/fields/exact_effect/questions", url.Values{"body": {" "}}, 422},
		"a question too long":        {"/controls/book-visit/fields/exact_effect/questions", url.Values{"body": {strings.Repeat("x", 4001)}}, 422},
		"submitting an old version":  {"/controls/book-visit/submit", url.Values{"version": {"1"}}, 409},
		"signing a draft":            {"/controls/book-visit/sign-off", url.Values{"revision": {"1"}, "decision": {"approve"}, "full_hash": {strings.Repeat("a", 64)}}, 409},
		"withdrawing a draft":        {"/controls/book-visit/withdraw", url.Values{"revision": {"1"}}, 409},
		"a draft while there is one": {"/controls/book-visit/draft", nil, 409},
	} {
		if p := owner.post(r.path, r.form); p.status != r.status {
			t.Errorf("%s: status %d, want %d: %s", name, p.status, r.status, words(p.Find("main").Text()))
		}
	}
	for _, path := range []string{answer, "/controls", "/controls/book-visit/submit", "/controls/book-visit/sign-off"} {
		r := owner.request(http.MethodPost, path, url.Values{"version": {"1"}, "text": {"x"}, "decision": {"approve"}})
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if p := owner.send(r); p.status != http.StatusForbidden {
			t.Errorf("%s from another site: status %d", path, p.status)
		}
	}
	if b.changes() != before {
		t.Error("a refused request changed something")
	}
}

func TestLongNamesAndHostileText(t *testing.T) {
	b := newBooking(t)
	name := strings.Repeat("W", 200)
	if _, err := control.Create(t.Context(), b.db, b.owner, control.CreateCmd{Workflow: "intake", Name: name, Slug: "long", Effect: "long", Sentence: `<script>alert("x")</script>`}); err != nil {
		t.Fatal(err)
	}
	owner := b.as(b.owner)
	for _, path := range []string{"/controls", "/controls/long", "/controls/long/sign-off", "/controls/long/answers/duplicate_in_plain_words/history"} {
		p := owner.get(path).want(http.StatusOK)
		if p.Find("main script").Length() != 0 || !strings.Contains(p.Text(), name) {
			t.Errorf("%s: text became markup, or the name is missing", path)
		}
	}
}
