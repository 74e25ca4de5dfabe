package control_test

import (
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
)

func TestThread(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	q, err := control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "exact_effect", Body: "Is a moved task a new one?"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.AddComment(t.Context(), w.DB, w.Owner, control.CommentCmd{Control: slug, Field: "exact_effect", Body: "Good point."}); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Reply(t.Context(), w.DB, w.Implementer, control.ReplyCmd{Control: slug, Comment: q.ID, Body: "It is the same."}); err != nil {
		t.Fatal(err)
	}
	d := w.Show(slug)
	f, _ := d.Find("exact_effect")
	if d.OpenQuestions != 1 || d.Sections[2].Open != 1 || len(f.Thread) != 2 || !f.Thread[0].Open() || f.Thread[1].Open() || len(f.Thread[0].Replies) != 1 || f.Thread[0].Replies[0].By.Name != "Implementer" {
		t.Errorf("%d open, %+v", d.OpenQuestions, f.Thread)
	}
	if f.Thread[0].InReview {
		t.Error("nothing is in review")
	}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Owner, control.CloseQuestionCmd{Control: slug, Comment: q.ID}); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("the owner closed the reviewer's question: %v", err)
	}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: slug, Comment: q.ID}); err != nil {
		t.Error(err)
	}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: slug, Comment: q.ID}); !models.IsKind(err, models.KindConflict) {
		t.Errorf("closed twice: %v", err)
	}
	d = w.Show(slug)
	f, _ = d.Find("exact_effect")
	if d.OpenQuestions != 0 || f.Thread[0].Open() || f.Thread[0].ClosedBy.ID != w.Reviewer.ID {
		t.Errorf("%d open, %+v", d.OpenQuestions, f.Thread[0])
	}
	for action, want := range map[string]int{"control.asked": 1, "control.commented": 1, "control.replied": 1, "control.question_closed": 1} {
		if n := w.Audited(action); n != want {
			t.Errorf("%s: %d audit events", action, n)
		}
	}
}

func TestQuestionOfSomebodyWhoLeft(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	asker := w.Person("Asker", models.Reviewer)
	q, err := control.Ask(t.Context(), w.DB, asker, control.AskCmd{Control: slug, Field: "sender", Body: "Which one?"})
	if err != nil {
		t.Fatal(err)
	}
	w.Exec("update people set active = false where id = ?", asker.ID)
	cmd := control.CloseQuestionCmd{Control: slug, Comment: q.ID}
	if _, err := control.CloseQuestion(t.Context(), w.DB, w.Implementer, cmd); !models.IsKind(err, models.KindForbidden) {
		t.Errorf("implementer: %v", err)
	}
	deputy := w.StandIn(w.Owner, w.Person("Deputy", models.Viewer))
	if _, err := control.CloseQuestion(t.Context(), w.DB, deputy, cmd); err != nil {
		t.Error(err)
	}
	if n := w.Count("select count(*) from question_closings where person_id = ? and for_person_id = ?", deputy.ID, w.Owner.ID); n != 1 {
		t.Error("the closing does not show both people")
	}
}

func TestThreadRefusals(t *testing.T) {
	w := controltest.New(t)
	slug, other := w.Create("Create CRM task"), w.Create("Other")
	q, err := control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "sender", Body: "Which one?"})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := control.Reply(t.Context(), w.DB, w.Owner, control.ReplyCmd{Control: slug, Comment: q.ID, Body: "This one."})
	if err != nil {
		t.Fatal(err)
	}
	c, err := control.AddComment(t.Context(), w.DB, w.Owner, control.CommentCmd{Control: slug, Field: "sender", Body: "Noted."})
	if err != nil {
		t.Fatal(err)
	}
	before := w.State()
	ask := func(by models.Actor, control_, field, body string) error {
		_, err := control.Ask(t.Context(), w.DB, by, control.AskCmd{Control: control_, Field: field, Body: body})
		return err
	}
	closeIt := func(control_ string, id int64) error {
		_, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: control_, Comment: id})
		return err
	}
	for name, c := range map[string]struct {
		err  error
		kind models.Kind
	}{
		"viewer":             {ask(w.Viewer, slug, "sender", "x"), models.KindForbidden},
		"approver":           {ask(w.Approver, slug, "sender", "x"), models.KindForbidden},
		"admin":              {ask(w.Admin, slug, "sender", "x"), models.KindForbidden},
		"empty":              {ask(w.Owner, slug, "sender", " \n"), models.KindInvalid},
		"too long":           {ask(w.Owner, slug, "sender", strings.Repeat("x", 4001)), models.KindInvalid},
		"control character":  {ask(w.Owner, slug, "sender", "a\x00"), models.KindInvalid},
		"no such field":      {ask(w.Owner, slug, "none", "x"), models.KindNotFound},
		"no such control":    {ask(w.Owner, "none", "sender", "x"), models.KindNotFound},
		"of another control": {closeIt(other, q.ID), models.KindNotFound},
		"a reply":            {closeIt(slug, reply.ID), models.KindNotFound},
		"a comment":          {closeIt(slug, c.ID), models.KindNotFound},
		"no such question":   {closeIt(slug, 999), models.KindNotFound},
	} {
		if !models.IsKind(c.err, c.kind) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	for _, to := range []control.ReplyCmd{{Control: other, Comment: q.ID, Body: "x"}, {Control: slug, Comment: reply.ID, Body: "x"}} {
		if _, err := control.Reply(t.Context(), w.DB, w.Owner, to); !models.IsKind(err, models.KindNotFound) {
			t.Errorf("%+v: %v", to, err)
		}
	}
	if w.State() != before {
		t.Error("a refused command changed something")
	}
}

func TestCloseAtOnce(t *testing.T) {
	w := controltest.New(t)
	slug := w.Create("Create CRM task")
	q, err := control.Ask(t.Context(), w.DB, w.Reviewer, control.AskCmd{Control: slug, Field: "sender", Body: "Which one?"})
	if err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, err := range controltest.AtOnce(4, func(int) error {
		_, err := control.CloseQuestion(t.Context(), w.DB, w.Reviewer, control.CloseQuestionCmd{Control: slug, Comment: q.ID})
		return err
	}) {
		if err == nil {
			won++
		} else if !models.IsKind(err, models.KindConflict) {
			t.Error(err)
		}
	}
	if won != 1 || w.Audited("control.question_closed") != 1 || w.Show(slug).OpenQuestions != 0 {
		t.Errorf("%d closed it", won)
	}
}
