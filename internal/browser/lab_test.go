package browser

import "testing"

const lab = "/identity-rules/lab?control=create-crm-task"

func TestTwoInputsAreComparedInTheLab(t *testing.T) {
	for name, view := range map[string]View{"with JavaScript": Desk, "without JavaScript": Phone.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			tab := site.NewTab(t, view)
			compare := func() {
				if view.NoScript {
					tab.Press("Compare")
				}
			}
			tab.SignIn("reviewer")
			tab.Open(lab + "&try=missing")
			tab.See("Goes to review", "$.request_id is not in this input.")

			tab.Fill("Input B", `{"event_id": "event-demo-07", "request_id": "request-demo-01"}`)
			compare()
			tab.See("Two notifications of the same action.", "default")

			tab.Fill("Input B", `{"event_id": }`)
			compare()
			tab.See("Line 1, column 14: Expected a value")
			if view.NoScript {
				tab.Answered(422)
			}

			tab.Fill("Input B", `{"event_id": "event-demo-08", "request_id": "request-demo-01"}`)
			compare()
			tab.See("Two notifications of the same action.")
			tab.Press("Save this pair")
			tab.Fill("Name", "Sent again in the evening")
			tab.Choose("What the two must be", "Same action")
			tab.Press("Save pair")
			tab.See("Pair saved.", "Sent again in the evening", "Holds")
			if n := site.text(t, "select count(*)::text from lab_pairs where name = 'Sent again in the evening' and verdict = expected"); n != "1" {
				t.Errorf("%s pairs are saved", n)
			}
			tab.Press("Archive Sent again in the evening")
			tab.See("Pair archived.")
		})
	}
}
