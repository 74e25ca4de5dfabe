package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models"
)

// reviewing is a booking whose revision 1 is in review.
func reviewing(t *testing.T) *booking {
	t.Helper()
	b := newBooking(t)
	b.complete("book-visit")
	impl := b.as(b.implementer)
	impl.submit(impl.get("/controls/book-visit"), "Submit for review", nil).goesTo("/controls/book-visit/sign-off")
	return b
}

var approve = url.Values{"decision": {"approve"}}

func TestSubmitIsBlockedByWhatIsMissing(t *testing.T) {
	b := newBooking(t)
	impl := b.as(b.implementer)
	action, form := impl.get("/controls/book-visit").filled("Submit for review", nil)
	before := b.changes()
	p := impl.post(action, form).want(http.StatusConflict).says("This revision cannot be submitted yet.").says(sentence)
	for _, field := range []string{"exact_effect", "review_date", "monitoring"} {
		if p.Find(".error-summary a[href='/controls/book-visit#f-"+field+"']").Length() != 1 {
			t.Errorf("%s is not in the list", field)
		}
	}
	if p.Find(".error-summary a[href$='#f-business_owner']").Length() != 0 || b.changes() != before {
		t.Error("an answered field is in the list, or something changed")
	}
	rev := b.as(b.reviewer)
	rev.get("/controls/book-visit").says("Only the business owner or implementer of this control").saysNot("Submit for review")
}

func TestSignedByThree(t *testing.T) {
	b := reviewing(t)
	impl, rev, owner := b.as(b.implementer), b.as(b.reviewer), b.as(b.owner)
	page := owner.get("/controls/book-visit/sign-off").want(http.StatusOK).says("Sign off revision 1 of Book visit").says("Sign as business owner").
		says("The first revision").says("booking-demo-01").says("Repeated delivery").saysNot("becomes active")
	if words(page.Find("blockquote").Text()) != sentence {
		t.Errorf("the owner's words are %q", page.Find("blockquote").Text())
	}
	hash := page.Find("input[name=full_hash]").AttrOr("value", "")
	if shown := strings.ReplaceAll(page.Find(".fingerprint code").Text(), " ", ""); len(hash) != 64 || shown != hash || page.Find(".fingerprint rect").Length() != 32 {
		t.Errorf("fingerprint %q, form %q", shown, hash)
	}
	impl.submit(impl.get("/controls/book-visit/sign-off"), "Approve and sign", approve).goesTo("/controls/book-visit/sign-off")
	impl.get("/controls/book-visit/sign-off").says("Signed.").says("You already signed as implementer.").saysNot("Approve and sign")
	action, form := rev.get("/controls/book-visit/sign-off").filled("Approve and sign", approve)
	rev.post(action, form).want(http.StatusSeeOther)
	rev.post(action, form).want(http.StatusSeeOther) // the same form again: the first answer
	if n := b.count("select count(*) from signatures"); n != 2 {
		t.Fatalf("%d signatures after a double click", n)
	}
	last := owner.get("/controls/book-visit/sign-off").says("Your signature is the last of three: revision 1 becomes active")
	owner.submit(last, "Approve and sign", approve).follow().says("Revision 1 is approved.")
	owner.get("/controls/book-visit").says("Automatic up to 2").says("After that a person must allow every further try.").says("Start revision 2").says("1, in force")
	frozen := b.as(b.viewer).get("/controls/book-visit/revisions/1").want(http.StatusOK).says(sentence).says("Implementer").says(hash[:8])
	if frozen.Find("main form").Length() != 0 || frozen.Find(".slot").Length() != 3 || frozen.Find(".fingerprint").Length() != 2 {
		t.Error("the frozen page is not read-only with three signatures and two fingerprints")
	}
	again := url.Values{"revision": {"1"}, "full_hash": {hash}, "decision": {"approve"}}
	before := b.changes()
	owner.post("/controls/book-visit/sign-off", again).want(http.StatusConflict)
	if b.changes() != before {
		t.Error("signing again changed something")
	}
	impl.submit(impl.get("/controls/book-visit"), "Start revision 2", nil).goesTo("/controls/book-visit")
	same := impl.get("/controls/book-visit").says("Revision 2, draft").says("2; 1 stays in force").says("Nothing differs from revision 1, which is in force.")
	action, form = same.filled("Submit for review", nil)
	impl.post(action, form).want(http.StatusConflict).says("Nothing differs from revision 1")
}

func TestNextRevisionShowsWhatChanged(t *testing.T) {
	b := reviewing(t)
	for _, who := range []models.Actor{b.implementer, b.reviewer, b.owner} {
		w := b.as(who)
		w.submit(w.get("/controls/book-visit/sign-off"), "Approve and sign", approve).want(http.StatusSeeOther)
	}
	impl := b.as(b.implementer)
	impl.submit(impl.get("/controls/book-visit?edit=stop_condition").says("Saving an answer starts revision 2."), "Save answer", url.Values{"text": {"As agreed about the Stop condition"}}).
		follow().says("This started revision 2.")
	impl.submit(impl.get("/controls/book-visit"), "Submit for review", nil).want(http.StatusSeeOther)
	p := b.as(b.owner).get("/controls/book-visit/sign-off").says("What changed since revision 1").says("1 of ")
	if p.Find(".diff a[href='/controls/book-visit?talk=stop_condition#f-stop_condition']").Length() != 1 || p.Find(".agree a[href*='?talk=']").Length() != 1 {
		t.Error("nothing leads to a question about the change, or about the whole")
	}
	b.as(b.viewer).get("/controls/book-visit/sign-off").saysNot("Ask about this").saysNot("Ask a question about this")
	b.as(b.owner).get("/controls/book-visit/revisions/2").says("Ask about this")
	b.as(b.owner).get("/controls/book-visit/revisions/1").saysNot("Ask about this")
	if p.Find(".diff > div").Length() != 1 || words(p.Find(".diff ins").Text()) != "the" || p.Find(".diff a[href='/controls/book-visit/revisions/2#f-stop_condition']").Length() != 1 {
		t.Errorf("the difference is %q", words(p.Find(".diff").Text()))
	}
}

func TestChangesRequested(t *testing.T) {
	b := reviewing(t)
	rev := b.as(b.reviewer)
	silent := rev.submit(rev.get("/controls/book-visit/sign-off"), "Request changes", url.Values{"decision": {"changes"}}).errorAt("note")
	rev.submit(silent, "Request changes", url.Values{"decision": {"changes"}, "note": {"Say what happens at night."}}).follow().says("Changes requested.").says("Say what happens at night.")
	owner := b.as(b.owner)
	rev.get("/controls/book-visit").says("The implementer, Implementer, changes this.").saysNot("Start revision")
	asked := owner.get("/controls/book-visit").says("Revision 1, changes requested")
	if got := words(asked.Find("#requested").Text()); !strings.HasPrefix(got, "Reviewer requested changes“Say what happens at night.”") || !strings.HasSuffix(got, "Start revision 2") || asked.Find("form[action$='/draft']").Length() != 1 {
		t.Errorf("the request reads %q", got)
	}
	owner.submit(owner.get("/controls/book-visit?edit=monitoring"), "Save answer", url.Values{"text": {"Somebody is on duty at night."}}).want(http.StatusSeeOther)
	owner.get("/controls/book-visit").says("Revision 2, draft").says("This started revision 2.")
	owner.get("/controls/book-visit/revisions/1").says("Changes requested").saysNot("Somebody is on duty at night.")
}

func TestSigningWhatWasSeen(t *testing.T) {
	b := reviewing(t)
	owner := b.as(b.owner)
	_, form := owner.get("/controls/book-visit/sign-off").filled("Approve and sign", approve)
	before := b.changes()
	form.Set("full_hash", strings.Repeat("a", 64))
	form.Set("note", "Kept for me")
	p := owner.post("/controls/book-visit/sign-off", form).want(http.StatusConflict).says("Your decision was not recorded").says("Read it as it is now")
	if !strings.Contains(p.Find("textarea[name=note]").Text(), "Kept for me") {
		t.Error("the note is lost")
	}
	form.Set("decision", "maybe")
	owner.post("/controls/book-visit/sign-off", form).want(http.StatusConflict)
	owner.get("/controls/book-visit/sign-off?decision=approve").want(http.StatusOK)
	if b.changes() != before {
		t.Error("a refused decision changed something")
	}
}

func TestQuestionBlocksApproval(t *testing.T) {
	b := reviewing(t)
	rev, owner := b.as(b.reviewer), b.as(b.owner)
	_, form := owner.get("/controls/book-visit/sign-off").filled("Approve and sign", approve)
	rev.submit(rev.get("/controls/book-visit?talk=monitoring"), "Ask a question", url.Values{"body": {"Who is on duty?"}}).want(http.StatusSeeOther)
	p := owner.get("/controls/book-visit/sign-off").says("Who is on duty?")
	button := p.Find("button[value=approve]")
	if _, off := button.Attr("disabled"); !off || p.Find("#"+button.AttrOr("aria-describedby", "none")).Length() != 1 {
		t.Error("approving is not disabled with the reason")
	}
	if got := words(p.Find("#not-yet").Text()); !strings.HasPrefix(got, "Reviewer asked about “Monitoring”") || p.Find("#not-yet a[href^='/controls/book-visit#c-']").Length() != 1 {
		t.Errorf("under the button stands %q", got)
	}
	impl := b.as(b.implementer)
	b.exec(`insert into signatures (revision_id, slot, person_id, decision, full_hash) select id, s.slot, s.person, 'approve', full_hash from revisions,
		(values ('implementer', cast(? as bigint)), ('business_owner', ?)) s (slot, person)`, b.implementer.ID, b.owner.ID)
	last := rev.get("/controls/book-visit/sign-off").says("Your question about “Monitoring” is still open: read the answer and close it.").saysNot("becomes active")
	if got := words(last.Find(".jump span").First().Text()); got != "Not yet: a question is open" {
		t.Errorf("the bar says %q", got)
	}
	impl.get("/controls/book-visit/sign-off").says("You already signed as implementer.")
	b.exec("delete from signatures")
	owner.post("/controls/book-visit/sign-off", form).want(http.StatusConflict).says("blocks approval")
	rev.get("/controls/book-visit").says("It blocks approval until it is closed.")
	if n := b.count("select count(*) from signatures"); n != 0 {
		t.Errorf("%d signatures", n)
	}
}

func TestWithdrawn(t *testing.T) {
	b := reviewing(t)
	rev, impl := b.as(b.reviewer), b.as(b.implementer)
	rev.submit(rev.get("/controls/book-visit/sign-off"), "Approve and sign", approve).want(http.StatusSeeOther)
	rev.get("/controls/book-visit").saysNot("Take it back")
	impl.submit(impl.get("/controls/book-visit/sign-off"), "Withdraw", url.Values{"reason": {strings.Repeat("x", 5000)}}).errorAt("reason")
	impl.submit(impl.get("/controls/book-visit/sign-off"), "Withdraw", url.Values{"reason": {"A field was wrong."}}).goesTo("/controls/book-visit")
	impl.get("/controls/book-visit").says("Revision 1 was withdrawn.").says("Revision 1, draft")
	impl.get("/controls/book-visit/sign-off").says("Void signatures").says("A field was wrong.").says("still being written")
}

func TestDelegateSigns(t *testing.T) {
	b := reviewing(t)
	deputy := b.person("Deputy", models.Implementer)
	b.exec("insert into delegations (person_id, delegate_id, until, created_by) values (?, ?, '2150-01-01', ?)", b.owner.ID, deputy.ID, b.owner.ID)
	who := b.as(deputy)
	b.as(b.reviewer).get("/controls/book-visit/sign-off").says("Deputy stands in.")
	who.submit(who.get("/controls/book-visit/sign-off").says("You stand in for Business owner."), "Approve and sign", approve).want(http.StatusSeeOther)
	who.get("/controls/book-visit/sign-off").says("Deputy for the business owner Business owner")
}

func TestDelegateWhoSignsAlready(t *testing.T) {
	b := reviewing(t)
	b.exec("insert into delegations (person_id, delegate_id, until, created_by) values (?, ?, '2150-01-01', ?)", b.owner.ID, b.reviewer.ID, b.owner.ID)
	b.as(b.implementer).get("/controls/book-visit/sign-off").says("Reviewer stands in but already signs as reviewer here, so cannot sign for the business owner.").saysNot("You stand in for")
	rev := b.as(b.reviewer)
	rev.submit(rev.get("/controls/book-visit/sign-off").says("You stand in for Business owner, but you sign as reviewer here"), "Approve and sign", approve).
		follow().says("You already signed as reviewer.").says("so you cannot sign for the business owner too")
}
