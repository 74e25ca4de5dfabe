package signoff

import (
	"encoding/json"
	"testing"
	"time"

	"countersign/models/control"
	"countersign/models/identity"
)

// ready is a content that may be submitted.
func ready() Facts {
	c := control.Content{People: control.ContentPeople{BusinessOwner: control.ContentPerson{ID: 1, Name: "Owner"},
		Implementer: control.ContentPerson{ID: 2}, Reviewer: control.ContentPerson{ID: 3}},
		Operations: []control.ContentOperation{{Environment: "sandbox"}, {Environment: "production"}}}
	for _, f := range control.Fields() {
		a := control.ContentAnswer{Field: f.Key, Section: f.Section, State: control.Answered, Value: "x", Data: json.RawMessage("null"), AnsweredBy: &control.ContentPerson{ID: 1}}
		switch f.Key {
		case "review_date":
			a.Data = json.RawMessage(`{"date":"2026-06-01"}`)
		case "environment":
			a.Data = json.RawMessage(`{"environments":["production","sandbox"]}`)
		}
		c.Answers = append(c.Answers, a)
	}
	return Facts{Path: "/controls/x", Content: c, Now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
}

func answer(f *Facts, field string) *control.ContentAnswer {
	for i := range f.Content.Answers {
		if f.Content.Answers[i].Field == field {
			return &f.Content.Answers[i]
		}
	}
	return nil
}

func TestReadiness(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Facts)
		key   string // "": ready
		count int
		link  string
	}{
		"ready":          {func(*Facts) {}, "", 0, ""},
		"not applicable": {func(f *Facts) { answer(f, "late_update").State = control.NotApplicable }, "", 0, ""},
		"by the owner's delegate": {func(f *Facts) {
			a := answer(f, "duplicate_in_plain_words")
			a.AnsweredBy, a.AnsweredFor = &control.ContentPerson{ID: 11}, &control.ContentPerson{ID: 1}
		}, "", 0, ""},
		"two unresolved": {func(f *Facts) {
			answer(f, "sender").State = control.Unresolved
			answer(f, "monitoring").State = control.Unresolved
		}, "unresolved", 2, "/controls/x#f-sender"},
		"a field that is not there": {func(f *Facts) { f.Content.Answers = f.Content.Answers[:36] }, "unresolved", 1, "/controls/x#f-monitoring"},
		"question":                  {func(f *Facts) { f.Questions = []control.Comment{{Field: "mode", Body: "Why?"}} }, "questions", 1, "/controls/x#f-mode"},
		"a finding": {func(f *Facts) {
			f.Findings = []control.Finding{{Finding: identity.Finding{Rule: identity.IntendedEffect, Severity: identity.Block}}, {Finding: identity.Finding{Severity: identity.Warn}},
				{Finding: identity.Finding{Rule: identity.LegitimateRepeat, Severity: identity.ReasonAllowed}, Kept: &control.KeptReason{}}}
		}, "rules", 1, "/controls/x#f-action_identity"},
		"a broken pair":            {func(f *Facts) { f.Broken = []control.Pair{{ID: 7, Name: "Sent again"}} }, "pairs", 1, "/identity-rules/lab?control=x&pair=7"},
		"owner is implementer":     {func(f *Facts) { f.Content.People.Implementer.ID = 1 }, "people", 1, "/controls/x#f-implementer"},
		"owner is reviewer":        {func(f *Facts) { f.Content.People.Reviewer.ID = 1 }, "people", 1, "/controls/x#f-reviewer"},
		"implementer is reviewer":  {func(f *Facts) { f.Content.People.Reviewer.ID = 2 }, "people", 1, "/controls/x#f-reviewer"},
		"no reviewer":              {func(f *Facts) { f.Content.People.Reviewer.ID = 0 }, "people", 1, "/controls/x#f-business_owner"},
		"somebody left":            {func(f *Facts) { f.Unable = []Item{{"Gone left.", "/controls/x#f-reviewer"}} }, "accounts", 1, "/controls/x#f-reviewer"},
		"two left":                 {func(f *Facts) { f.Unable = []Item{{"A left.", "/a"}, {"B left.", "/b"}} }, "accounts", 2, "/a"},
		"not the owner's words":    {func(f *Facts) { answer(f, "duplicate_in_plain_words").AnsweredBy.ID = 2 }, "sentence", 1, "/controls/x#f-duplicate_in_plain_words"},
		"no call in production":    {func(f *Facts) { f.Content.Operations = f.Content.Operations[:1] }, "operations", 1, "/controls/x#f-operation"},
		"review date passed":       {func(f *Facts) { f.Now = f.Now.AddDate(0, 0, 1) }, "review_date", 1, "/controls/x#f-review_date"},
		"its workflow is archived": {func(f *Facts) { f.Archived = []Item{{"The workflow is archived.", "/workflows/w"}} }, "archived", 1, "/workflows/w"},
		"nothing changed":          {func(f *Facts) { f.Before = &Approved{1, ready().Content} }, "difference", 1, ""},
		"an answer changed": {func(f *Facts) {
			f.Before = &Approved{1, ready().Content}
			answer(f, "monitoring").Value = "y"
		}, "", 0, ""},
		"a person of the same name": {func(f *Facts) {
			f.Before = &Approved{1, ready().Content}
			f.Content.People.Reviewer.ID = 4
		}, "", 0, ""},
	} {
		f := ready()
		c.spoil(&f)
		for _, got := range Readiness(f) {
			if got.Words == "" {
				t.Errorf("%s: %s says nothing", name, got.Key)
			}
			if got.OK != (got.Key != c.key) {
				t.Errorf("%s: %+v", name, got)
			}
			if got.Key == c.key && (got.Count != c.count || got.Link != c.link) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestApprovalConditions(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Facts)
		key   string
	}{
		"free":               {func(f *Facts) { answer(f, "sender").State = control.Unresolved }, ""},
		"question":           {func(f *Facts) { f.Questions = []control.Comment{{Field: "mode", Body: "Why?"}} }, "questions"},
		"review date passed": {func(f *Facts) { f.Now = f.Now.AddDate(0, 0, 1) }, "review_date"},
	} {
		f := ready()
		c.spoil(&f)
		err := block("no", ApprovalConditions(f))
		if c.key == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, ok := err.(*Blocked); c.key != "" && (!ok || len(b.Conditions) != 1 || b.Conditions[0].Key != c.key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
