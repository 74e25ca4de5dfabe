package control_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestCreate(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	d := w.Show(slug)
	if slug != "create-crm-task" || d.Name != "Create CRM task" || d.Effect != "create-crm-task" || d.Workflow.Slug != "service-request" {
		t.Errorf("created %+v", d)
	}
	if d.Latest.Number != 1 || d.Latest.State != control.Draft || d.Approved != nil || len(d.Revisions) != 1 {
		t.Errorf("revisions %+v", d.Revisions)
	}
	if d.Parties.Owner.ID != w.Owner.ID || d.Parties.Implementer.ID != w.Implementer.ID || d.Parties.Reviewer.ID != w.Reviewer.ID || d.Parties.Owner.Name != "Owner" {
		t.Errorf("parties %+v", d.Parties)
	}
	for _, key := range []string{"workflow", "business_owner", "implementer", "reviewer", "environment", "duplicate_in_plain_words"} {
		if f, _ := d.Find(key); !f.Resolved() || f.Answer.Version != 1 || f.Answer.By.ID != w.Owner.ID {
			t.Errorf("%s: %+v", key, f.Answer)
		}
	}
	if want := control.RequiredFields() - 6; d.Unresolved != want {
		t.Errorf("unresolved %d, want %d", d.Unresolved, want)
	}
	if len(d.Accounts) != 2 || d.Accounts[0].Environment.Slug != "production" || !d.Accounts[0].ReachesCustomers || d.Accounts[1].ReachesCustomers || d.Accounts[1].Destination.Slug != "crm-sandbox" {
		t.Errorf("accounts %+v", d.Accounts)
	}
	if n := w.Count("select count(*) from audit_events where action = 'control.created' and object_type = 'control' and object_id = ? and object_path = '/controls/create-crm-task' and person_id = ?", d.ID, w.Owner.ID); n != 1 {
		t.Errorf("%d audit events", n)
	}
}

func TestCreateByAnotherMakesTheSentenceAProposal(t *testing.T) {
	w := controltest.New(t)
	deputy := w.StandIn(w.Owner, w.Person("Deputy", models.Reviewer))
	for _, c := range []struct {
		by    models.Actor
		state control.AnswerState
		whom  int64
	}{{w.Implementer, control.Unresolved, 0}, {w.Reviewer, control.Unresolved, 0}, {deputy, control.Answered, w.Owner.ID}} {
		made, err := control.Create(t.Context(), w.DB, c.by, control.CreateCmd{Workflow: "service-request", Name: "By " + c.by.Name, Effect: "x", Sentence: "Never twice."})
		if err != nil {
			t.Fatal(err)
		}
		f, _ := w.Show(made.Slug).Find("duplicate_in_plain_words")
		if f.Answer.State != c.state || f.Answer.Value != "Never twice." || f.Answer.Proposal() != (c.state == control.Unresolved) || f.Answer.For.ID != c.whom {
			t.Errorf("%s: %+v", c.by.Name, f.Answer)
		}
	}
}

func TestCreateRefusesBadInput(t *testing.T) {
	w := controltest.New(t)
	w.Create("Create CRM task")
	good := control.CreateCmd{Workflow: "service-request", Name: "Other", Effect: "other", Sentence: "Once."}
	cases := map[string]func(*control.CreateCmd){
		"name":              func(c *control.CreateCmd) { c.Name, c.Slug = " ", "other" },
		"name ":             func(c *control.CreateCmd) { c.Name = strings.Repeat("n", 201) },
		"name  ":            func(c *control.CreateCmd) { c.Name = "a\nb" },
		"name   ":           func(c *control.CreateCmd) { c.Name = "a\x07b" },
		"slug":              func(c *control.CreateCmd) { c.Slug = "Not A Slug" },
		"slug ":             func(c *control.CreateCmd) { c.Slug = "create-crm-task" },
		"slug  ":            func(c *control.CreateCmd) { c.Name = "日本" },
		"effect":            func(c *control.CreateCmd) { c.Effect = "" },
		"effect ":           func(c *control.CreateCmd) { c.Effect = strings.Repeat("e", 81) },
		"sentence":          func(c *control.CreateCmd) { c.Sentence = "\n" },
		"sentence ":         func(c *control.CreateCmd) { c.Sentence = strings.Repeat("s", 1001) },
		"workflow":          func(c *control.CreateCmd) { c.Workflow = "none" },
		"workflow ":         func(c *control.CreateCmd) { c.Workflow = "a\x00b\xff" },
		"accounts.sandbox":  func(c *control.CreateCmd) { c.Accounts = map[string]string{"sandbox": "crm-production"} },
		"accounts.sandbox ": func(c *control.CreateCmd) { c.Accounts = map[string]string{"sandbox": "none"} },
		"accounts.sandbox  ": func(c *control.CreateCmd) {
			c.Effect, c.Accounts = "create-crm-task", map[string]string{"sandbox": "crm-sandbox"}
		},
	}
	before := w.State()
	for field, spoil := range cases {
		cmd := good
		spoil(&cmd)
		_, err := control.Create(t.Context(), w.DB, w.Owner, cmd)
		if e := models.AsError(err); e == nil || e.Kind != models.KindInvalid || e.Field(strings.TrimSpace(field)) == "" {
			t.Errorf("%q: %v", field, err)
		}
	}
	_, err := control.Create(t.Context(), w.DB, w.Owner, control.CreateCmd{Workflow: "service-request", Name: "Other", Effect: "create-crm-task", Sentence: "Once.", Accounts: map[string]string{"sandbox": "crm-sandbox"}})
	if err == nil || !strings.Contains(err.Error(), "“Create CRM task” already owns the effect") {
		t.Errorf("the owner of the effect is not named: %v", err)
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
	w.Exec("update workflows set archived_at = now()")
	if _, err := control.Create(t.Context(), w.DB, w.Owner, good); models.AsError(err).Field("workflow") == "" {
		t.Errorf("archived workflow: %v", err)
	}
}

func TestCreateTwiceAtOnce(t *testing.T) {
	w := controltest.New(t)
	for name, cmd := range map[string]func(i int) control.CreateCmd{
		"slug": func(int) control.CreateCmd {
			return control.CreateCmd{Workflow: "service-request", Name: "Same name", Effect: "one", Sentence: "Once."}
		},
		"accounts.sandbox": func(i int) control.CreateCmd {
			return control.CreateCmd{Workflow: "service-request", Name: strings.Repeat("x", i+1), Effect: "same", Sentence: "Once.", Accounts: map[string]string{"sandbox": "crm-sandbox"}}
		},
	} {
		won := 0
		for _, err := range controltest.AtOnce(4, func(i int) error {
			_, err := control.Create(t.Context(), w.DB, w.Owner, cmd(i))
			return err
		}) {
			if err == nil {
				won++
			} else if models.AsError(err).Field(name) == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if won != 1 {
			t.Errorf("%s: %d of 4 were created", name, won)
		}
	}
}

func TestCreateSentTwiceIsOneControl(t *testing.T) {
	w := controltest.New(t)
	cmd := control.CreateCmd{Once: models.Once{Submission: "form-1"}, Workflow: "service-request", Name: "Twice", Effect: "twice", Sentence: "Once."}
	first, err := control.Create(t.Context(), w.DB, w.Owner, cmd)
	if err != nil {
		t.Fatal(err)
	}
	second, err := control.Create(t.Context(), w.DB, w.Owner, cmd)
	if err != nil || second != first || w.Count("select count(*) from controls") != 1 {
		t.Errorf("%+v, %+v, %v", first, second, err)
	}
}
