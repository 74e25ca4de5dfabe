package handlers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/people"

	"github.com/PuerkitoBio/goquery"
)

// counter is an app with the demo data and its ledger.
type counter struct{ *app }

func newCounter(t *testing.T) *counter {
	t.Helper()
	return &counter{newDemo(t)}
}

func (c *counter) who(name string) *browser {
	c.t.Helper()
	by, err := people.ActorByEmail(c.t.Context(), c.db, name+"@example.test")
	if err != nil {
		c.t.Fatal(err)
	}
	return c.as(by)
}

func (c *counter) actor(name string) models.Actor {
	by, _ := people.ActorByEmail(c.t.Context(), c.db, name+"@example.test")
	return by
}

// action is the page of the action that control made for a record.
func (c *counter) action(control, record string) string {
	c.t.Helper()
	return ledger.ActionPath(int64(c.count("select a.id from actions a join controls k on k.id = a.control_id where k.slug = ? and a.record_id = ?", control, record)))
}

func (c *counter) review(kind string) string {
	c.t.Helper()
	prefix := "RV"
	if kind == "repeat" {
		prefix = "LR"
	}
	return fmt.Sprintf("/ledger/reviews/%s-%d", prefix, c.count("select min(id) from review_items where kind = ?", kind))
}

// written counts everything that a refused form must not add to.
func (c *counter) written() int {
	return c.count(`select (select count(*) from lookups) + (select count(*) from duplicates) + (select count(*) from duplicates where settled_at is not null) + (select count(*) from review_items)
		+ (select count(*) from review_items where state <> 'open') + (select count(*) from requests) + (select count(*) from audit_events where not refused)`)
}

func TestLedgerPages(t *testing.T) {
	c := newCounter(t)
	t.Run("lists", c.lists)
	t.Run("every state has a next step", c.nextSteps)
	t.Run("request", c.request)
	t.Run("hostile", c.hostile)
	t.Run("lookup", c.lookup)
	t.Run("replay", c.replay)
	t.Run("appeal", c.appeal)
	t.Run("duplicate", c.duplicate)
	t.Run("viewer", c.viewer)
	t.Run("review", c.decide)
	t.Run("evidence", c.evidence)
}

// Evidence is attached to an action and to an open request, from their pages.
func (c *counter) evidence(t *testing.T) {
	for page, about := range map[string]string{c.action("create-crm-task", "request-demo-02"): "A-", fmt.Sprintf("/queue/RR-%d", c.count("select min(id) from requests where state = 'pending'")): "RR-"} {
		b := c.who("implementer")
		link, ok := b.get(page).want(http.StatusOK).Find(`a[href^="/evidence/new"]`).Attr("href")
		if !ok || link != "/evidence/new?to="+page {
			t.Fatalf("%s leads to %q", page, link)
		}
		form := b.get(link).want(http.StatusOK)
		if action, _ := form.Find(`form[enctype="multipart/form-data"]`).Attr("action"); !strings.Contains(action, url.QueryEscape(page)) && !strings.Contains(action, page) || !strings.Contains(form.Text(), about) {
			t.Errorf("the form of %s is sent to %q", page, action)
		}
		if c.who("viewer").get(link).want(http.StatusOK).Find(`form[enctype="multipart/form-data"]`).Length() != 0 {
			t.Errorf("a viewer is offered the form of %s", page)
		}
	}
	if n := c.who("viewer").get(c.action("create-crm-task", "request-demo-02")).want(http.StatusOK).Find(`a[href^="/evidence/new"]`).Length(); n != 0 {
		t.Error("a viewer is offered to attach")
	}
	c.who("owner").get("/evidence/new?to=/ledger/actions/99999").want(http.StatusNotFound)
	c.who("owner").get("/evidence/new?to=/ledger/requests/1").want(http.StatusNotFound)
}

func TestEmptyLedger(t *testing.T) {
	a := newApp(t)
	p := a.as(a.person("Viewer", models.Viewer)).get("/ledger").want(http.StatusOK).says("Nothing was recorded yet")
	if p.Find("main a[href='/api/guide']").Length() != 1 {
		t.Error("no way to the guide")
	}
}

func (c *counter) lists(t *testing.T) {
	v := c.who("viewer")
	for query, want := range map[string][2]string{
		"q=event-demo-02":     {"request-demo-01", "request-demo-02"},
		"q=request-demo-03":   {"request-demo-03", "request-demo-01"},
		"q=A-3":               {"request-demo-03", "request-demo-01"},
		"q=3":                 {"request-demo-03", "request-demo-01"},
		"state=succeeded":     {"task-demo-02", "request-demo-01"},
		"state=pending":       {"request-demo-05", "request-demo-01"},
		"state=unknown":       {"request-demo-01", "request-demo-02"},
		"control=book-visit":  {"request-demo-21", "request-demo-01"},
		"environment=sandbox": {"request-demo-21", "request-demo-01"},
		"state=nonsense":      {"No action matches", "request-demo-01"},
		"workflow=service-request&control=book-visit&environment=sandbox": {"request-demo-21", "request-demo-01"},
		"show=deliveries&state=nonsense":                                  {"No delivery matches", "event-demo-01"},
		"show=deliveries&environment=sandbox&workflow=service-request":    {"event-demo-21", "event-demo-01"},
		"day=" + time.Now().UTC().Format(time.DateOnly):                   {"request-demo-05", "No action matches"},
		"show=deliveries&day=" + time.Now().UTC().Format(time.DateOnly):   {"event-demo-06", "No delivery matches"},
		"workflow=none":                   {"No action matches", "request-demo-01"},
		"day=2001-01-01":                  {"No action matches", "request-demo-01"},
		"show=deliveries":                 {"event-demo-06", "No delivery matches"},
		"show=deliveries&state=stale":     {"Version 1 is older than 2", "event-demo-01"},
		"show=deliveries&q=event-demo-03": {"request-demo-07", "event-demo-01"},
		"show=deliveries&q=D-1":           {"event-demo-01", "event-demo-03"},
	} {
		v.get("/ledger?" + query).want(http.StatusOK).says(want[0])
		if says := words(v.get("/ledger?" + query).Find("tbody").Text()); strings.Contains(says, want[1]) {
			t.Errorf("%s: %s", query, says)
		}
	}
	var key string
	_ = c.db.Query(t.Context()).Raw("select identity_key from actions where record_id = 'request-demo-02'").Row().Scan(&key)
	v.get("/ledger?" + url.Values{"q": {key}}.Encode()).want(http.StatusOK).says("request-demo-02")
	v.get("/ledger").says("Repeats refused").says("Review items (3)")
	v.get("/ledger?day=yesterday").want(http.StatusUnprocessableEntity).says("Enter a date as year-month-day").saysNot("No action matches")
	v.get("/ledger?q=task-demo-02").says("request-demo-02").saysNot("request-demo-01")
	v.get("/ledger?q=" + identity.DestinationKey(key)).says("request-demo-02").saysNot("request-demo-01")
	if v.get("/ledger?q=event-demo-08").says("No action, but it was delivered").Find("main a[href='/ledger?q=event-demo-08&show=deliveries']").Length() != 1 {
		t.Error("no way to the delivery")
	}
	v.get("/ledger?at=damaged").want(http.StatusBadRequest)
	v.get("/ledger/reviews").want(http.StatusOK).says("Real second request").says("Delivery that cannot be told apart")
	v.get("/ledger/reviews?show=decided").want(http.StatusOK).says("Nothing was decided yet")
}

func (c *counter) nextSteps(t *testing.T) {
	if _, err := c.db.Pool.Exec(t.Context(), "update actions set lease_until = now() - interval '1 s' where record_id = 'request-demo-04'; update attempts set lease_until = now() - interval '1 s' where action_id in (select id from actions where record_id = 'request-demo-04')"); err != nil {
		t.Fatal(err)
	}
	v := c.who("viewer")
	for record, want := range map[string][]string{
		"request-demo-01": {"Unknown", "Delivery of event-demo-01 accepted", "Attempt 1 claimed by worker-a", "Attempt 1 ended: unknown", "Lookup: inconclusive", "Lookup: not found", "worker-c asked for the same", "A person decides the request. Nothing is tried again before that."},
		"request-demo-02": {"Succeeded", "task-demo-02", "Nothing. It succeeded and is never tried again.", "opened: real second request"},
		"request-demo-03": {"Failed", "422", "None"},
		"request-demo-04": {"Unknown", "The lease of attempt 1 ended without a report", "Look it up at the destination"},
		"request-demo-05": {"Pending", "worker-b holds it."},
	} {
		p := v.get(c.action("create-crm-task", record)).want(http.StatusOK)
		for _, text := range append(want, "Service desk", "never put right by deleting or cancelling in bulk") {
			p.says(text)
		}
		if words(p.Find(".rail section").First().Find("p").First().Text()) == "" {
			t.Errorf("%s has no next step", record)
		}
		if p.Find(".rail a[href='/workflows/service-request/stop']").Length() != 1 {
			t.Error("no way to the stop switch")
		}
	}
	v.get(c.action("create-crm-task", "request-demo-21")).says("Send confirmation").says("Book visit")
}

func (c *counter) request(t *testing.T) {
	v := c.who("viewer")
	p := v.get("/ledger/requests?workflow=service-request&environment=sandbox&record=request-demo-21").want(http.StatusOK).says("Create CRM task").says("Send confirmation").says("Book visit").says("event-demo-21")
	if n := p.Find("main table").First().Find("tbody tr").Length(); n != 3 {
		t.Errorf("%d effects", n)
	}
	v.get("/ledger/requests?workflow=service-request&environment=production&record=request-demo-06").want(http.StatusOK).says("Nothing was claimed").says("Not claimed: ").says("event-demo-08")
	for _, path := range []string{"", "?workflow=service-request&environment=sandbox&record=none", "?workflow=none&environment=sandbox&record=request-demo-21"} {
		v.get("/ledger/requests" + path).want(http.StatusNotFound)
	}
}

// Identifiers are any text: they are shown as text and lead where they should.
func (c *counter) hostile(t *testing.T) {
	v := c.who("viewer")
	for i, id := range []string{"<script>alert(1)</script>", "a/b?c=d&e#f", "../../etc", `"quoted" 'id'`, strings.Repeat("Wm", 100), "Größe 📎 100%", "javascript:alert(1)"} {
		body, _ := json.Marshal(map[string]string{"request_id": id})
		d, err := ledger.Deliver(t.Context(), c.db, ledger.Person(c.actor("implementer")), ledger.DeliverCmd{Workflow: "service-request", Environment: "sandbox", Sender: "web-form", Event: fmt.Sprint(id, i), Record: id, Version: "1", Payload: body})
		if err != nil {
			t.Fatal(err)
		}
		a, err := ledger.NewDesk(c.db, false).Claim(t.Context(), ledger.Person(c.actor("implementer")), ledger.ClaimCmd{Control: "create-crm-task", Environment: "sandbox", Worker: id, Delivery: d.Delivery, Input: body})
		if err != nil {
			t.Fatal(err)
		}
		page := v.get(ledger.ActionPath(a.Action)).want(http.StatusOK)
		if page.Find("main script").Length() != 0 {
			t.Errorf("%q runs", id)
		}
		href := page.Find(".rail a").FilterFunction(func(_ int, s *goquery.Selection) bool { return words(s.Text()) == "All effects side by side" }).AttrOr("href", "")
		v.get(href).want(http.StatusOK).says("Everything about " + id)
		found := v.get("/ledger?" + url.Values{"q": {id}}.Encode()).want(http.StatusOK)
		if found.Find("tbody tr").Length() != 1 || found.Find("tbody a[href='"+href+"']").Length() != 1 {
			t.Errorf("%q is not found", id)
		}
		v.get("/ledger?show=deliveries&" + url.Values{"q": {fmt.Sprint(id, i)}}.Encode()).want(http.StatusOK).says(D(d.Delivery))
	}
	for _, path := range []string{"actions/0", "actions/-1", "actions/x", "actions/99999999", "actions/999999999999999999999", "reviews/RV-0", "reviews/LR-1", "reviews/RV-x", "reviews/%3Cb%3E"} {
		v.get("/ledger/" + path).want(http.StatusNotFound)
	}
}

// D is a delivery as pages call it.
func D(id int64) string { return fmt.Sprintf("D-%d", id) }

func (c *counter) lookup(t *testing.T) {
	path, impl := c.action("create-crm-task", "request-demo-04"), c.who("implementer")
	p := impl.get(path + "?do=lookup")
	if _, open := p.Find("details:has(#lookup)").Attr("open"); !open {
		t.Error("the form is not open")
	}
	before := c.written()
	impl.submit(p, "Record lookup", url.Values{"method": {""}}).errorAt("lookup_method").errorAt("lookup_result")
	impl.submit(p, "Record lookup", url.Values{"result": {"found"}}).errorAt("lookup_destination_result_ids")
	impl.submit(p, "Record lookup", url.Values{"result": {"not_found"}, "began_at": {"yesterday"}}).errorAt("lookup_began_at")
	wrong := impl.submit(p, "Record lookup", url.Values{"result": {"found"}, "destination_result_ids": {strings.Repeat("x", 501)}, "detail": {"kept as typed"}}).errorAt("lookup_destination_result_ids")
	if wrong.Find("#lookup_detail").Text() != "kept as typed" && strings.TrimSpace(wrong.Find("#lookup_detail").Text()) != "kept as typed" {
		t.Error("the form is not as it was typed")
	}
	if c.written() != before {
		t.Error("a refused form changed something")
	}
	action, form := p.filled("Record lookup", url.Values{"result": {"found"}, "destination_result_ids": {"task-1\r\n" + strings.Repeat("Wm", 100)}, "detail": {"Two are there."}})
	for range 2 {
		impl.post(action, form).goesTo(path)
	}
	impl.get(path).says("Succeeded").says("Confirmed duplicate to settle").says("Look at the destination, put right what is there twice")
	if n := c.count("select count(*) from lookups l join actions a on a.id = l.action_id where a.record_id = 'request-demo-04'"); n != 1 {
		t.Errorf("%d lookups after a double click", n)
	}
}

func (c *counter) replay(t *testing.T) {
	path, impl := c.action("send-confirmation", "request-demo-21"), c.who("implementer")
	p := impl.get(path)
	impl.submit(p, "Ask for one attempt", nil).errorAt("replay_reason").errorAt("replay_uncertain_result")
	impl.submit(p, "Ask for one attempt", url.Values{"reason": {"The task is missing."}, "uncertain_result": {"Whether the CRM has it."}}).goesTo(path)
	impl.get(path).says("RR-2 waits for a decision.").says("A person decides the request").says("Replay asked for by Implementer").says("RR-2 is open already.").saysNot("Ask for one attempt")
	impl.get(c.action("create-crm-task", "request-demo-05")).says("A worker holds it. Wait for its report").saysNot("Ask for one attempt")
	c.who("reviewer").get(path).saysNot("Ask for one attempt")
	c.who("reviewer").post(path+"/replay-requests", url.Values{"reason": {"x"}, "uncertain_result": {"x"}}).want(http.StatusForbidden).says("Only an implementer asks")
	impl.post(c.action("create-crm-task", "request-demo-05")+"/replay-requests", url.Values{"reason": {"typed"}, "uncertain_result": {"x"}}).want(http.StatusConflict).says("Nothing was changed").says("A worker holds this action.")
}

func (c *counter) appeal(t *testing.T) {
	path, owner := c.action("create-crm-task", "request-demo-01"), c.who("owner")
	claim := fmt.Sprint(c.count("select id from suppressed_claims where record_id = 'request-demo-01'"))
	if owner.get(path).Find("a[href='?do=appeal&claim="+claim+"#appeal']").Length() != 1 {
		t.Error("the refused claim cannot be appealed")
	}
	p := owner.get(path + "?do=appeal&claim=" + claim).says("The refused claim of worker-c was a real second request")
	owner.submit(p, "Send to review", nil).errorAt("appeal_reason")
	owner.submit(p, "Send to review", url.Values{"reason": {"They asked again."}}).goesTo(path)
	owner.get(path).says("waits for a decision.").says("They asked again.")
	if owner.get(path).Find("a[href^='?do=appeal&claim=']").Length() != 0 {
		t.Error("it can be appealed again")
	}
	owner.post(path+"/appeals", url.Values{"claim": {"99999"}, "reason": {"x"}}).want(http.StatusNotFound)
	owner.post(path+"/appeals", url.Values{"claim": {"x"}, "reason": {"x"}}).want(http.StatusNotFound)
}

func (c *counter) duplicate(t *testing.T) {
	path, rev := c.action("create-crm-task", "request-demo-02"), c.who("reviewer")
	p := rev.get(path)
	rev.submit(p, "Report duplicate", nil).errorAt("duplicate_detail")
	rev.submit(p, "Report duplicate", url.Values{"detail": {"Two tasks."}, "results": {"task-1\ntask-2"}}).goesTo(path)
	p = rev.get(path).says("Confirmed duplicate to settle").says("task-1, task-2")
	rev.submit(p, "Settle duplicate", nil).errorAt("settle_done")
	rev.submit(p, "Report duplicate", url.Values{"detail": {"And a third."}, "submission": {"another"}}).goesTo(path)
	stale := rev.submit(p, "Settle duplicate", url.Values{"done": {"Removed task-2."}}).want(http.StatusConflict).says("More became known").says("And a third.")
	if strings.TrimSpace(stale.Find("#settle_done").Text()) != "Removed task-2." {
		t.Error("what was typed is lost")
	}
	rev.submit(stale, "Settle duplicate", nil).goesTo(path)
	rev.get(path).says("Duplicate settled by Reviewer").says("Removed task-2.").saysNot("to settle")
}

func (c *counter) viewer(t *testing.T) {
	path, v := c.action("create-crm-task", "request-demo-03"), c.who("viewer")
	p := v.get(path).says("A viewer or admin does not do this.").says("Only an implementer asks to try an action again.")
	if p.Find("main form").Length() != 0 {
		t.Error("a viewer sees a form")
	}
	before := c.written()
	for form, values := range map[string]url.Values{"lookups": {"method": {"x"}, "result": {"not_found"}}, "replay-requests": {"reason": {"x"}, "uncertain_result": {"x"}}, "appeals": {"reason": {"x"}}, "duplicates": {"detail": {"x"}},
		"duplicates/1": {"done": {"x"}, "version": {"1"}}} {
		v.post(path+"/"+form, values).want(http.StatusForbidden)
	}
	v.post(path+"/duplicates/x", url.Values{"version": {"1"}}).want(http.StatusNotFound)
	if c.written() != before {
		t.Error("a refused form changed something")
	}
}

func (c *counter) decide(t *testing.T) {
	path, rev, impl := c.review("repeat"), c.who("reviewer"), c.who("implementer")
	impl.get(path).want(http.StatusOK).says("Is this a real second request?").says("Only a reviewer or the workflow’s business owner decides").saysNot("Record decision")
	impl.post(path+"/decision", url.Values{"decision": {"accept"}, "reason": {"x"}, "version": {"1"}}).want(http.StatusForbidden)
	p := rev.get(path).says("The action it collided with").says("worker-c")
	rev.submit(p, "Record decision", nil).errorAt("decision").errorAt("reason").says("Choose “Approve a second one”, “Link it to an action” or “Dismiss it”.")
	rev.submit(p, "Record decision", url.Values{"decision": {"link"}, "reason": {"x"}, "action": {"nonsense"}}).errorAt("action")
	other := strings.TrimPrefix(c.action("book-visit", "request-demo-21"), "/ledger/actions/")
	rev.submit(p, "Record decision", url.Values{"decision": {"link"}, "reason": {"x"}, "action": {"A-" + other}}).errorAt("action")
	action, form := p.filled("Record decision", url.Values{"decision": {"accept"}, "reason": {strings.Repeat("Wm", 100)}})
	for range 2 {
		rev.post(action, form).goesTo(path)
	}
	rev.get(path).says("Accepted").says(strings.Repeat("Wm", 100)).says("The automation may create one more: its next claim with the same input names LR-").saysNot("Record decision")
	form.Set("submission", "another")
	form.Set("reason", "Too late.")
	rev.post(action, form).want(http.StatusConflict).says("Your decision was not recorded").says("Too late.")
	rev.get("/ledger/reviews?show=decided").says("Accepted")

	path = c.review("delivery")
	own := rev.get(path).want(http.StatusOK).says("What is delivery D-")
	rev.submit(own, "Record decision", url.Values{"decision": {"dismiss"}, "reason": {"A test of the form."}}).goesTo(path)
	rev.get(path).says("Dismissed").says("A test of the form.")
	conflicting := fmt.Sprintf("/ledger/reviews/RV-%d", c.count("select max(id) from review_items where kind = 'delivery'"))
	p = rev.get(conflicting).says("Came before").says("request-demo-02").says("request-demo-07")
	rev.submit(p, "Record decision", url.Values{"decision": {"link"}, "reason": {"The same."}, "action": {strings.TrimPrefix(c.action("create-crm-task", "request-demo-02"), "/ledger/actions/")}}).goesTo(conflicting)
	rev.get(conflicting).says("Linked to").says("task-demo-02")
	linked := c.action("create-crm-task", "request-demo-02")
	word := "Linked in " + strings.TrimPrefix(conflicting, "/ledger/reviews/") + " to A-" + strings.TrimPrefix(linked, "/ledger/actions/")
	rev.get("/ledger?show=deliveries&q=request-demo-07").says(word)
	rev.get(ledger.RequestPath("service-request", "production", "request-demo-07")).says(word)
	rev.get(linked).says(strings.TrimPrefix(conflicting, "/ledger/reviews/") + " linked to A-")
	rev.get(fmt.Sprintf("/search?q=D-%d", c.count("select id from deliveries where record_id = 'request-demo-07'"))).says("Linked")
}

// A claim of an older version that was refused before there was an action has a
// page of its own, where somebody says that it must go on.
func TestARefusedClaimWithoutAnActionIsAppealed(t *testing.T) {
	c := newCounter(t)
	claim := func(version string) error {
		_, err := ledger.NewDesk(c.db, false).Claim(t.Context(), ledger.Person(c.actor("implementer")), ledger.ClaimCmd{Control: "create-crm-task", Environment: "sandbox", Worker: "w" + version,
			Version: version, Input: json.RawMessage(`{"request_id": "request-demo-88", "approved_version": ` + version + `}`)})
		return err
	}
	if err := claim("3"); err != nil {
		t.Fatal(err)
	}
	var refusal *ledger.Refusal
	if err := claim("2"); !errors.As(err, &refusal) || refusal.Code != ledger.CodeStaleVersion || refusal.Standing != nil || refusal.Suppressed == 0 {
		t.Fatalf("%+v", refusal)
	}
	path, owner := ledger.RefusedPath(refusal.Suppressed), c.who("owner")
	page := owner.get(ledger.RequestPath("service-request", "sandbox", "request-demo-88")).says("Refused claims").says("Nobody asked for it to go on.")
	if page.Find("a[href='"+path+"']").Length() != 1 {
		t.Error("the request does not lead to the refused claim")
	}
	p := owner.get(path).says("Claimed by w2").says("Newest version then 3")
	owner.submit(p, "Send to review", nil).errorAt("appeal_reason")
	item := owner.submit(p, "Send to review", url.Values{"reason": {"It was approved last."}}).want(http.StatusSeeOther).header.Get("Location")
	owner.get(item).says("It was approved last.")
	owner.get(path).says("Somebody asked:")
	owner.get(ledger.RequestPath("service-request", "sandbox", "request-demo-88")).says("Asked for in RV-")
	owner.get("/ledger/claims/0").want(http.StatusNotFound)
	c.who("viewer").get(path).saysNot("Send to review")
}
