package replay_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/replay"
)

// world has a control whose draft serves in the sandbox, and an escalation
// policy of two levels: the approver within 60 minutes, then the lead within 30.
type world struct {
	*controltest.World
	desk *ledger.Desk
	slug string
	lead models.Actor
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{World: controltest.New(t)}
	w.lead = w.Person("Lead", models.Approver)
	w.policy(w.Approver.ID, w.lead.ID)
	w.desk = ledger.NewDesk(w.DB, false)
	w.slug = w.Create("Create CRM task")
	w.FillQuickly(w.slug)
	return w
}

// policy adds a version of the workflow's policy: one person on each level.
func (w *world) policy(people ...int64) {
	w.T.Helper()
	n := w.Count("update escalation_policies set latest = latest + 1 returning latest")
	version := w.ID("insert into policy_versions (policy_id, number, expiry_days, authorization_minutes, person_id) select id, ?, 7, 30, created_by from escalation_policies returning id", n)
	for i, id := range people {
		w.Exec("insert into policy_levels (version_id, number, respond_minutes) values (?, ?, ?)", version, i+1, 60/(i+1))
		w.Exec("insert into level_people (version_id, level, person_id) values (?, ?, ?)", version, i+1, id)
	}
}

// automation is a token that the implementer made.
func (w *world) automation() ledger.Caller {
	w.T.Helper()
	id := w.ID(`insert into tokens (hash, hint, name, workflow_id, environment_id, scopes, created_by)
		values (gen_random_uuid()::text::bytea, 'cs_x', 'Intake', ?, ?, array['replays'], ?) returning id`, w.Workflow, w.Sandbox, w.Implementer.ID)
	return ledger.Caller{Person: w.Implementer, Token: id, Workflow: w.Workflow, Environment: w.Sandbox}
}

func (w *world) claim(request string) ledger.Attempted {
	w.T.Helper()
	a, err := w.desk.Claim(w.T.Context(), ledger.Person(w.Implementer), ledger.ClaimCmd{Control: w.slug, Environment: "sandbox", Input: json.RawMessage(fmt.Sprintf(`{"request_id": %q}`, request)), Worker: "worker-a"})
	if err != nil {
		w.T.Fatal(err)
	}
	return a
}

func (w *world) report(a ledger.Attempted, said ledger.State, result string) ledger.Reported {
	w.T.Helper()
	out, err := ledger.Outcome(w.T.Context(), w.DB, ledger.Person(w.Implementer), ledger.OutcomeCmd{Action: a.Action, ClaimToken: a.ClaimToken, Outcome: said, Result: result, Detail: "Not sent: the address was refused."})
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

func (w *world) lookup(action int64, result ledger.Looked, ids ...string) {
	w.T.Helper()
	if _, err := ledger.Lookup(w.T.Context(), w.DB, ledger.Person(w.Implementer), ledger.LookupCmd{Action: action, Method: "GET /tasks", Result: result, Results: ids}); err != nil {
		w.T.Fatal(err)
	}
}

// uncertain is an action whose outcome is unknown, and a lookup that found nothing.
func (w *world) uncertain(request string) ledger.Attempted {
	w.T.Helper()
	a := w.claim(request)
	w.report(a, ledger.Unknown, "")
	w.lookup(a.Action, ledger.NotFound)
	return a
}

func (w *world) ask(action int64) string {
	w.T.Helper()
	a, err := replay.Ask(w.T.Context(), w.DB, ledger.Person(w.Implementer), replay.AskCmd{Action: action, Reason: "The customer waits.", Uncertain: "No answer within 30 seconds."})
	if err != nil {
		w.T.Fatal(err)
	}
	return a.Ref
}

// asked is a request to try an uncertain action again.
func (w *world) asked(request string) (ref string, a ledger.Attempted) {
	w.T.Helper()
	a = w.uncertain(request)
	return w.ask(a.Action), a
}

func (w *world) page(by models.Actor, ref string) replay.Page {
	w.T.Helper()
	p, err := replay.RequestPage(w.T.Context(), w.DB, by, ref)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// decision is what somebody sends who sees the page now.
func (w *world) decision(by models.Actor, ref string, d replay.Decision) replay.DecideCmd {
	w.T.Helper()
	p := w.page(by, ref)
	cmd := replay.DecideCmd{Ref: ref, Version: p.Version, Decision: d, Note: "As agreed on the telephone.", Seen: p.SeenText}
	for _, c := range p.Conditions {
		if c.Holds == replay.Acknowledge {
			cmd.Acknowledged = append(cmd.Acknowledged, c.Key)
		}
	}
	return cmd
}

func (w *world) decide(by models.Actor, ref string, d replay.Decision) replay.Decided {
	w.T.Helper()
	out, err := replay.Decide(w.T.Context(), w.DB, by, w.decision(by, ref, d))
	if err != nil {
		w.T.Fatalf("%s: %v", d, err)
	}
	return out
}

func (w *world) try(by models.Actor, cmd replay.DecideCmd) error {
	_, err := replay.Decide(w.T.Context(), w.DB, by, cmd)
	return err
}

func (w *world) code(ref string) string {
	w.T.Helper()
	a, ok, err := ledger.AuthorizationOf(w.DB.Query(w.T.Context()), ref)
	if err != nil || !ok {
		w.T.Fatal(ok, err)
	}
	return a.Code
}

func (w *world) start(ref, code string) (ledger.Attempted, error) {
	return replay.Start(w.T.Context(), w.DB, ledger.Person(w.Implementer), replay.StartCmd{Ref: ref, Authorization: code, Worker: "worker-b"})
}

// state is the state as it is stored.
func (w *world) state(ref string) (state string) {
	w.T.Helper()
	id, _ := replay.ParseRef(ref)
	if err := w.DB.Query(w.T.Context()).Raw("select state from requests where id = ?", id).Row().Scan(&state); err != nil {
		w.T.Fatal(err)
	}
	return state
}

func (w *world) is(ref string, want replay.State) {
	w.T.Helper()
	if got := w.page(w.Viewer, ref).State; got != want {
		w.T.Fatalf("%s is %s, want %s", ref, got, want)
	}
}

// pass lets time go by for a request: every moment it waits for comes earlier.
func (w *world) pass(ref string, d time.Duration) {
	w.T.Helper()
	id, _ := replay.ParseRef(ref)
	by := fmt.Sprintf("%d seconds", int(d.Seconds()))
	w.Exec("update requests set next_at = next_at - ?::interval, expires_at = expires_at - ?::interval, paused_at = paused_at - ?::interval where id = ?", by, by, by, id)
	w.Exec("update request_levels set due_at = due_at - ?::interval where request_id = ?", by, id)
	w.Exec("update authorizations set issued_at = issued_at - ?::interval, expires_at = expires_at - ?::interval where request = ?", by, by, ref)
}

func (w *world) sweep() int {
	w.T.Helper()
	n, err := replay.Escalate(w.T.Context(), w.DB)
	if err != nil {
		w.T.Fatal(err)
	}
	return n
}

// told counts the notices of somebody about a request.
func (w *world) told(who models.Actor, event string, ref string) int {
	w.T.Helper()
	return w.Count("select count(*) from notices where person_id = ? and event = ? and path = ?", who.ID, event, replay.Path(ref))
}

func (w *world) refusals(ref string) int {
	w.T.Helper()
	id, _ := replay.ParseRef(ref)
	return w.Count("select count(*) from refused_tries where request_id = ?", id)
}

// rule changes the identity rule that serves.
func (w *world) rule() {
	w.T.Helper()
	f, _ := control.FieldByKey("action_identity")
	in, one := w.Input(f), "1"
	in.Rule.Components = append(in.Rule.Components, identity.Component{Name: "version", Path: "$.approved_version", Default: &one})
	w.Answer(w.Implementer, w.slug, "action_identity", in)
}
