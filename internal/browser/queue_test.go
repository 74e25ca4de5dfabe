package browser

import (
	"encoding/json"
	"fmt"
	"testing"

	"countersign/models/ledger"
	"countersign/models/people"
	"countersign/models/replay"
)

// ask makes n requests to try actions again of which nobody knows the outcome,
// each with a lookup that found nothing.
func (s *Site) ask(t *testing.T, n int) (refs []string) {
	t.Helper()
	by, err := people.ActorByEmail(t.Context(), s.DB, "implementer@example.test")
	if err != nil {
		t.Fatal(err)
	}
	me, desk := ledger.Person(by), ledger.NewDesk(s.DB, false)
	for i := range n {
		a, err := desk.Claim(t.Context(), me, ledger.ClaimCmd{Control: "create-crm-task", Environment: "sandbox", Input: json.RawMessage(fmt.Sprintf(`{"request_id": "request-demo-%d"}`, 50+i)), Worker: "worker-a"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Outcome(t.Context(), s.DB, me, ledger.OutcomeCmd{Action: a.Action, ClaimToken: a.ClaimToken, Outcome: ledger.Unknown, Detail: "No answer."}); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Lookup(t.Context(), s.DB, me, ledger.LookupCmd{Action: a.Action, Method: "GET /tasks", Result: ledger.NotFound}); err != nil {
			t.Fatal(err)
		}
		asked, err := replay.Ask(t.Context(), s.DB, me, replay.AskCmd{Action: a.Action, Reason: "The customer waits.", Uncertain: "No answer within 30 seconds."})
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, asked.Ref)
	}
	return refs
}

// overdue lets the first level's time of every request pass.
func (s *Site) overdue(t *testing.T) {
	t.Helper()
	for _, sql := range []string{"update request_levels set due_at = due_at - interval '65 minutes'", "update requests set next_at = next_at - interval '65 minutes' where closed_at is null"} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTenItemsAreDecidedByKeyboardAlone(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	site.ask(t, 9) // and RR-1 of the demo
	tab := site.NewTab(t, Desk)
	tab.Open("/login")
	tab.TabTo("E-mail")
	tab.Type("approver@example.test")
	tab.TabTo("Password")
	tab.Type("countersign-demo")
	tab.Key("Enter")
	tab.At("/")
	tab.Key("g", "q")
	tab.At("/queue")
	tab.See("Your decision")
	tab.Key("j", "j", "k", "Enter")
	tab.At("/queue/RR-1")
	for n := range 10 {
		at := tab.Path()
		switch n % 3 {
		case 2: // the note comes first
			tab.Key("n")
			tab.wantFocus("Note")
			tab.Type("Not needed any more.")
			tab.TabTo("Reject")
		default:
			tab.Key("a")
			tab.wantFocus("Approve one attempt")
		}
		if got := tab.Path(); got != at {
			t.Fatalf("one key alone led from %s to %s", at, got)
		}
		tab.Key("Enter")
		if n < 9 {
			tab.See("Next: RR-")
		}
	}
	tab.At("/queue")
	tab.See("Nothing else waits on you.", "Nothing waits on you")
	if n := site.text(t, "select count(*) filter (where decision = 'approve') || ' ' || count(*) filter (where decision = 'reject') from decisions"); n != "7 3" {
		t.Errorf("decided %s", n)
	}
}

func TestTheQueueOnAPhoneWithoutJavaScript(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	refs := site.ask(t, 1)
	tab := site.NewTab(t, Phone.WithoutScript())
	tab.SignIn("approver")
	tab.Open("/queue")
	tab.See("RR-1", refs[0])
	tab.NotSee("Pick an item")
	tab.Open("/queue/RR-1")
	tab.NotSee("Waiting on you")
	tab.Press("Go to decision")
	tab.Press("Reject")
	tab.Answered(422)
	tab.See("Say why this is not tried again.")
	tab.Fill("Note", "Two people look at it already.")
	tab.Press("Reject")
	tab.At("/queue/" + refs[0])
	tab.See("RR-1 rejected.", "Next: "+refs[0]+".")
	tab.Press("Approve one attempt")
	tab.At("/queue")
	tab.See(refs[0]+" approved.", "Nothing else waits on you.")
	tab.Press("Decided")
	tab.See("RR-1", "By Approver")
}

func TestSomebodyElseDecidesWhileYouRead(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	refs := site.ask(t, 2)
	site.overdue(t)
	approver, list, lead := site.NewTab(t, Desk), site.NewTab(t, Desk), site.NewTab(t, Desk)
	approver.SignIn("approver")
	approver.Open("/queue/" + refs[0])
	approver.Fill("Note", "Typed already.")
	list.SignIn("approver")
	list.Open("/queue")
	list.See("Waiting on you 3", refs[0])
	lead.SignIn("lead")
	lead.Open("/queue/" + refs[0])
	lead.Fill("Note", "The CRM is down.")
	lead.Press("Reject")
	lead.See(refs[0] + " rejected.")

	approver.See(refs[0]+" was rejected by Lead approver.", "Open it again before you decide")
	list.See("Waiting on you 2")
	list.NotSee(refs[0])
	approver.wantFocus("Note")
	if got := approver.Field("Note").Value; got != "Typed already." {
		t.Errorf("what was typed became %q", got)
	}
	approver.Press("Approve one attempt")
	approver.wantFocus("Open it again")
	if n := site.text(t, "select count(*) from refused_tries"); n != "0" {
		t.Errorf("%s decisions were sent", n)
	}
	approver.Key("Enter")
	approver.See("How it ended", "Rejected it: Lead approver.")
}
