package browser

import (
	"fmt"
	"testing"
	"time"
)

// On phones and without JavaScript: the owner agrees, the implementer runs and
// fails, the reviewer accepts, and what failed stays in sight.
func TestAScenarioIsAgreedRunAndReviewedOnPhones(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	phone := func(who string) *Tab {
		tab := site.NewTab(t, Phone.WithoutScript())
		tab.SignIn(who)
		return tab
	}
	const matrix = visit + "/matrix"

	owner := phone("owner")
	owner.Open(matrix)
	owner.See("Proposed, waits for the business owner")
	owner.Press("Agree to repeated delivery")
	owner.See("Agreed.", "Runs are measured against it from now on.")

	implementer := phone("implementer")
	implementer.Open(matrix)
	implementer.Press("Start run: Repeated delivery")
	implementer.At(matrix + "/repeated-delivery/start")
	implementer.Press("Start run")
	implementer.Answered(422)
	implementer.Fill("How does the destination look now?", "One visit for request-demo-01.")
	implementer.Fill("Book visit", "7")
	implementer.Press("Start run")
	run := "/runs/" + site.text(t, "select max(id)::text from runs")
	implementer.At(run)
	if implementer.Offers("Record as passed") {
		t.Error("a pass can be recorded without evidence")
	}

	// One item is attached as a text, by the form on a page of its own.
	implementer.Press("Attach Event ID")
	implementer.See("What it proves")
	implementer.Open("/evidence/new?to=" + run + "&slot=event-id")
	implementer.Fill("What it proves", "Both deliveries carry it.")
	implementer.Press("Paste a text or give a link instead of a file")
	implementer.Fill("Text", "event-demo-01")
	implementer.Fill("Kept until", time.Now().UTC().AddDate(0, 0, 90).Format(time.DateOnly))
	implementer.Fill("Because of", "The test plan")
	implementer.Press("Attach")
	implementer.Open(run)
	implementer.See("1 of 4 attached")

	implementer.Fill("What did you observe?", "A second visit in the calendar.")
	implementer.Fill("Book visit", "8")
	implementer.Tick("I looked at the destination itself. A green automation log alone never passes.")
	implementer.Fill("What did you look at?", "The calendar of the sandbox")
	implementer.Press("Record as failed")
	implementer.See("Recorded as failed.", "1 more than agreed", "Only a passing, accepted retest closes it.")

	reviewer := phone("reviewer")
	reviewer.Open("/matrix")
	reviewer.See("Runs waiting for your review")
	reviewer.Open(run)
	reviewer.Press("Accept run")
	reviewer.See("Accepted as failed by Reviewer")

	owner.Open("/matrix")
	owner.See("1 discrepancy open", "Failed")
	owner.Open(visit + "/sign-off")
	owner.See("One failure is not answered yet:")
	if n := site.text(t, fmt.Sprintf("select count(*) from run_reviews where run_id = %s", run[len("/runs/"):])); n != "1" {
		t.Errorf("%s reviews", n)
	}
}
