package control

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// sample is a content with something in every place.
func sample() Content {
	hours := 24
	c := Content{Format: 1, Control: ContentControl{"create-crm-task", "Create CRM task", "create-task"},
		Workflow: ContentWorkflow{"service-request", "Service request intake", "Intake.", "integer", "https://docs.example.test/plan", "help@example.test"},
		People:   ContentPeople{ContentPerson{1, "Owner"}, ContentPerson{2, "Implementer"}, ContentPerson{3, "Reviewer"}},
		Accounts: []ContentAccount{{"sandbox", "Sandbox", "test", false, "crm-sandbox", "CRM", "Demo 01"}},
		Operations: []ContentOperation{{Environment: "sandbox", Destination: "crm-sandbox", Operation: "create-task", Name: "Create task",
			Behaviour: Behaviour{Call: "POST /tasks", Mechanism: "documented", KeyField: "Idempotency-Key", KeyLifetimeHours: &hours, RepeatReturns: "The first task.", LookupMethod: "GET /tasks"},
			DocURL:    "https://docs.example.test/", DocumentedAt: "Tasks reference, read on a Monday", CheckedOn: "2026-04-12", CheckedBy: &ContentPerson{2, "Implementer"}}},
		Sender:       &ContentSender{Slug: "web-form", Name: "Web form", Duplicates: "possible", Ordering: "not_checked", RetryHorizonHours: &hours, DocumentedAt: "Form manual", Notes: "Asked by mail.", CheckedOn: "2026-04-12", CheckedBy: &ContentPerson{2, "Implementer"}},
		Expectations: json.RawMessage("null")}
	for _, f := range Fields() {
		c.Answers = append(c.Answers, ContentAnswer{Section: f.Section, Field: f.Key, State: Answered, Value: "“" + f.Label + "” — as agreed.\nSecond line.",
			Data: json.RawMessage(`{"b":1,"a":"é"}`), AnsweredBy: &ContentPerson{1, "Owner"}, AnsweredAt: "2026-05-31T12:00:00.000001Z"})
	}
	return c
}

// The canonical form is a promise to everybody who kept a fingerprint: this
// file changes only together with Content.Format.
func TestCanonicalForm(t *testing.T) {
	prints, err := sample().Fingerprints()
	if err != nil {
		t.Fatal(err)
	}
	got := prints.Canonical + "\n" + prints.Full + "\n" + prints.Design + "\n"
	const file = "testdata/content.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the canonical form changed:\n%s", got)
	}
}

func TestReadBackHasTheSameFingerprints(t *testing.T) {
	before, err := sample().Fingerprints()
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseContent(before.Canonical)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := c.Fingerprints(); err != nil || after != before {
		t.Errorf("%+v, %v", after, err)
	}
}

func TestWhatChangesWhichFingerprint(t *testing.T) {
	answer := func(c *Content, field string) *ContentAnswer {
		for i := range c.Answers {
			if c.Answers[i].Field == field {
				return &c.Answers[i]
			}
		}
		t.Fatal(field)
		return nil
	}
	before, _ := sample().Fingerprints()
	for name, c := range map[string]struct {
		change       func(*Content)
		full, design bool
	}{
		"nothing":                {func(*Content) {}, false, false},
		"a design answer":        {func(c *Content) { answer(c, "atomic_claim").Value = "x" }, true, true},
		"its reason":             {func(c *Content) { answer(c, "late_update").Reason = "x" }, true, true},
		"its state":              {func(c *Content) { answer(c, "late_update").State = NotApplicable }, true, true},
		"its data":               {func(c *Content) { answer(c, "sender").Data = json.RawMessage(`{"sender":"x"}`) }, true, true},
		"its author":             {func(c *Content) { answer(c, "atomic_claim").AnsweredBy = &ContentPerson{9, "x"} }, true, false},
		"its time":               {func(c *Content) { answer(c, "atomic_claim").AnsweredAt = "x" }, true, false},
		"order of members":       {func(c *Content) { answer(c, "sender").Data = json.RawMessage(`{ "a" : "\u00e9", "b":1.0 }`) }, false, false},
		"an answer in section 6": {func(c *Content) { answer(c, "automatic_retries").Value = "3" }, true, false},
		"an answer in section 1": {func(c *Content) { answer(c, "environment").Value = "x" }, true, false},
		"an answer in section 8": {func(c *Content) { answer(c, "monitoring").Value = "x" }, true, false},
		"an account":             {func(c *Content) { c.Accounts[0].Destination = "x" }, true, false},
		"the operation's account": {func(c *Content) {
			c.Operations[0].Destination, answer(c, "operation").Value = "x", "x"
			answer(c, "operation").Data = json.RawMessage(`{"operations":{"sandbox":9}}`)
		}, true, false},
		"who checked":              {func(c *Content) { c.Operations[0].CheckedBy = &ContentPerson{9, "x"} }, true, false},
		"when":                     {func(c *Content) { c.Operations[0].CheckedOn = "2026-04-13" }, true, false},
		"where it was copied from": {func(c *Content) { c.Operations[0].DocumentedAt = "" }, true, false},
		"the sender's source":      {func(c *Content) { c.Sender.DocumentedAt = "x" }, true, false},
		"a note on the sender":     {func(c *Content) { c.Sender.Notes = "x" }, true, false},
		"where it is written":      {func(c *Content) { c.Operations[0].DocURL = "x" }, true, false},
		"the call":                 {func(c *Content) { c.Operations[0].Call = "x" }, true, true},
		"the mechanism":            {func(c *Content) { c.Operations[0].Mechanism = "none" }, true, true},
		"the key field":            {func(c *Content) { c.Operations[0].KeyField = "x" }, true, true},
		"the key lifetime":         {func(c *Content) { c.Operations[0].KeyLifetimeHours = nil }, true, true},
		"what a repeat does":       {func(c *Content) { c.Operations[0].RepeatReturns = "x" }, true, true},
		"other data":               {func(c *Content) { c.Operations[0].SameKeyOtherData = "x" }, true, true},
		"the lookup":               {func(c *Content) { c.Operations[0].LookupMethod = "x" }, true, true},
		"the effect":               {func(c *Content) { c.Control.Effect = "x" }, true, true},
		"the sender's facts":       {func(c *Content) { c.Sender.Ordering = "guaranteed" }, true, false},
		"a person's name":          {func(c *Content) { c.People.Reviewer.Name = "x" }, true, false},
		"the workflow":             {func(c *Content) { c.Workflow.HelpContact = "x" }, true, false},
		"an expectation":           {func(c *Content) { c.Expectations = json.RawMessage(`[1]`) }, true, false},
	} {
		content := sample()
		c.change(&content)
		after, err := content.Fingerprints()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (after.Full != before.Full) != c.full || (after.Design != before.Design) != c.design {
			t.Errorf("%s: full changed %t, want %t; design changed %t, want %t", name, after.Full != before.Full, c.full, after.Design != before.Design, c.design)
		}
	}
}
