package demo

import (
	"fmt"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/identity"
	"countersign/models/signoff"
	"countersign/models/workflow"
)

// controls writes the three controls and takes each as far as its story goes:
// one approved with its next revision proven and in review, one with a failed
// test and changes requested, one still in draft with nothing run.
func (l *loader) controls() error {
	for _, s := range stories {
		if err := l.write(s); err != nil {
			return fmt.Errorf("control %s: %w", s.slug, err)
		}
	}
	if err := l.savePairs("create-crm-task"); err != nil {
		return err
	}
	for _, s := range stories {
		if err := l.agree(s.slug); err != nil {
			return fmt.Errorf("control %s: %w", s.slug, err)
		}
	}
	for _, tell := range []func() error{l.approveThenRevise, l.askForChanges, l.leaveInDraft} {
		if err := tell(); err != nil {
			return err
		}
	}
	return nil
}

// write creates the control from the owner's sentence and answers its fields.
func (l *loader) write(s story) error {
	accounts, operations := map[string]string{}, map[string]int64{}
	for _, e := range environments {
		accounts[e] = account(s.system, e)
		op, err := workflow.FindOperation(l.ctx, l.db, accounts[e], s.operation)
		if err != nil {
			return err
		}
		operations[e] = op.ID
	}
	if _, err := control.Create(l.ctx, l.db, l.owner, control.CreateCmd{Once: once("control"), Workflow: workflowSlug, Name: s.name, Slug: s.slug, Effect: s.slug,
		Sentence: s.sentence, Accounts: accounts}); err != nil {
		return err
	}
	detail, err := control.Show(l.ctx, l.db, s.slug)
	if err != nil {
		return err
	}
	if detail.Latest.State != control.Draft || detail.Latest.Number != 1 {
		return nil // a load that was killed came further than this
	}
	for _, f := range control.Fields() {
		current, _ := detail.Find(f.Key)
		if current.Answer.Version != 0 || (s.slug == "book-visit" && open[f.Key]) {
			continue
		}
		in, ok := s.input(f, operations, l.day(s.reviewIn))
		if !ok {
			continue
		}
		if err := l.answer(s.slug, f.Key, 0, in); err != nil {
			return err
		}
	}
	return nil
}

// answer saves version seen+1 of a field, as the implementer.
func (l *loader) answer(slug, field string, seen int, in control.Input) error {
	_, err := control.SaveAnswer(l.ctx, l.db, l.implementer, control.SaveAnswerCmd{Once: once("answer"), Control: slug, Field: field, Version: seen, Input: in})
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

func (l *loader) approveThenRevise() error {
	const slug = "create-crm-task"
	if err := l.proveTask(1); err != nil {
		return err
	}
	if err := l.submit(slug, 1); err != nil {
		return err
	}
	for _, by := range []models.Actor{l.implementer, l.reviewer, l.owner} {
		if err := l.sign(slug, 1, by, "approve", ""); err != nil {
			return err
		}
	}
	detail, err := control.Show(l.ctx, l.db, slug)
	if err != nil {
		return err
	}
	for _, change := range []struct {
		field string
		input control.Input
	}{
		{"legitimate_repeat", rule(identity.LegitimateRepeat, "A new request from the same customer has its own request ID and gets its own task. An approved change of a request is a new task.",
			"A new request or an approved change, and the same version sent again.", request, approved)},
		{"action_identity", rule(identity.IntendedEffect, "One task for one approved version of a request in one CRM account. The same version again means the same task.",
			"Two requests of one customer, an approved change and the version before it, and the same request in another environment.", request, approved)},
		{"retry_window", control.Input{State: control.Answered, Number: "48", Basis: "The web form sends for up to 24 hours, and the team needs a working day to look."}},
	} {
		current, _ := detail.Find(change.field)
		if current.Answer.Version != 1 {
			continue // answered anew by a load that was killed
		}
		if err := l.answer(slug, change.field, 1, change.input); err != nil {
			return err
		}
	}
	if err := l.keepRepeat(slug); err != nil {
		return err
	}
	if err := l.proveTask(2); err != nil {
		return err
	}
	if err := l.submit(slug, 2); err != nil {
		return err
	}
	for _, by := range []models.Actor{l.implementer, l.reviewer} {
		if err := l.sign(slug, 2, by, "approve", ""); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) askForChanges() error {
	const slug = "send-confirmation"
	if err := l.keepRepeat(slug); err != nil {
		return err
	}
	if err := l.proveConfirmation(); err != nil {
		return err
	}
	if err := l.submit(slug, 1); err != nil {
		return err
	}
	return l.sign(slug, 1, l.reviewer, "changes", "The mail service keeps its keys for 24 hours, but the web form can be sent again by hand for 30 days. Say what happens to a repeat after the first day.")
}

func (l *loader) leaveInDraft() error {
	const slug = "book-visit"
	if _, err := control.Ask(l.ctx, l.db, l.owner, control.AskCmd{Once: once("question"), Control: slug, Field: "exact_effect", Body: "Is a moved appointment the same visit, or a new one?"}); err != nil {
		return err
	}
	_, err := control.AddComment(l.ctx, l.db, l.reviewer, control.CommentCmd{Once: once("comment"), Control: slug, Field: "operation",
		Body: "The booking system's page on visits says nothing about repeats. I asked its support and will add the answer."})
	return err
}

// keepRepeat gives the owner's reason for what the checker found in the repeat
// rule; nothing when that was done.
func (l *loader) keepRepeat(slug string) error {
	lab, err := control.LoadLab(l.ctx, l.db, slug)
	if err != nil {
		return err
	}
	for _, f := range lab.Rules.Of(identity.LegitimateRepeat) {
		if !f.Blocks() {
			continue
		}
		if _, err := control.KeepFinding(l.ctx, l.db, l.owner, control.KeepFindingCmd{Control: slug, Field: "legitimate_repeat", Finding: f.Key,
			Version: lab.Versions[identity.LegitimateRepeat], Reason: keptRepeat}); err != nil {
			return fmt.Errorf("keep %s: %w", f.Key, err)
		}
	}
	return nil
}

// savePairs keeps the pairs that the reviewer tried in the lab.
func (l *loader) savePairs(slug string) error {
	for _, p := range pairs {
		cmd := control.SavePairCmd{Once: once("pair"), Control: slug, Name: p.name, Note: p.note, InputA: p.a, InputB: p.b, Expected: string(p.expected),
			EnvironmentA: "sandbox", EnvironmentB: "sandbox", AccountA: account("crm", "sandbox"), AccountB: account("crm", "sandbox")}
		if _, err := control.SavePair(l.ctx, l.db, l.reviewer, cmd); err != nil {
			return fmt.Errorf("pair %s: %w", p.name, err)
		}
	}
	return nil
}

// submit sends the draft with this number to review; nothing when that was done.
func (l *loader) submit(slug string, number int) error {
	detail, err := control.Show(l.ctx, l.db, slug)
	if err != nil || detail.Latest.Number != number || detail.Latest.State != control.Draft {
		return err
	}
	_, err = signoff.Submit(l.ctx, l.db, l.implementer, signoff.SubmitCmd{Control: slug, Version: detail.Latest.Version})
	return err
}

// sign signs a revision in the actor's slot; a second time gets the first answer.
func (l *loader) sign(slug string, number int, by models.Actor, decision, note string) error {
	detail, err := control.Show(l.ctx, l.db, slug)
	if err != nil {
		return err
	}
	for _, r := range detail.Revisions {
		if r.Number == number {
			_, err = signoff.Sign(l.ctx, l.db, by, signoff.SignCmd{Once: once("signature"), Control: slug, Revision: number, Decision: decision, Note: note, FullHash: r.FullHash})
			return err
		}
	}
	return fmt.Errorf("revision %d of %s is missing", number, slug)
}
