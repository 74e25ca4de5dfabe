package handlers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const flagged = "id,email\n1,first@example.test\n2,second@example.test\n"

func TestPersonalDataInAFile(t *testing.T) {
	b := newBench(t)
	impl, reviewer, viewer := b.as(b.implementer), b.as(b.reviewer), b.as(b.viewer)
	first := impl.attach(nil, part{"people.csv", flagged}, part{"second@example.test.log", "harmless"})
	page := first.follow().want(http.StatusOK).says("Take personal data out of “people.csv”?").says("E-mail address, line 2, column 3").says("Also waiting for your decision")
	upload := first.header.Get("Location")
	if page.Find(".pii mark").Length() != 2 || page.Find(".pii mark").First().Text() != "first@example.test" {
		t.Error("the places are not marked")
	}
	if strings.Contains(words(page.Find("main").Text()), "second@example.test.log") {
		t.Error("a name with personal data is shown where it is not decided")
	}
	page.saysNot("Keep with a reason").says("Only the reviewer lets personal data stay.")
	viewer.get(upload).want(http.StatusNotFound)
	viewer.post(upload, url.Values{"decision": {"discard"}}).want(http.StatusForbidden)
	impl.post(upload, url.Values{"decision": {"keep"}, "reason": {"It is mine."}}).want(http.StatusForbidden)
	impl.post(upload, url.Values{"decision": {"redact"}, "places": {"1"}}).errorAt("places").says("Choose every place.")
	impl.post(upload, url.Values{"decision": {"whatever"}}).want(http.StatusBadRequest)
	if n := b.count("select count(*) from evidence"); n != 0 {
		t.Fatalf("%d attached", n)
	}
	reviewer.get(upload).says("Sent by Implementer").says("Keep with a reason")
	reviewer.submit(reviewer.get(upload), "Redact", url.Values{"decision": {"keep"}, "reason": {" "}}).errorAt("reason")
	next := impl.submit(page, "Redact", url.Values{"decision": {"redact"}})
	next.follow().says("Take personal data out of “[removed: e-mail address]”?").says("in the file's name").want(http.StatusOK)
}

func TestDecisions(t *testing.T) {
	b := newBench(t)
	impl, reviewer := b.as(b.implementer), b.as(b.reviewer)
	impl.submit(impl.attach(nil, part{"a.csv", flagged}).follow(), "Redact", url.Values{"decision": {"redact"}}).goesTo("/things/1#evidence")
	_, body := impl.download(b.newest(), nil)
	if string(body) != "id,email\n1,[removed: e-mail address]\n2,[removed: e-mail address]\n" {
		t.Errorf("%q", body)
	}
	impl.get(fmt.Sprintf("/evidence/%d", b.newest())).says("Taken out before it was kept: an e-mail address (2)").says(hash(string(body)))

	upload := impl.attach(nil, part{"b.csv", flagged}).header.Get("Location")
	keep := url.Values{"decision": {"keep"}, "reason": {"Made-up people."}, "submission": {"keep-1"}}
	reviewer.post(upload, keep).goesTo("/things/1#evidence")
	reviewer.post(upload, keep).goesTo("/things/1#evidence")
	impl.post(upload, url.Values{"decision": {"discard"}}).want(http.StatusConflict).says("Somebody already decided about this file.")
	reviewer.post(upload, url.Values{"decision": {"keep"}, "reason": {"My other reason."}}).want(http.StatusConflict).says("Somebody already decided about this file.").says("You wrote").says("My other reason.")
	impl.get(upload).want(http.StatusNotFound)
	impl.get(fmt.Sprintf("/evidence/%d", b.newest())).says("Personal data stays: an e-mail address (2). Reviewer: Made-up people.")

	upload = impl.attach(nil, part{"c.csv", flagged}).header.Get("Location")
	impl.get("/evidence").says("Waiting for your decision").says("c.csv")
	impl.post(upload, url.Values{"decision": {"discard"}}).goesTo("/things/1#evidence")
	if n := b.count("select count(*) from evidence"); n != 2 {
		t.Errorf("%d attached", n)
	}
	upload = impl.attach(nil, part{"d.csv", flagged}).header.Get("Location")
	b.count("update uploads set expires_at = now() - interval '1 minute' where decided_at is null returning id")
	impl.get(upload).want(http.StatusNotFound).says("its hour is over")
	impl.post(upload, url.Values{"decision": {"redact"}, "all": {"true"}}).want(http.StatusConflict).says("The hour for this file is over")
}

func TestFileSentAgainAfterItWasDecided(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	f := url.Values{"submission": {"form-1"}}
	upload := impl.attach(f, part{"a.csv", flagged}).header.Get("Location")
	impl.attach(f, part{"a.csv", flagged}).goesTo(upload)
	impl.post(upload, url.Values{"decision": {"redact"}, "all": {"true"}}).goesTo("/things/1#evidence")
	impl.attach(f, part{"a.csv", flagged}).goesTo(fmt.Sprintf("/evidence/%d", b.newest()))
	if n := b.count("select count(*) from evidence"); n != 1 {
		t.Errorf("%d attachments", n)
	}
}

func TestPersonalDataInAText(t *testing.T) {
	b := newBench(t)
	impl, reviewer := b.as(b.implementer), b.as(b.reviewer)
	text := url.Values{"text": {"event-demo-01\nsent to person@example.test"}}
	p := impl.attach(text).errorAt("text").says("Remove an e-mail address in line 2, column 9.").says("E-mail address, line 2, column 9")
	if p.Find("#text").Text() != text.Get("text") || p.Find(".pii mark").Text() != "person@example.test" || p.Find("#reason").Length() != 0 {
		t.Error("the text is not as it was typed, with its place")
	}
	reviewer.attach(text).errorAt("text").says("Or say why they must stay")
	if b.left() != 0 {
		t.Error("something stayed")
	}
	impl.attach(url.Values{"text": text["text"], "redact": {"yes"}}).goesTo("/things/1#evidence")
	_, body := impl.download(b.newest(), nil)
	if string(body) != "event-demo-01\nsent to [removed: e-mail address]" {
		t.Errorf("%q", body)
	}
	impl.attach(url.Values{"url": {"https://log.example.test/?q=person@example.test"}}).errorAt("url")
	impl.attach(url.Values{"url": {"https://log.example.test/run"}, "text": {"event-demo-02"}}).goesTo("/things/1#evidence")
	if n := b.count("select count(*) from evidence"); n != 3 {
		t.Errorf("%d attached", n)
	}
	impl.get(fmt.Sprintf("/evidence/%d", b.newest())).says("https://log.example.test/run")
	if res, _ := impl.download(b.newest(), nil); res.StatusCode != http.StatusNotFound {
		t.Error("a link was downloaded")
	}
}

// The script sends one file at a time and asks for JSON.
func TestAttachByScript(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	send := func(f part) (status int, answer map[string]any) {
		kind, body := form(nil, f)
		r := impl.upload(kind, strings.NewReader(string(body)))
		r.Header.Set("Accept", "application/json")
		res, err := impl.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, answer
	}
	if status, a := send(part{"a.txt", "harmless"}); status != 200 || a["location"] != "/things/1#evidence" || a["flagged"] != false {
		t.Error(status, a)
	}
	if status, a := send(part{"a.csv", flagged}); status != 200 || a["flagged"] != true || !strings.HasPrefix(a["location"].(string), "/evidence/uploads/") {
		t.Error(status, a)
	}
	if status, a := send(part{"a.txt", ""}); status != 422 || !strings.Contains(a["detail"].(string), "holds nothing") {
		t.Error(status, a)
	}
	b.as(b.viewer)
}

func TestLibrary(t *testing.T) {
	b := newBench(t)
	impl := b.as(b.implementer)
	impl.get("/evidence").says("No evidence yet")
	impl.attach(url.Values{"proves": {"The queue held it."}}, part{"queue-trace.log", "one"}).goesTo("/things/1#evidence")
	impl.attach(url.Values{"url": {"https://log.example.test/run"}}).goesTo("/things/1#evidence")
	sha := hash("one")
	for query, want := range map[string]int{"": 2, "q=trace": 1, "q=queue+hel": 1, "q=" + sha[:8]: 1, "q=thing": 2, "q=nothing": 0, "q=%25": 0, "kind=link": 1, "kind=text": 0, "state=in_force": 2,
		"state=expiring": 0, "state=expired": 0, "state=removed": 0, "workflow=service-request": 0} {
		p := impl.get("/evidence?" + query).want(http.StatusOK)
		if n := p.Find("tbody tr").Length(); n != want {
			t.Errorf("%s: %d rows, want %d", query, n, want)
		}
		if want == 0 && p.Find(".empty").Length() == 0 {
			t.Errorf("%s: no words", query)
		}
	}
	impl.get("/evidence?at=x").want(http.StatusBadRequest)
	impl.get("/evidence/999").want(http.StatusNotFound)
	impl.get("/evidence/x/file").want(http.StatusNotFound)
	impl.get("/evidence/new?to=/things/1&slot=event-id").want(http.StatusOK).says("Thing 1")
	for _, to := range []string{"", "/things/2", "/things", "//evil.example.test/1", "/things/1/x"} {
		impl.get("/evidence/new?to=" + to).want(http.StatusNotFound)
	}

	id := b.count("select id from evidence where kind = 'file'")
	for _, sql := range []string{"alter table evidence disable trigger evidence_append_only", "update evidence set keep_until = current_date + 9 where kind = 'file'", "update evidence set keep_until = current_date - 1 where kind = 'link'"} {
		if err := b.db.Query(t.Context()).Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	impl.get("/evidence?state=expiring").says("Expires in 9 days")
	impl.get("/evidence?state=expired").says("log.example.test").says("Expired")
	if err := b.db.Query(t.Context()).Exec("update evidence set keep_until = current_date - 1").Error; err != nil {
		t.Fatal(err)
	}
	impl.get(fmt.Sprintf("/evidence/%d", id)).says("Expired").says("its bytes are removed within the hour")
	gone := impl.get(fmt.Sprintf("/evidence/%d/file", id)).want(http.StatusGone).says("This evidence has expired").says("“queue-trace.log” was kept until")
	if gone.header.Get("Content-Disposition") != "" {
		t.Error("the page would be downloaded")
	}
}
