package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/models/control"
	"countersign/models/handoff"
)

func (b *booking) json(slug string) string {
	b.t.Helper()
	r, err := handoff.Load(b.t.Context(), b.db, slug, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := r.JSON()
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func TestCopyAControl(t *testing.T) {
	b := newBooking(t)
	b.complete("book-visit")
	by := b.as(b.implementer)
	form := by.get("/controls/book-visit/copy").want(http.StatusOK).says("Copy “Book visit”").says("Suggested:").says("signatures, runs, questions and evidence do not come")
	b.as(b.viewer).get("/controls/book-visit/copy").want(http.StatusForbidden)
	by.get("/controls/none/copy").want(http.StatusNotFound)
	wrong := by.submit(form, "Write control", url.Values{"name": {""}}).want(http.StatusUnprocessableEntity).says("Copy “Book visit”")
	if n := b.count("select count(*) from controls"); n != 1 {
		t.Fatalf("%d controls after a form that was refused", n)
	}
	by.submit(wrong, "Write control", url.Values{"name": {"Cancel visit"}}).goesTo("/controls/cancel-visit")
	d, err := control.Show(t.Context(), b.db, "cancel-visit")
	if err != nil {
		t.Fatal(err)
	}
	suggested := 0
	for _, s := range d.Sections {
		for _, f := range s.Answers {
			if f.Suggestion == nil {
				continue
			}
			suggested++
			if f.Resolved() || f.Answer.Version != 0 || f.Suggestion.Source != "Book visit, revision 1" {
				t.Errorf("%s: %+v of %+v", f.Field.Key, f.Suggestion, f.Answer)
			}
		}
	}
	if suggested < 25 || d.Unresolved < suggested {
		t.Errorf("%d suggestions, %d unresolved", suggested, d.Unresolved)
	}
	if f, _ := d.Find("duplicate_in_plain_words"); !f.Answer.Proposal() || f.Answer.Value != sentence {
		t.Errorf("the owner's sentence came as %+v", f.Answer)
	}
	for what, sql := range map[string]string{"signatures": "select count(*) from signatures s join revisions r on r.id = s.revision_id where r.control_id = ?",
		"runs": "select count(*) from runs where control_id = ?", "rules": "select count(*) from rule_states where control_id = ? and state <> 'unresolved'"} {
		if n := b.count(sql, d.ID); n != 0 {
			t.Errorf("%d %s came along", n, what)
		}
	}
	if n := b.count("select count(*) from audit_events where action = 'control.suggested' and object_id = ?", d.ID); n != 1 {
		t.Errorf("%d audit events", n)
	}
	md := by.get("/controls/cancel-visit/handoff").Find("#markdown").Text()
	if !strings.Contains(md, "**UNRESOLVED** 5. Lookup:") {
		t.Error("a suggestion reads as answered")
	}
	// Taking one answers it; a rule is checked; what needs a choice opens its form.
	shown := by.get("/controls/cancel-visit").says("Suggested, not answered").says("From Book visit, revision 1.")
	for _, field := range []string{"lookup_method", "action_identity", "retry_window", "mode", "manual_approver"} {
		sub := shown.Find("form[action='/controls/cancel-visit/answers/"+field+"/suggestion'] input[name=submission]").AttrOr("value", "")
		path := "/controls/cancel-visit/answers/" + field + "/suggestion"
		by.post(path, url.Values{"submission": {sub}}).want(http.StatusSeeOther)
		by.post(path, url.Values{"submission": {"another"}}).want(http.StatusConflict)
		now, err := control.Show(t.Context(), b.db, "cancel-visit")
		if err != nil {
			t.Fatal(err)
		}
		if f, _ := now.Find(field); f.Answer.State != control.Answered || f.Suggestion != nil {
			t.Errorf("%s: %+v", field, f.Answer)
		}
	}
	b.as(b.viewer).post("/controls/cancel-visit/answers/stop_condition/suggestion", url.Values{"submission": {"v"}}).want(http.StatusForbidden)
	if text := by.get("/controls/cancel-visit?edit=stop_condition").Find("#stop_condition-text").Text(); !strings.Contains(text, "As agreed about Stop condition") {
		t.Errorf("the form starts with %q", text)
	}
}

func TestReadAControlIn(t *testing.T) {
	from := newBooking(t)
	from.complete("book-visit")
	text := from.json("book-visit")
	b := newBooking(t)
	by := b.as(b.owner)
	form := by.get("/controls/new/import").want(http.StatusOK)
	preview := by.submit(form, "Show what comes along", url.Values{"record": {text}}).want(http.StatusOK).says("Read “Book visit” in").says("What comes along")
	if n := b.count("select count(*) from controls"); n != 1 {
		t.Fatalf("a preview left %d controls", n)
	}
	by.submit(preview, "Write control", url.Values{"name": {"Visits"}, "workflow": {"intake"}}).goesTo("/controls/visits")
	d, err := control.Show(t.Context(), b.db, "visits")
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := d.Find("operation"); f.Suggestion == nil || f.Suggestion.Data != nil && string(f.Suggestion.Data) != "null" {
		t.Errorf("the operation of another workspace came as %+v", f.Suggestion)
	}
	by.post("/controls/visits/answers/operation/suggestion", url.Values{"submission": {"op"}}).want(http.StatusUnprocessableEntity).says("Choose the operation")
	if f, _ := d.Find("exact_effect"); f.Suggestion == nil || f.Suggestion.Source != "Book visit, revision 1, in another workspace" {
		t.Errorf("exact_effect: %+v", f.Suggestion)
	}
	before := b.count("select (select count(*) from controls) + (select count(*) from suggestions) + (select count(*) from audit_events where not refused)")
	for name, c := range hostileRecords(t, text) {
		by.post("/controls/new/import", url.Values{"record": {c.text}}).want(http.StatusUnprocessableEntity).says(c.says)
		if got := by.post("/controls", url.Values{"record": {c.text}, "name": {"X"}, "effect": {"x"}, "workflow": {"intake"}, "sentence": {"s"}, "submission": {name}}); c.text != "" && got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: making it answered %d", name, got.status)
		}
	}
	if after := b.count("select (select count(*) from controls) + (select count(*) from suggestions) + (select count(*) from audit_events where not refused)"); after > before+3 {
		t.Errorf("hostile records left %d rows", after-before)
	}
}

type hostileRecord struct{ text, says string }

func hostileRecords(t *testing.T, text string) map[string]hostileRecord {
	t.Helper()
	with := func(change func(content map[string]any, answers []any)) string {
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		content := doc["content"].(map[string]any)
		change(content, content["answers"].([]any))
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	set := func(i int, member string, v any) string {
		return with(func(_ map[string]any, answers []any) { answers[i].(map[string]any)[member] = v })
	}
	return map[string]hostileRecord{
		"no JSON":         {"hello", "This cannot be read"},
		"cut off":         {text[:len(text)/2], "it is cut off"},
		"twice":           {strings.Replace(text, `"schema"`, `"schema": "x", "schema"`, 1), "occurs twice"},
		"deep":            {strings.Repeat("[", 5000), "nested more than 16 levels deep"},
		"huge":            {`{"schema": "` + strings.Repeat("x", 300<<10) + `"}`, "longer than 256 KiB"},
		"another kind":    {strings.Replace(text, "countersign.control/1", "countersign.control/2", 1), "Choose a file of the kind"},
		"nothing of ours": {`{"a": 1}`, "its member “schema” is missing"},
		"a list":          {`[]`, "its member “schema” is missing"},
		"wrong type":      {set(0, "value", 12), "A member is of the wrong kind"},
		"unknown field":   {set(3, "field", "no_such"), "content.answers[3] “no_such”: there is no such field."},
		"field twice":     {set(3, "field", "workflow"), "content.answers[3] “workflow”: the field has an answer before this one."},
		"unknown state":   {set(4, "state", "maybe"), "the state is none of"},
		"too long":        {set(4, "value", strings.Repeat("x", 10001)), "the text is too long"},
		"a zero":          {set(4, "value", "a\x00b"), "cannot be saved"},
		"no answers":      {with(func(content map[string]any, _ []any) { content["answers"] = []any{} }), "It has no answers."},
	}
}
