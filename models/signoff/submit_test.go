package signoff_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/matrix"
	"countersign/models/signoff"
)

func TestSubmitFreezes(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	live, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := w.submit(slug)
	d := w.Show(slug)
	r := d.Latest
	if r.State != control.InReview || r.FullHash != s.FullHash || r.DesignHash != s.DesignHash || r.SubmittedBy.ID != w.Implementer.ID || r.SubmittedAt == nil {
		t.Errorf("%+v", r)
	}
	if r.Mode != "enforce" || r.AutomaticRetries == nil || *r.AutomaticRetries != 2 || r.ReviewDate == nil {
		t.Errorf("what the gate needs was not copied: %+v", r)
	}
	frozen, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
	if err != nil {
		t.Fatal(err)
	}
	now, err := frozen.Content.Fingerprints()
	if err != nil || now.Full != s.FullHash || now.Design != s.DesignHash {
		t.Errorf("read back, the content has another fingerprint: %+v, %v", now, err)
	}
	live.Content.Expectations = frozen.Content.Expectations // of the test matrix, which stands above the record
	if before, _ := live.Content.Fingerprints(); before.Full != s.FullHash {
		t.Error("the content as it stood has another fingerprint than the frozen one")
	}
	if n := w.Count("select count(*) from audit_events where action = 'revision.submitted' and object_type = 'revision' and object_id = ? and object_path = '/controls/create-crm-task/sign-off' and after->>'full_hash' = ?", r.ID, s.FullHash); n != 1 {
		t.Errorf("%d audit events", n)
	}
	if sender := frozen.Content.Sender; sender == nil || sender.Slug != "web-form" || sender.Duplicates != "possible" || sender.CheckedBy == nil || sender.CheckedBy.Name != "Implementer" || sender.CheckedOn != "2026-04-12" {
		t.Errorf("the sender's facts are not in it: %+v", sender)
	}
	if o := frozen.Content.Operations; len(o) != 2 || o[0].Environment != "production" || o[0].CheckedBy == nil || o[0].CheckedOn != "2026-04-12" || o[0].Mechanism != "none" {
		t.Errorf("the operations' facts are not in it: %+v", o)
	}
	agreed := matrix.ParseFrozen(frozen.Content.Expectations)
	if len(agreed) != 6 || agreed[0].Case != "repeated-delivery" || agreed[0].ExpectationID == 0 || !agreed[0].Applies || agreed[0].Expected != "What was agreed." ||
		len(agreed[0].Effects) != 1 || agreed[0].Effects[0] != (matrix.FrozenEffect{Control: slug, Change: 1}) || agreed[0].AgreedBy.ID != w.Owner.ID {
		t.Errorf("what was agreed of the scenarios is not in it: %+v", agreed)
	}
	// What changes afterwards elsewhere is not in the frozen content.
	w.Exec("update operations set name = 'Renamed'")
	w.Exec("update people set name = 'Renamed' where id = ?", w.Owner.ID)
	again, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
	if err != nil || again.Content.Operations[0].Name != "Create task" || again.Content.People.BusinessOwner.Name != "Owner" {
		t.Errorf("%+v, %v", again.Content.People, err)
	}
}

func TestSubmitIsBlockedWithTheList(t *testing.T) {
	w := newWorld(t)
	slug := w.Create("Create CRM task")
	if _, err := control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "sender", Body: "Which?"}); err != nil {
		t.Fatal(err)
	}
	both := w.Person("Both", models.BusinessOwner, models.Implementer)
	w.Answer(w.Owner, slug, "implementer", control.Input{State: control.Answered, Person: both.ID})
	w.Answer(w.Owner, slug, "business_owner", control.Input{State: control.Answered, Person: both.ID})
	w.Exec("update people set active = false where id = ?", w.Reviewer.ID)
	before := w.State()
	_, err := signoff.Submit(t.Context(), w.DB, both, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
	var blocked *signoff.Blocked
	if !errors.As(err, &blocked) || !models.IsKind(err, models.KindConflict) {
		t.Fatalf("%v", err)
	}
	got := map[string]signoff.Condition{}
	for _, c := range blocked.Conditions {
		got[c.Key] = c
	}
	unresolved := w.Show(slug).Unresolved
	if c := got["unresolved"]; c.Count != unresolved || len(c.Items) != unresolved || c.Items[0].Link != "/controls/create-crm-task#f-review_date" {
		t.Errorf("%+v", c)
	}
	for _, key := range []string{"questions", "people", "accounts", "sentence", "operations"} {
		if got[key].Count == 0 || got[key].Link == "" {
			t.Errorf("%s: %+v", key, got[key])
		}
	}
	for _, c := range w.page(both, slug).Conditions {
		if _, listed := got[c.Key]; listed == c.OK {
			t.Errorf("the page and the command differ about %s", c.Key)
		}
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
}

func TestWhoLostTheRoleCannotBeNamed(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	w.Exec("delete from role_grants where person_id = ?", w.Reviewer.ID)
	_, err := signoff.Submit(t.Context(), w.DB, w.Owner, signoff.SubmitCmd{Control: slug, Version: w.Show(slug).Latest.Version})
	var blocked *signoff.Blocked
	if !errors.As(err, &blocked) || len(blocked.Conditions) != 1 {
		t.Fatalf("%v", err)
	}
	// Said once, with the field of that very slot.
	want := w.Reviewer.Name + " no longer holds the role reviewer. Name another reviewer."
	if c := blocked.Conditions[0]; c.Key != "accounts" || c.Words != want || c.Link != "/controls/"+slug+"#f-reviewer" || len(c.Items) != 0 {
		t.Errorf("%+v", c)
	}
}

// Two edits of an approved control at once open one draft, and both are in it.
func TestEditingOpensOneDraft(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	w.approve(slug)
	fields := []string{"exact_effect", "atomic_claim", "stalled_owner"}
	for i, err := range controltest.AtOnce(len(fields), func(i int) error {
		_, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: slug, Field: fields[i], Version: 1, Input: control.Input{State: control.Answered, Text: "New."}})
		return err
	}) {
		if err != nil {
			t.Errorf("%s: %v", fields[i], err)
		}
	}
	d := w.Show(slug)
	if len(d.Revisions) != 2 || d.Latest.State != control.Draft || w.Audited("revision.opened") != 1 {
		t.Errorf("%+v", d.Revisions)
	}
	for _, f := range fields {
		if a, _ := d.Find(f); a.Answer.Value != "New." || a.Answer.Revision != 2 {
			t.Errorf("%s: %+v", f, a.Answer)
		}
	}
	won := 0
	w.submit(slug)
	w.sign(w.Owner, slug, "changes")
	for _, err := range controltest.AtOnce(3, func(int) error {
		_, err := control.OpenDraft(t.Context(), w.DB, w.Owner, control.OpenDraftCmd{Control: slug})
		return err
	}) {
		if err == nil {
			won++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Error(err)
		}
	}
	if won != 1 || w.Show(slug).Latest.Number != 3 {
		t.Errorf("%d opened a draft", won)
	}
}

func TestSubmitRefusals(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	version := w.Show(slug).Latest.Version
	before := w.State()
	for name, c := range map[string]struct {
		by   models.Actor
		cmd  signoff.SubmitCmd
		kind models.Kind
	}{
		"reviewer":            {w.Reviewer, signoff.SubmitCmd{Control: slug, Version: version}, models.KindForbidden},
		"viewer":              {w.Viewer, signoff.SubmitCmd{Control: slug, Version: version}, models.KindForbidden},
		"approver":            {w.Approver, signoff.SubmitCmd{Control: slug, Version: version}, models.KindForbidden},
		"admin":               {w.Admin, signoff.SubmitCmd{Control: slug, Version: version}, models.KindForbidden},
		"another implementer": {w.Person("Another", models.Implementer), signoff.SubmitCmd{Control: slug, Version: version}, models.KindForbidden},
		"forged version":      {w.Owner, signoff.SubmitCmd{Control: slug, Version: version + 1}, models.KindConflict},
		"no version":          {w.Owner, signoff.SubmitCmd{Control: slug}, models.KindConflict},
		"no such control":     {w.Owner, signoff.SubmitCmd{Control: "none", Version: version}, models.KindNotFound},
	} {
		if _, err := signoff.Submit(t.Context(), w.DB, c.by, c.cmd); !models.IsKind(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.State() != before || w.Audited("revision.submitted") != 0 {
		t.Error("a refused command changed something")
	}
	w.edit(slug, "Something new.")
	if _, err := signoff.Submit(t.Context(), w.DB, w.Owner, signoff.SubmitCmd{Control: slug, Version: version}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("an answer was saved since: %v", err)
	}
	deputy := w.StandIn(w.Owner, w.Person("Deputy", models.Viewer))
	if _, err := signoff.Submit(t.Context(), w.DB, deputy, signoff.SubmitCmd{Control: slug, Version: version + 1}); err != nil {
		t.Error(err)
	}
	if n := w.Count("select count(*) from audit_events where action = 'revision.submitted' and person_id = ? and for_person_id = ?", deputy.ID, w.Owner.ID); n != 1 {
		t.Error("the audit log does not show both people")
	}
}

func TestWhileInReviewAnswersStand(t *testing.T) {
	w := newWorld(t)
	slug := w.submitted()
	f, _ := w.Show(slug).Find("exact_effect")
	before := w.State()
	_, err := control.SaveAnswer(t.Context(), w.DB, w.Implementer, control.SaveAnswerCmd{Control: slug, Field: "exact_effect", Version: f.Answer.Version, Input: control.Input{State: control.Answered, Text: "x"}})
	if !models.IsKind(err, models.KindConflict) {
		t.Errorf("answered in review: %v", err)
	}
	if _, err := control.ConfirmSentence(t.Context(), w.DB, w.Owner, control.ConfirmSentenceCmd{Control: slug, Version: 1}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("confirmed in review: %v", err)
	}
	if _, err := control.OpenDraft(t.Context(), w.DB, w.Owner, control.OpenDraftCmd{Control: slug}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("opened a draft in review: %v", err)
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
}

func TestTwoSubmitAtOnce(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	version := w.Show(slug).Latest.Version
	won := 0
	for _, err := range controltest.AtOnce(4, func(i int) error {
		by := []models.Actor{w.Owner, w.Implementer}[i%2]
		_, err := signoff.Submit(t.Context(), w.DB, by, signoff.SubmitCmd{Control: slug, Version: version})
		return err
	}) {
		if err == nil {
			won++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Error(err)
		}
	}
	if won != 1 || w.Audited("revision.submitted") != 1 {
		t.Errorf("%d submitted", won)
	}
}

// Either the answer came first and the submission saw an old page, or the
// submission came first and the answer stands outside.
func TestSubmitWhileSomebodyAnswers(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	for round := range 6 {
		d := w.Show(slug)
		f, _ := d.Find("exact_effect")
		errs := controltest.AtOnce(2, func(i int) error {
			if i == 0 {
				_, err := signoff.Submit(t.Context(), w.DB, w.Implementer, signoff.SubmitCmd{Control: slug, Version: d.Latest.Version})
				return err
			}
			_, err := control.SaveAnswer(t.Context(), w.DB, w.Owner, control.SaveAnswerCmd{Control: slug, Field: "exact_effect", Version: f.Answer.Version, Input: control.Input{State: control.Answered, Text: "Changed."}})
			return err
		})
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %v", round, errs)
		}
		for _, err := range errs {
			if err != nil && !models.IsKind(err, models.KindConflict) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if errs[0] == nil {
			frozen, err := control.LoadRevision(t.Context(), w.DB, slug, 1)
			a, _ := frozen.Content.Answer("exact_effect")
			if err != nil || a.Value != f.Answer.Value {
				t.Errorf("round %d: froze %q, %v", round, a.Value, err)
			}
			if _, err := signoff.Withdraw(t.Context(), w.DB, w.Owner, signoff.WithdrawCmd{Control: slug, Revision: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSubmitSentTwiceGetsTheFirstAnswer(t *testing.T) {
	w := newWorld(t)
	slug := w.filled()
	cmd := signoff.SubmitCmd{Once: models.Once{Submission: "form"}, Control: slug, Version: w.Show(slug).Latest.Version}
	first, err := signoff.Submit(t.Context(), w.DB, w.Implementer, cmd)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := signoff.Submit(t.Context(), w.DB, w.Implementer, cmd); err != nil || second != first {
		t.Errorf("%+v, %+v, %v", first, second, err)
	}
}

// What the record rests on may not be out of use.
func TestNothingArchivedIsSubmitted(t *testing.T) {
	for table, words := range map[string]string{
		"workflows": "The workflow", "environments": "is archived. Restore it first.", "destinations": "is archived. Restore it first.", "operations": "Choose another."} {
		w := newWorld(t)
		slug := w.filled()
		w.Exec("update " + table + " set archived_at = now() ")
		page, err := signoff.Show(t.Context(), w.DB, w.Implementer, slug)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range page.Conditions {
			text := c.Words
			for _, i := range c.Items {
				text += " " + i.Words
			}
			found = found || c.Key == "archived" && !c.OK && strings.Contains(text, words) && c.Link != ""
		}
		if !found {
			t.Errorf("%s: %+v", table, page.Conditions)
		}
	}
}
