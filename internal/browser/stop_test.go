package browser

import "testing"

const intake = "/workflows/service-request"

func TestAWorkflowIsStoppedAndItsStopLifted(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]View{"in dialogs": Desk, "on a phone without JavaScript": Phone.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			reviewer := site.NewTab(t, view)
			reviewer.SignIn("reviewer")
			reviewer.Open(intake)
			reviewer.Press("Stop workflow")
			reviewer.Fill("Why must it stop?", "Two tasks appeared for request-demo-01.")
			reviewer.PressTwice("Stop workflow")
			reviewer.At(intake)
			reviewer.See("Two tasks appeared for request-demo-01.")
			if n := site.events(t, "workflow.stopped"); n != 1 {
				t.Errorf("stopped %d times", n)
			}
			reviewer.Open(task)
			reviewer.See("Blocked", "The workflow is stopped: Two tasks appeared for request-demo-01.")

			owner := site.NewTab(t, view)
			owner.SignIn("owner")
			owner.See("Service request intake is stopped")
			owner.Open(intake)
			owner.Press("Lift stop")
			owner.Fill("Why can it be lifted?", "The second task was closed by hand.")
			owner.Press("Lift stop")
			owner.At(intake)
			owner.See("Stop workflow")
			owner.Open(task)
			owner.See("Manual replay only")
			if n := site.events(t, "workflow.stop_lifted"); n != 1 {
				t.Errorf("lifted %d times", n)
			}
		})
	}
}
