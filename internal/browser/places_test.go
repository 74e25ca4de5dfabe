package browser

import (
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/demo"
	"countersign/models/identity"
	"countersign/models/notice"
	"countersign/models/people"
)

// walk lists the pages by who looks at them, the word before a comma: somebody
// who sees most of what can be on them. site is nil when only the paths matter.
func walk(t *testing.T, site *Site) map[string][]place {
	t.Helper()
	person, invite, setup, hook := "/admin/people/1", "/invite/x", "/setup/x", "/admin/webhooks/1"
	if site != nil {
		hook = site.webhook(t)
		person = "/admin/people/" + site.text(t, "select id from people where email = 'reviewer@example.test'")
		invite = site.invitation(t)
	}
	return map[string][]place{
		"nobody": {
			{path: "/login"}, {path: "/login?next=/controls"},
			{path: "/login", status: 422, name: "with a wrong password", by: func(t *Tab) {
				t.Fill("E-mail", "viewer@example.test")
				t.Fill("Password", "not the one")
				t.Press("Sign in")
			}},
			{path: invite}, {path: invite, status: 422, name: "with two passwords", by: func(t *Tab) {
				t.Fill("Password", "four words or more")
				t.Fill("Password again", "four other words")
				t.Press("Save password and sign in")
			}},
			{path: setup, status: 404},
			{path: "/nothing-here", status: 404},
			{path: "/api/docs"}, {path: "/api/guide"}, {path: "/api/problems"}, {path: "/api/problems/already"}, {path: "/api/problems/none", status: 404},
		},
		"owner": {
			{path: "/"}, {path: "/inbox"}, {path: "/inbox?show=all"}, {path: "/account"}, {path: task}, {path: task + "/sign-off"}, {path: task + "/revisions/1"},
			{path: task + "?talk=exact_effect", part: "#f-exact_effect"}, {path: visit + "/answers/exact_effect?edit=exact_effect"},
			{path: task + "/sign-off", status: 422, name: "asking for changes without a note", by: func(t *Tab) { t.Press("Request changes") }},
			{path: "/workflows/service-request/stop"}, {path: "/controls/new"},
			{path: "/controls/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Write control") }},
			{path: visit + "/matrix"}, {path: visit + "/matrix", status: 422, name: "declining without a note", by: func(t *Tab) { t.Press("Decline repeated delivery") }},
			{path: visit + "?edit=partial_success", status: 409, name: "when somebody else saved", by: conflict},
			{path: task + "/handoff"}, {path: task + "/copy"}, {path: "/controls/new/import"}, {path: "/controls/new/import", status: 422, name: "with nothing pasted", by: func(t *Tab) { t.Press("Show what comes along") }}, {path: visit + "/handoff?revision=1"}, {path: visit + "/print"}, {path: task + "/handoff?revision=9", status: 404},
			{path: "/admin/environments"}, {path: "/admin/environments/production"},
		},
		"implementer": append(append(edits(), browsing()...), []place{
			{path: "/"}, {path: "/controls"}, {path: "/controls?q=visit&state=draft&unresolved=on"}, {path: "/controls?q=nothing"}, {path: visit}, {path: "/controls/send-confirmation"},
			{path: "/controls/send-confirmation/sign-off"}, {path: visit + "/sign-off"}, {path: task + "/answers/action_identity/history"}, {path: visit + "/answers/review_date/history"},
			{path: "/identity-rules"}, {path: "/identity-rules?q=nothing"}, {path: "/identity-rules/lab"}, {path: "/identity-rules/lab?find=a"}, {path: "/identity-rules/lab?find=nothing"}, {path: lab + "&try=new_request"}, {path: lab + "&try=null"},
			{path: lab, status: 422, name: "with an input that is cut off", by: func(t *Tab) {
				t.Fill("Input A", "{")
				t.Press("Compare")
			}},
			{path: lab, status: 422, name: "saving a pair without a name", by: func(t *Tab) {
				t.Press("Save this pair")
				t.Press("Save pair")
			}},
			{path: lab, status: 422, name: "with the account of another environment", by: func(t *Tab) {
				t.Choose("Environment of Input A", "Production")
				t.Press("Compare")
			}},
			{path: visit + "?edit=legitimate_repeat"},
			{path: visit + "?edit=legitimate_repeat", status: 422, name: "without a statement", by: func(t *Tab) {
				t.Press("Go on to the components")
			}},
			{path: visit + "?edit=legitimate_repeat", name: "with its components", by: func(t *Tab) {
				t.Fill("When a second action is right, in plain words", "A new request is a new visit.")
				t.Press("Go on to the components")
			}},
			{path: visit + "?edit=legitimate_repeat", status: 409, name: "when somebody else wrote the rule", by: ruleConflict},
			{path: visit + "?edit=action_identity"},
		}...),
		"implementer, around the controls": {
			{path: "/workflows"}, {path: "/workflows?q=nothing"}, {path: "/workflows/new"}, {path: intake}, {path: intake, name: "with the stop dialog", by: func(t *Tab) { t.Press("Stop workflow") }},
			{path: "/workflows/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Save workflow") }},
			{path: intake + "/edit"}, {path: intake + "/stop"}, {path: intake + "/archive"}, {path: intake + "/lift", status: 409},
			{path: intake + "/senders/new"}, {path: intake + "/senders/web-form"}, {path: intake + "/senders/web-form/edit"}, {path: intake + "/senders/web-form/archive"},
			{path: "/destinations"}, {path: "/destinations?q=nothing"}, {path: "/destinations/new"}, {path: crm}, {path: crm + "/edit"}, {path: crm + "/archive"},
			{path: crm + "/operations/new"}, {path: crm + "/operations/create-task"}, {path: crm + "/operations/create-task/edit"}, {path: crm + "/operations/create-task/archive"},
		},
		"implementer, at the matrix": {
			{path: "/matrix"}, {path: "/matrix?state=failed"}, {path: "/matrix?workflow=nothing"}, {path: confirm}, {path: task + "/matrix?runs=timeout-after-success"},
			{path: confirm + "?do=propose&case=partial-success"}, {path: confirm + "?do=not-applicable&case=repeated-delivery"}, {path: confirm + "?do=talk&case=repeated-delivery"}, {path: confirm + "?do=add"},
			{path: confirm + "?do=propose&case=partial-success", status: 422, name: "with nothing filled in", by: func(t *Tab) {
				t.Fill("Expected result", "")
				t.Press("Propose to the business owner")
			}},
			{path: visit + "/matrix?do=waive&case=timeout-after-success", status: 422, name: "without a reason", by: func(t *Tab) { t.Press("Ask both to sign") }},
			{path: visit + "/matrix?do=waive&case=timeout-after-success", name: "asked for", by: func(t *Tab) {
				t.Fill("Why it cannot be run", "The sandbox always answers.")
				t.Fill("Until", time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly))
				t.Press("Ask both to sign")
			}},
			{path: visit + "/matrix/timeout-after-success/waiver/end", name: "of the waiver that was asked for", by: func(*Tab) {}},
			{path: visit + "/matrix/timeout-after-success/start"},
			{path: visit + "/matrix/timeout-after-success/start", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Start run") }},
			{path: confirm + "/simultaneous-workers/start", status: 409}, {path: "/runs/9"}, {path: "/runs/0", status: 404},
			{path: waitingRun}, {path: waitingRun, status: 422, name: "recorded with nothing filled in", by: func(t *Tab) { t.Press("Record as failed") }},
			{path: waitingRun + "/abandon"}, {path: waitingRun + "/abandon", status: 422, name: "without a reason", by: func(t *Tab) { t.Press("Abandon run") }},
		},
		"reviewer, at the matrix": {
			{path: "/matrix"}, {path: "/runs/17"}, {path: "/runs/17", status: 422, name: "returned without a reason", by: func(t *Tab) { t.Press("Return run") }},
			{path: waitingRun + "/abandon", status: 403},
		},
		"implementer, with evidence": evidencePages(t, site),
		"viewer": {
			{path: "/help"}, {path: "/help/sign-off"}, {path: "/help/unknown-outcomes"}, {path: "/help/nothing", status: 404}, {path: "/admin", status: 403},
			{path: "/search"}, {path: "/search?q=request-demo"}, {path: "/search?q=1"}, {path: "/search?q=x"}, {path: "/search?q=nothing-of-this"}, {path: "/search?q=request-demo&in=requests"},
			{path: "/evidence"},
			{path: "/"}, {path: task}, {path: lab}, {path: task + "/sign-off"}, {path: intake}, {path: "/audit"}, {path: "/audit?q=create-crm-task"}, {path: "/audit?q=nothing"},
			{path: catalogue + "?mechanism=none_documented"}, {path: catalogue + "/linear-create-issue-issuecreate-mutation"}, {path: catalogue + "/shopify"},
			{path: "/api/docs"}, {path: "/api/guide"}, {path: "/api/problems"}, {path: "/api/problems/stopped"},
			{path: "/ledger"}, {path: "/ledger?q=nothing"}, {path: "/ledger?show=deliveries"}, {path: "/ledger?day=x", status: 422}, {path: "/ledger/actions/1"}, {path: "/ledger/actions/0", status: 404},
			{path: "/ledger/requests?workflow=service-request&environment=sandbox&record=request-demo-21"}, {path: "/ledger/claims/1", status: 404}, {path: "/ledger/reviews"}, {path: "/ledger/reviews?show=decided"}, {path: "/ledger/reviews/RV-1"},
			{path: "/account"}, {path: "/controls/new", status: 403}, {path: "/admin/people", status: 403}, {path: "/controls/no-such-control", status: 404},
			{path: "/", name: "with the list of keys", by: func(t *Tab) { t.Key("?") }},
		},
		"approver, at the queue": {
			{path: "/queue"}, {path: "/queue?view=open"}, {path: "/queue?view=decided"}, {path: "/queue?kind=stalled"}, {path: "/queue/RR-1"}, {path: "/queue/RR-1?view=open"}, {path: "/queue/RR-0", status: 404},
			{path: "/queue/RR-1", status: 422, name: "rejecting without a note", by: func(t *Tab) { t.Press("Reject") }},
			{path: "/queue/RR-1", name: "returned for evidence", by: func(t *Tab) {
				t.Fill("Note", "Show the log of the CRM.")
				t.Press("Return for evidence")
			}},
			{path: "/queue/RR-1"}, {path: "/queue?view=open&kind=replay"},
		},
		"reviewer, at the ledger": {
			{path: "/ledger/reviews/LR-3"}, {path: "/ledger/reviews/RV-2"}, {path: "/ledger/actions/1?do=lookup"}, {path: "/ledger/actions/2?do=appeal"},
			{path: "/ledger/reviews/RV-1", status: 422, name: "deciding without a reason", by: func(t *Tab) { t.Press("Record decision") }},
			{path: "/ledger/actions/1?do=lookup", status: 422, name: "recording a lookup without a result", by: func(t *Tab) { t.Press("Record lookup") }},
			{path: "/ledger/actions/3?do=duplicate", name: "with a duplicate to settle", by: func(t *Tab) {
				t.Fill("What you saw", "Two tasks for one request.")
				t.Press("Report duplicate")
			}},
		},
		"admin": {
			{path: "/"}, {path: "/admin"}, {path: "/admin/retention"}, {path: "/admin/people"}, {path: "/admin/people?q=nobody-of-this-name"}, {path: "/admin/people/new"}, {path: person},
			{path: "/admin/people/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Add person") }},
			{path: person + "/hand-over"}, {path: person + "/hand-over", status: 422, name: "to nobody", by: func(t *Tab) { t.Press("Hand over as reviewer") }},
			{path: person, name: "with a new link", by: func(t *Tab) { t.Press("Make new link") }},
			{path: "/inbox"}, {path: "/admin/mail"}, {path: "/admin/mail?state=failed"}, {path: "/admin/webhooks"}, {path: "/admin/webhooks/new"}, {path: hook}, {path: hook + "/edit"},
			{path: "/admin/webhooks/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Add webhook") }},
			{path: hook, name: "with a new secret", by: func(t *Tab) { t.Press("Make new secret") }},
			{path: "/admin/environments"}, {path: "/admin/environments/new"}, {path: "/admin/environments/sandbox"}, {path: "/admin/environments/sandbox/edit"},
			{path: "/admin/environments/sandbox/archive"},
			{path: "/admin/tokens"}, {path: "/admin/tokens/new"},
			{path: "/admin/tokens/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Make token") }},
			{path: "/admin/tokens/new", name: "with the token made", by: func(t *Tab) {
				t.Fill("Automation", "Intake flow")
				t.Choose("Workflow", "Service request intake")
				t.Choose("Environment", "Sandbox")
				t.Press("Make token")
			}},
			{path: "/admin/tokens?state=active"}, {path: "/admin/tokens?state=revoked"}, {path: "/admin/tokens/1/revoke"},
			{path: "/admin/policies"}, {path: "/admin/policies?archived=yes"}, {path: "/admin/policies/new"}, {path: policy}, {path: policy + "/edit"}, {path: policy + "/archive"},
			{path: "/admin/policies/new", status: 422, name: "with nothing filled in", by: func(t *Tab) { t.Press("Save policy") }},
		},
	}
}

const (
	confirm    = "/controls/send-confirmation/matrix"
	waitingRun = "/runs/16" // started and not recorded
)

const crm = "/destinations/crm-demo-01"

const policy = "/admin/policies/service-request-replays"

const catalogue = "/destinations/catalogue"

// browsing is what an implementer sees between the catalogue and a form that it fills in.
func browsing() []place {
	const linear = "linear-create-issue-issuecreate-mutation"
	return []place{
		{path: catalogue}, {path: catalogue + "?at=2"}, {path: catalogue + "?q=nothing+of+this"}, {path: catalogue + "?show=senders&workflow=service-request"},
		{path: catalogue + "?q=adyen&destination=crm-demo-01", name: "with an entry open", by: func(t *Tab) { t.Press("Key, lifetime, conflicts, lookup, caveats and source") }},
		{path: catalogue + "/" + linear}, {path: catalogue + "/shopify"}, {path: catalogue + "/none", status: 404},
		{path: catalogue + "/" + linear + "/start", status: 422}, {path: catalogue + "/shopify/start?workflow=service-request"},
		{path: crm + "/operations/new?from=" + linear},
		{path: crm + "/operations/new?from=" + linear, status: 422, name: "with what the source does not say", by: func(t *Tab) { t.Press("Save operation") }},
		{path: crm + "/operations/new?from=resend-send-an-e-mail-post-emails-post-emails-batch", name: "saved", by: func(t *Tab) { t.Press("Save operation") }},
		{path: intake + "/senders/new?from=shopify"}, {path: intake + "/senders/new?from=mollie", name: "saved", by: func(t *Tab) { t.Press("Save sender") }},
	}
}

// edits opens the form of each kind of answer.
func edits() (all []place) {
	seen := map[control.Kind]bool{}
	for _, f := range control.Fields() {
		if !seen[f.Kind] {
			seen[f.Kind] = true
			all = append(all, place{path: visit + "?edit=" + f.Key, part: "#" + f.Anchor()})
		}
	}
	return all
}

// conflict saves an answer that the form on the screen does not know of yet, and then the form.
func conflict(t *Tab) {
	t.r.Helper()
	t.Fill("Partial success", "The visit is kept when the confirmation fails.")
	other := t.site.NewTab(t.r, Desk)
	other.SignIn("implementer")
	other.Open(visit + "?edit=partial_success")
	other.Fill("Partial success", "The confirmation waits for the visit.")
	other.Press("Save answer")
	other.See("“Partial success” is answered.")
	t.Press("Save answer")
}

// ruleConflict writes a rule that the form on the screen does not know of yet, and then the form.
func ruleConflict(t *Tab) {
	t.r.Helper()
	begin := func(t *Tab, day string) {
		t.Fill("When a second action is right, in plain words", "Another "+day+" is another visit.")
		t.Press("Go on to the components")
	}
	write := func(t *Tab, day string) {
		t.Fill("Name", day)
		t.Fill("Path or fixed value", "$."+day)
		t.Fill("What must never be mixed up", "Two visits of one customer.")
		t.Fill("Example input, in JSON", `{"`+day+`": "demo-01"}`)
		t.Press("Save answer")
	}
	begin(t, "visit_id")
	other := t.site.NewTab(t.r, Desk)
	other.SignIn("owner")
	other.Open(visit + "?edit=legitimate_repeat")
	begin(other, "slot_id")
	write(other, "slot_id")
	other.See("slot_id")
	write(t, "visit_id")
}

// invitation is the link of somebody who was added.
func (s *Site) invitation(t *testing.T) string {
	t.Helper()
	admin, err := people.ActorByEmail(t.Context(), s.DB, "admin@example.test")
	if err != nil {
		t.Fatal(err)
	}
	made, err := people.AddPerson(t.Context(), s.DB, admin, people.AddPersonCmd{Name: "New person", Email: "new@example.test", Roles: []models.Role{models.Reviewer}})
	if err != nil {
		t.Fatal(err)
	}
	return "/invite/" + made.Token
}

// webhook is the page of a webhook with an address and messages that are hard to
// fit, in each state; e-mails in each state come with it.
func (s *Site) webhook(t *testing.T) string {
	t.Helper()
	admin, err := people.ActorByEmail(t.Context(), s.DB, "admin@example.test")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Wm", 100)
	id, err := notice.AddWebhook(t.Context(), s.DB, admin, notice.AddWebhookCmd{WebhookForm: notice.WebhookForm{Name: long, URL: "https://hooks.example.test/" + long, Events: []notice.Event{notice.ReplayRequested, notice.WorkflowStopped}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"waiting", "delivered", "failed", "held"} {
		sent, err := notice.TestWebhook(t.Context(), s.DB, admin, notice.TestWebhookCmd{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.Pool.Exec(t.Context(), `update webhook_deliveries set state = $2, attempts = 2, last_status = 500, tried_at = now(), last_error = 'The receiver answered 500.', last_reply = $3 where id = $1`, sent, state, long); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"update webhook_messages set title = left(title || $1, 300)",
		"update mails set state = 'failed', attempts = 12, tried_at = now(), last_error = $1 where id % 3 = 0",
		"update mails set state = 'skipped', tried_at = now(), last_error = left('No mail server was set. ' || $1, 23) where id % 3 = 1",
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), statement, long); err != nil {
			t.Fatal(err)
		}
	}
	return notice.WebhookPath(id)
}

func (s *Site) addPerson(t *testing.T, email, name string) {
	t.Helper()
	for _, p := range demo.People {
		if p.Email == email {
			if _, err := people.AddPersonByCommand(t.Context(), s.DB, people.AddPersonByCommandCmd{Name: name, Email: email, Password: demo.Password, Roles: p.Roles}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// lengthen gives everything a name of 200 characters without a space, and one
// answer a long text of the same kind.
func (s *Site) lengthen(t *testing.T) {
	t.Helper()
	long := strings.Repeat("Wm", 100)
	for _, statement := range []string{
		"update people set name = left(id::text || $1, 200)",
		"update workflows set name = left(id::text || $1, 200), help_contact = $1, description = $1",
		"update controls set name = left(id::text || $1, 200)",
		"update environments set name = left(id::text || $1, 200)",
		"update senders set name = left(id::text || $1, 200), retry_schedule = $1, signature = $1, documented_at = $1, notes = $1",
		"update notices set title = left(id::text || $1, 200), text = $1, standing_in_for = left($1, 200)",
		"update destinations set system = left($1, 200)",
		"update escalation_policies set name = left($1, 200)",
		"update operations set name = left(id::text || $1, 200), call = $1, repeat_returns = $1, lookup_method = $1, documented_at = $1, notes = $1",
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), statement, long); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	by, err := people.ActorByEmail(t.Context(), s.DB, "implementer@example.test")
	if err != nil {
		t.Fatal(err)
	}
	name := func(s string) string { return (s + long)[:200] }
	if _, err := control.SavePair(t.Context(), s.DB, by, control.SavePairCmd{Control: "create-crm-task", Name: name("Broken"), Note: long, InputA: `{"` + long + `": "` + long + `"}`, InputB: "{}",
		Expected: "same_action", EnvironmentA: "sandbox", AccountA: "crm-sandbox-01", EnvironmentB: "another-environment", AccountB: "another-account"}); err != nil {
		t.Fatal(err)
	}
	part := identity.Component{Name: "w" + strings.ToLower(long)[:59], Path: "$." + long}
	standIn := `"` + long + `"`
	part.Default = &standIn
	rule := identity.Rule{Kind: identity.BusinessRecord, Missing: identity.Review, Statement: long, Boundary: long, Components: []identity.Component{part}, Example: `{"` + long + `": "` + long + `"}`}
	if _, err := control.SaveAnswer(t.Context(), s.DB, by, control.SaveAnswerCmd{Control: "book-visit", Field: "business_record", Version: 1,
		Input: control.Input{State: control.Answered, Rule: rule}}); err != nil {
		t.Fatal(err)
	}
	for i, field := range []string{"exact_effect", "lookup_method"} {
		if _, err := control.SaveAnswer(t.Context(), s.DB, by, control.SaveAnswerCmd{Control: "book-visit", Field: field, Version: 1 - i,
			Input: control.Input{State: control.Answered, Text: long}}); err != nil {
			t.Fatal(err)
		}
	}
}
