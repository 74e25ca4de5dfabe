package home_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/home"
	"countersign/models/matrix/matrixtest"
	"countersign/models/signoff"
)

// needs are the reader's needs of one kind, as "title: line (path)".
func needs(t *testing.T, w *controltest.World, by models.Actor, kind string) (lines []string) {
	t.Helper()
	all, err := home.Needs(t.Context(), w.DB, by)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		if n.Kind == kind {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", n.Title, n.Line, n.Path))
		}
	}
	return lines
}

func want(t *testing.T, what string, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, lines)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestAQuestionWaitsForWhoeverDidNotSpeakLast(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create task")
	said := must[control.Commented](t)
	q := said(control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "mode", Body: "Why enforce?"}))
	line := "“Why enforce?” It blocks submission until its asker closes it."
	answer := fmt.Sprintf("Answer a question about Create task: %s (/controls/create-task?reply=%d#f-mode)", line, q.ID)
	read := "Read the answer about Create task: " + line + " (/controls/create-task#f-mode)"
	want(t, "owner, asked", needs(t, w, w.Owner, "question"), answer)
	want(t, "implementer, asked", needs(t, w, w.Implementer, "question"), answer)
	want(t, "asker, asked", needs(t, w, w.Reviewer, "question"))
	if got := needs(t, w, w.Implementer, "finish"); len(got) != 1 || !strings.HasPrefix(got[0], "Answer ") {
		t.Errorf("fields are not listed while a question is open: %q", got)
	}

	said(control.Reply(t.Context(), w.DB, w.Implementer, control.ReplyCmd{Control: slug, Comment: q.ID, Body: "It was agreed."}))
	want(t, "implementer, answered", needs(t, w, w.Implementer, "question"))
	want(t, "owner, answered", needs(t, w, w.Owner, "question"))
	want(t, "asker, answered", needs(t, w, w.Reviewer, "question"), read)

	said(control.Reply(t.Context(), w.DB, w.Reviewer, control.ReplyCmd{Control: slug, Comment: q.ID, Body: "By whom?"}))
	want(t, "implementer, asked again", needs(t, w, w.Implementer, "question"), answer)
	want(t, "asker, asked again", needs(t, w, w.Reviewer, "question"))

	said(control.Reply(t.Context(), w.DB, w.Owner, control.ReplyCmd{Control: slug, Comment: q.ID, Body: "By me."}))
	w.Exec("update people set active = false where id = ?", w.Reviewer.ID)
	want(t, "owner, asker left", needs(t, w, w.Owner, "question"), read)
	want(t, "implementer, asker left", needs(t, w, w.Implementer, "question"))
}

func TestAQuestionInReviewBlocksApproval(t *testing.T) {
	w := controltest.New(t)
	slug := submitted(t, w)
	must[control.Commented](t)(control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "mode", Body: "Why?"}))
	if got := needs(t, w, w.Owner, "question"); len(got) != 1 || !strings.Contains(got[0], "It blocks approval until") {
		t.Errorf("%q", got)
	}
}

func submitted(t *testing.T, w *controltest.World) string {
	t.Helper()
	slug := w.Create("Create task")
	w.FillQuickly(slug)
	matrixtest.Prove(w.T, w.DB, slug)
	must[signoff.Submitted](t)(signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version}))
	return slug
}

func TestADelegateReadsForWhom(t *testing.T) {
	w := controltest.New(t)
	submitted(t, w)
	delegate := w.StandIn(w.Owner, w.Person("Deputy", models.BusinessOwner))
	want(t, "delegate", needs(t, w, delegate, "sign"), "Sign revision 1 of Create task: For Owner: Nobody has signed yet. (/controls/create-task/sign-off)")
	want(t, "owner", needs(t, w, w.Owner, "sign"), "Sign revision 1 of Create task: Nobody has signed yet. (/controls/create-task/sign-off)")
	own := w.StandIn(w.Reviewer, w.Implementer)
	want(t, "a slot of one's own comes first", needs(t, w, own, "sign"), "Sign revision 1 of Create task: Nobody has signed yet. (/controls/create-task/sign-off)")
}

func TestRequestedChangesAreTheImplementers(t *testing.T) {
	w := controltest.New(t)
	slug := submitted(t, w)
	hash := w.Show(slug).Latest.FullHash
	must[signoff.Signed](t)(signoff.Sign(t.Context(), w.DB, w.Reviewer, signoff.SignCmd{Control: slug, Revision: 1, Decision: "changes", Note: "Name the field.", FullHash: hash}))
	want(t, "implementer", needs(t, w, w.Implementer, "rework"), "Change revision 1 of Create task: Changes were requested: “Name the field.” (/controls/create-task#requested)")
	want(t, "owner", needs(t, w, w.Owner, "rework"))
}

func TestWhoeverMayEditNamesSomebodyForWhoLeft(t *testing.T) {
	w := controltest.New(t)
	for _, by := range []models.Actor{w.Admin, w.Implementer, w.Owner} {
		want(t, by.Name+", all active", needs(t, w, by, "replace"))
	}
	w.Exec("update people set active = false where id = ?", w.Reviewer.ID)
	for _, by := range []models.Actor{w.Admin, w.Implementer, w.Owner} {
		want(t, by.Name, needs(t, w, by, "replace"), "Name a new reviewer for Service request intake: Reviewer no longer has an active account, so nobody signs in their place. (/workflows/service-request/edit#reviewer)")
	}
	for _, by := range []models.Actor{w.Viewer, w.Approver, w.Person("Other owner", models.BusinessOwner), {ID: w.Owner.ID, Name: "Owner without the role"}} {
		want(t, by.Name, needs(t, w, by, "replace"))
	}
	w.Exec("update workflows set archived_at = now()")
	want(t, "archived", needs(t, w, w.Admin, "replace"))
}

func TestReachLeadsToTheEnvironment(t *testing.T) {
	w := controltest.New(t)
	want(t, "owner", needs(t, w, w.Owner, "reach"), "Confirm what Production can reach: Your administrator says that it can reach real customers. (/admin/environments/production)")
}
