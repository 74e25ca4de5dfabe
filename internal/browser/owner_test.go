package browser

import "testing"

const task = "/controls/create-crm-task"

func TestABusinessOwnerOnAPhoneWithoutJavaScriptApprovesAControl(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	tab := site.NewTab(t, Phone.WithoutScript())

	tab.SignIn("owner")
	tab.See("What needs you", "Sign revision 2 of Create CRM task", "Yours is the last.")
	tab.Press("Review and sign")
	tab.At(task + "/sign-off")

	// Read what is asked of them.
	tab.See("our team must see one task, not two", "What changed since revision 1", "approved_version ($.approved_version, 1 when absent)", "Full fingerprint, SHA-256 of the whole record")
	if hash := site.text(t, "select r.full_hash from revisions r join controls c on c.id = r.control_id where c.slug = 'create-crm-task' and r.number = 2"); !tab.shows(hash) {
		t.Errorf("the fingerprint %s is not on the page", hash)
	}

	// Ask about one field of the control.
	tab.Open(task)
	tab.Press("Ask or comment Legitimate repeat")
	tab.Fill("Question or comment", "Does a moved appointment count as a new request?")
	tab.Press("Ask a question")
	tab.At(task)
	tab.See("Does a moved appointment count as a new request?", "It blocks approval until it is closed.")

	// An open question blocks the approval, in words.
	tab.Open(task + "/sign-off")
	if tab.Offers("Approve and sign") {
		t.Error("the approval can be pressed while a question is open")
	}
	tab.See("Before it can be approved", "open question")

	// Once it is closed the revision can be approved.
	tab.Open(task)
	tab.Press("Close question")
	tab.Open(task + "/sign-off")
	tab.Fill("Note", "Read on the way to work.")
	tab.Press("Approve and sign")
	tab.At(task + "/sign-off")
	tab.See("Revision 2 is approved.")
	if state := site.revision(t, "create-crm-task", 2); state != "approved" {
		t.Errorf("revision 2 is %s", state)
	}
	if state := site.revision(t, "create-crm-task", 1); state != "superseded" {
		t.Errorf("revision 1 is %s", state)
	}

	tab.Open(task)
	tab.See("Revision 2, approved", "Manual replay only", "Revision 2 allows 0 automatic retries.")
	tab.Open("/")
	tab.NotSee("Sign revision 2")
}

func TestAPageThatWasOpenBeforeAQuestionCannotApprove(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	owner, implementer := site.NewTab(t, Phone.WithoutScript()), site.NewTab(t, Desk)
	owner.SignIn("owner")
	owner.Open(task + "/sign-off")

	implementer.SignIn("implementer")
	implementer.Open(task)
	implementer.Press("Ask or comment Exact effect")
	implementer.Fill("Question or comment", "Is a reopened task a second one?")
	implementer.Press("Ask a question")
	implementer.See("Is a reopened task a second one?")

	owner.Fill("Note", "I have read all of it.")
	owner.Press("Approve and sign")
	owner.Answered(409)
	owner.See("1 open question blocks approval until the asker closes it")
	if note := owner.Field("Note").Value; note != "I have read all of it." {
		t.Errorf("the note is lost: %q", note)
	}
	if state := site.revision(t, "create-crm-task", 2); state != "in_review" {
		t.Errorf("revision 2 is %s", state)
	}
}

func TestADoubleClickOnApproveAndSignIsOneSignature(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]View{"with JavaScript": Desk, "without JavaScript": Desk.WithoutScript()} {
		t.Run(name, func(t *testing.T) {
			site := demoSite(t)
			before := site.events(t, "revision.signed")
			tab := site.NewTab(t, view)
			tab.SignIn("owner")
			tab.Open(task + "/sign-off")
			tab.PressTwice("Approve and sign")
			tab.See("Revision 2 is approved.")
			if n := site.events(t, "revision.signed") - before; n != 1 {
				t.Errorf("%d signatures in the audit log", n)
			}
			if n := site.text(t, "select count(*) from signatures s join revisions r on r.id = s.revision_id where r.number = 2"); n != "3" {
				t.Errorf("%s signatures, want 3", n)
			}
		})
	}
}

func TestAfterChangesAreRequestedEditingOpensTheNextDraft(t *testing.T) {
	t.Parallel()
	site := demoSite(t)
	owner := site.NewTab(t, Desk)
	owner.SignIn("owner")
	owner.Open(task + "/sign-off")
	owner.Press("Request changes")
	owner.Answered(422)
	owner.Fill("Note", "Say what happens on a public holiday.")
	owner.Press("Request changes")
	owner.See("Changes requested.")

	implementer := site.NewTab(t, Desk)
	implementer.SignIn("implementer")
	implementer.See("Change revision 2 of Create CRM task", "Say what happens on a public holiday.")
	implementer.Open(task)
	implementer.See("Revision 2, changes requested")
	implementer.Press("Edit Monitoring")
	implementer.Fill("Monitoring", "The implementer reads the count of duplicates daily, on public holidays too.")
	implementer.Press("Save answer")
	implementer.See("This started revision 3.", "Revision 3, draft", "1 stays in force")
}
