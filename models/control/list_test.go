package control_test

import (
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestList(t *testing.T) {
	w := controltest.New(t)
	slugs := []string{w.Create("Alpha 100%"), w.Create("Beta_x"), w.Create("Gamma")}
	w.Fill(slugs[2])
	another := w.Person("Another owner", models.BusinessOwner)
	w.Answer(w.Owner, slugs[1], "business_owner", control.Input{State: control.Answered, Person: another.ID})
	for name, c := range map[string]struct {
		filter control.ListFilter
		want   []string
	}{
		"all":              {control.ListFilter{}, slugs},
		"part of a name":   {control.ListFilter{Q: "ALPHA"}, slugs[:1]},
		"a percent sign":   {control.ListFilter{Q: "%"}, slugs[:1]},
		"an underscore":    {control.ListFilter{Q: "_"}, slugs[1:2]},
		"no text":          {control.ListFilter{Q: "\x00\xff"}, slugs},
		"workflow":         {control.ListFilter{Workflow: "service-request"}, slugs},
		"another workflow": {control.ListFilter{Workflow: "none"}, nil},
		"owner":            {control.ListFilter{Owner: another.ID}, slugs[1:2]},
		"unresolved":       {control.ListFilter{Unresolved: true}, slugs[:2]},
		"draft":            {control.ListFilter{State: control.Draft}, slugs},
		"approved":         {control.ListFilter{State: control.Approved}, nil},
		"blocked":          {control.ListFilter{Gate: "blocked"}, slugs},
		"automatic":        {control.ListFilter{Gate: "automatic"}, nil},
		"no such state":    {control.ListFilter{State: "else", Gate: "else"}, nil},
		"together":         {control.ListFilter{Q: "a", Workflow: "service-request", State: control.Draft, Gate: "blocked", Owner: w.Owner.ID, Unresolved: true}, slugs[:1]},
	} {
		page, err := control.List(t.Context(), w.DB, c.filter)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, r := range page.Items {
			got = append(got, r.Slug)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	if _, err := control.List(t.Context(), w.DB, control.ListFilter{Cursor: "damaged"}); !models.IsKind(err, models.KindBadRequest) {
		t.Errorf("damaged cursor: %v", err)
	}
}

func TestListPages(t *testing.T) {
	w := controltest.New(t)
	const n = 120
	w.Exec(`with c as (insert into controls (slug, name, workflow_id, effect, unresolved, created_by)
			select 'c-' || g, 'Same ' || g % 3, ?, 'e', 0, ? from generate_series(1, ?) g returning id)
		insert into revisions (control_id, number, state, started_by) select id, 1, 'draft', ? from c`, w.Workflow, w.Admin.ID, n, w.Admin.ID)
	w.Exec("update controls set latest_revision_id = r.id from revisions r where r.control_id = controls.id")
	seen := map[string]bool{}
	var last models.Page[control.ListRow]
	for cursor, pages := "", 0; ; pages++ {
		page, err := control.List(t.Context(), w.DB, control.ListFilter{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Items {
			if seen[r.Slug] {
				t.Fatalf("%s is listed twice", r.Slug)
			}
			seen[r.Slug] = true
		}
		last = page
		if cursor = page.Next; cursor == "" {
			if pages != 2 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
	}
	if len(seen) != n {
		t.Errorf("%d of %d rows", len(seen), n)
	}
	back, err := control.List(t.Context(), w.DB, control.ListFilter{Cursor: last.Prev})
	if err != nil || len(back.Items) != models.PageSize || back.Next == "" || back.Prev == "" {
		t.Errorf("%d rows back, %v", len(back.Items), err)
	}
}

func TestOptions(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	gone := w.Person("Gone", models.BusinessOwner)
	w.Exec("update people set active = false where id = ?", gone.ID)
	o, err := control.FormOptions(t.Context(), w.DB, slug)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Owners) != 1 || o.Owners[0].ID != w.Owner.ID || len(o.Implementers) != 1 || len(o.Reviewers) != 1 || len(o.Senders) != 1 || o.Senders[0].Slug != "web-form" {
		t.Errorf("%+v", o)
	}
	if len(o.Environments) != 2 || o.Environments[0].Account != "crm-production" || !o.Environments[0].ReachesCustomers || o.Environments[1].Slug != "sandbox" ||
		o.Environments[0].Destination != "crm-production" || o.Environments[1].Destinations != 2 || o.Environments[1].Destination != "" || o.WorkflowOwner != w.Owner.ID {
		t.Errorf("%+v", o.Environments)
	}
	// Operations of the account that is fixed, and of no other.
	if len(o.Operations) != 2 || o.Operations[0].ID != w.ProductionCall || o.Operations[1].ID != w.SandboxCall || o.Operations[1].EnvironmentSlug != "sandbox" {
		t.Errorf("%+v", o.Operations)
	}
}

func TestNotThere(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	for _, s := range []string{"none", "", "\x00", "\xff", slug + "\x00"} {
		_, show := control.Show(t.Context(), w.DB, s)
		_, history := control.AnswerHistory(t.Context(), w.DB, s, "sender")
		_, revision := control.LoadRevision(t.Context(), w.DB, s, 1)
		_, options := control.FormOptions(t.Context(), w.DB, s)
		for _, err := range []error{show, history, revision, options} {
			if !models.IsKind(err, models.KindNotFound) {
				t.Errorf("%q: %v", s, err)
			}
		}
	}
	_, history := control.AnswerHistory(t.Context(), w.DB, slug, "none")
	_, revision := control.LoadRevision(t.Context(), w.DB, slug, 2)
	_, negative := control.LoadRevision(t.Context(), w.DB, slug, -1)
	_, huge := control.LoadRevision(t.Context(), w.DB, slug, 1<<40)
	for _, err := range []error{history, revision, negative, huge} {
		if !models.IsKind(err, models.KindNotFound) {
			t.Error(err)
		}
	}
}
