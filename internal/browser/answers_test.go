package browser

import (
	"testing"
)

const visit = "/controls/book-visit"

func TestAnImplementerEditsAnAnswerInPlace(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	tab := site.NewTab(t, Desk)
	tab.SignIn("implementer")
	tab.Open(visit)

	// Only the one answer changes; the page stays.
	tab.mark()
	tab.Press("Edit Exact effect")
	tab.See("Name the one change at the destination")
	tab.stillMarked()
	tab.wantFocus("Exact effect")
	tab.Fill("Exact effect", "Never mind.")
	tab.Press("Cancel")
	tab.NotSee("Never mind.")
	tab.stillMarked()
	tab.wantFocus("Edit Exact effect")

	// Escape closes it too.
	tab.Key("Enter")
	tab.wantFocus("Exact effect")
	tab.Key("Escape")
	tab.wantFocus("Edit Exact effect")

	tab.Key("Enter")
	tab.Fill("Exact effect", "One visit is booked for each service request and approved version.")
	tab.Press("Save answer")
	tab.At(visit)
	tab.See("Saved.", "“Exact effect” is answered.", "One visit is booked for each service request and approved version.")

	tab.Press("2 versions of Exact effect")
	tab.At(visit + "/answers/exact_effect/history")
	tab.See("History of “Exact effect”", "2 versions")
}

func TestTwoPeopleEditOneAnswerAndNothingIsLost(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]View{"with JavaScript": Desk, "on a phone without JavaScript": Phone.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			first, second := site.NewTab(t, view), site.NewTab(t, view)
			first.SignIn("implementer")
			second.SignIn("owner")
			for _, tab := range []*Tab{first, second} {
				tab.Open(visit)
				tab.Press("Edit Partial success")
				tab.Field("Partial success")
			}
			first.Fill("Partial success", "The confirmation waits for the visit.")
			first.Press("Save answer")
			first.See("“Partial success” is answered.")

			second.Fill("Partial success", "The visit is kept when the confirmation fails.")
			second.Press("Save answer")
			second.Answered(409)
			second.See("Someone else changed this answer", "Saved now", "The confirmation waits for the visit.", "Yours, not saved", "The visit is kept when the confirmation fails.")

			second.Fill("Your answer, based on what is saved now", "The confirmation waits for the visit. The visit is kept when the confirmation fails.")
			second.Press("Save this answer")
			second.At(visit)
			second.See("The confirmation waits for the visit. The visit is kept when the confirmation fails.")
			second.Open(visit + "/answers/partial_success/history")
			second.See("3 versions")
		})
	}
}

func TestADoubleClickOnSaveAnswerIsOneChange(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]View{"with JavaScript": Desk, "without JavaScript": Desk.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			tab := site.NewTab(t, view)
			tab.SignIn("implementer")
			tab.Open(visit)
			before := site.events(t, "control.answered")
			tab.Press("Answer Lookup")
			tab.Fill("Lookup", "GET /visits?reference= with the request ID.")
			tab.PressTwice("Save answer")
			tab.See("“Lookup” is answered.")
			if n := site.events(t, "control.answered") - before; n != 1 {
				t.Errorf("%d answers in the audit log", n)
			}
			if n := site.text(t, "select max(a.version) from answers a join controls c on c.id = a.control_id where c.slug = 'book-visit' and a.field = 'lookup_method'"); n != "1" {
				t.Errorf("version %s was saved, want 1", n)
			}
		})
	}
}
