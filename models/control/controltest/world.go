// Package controltest gives tests a small world: people in every role, a
// workflow with a sender, two environments with an account each, and ways to
// write a whole control in it.
package controltest

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"countersign/internal/testdb"
	"countersign/models"
	"countersign/models/control"
)

// World is a fresh database with people and a workflow.
type World struct {
	T  testing.TB
	DB *models.DB

	Owner, Implementer, Reviewer, Approver, Viewer, Admin models.Actor

	Workflow, Sandbox, Production       int64
	SandboxCRM, ProductionCRM, OtherCRM int64 // destinations; OtherCRM is in the sandbox too
	SandboxCall, ProductionCall         int64 // operations
	OtherCall                           int64
}

// New makes the world.
func New(t testing.TB) *World {
	t.Helper()
	return On(t, testdb.New(t))
}

// On is New on a migrated database of the test's own.
func On(t testing.TB, db *models.DB) *World {
	t.Helper()
	w := &World{T: t, DB: db}
	w.Owner = w.Person("Owner", models.BusinessOwner)
	w.Implementer = w.Person("Implementer", models.Implementer)
	w.Reviewer = w.Person("Reviewer", models.Reviewer)
	w.Approver = w.Person("Approver", models.Approver)
	w.Viewer = w.Person("Viewer", models.Viewer)
	w.Admin = w.Person("Admin", models.Admin)
	w.Workflow = w.ID(`insert into workflows (slug, name, business_owner_id, implementer_id, reviewer_id, version_order, created_by)
		values ('service-request', 'Service request intake', ?, ?, ?, 'integer', ?) returning id`, w.Owner.ID, w.Implementer.ID, w.Reviewer.ID, w.Admin.ID)
	w.ID(`insert into senders (workflow_id, slug, name, duplicates, doc_url, checked_on, checked_by)
		values (?, 'web-form', 'Web form', 'possible', 'https://docs.example.test/', '2026-04-12', ?) returning id`, w.Workflow, w.Implementer.ID)
	w.Sandbox = w.ID("insert into environments (slug, name, kind, reaches_customers, reach_set_by, reach_confirmed_by, reach_confirmed_at) values ('sandbox', 'Sandbox', 'test', false, ?, ?, now()) returning id", w.Admin.ID, w.Owner.ID)
	w.Production = w.ID("insert into environments (slug, name, kind, reaches_customers, reach_set_by) values ('production', 'Production', 'production', true, ?) returning id", w.Admin.ID)
	w.SandboxCRM, w.SandboxCall = w.destination("crm-sandbox", w.Sandbox)
	w.ProductionCRM, w.ProductionCall = w.destination("crm-production", w.Production)
	w.OtherCRM, w.OtherCall = w.destination("crm-other", w.Sandbox)
	w.policy()
	return w
}

// PolicyVersion is the escalation policy that the workflow chose: the approver
// within 60 minutes, nobody after.
const PolicyVersion = "replays@1"

func (w *World) policy() {
	id := w.ID("insert into escalation_policies (slug, name, created_by) values ('replays', 'Replays', ?) returning id", w.Admin.ID)
	version := w.ID("insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, person_id) values (?, 1, 7, 30, ?) returning id", id, w.Admin.ID)
	w.Exec("insert into policy_levels (version_id, number, respond_minutes) values (?, 1, 60)", version)
	w.Exec("insert into level_people (version_id, level, person_id) values (?, 1, ?)", version, w.Approver.ID)
	w.Exec("update workflows set escalation_policy_id = ? where id = ?", id, w.Workflow)
}

func (w *World) destination(slug string, environment int64) (destination, operation int64) {
	destination = w.ID("insert into destinations (slug, system, account, environment_id) values (?, 'CRM', ?, ?) returning id", slug, slug, environment)
	operation = w.ID(`insert into operations (destination_id, slug, name, call, mechanism, lookup_method, checked_on, checked_by)
		values (?, 'create-task', 'Create task', 'POST /tasks', 'none', 'GET /tasks by reference', '2026-04-12', ?) returning id`, destination, w.Implementer.ID)
	return destination, operation
}

// Person adds somebody and returns them as an actor.
func (w *World) Person(name string, roles ...models.Role) models.Actor {
	w.T.Helper()
	email := strings.ToLower(strings.ReplaceAll(name, " ", "-")) + "@example.test"
	a := models.Actor{Name: name, Email: email, Roles: roles}
	a.ID = w.ID("insert into people (email, name) values (?, ?) returning id", email, name)
	for _, r := range roles {
		w.Exec("insert into role_grants (person_id, role) values (?, ?)", a.ID, r)
	}
	return a
}

// StandIn makes delegate stand in for person and returns them as such.
func (w *World) StandIn(person, delegate models.Actor) models.Actor {
	w.T.Helper()
	w.Exec("insert into delegations (person_id, delegate_id, until, created_by) values (?, ?, now() + interval '7 days', ?)", person.ID, delegate.ID, person.ID)
	delegate.StandsFor = maps.Clone(delegate.StandsFor)
	if delegate.StandsFor == nil {
		delegate.StandsFor = map[int64][]models.Role{}
	}
	delegate.StandsFor[person.ID] = person.Roles
	return delegate
}

// ID runs a statement that returns an id.
func (w *World) ID(sql string, args ...any) (id int64) {
	w.T.Helper()
	if err := w.DB.Query(w.T.Context()).Raw(sql, args...).Row().Scan(&id); err != nil {
		w.T.Fatalf("%s: %v", sql, err)
	}
	return id
}

// Exec runs a statement.
func (w *World) Exec(sql string, args ...any) {
	w.T.Helper()
	if err := w.DB.Query(w.T.Context()).Exec(sql, args...).Error; err != nil {
		w.T.Fatalf("%s: %v", sql, err)
	}
}

// Count runs a statement that returns a number.
func (w *World) Count(sql string, args ...any) int { w.T.Helper(); return int(w.ID(sql, args...)) }

// Audited counts the audit events of an action.
func (w *World) Audited(action string) int {
	w.T.Helper()
	return w.Count("select count(*) from audit_events where action = ?", action)
}

// State is everything a refused command must leave as it was, as one text.
func (w *World) State() string {
	w.T.Helper()
	var b strings.Builder
	for _, table := range []string{"controls", "control_accounts", "revisions", "answers", "comments", "question_closings", "signatures", "submissions", "rule_states", "rule_reasons", "lab_pairs",
		"test_cases", "expectations", "expectation_effects", "expectation_decisions", "discrepancies", "runs", "run_counts", "run_results", "run_after", "run_evidence", "run_reviews",
		"open_runs", "waivers", "case_cells", "evidence", "evidence_holds"} {
		var hash string
		if err := w.DB.Query(w.T.Context()).Raw(fmt.Sprintf("select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from %s t", table)).Row().Scan(&hash); err != nil {
			w.T.Fatal(err)
		}
		b.WriteString(table + " " + hash + "\n")
	}
	return b.String()
}

// Create makes a control at both CRM accounts, with the owner's sentence.
func (w *World) Create(name string) (slug string) {
	w.T.Helper()
	made, err := control.Create(w.T.Context(), w.DB, w.Owner, control.CreateCmd{Workflow: "service-request", Name: name, Effect: models.Slugify(name),
		Sentence: "One request, one task.", Accounts: map[string]string{"sandbox": "crm-sandbox", "production": "crm-production"}})
	if err != nil {
		w.T.Fatal(err)
	}
	return made.Slug
}

// Input is an acceptable answer to a field.
func (w *World) Input(f control.Field) control.Input {
	in := control.Input{State: control.Answered}
	switch f.Kind {
	case control.Text, control.Reference, control.Sentence:
		in.Text = "Words about " + strings.ToLower(f.Label) + "."
	case control.Person:
		in.Person = map[string]int64{"business_owner": w.Owner.ID, "implementer": w.Implementer.ID, "reviewer": w.Reviewer.ID}[f.Key]
	case control.Environments:
		in.Environments = []string{"sandbox", "production"}
	case control.Date:
		in.Date = time.Now().UTC().AddDate(1, 0, 0).Format(time.DateOnly)
	case control.Sender:
		in.Sender = "web-form"
	case control.Operations:
		in.Operations = map[string]int64{"sandbox": w.SandboxCall, "production": w.ProductionCall}
	case control.Mode:
		in.Mode = "enforce"
	case control.Number:
		in.Number = "2"
	case control.Hours, control.Days:
		in.Number, in.Basis = "24", "Reference, page 3."
	case control.Policy:
		in.Policy = PolicyVersion
	case control.Rule:
		in.Rule = Rule(f)
	}
	return in
}

// Fill answers every field of a control that is still unresolved.
func (w *World) Fill(slug string) {
	w.T.Helper()
	d := w.Show(slug)
	for _, s := range d.Sections {
		for _, f := range s.Answers {
			if f.Resolved() {
				continue
			}
			by := w.Implementer
			if f.Field.OwnerOnly {
				by = w.Owner
			}
			w.save(by, slug, f, w.Input(f.Field))
		}
	}
}

// Answer saves an answer on top of the current one.
func (w *World) Answer(by models.Actor, slug, field string, in control.Input) control.Saved {
	w.T.Helper()
	f, ok := w.Show(slug).Find(field)
	if !ok {
		w.T.Fatalf("no field %s", field)
	}
	return w.save(by, slug, f, in)
}

func (w *World) save(by models.Actor, slug string, f control.FieldAnswer, in control.Input) control.Saved {
	w.T.Helper()
	saved, err := control.SaveAnswer(w.T.Context(), w.DB, by, control.SaveAnswerCmd{Control: slug, Field: f.Field.Key, Version: f.Answer.Version, Input: in})
	if err != nil {
		w.T.Fatalf("answer %s: %v", f.Field.Key, err)
	}
	return saved
}

// Show is the control's page.
func (w *World) Show(slug string) control.Detail {
	w.T.Helper()
	d, err := control.Show(w.T.Context(), w.DB, slug)
	if err != nil {
		w.T.Fatal(err)
	}
	return d
}
