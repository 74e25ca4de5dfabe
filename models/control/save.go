package control

import (
	"context"
	"encoding/json"

	"countersign/models"
)

// SaveAnswer writes the next version of one answer. On a decided control it
// opens the next draft. A sentence typed by somebody other than the business
// owner is kept as a proposal, still unresolved.
//
// NotFound, Forbidden, Invalid (members of Input in lower case), Conflict while
// in review, and an AnswerConflict when somebody saved the field meanwhile.
func SaveAnswer(ctx context.Context, db *models.DB, by models.Actor, cmd SaveAnswerCmd) (Saved, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Saved, error) {
		c, field, err := lockField(tx, cmd.Control, cmd.Field)
		if err != nil {
			return Saved{}, err
		}
		if err := MayAnswer(by, c.Parties()); err != nil {
			return Saved{}, err
		}
		was, err := seen(tx, c, field, cmd.Version, cmd.Input)
		if err != nil {
			return Saved{}, err
		}
		a, err := resolve(tx, c, field, cmd.Input)
		if err != nil {
			return Saved{}, err
		}
		forPerson := standsFor(by, c.Parties())
		if field.Kind == Mode {
			if forPerson, err = mayChangeMode(tx, c, a, forPerson); err != nil {
				return Saved{}, err
			}
		}
		if field.OwnerOnly {
			if by.ActsAs(c.OwnerID, models.BusinessOwner) {
				forPerson, _ = by.ActsFor(c.OwnerID)
			} else if a.State == Answered {
				a.State = Unresolved
			}
		}
		if field.Kind == Rule && a.State == Answered {
			if a.State, err = stateOfRule(tx.DB, c, field, a); err != nil {
				return Saved{}, err
			}
		}
		return write(tx, c, field, was, a, forPerson)
	})
}

// ConfirmSentence makes the proposed sentence the business owner's own, or one
// that an earlier owner of the control wrote.
func ConfirmSentence(ctx context.Context, db *models.DB, by models.Actor, cmd ConfirmSentenceCmd) (Saved, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Saved, error) {
		c, field, err := lockField(tx, cmd.Control, "duplicate_in_plain_words")
		if err != nil {
			return Saved{}, err
		}
		if err := MayConfirm(by, c.Parties()); err != nil {
			return Saved{}, err
		}
		was, err := seen(tx, c, field, cmd.Version, Input{})
		switch {
		case err != nil:
			return Saved{}, err
		case was.Value == "":
			return Saved{}, models.Conflictf("There is no sentence to confirm. Write it first.")
		case was.WrittenBy(c.OwnerID):
			return Saved{}, models.Conflictf("This sentence is the business owner’s own already.")
		}
		forPerson, _ := by.ActsFor(c.OwnerID)
		return write(tx, c, field, was, draftAnswer{State: Answered, Value: was.Value}, forPerson)
	})
}

// WrittenBy reports whether a settled answer is person's own: written by them
// or by their delegate for them.
func (a Answer) WrittenBy(person int64) bool {
	return a.State == Answered && person != 0 && (a.For.ID == person || (a.For.ID == 0 && a.By.ID == person))
}

func lockField(tx *models.Tx, slug, key string) (Locked, Field, error) {
	c, err := Lock(tx, slug)
	if err != nil {
		return c, Field{}, err
	}
	field, ok := FieldByKey(key)
	if !ok {
		return c, field, models.NotFoundf("There is no such field.")
	}
	return c, field, nil
}

// seen returns the current answer when it is the one the person saw and may
// change now.
func seen(tx *models.Tx, c Locked, field Field, version int, yours Input) (Answer, error) {
	latest, err := RevisionByID(tx.DB, c.LatestRevisionID)
	if err != nil {
		return Answer{}, err
	}
	if err := editable(latest); err != nil {
		return Answer{}, err
	}
	history, err := answers(tx.DB, c.ID, field.Key)
	if err != nil {
		return Answer{}, err
	}
	current := Answer{Field: field.Key, State: Unresolved}
	if len(history) > 0 {
		current = history[0]
	}
	if current.Version == version {
		return current, nil
	}
	base := Answer{Field: field.Key, State: Unresolved}
	for _, a := range history {
		if a.Version == version {
			base = a
		}
	}
	return current, &AnswerConflict{Field: field, Saved: current, Base: base, Yours: yours,
		conflict: models.Conflictf("%s saved “%s” while you were editing. Nothing was overwritten.", current.By.Name, field.Label)}
}

// mayChangeMode lets only the business owner, with a reason, take a control
// from enforce to observe, and not by way of an empty answer either.
func mayChangeMode(tx *models.Tx, c Locked, a draftAnswer, forPerson int64) (int64, error) {
	if a.State == Answered && a.Value == "Enforce" {
		return forPerson, nil
	}
	var enforced bool
	err := tx.Raw(`select coalesce((select data->>'mode' = 'enforce' from answers where control_id = @id and field = 'mode' and state = 'answered'
			order by version desc limit 1), false)
		or exists (select 1 from revisions where id = @approved and mode = 'enforce')`,
		map[string]any{"id": c.ID, "approved": c.ApprovedRevisionID}).Scan(&enforced).Error
	if err != nil || !enforced || a.State != Answered {
		return forPerson, err
	}
	if err := MayObserve(tx.By, c.Parties()); err != nil {
		return 0, err
	}
	if a.Reason == "" {
		return 0, models.Invalid("reason", "Say why repeats are no longer refused.")
	}
	forPerson, _ = tx.By.ActsFor(c.OwnerID)
	return forPerson, nil
}

// write adds the next version, opening a draft where one is needed, and keeps
// counters, versions and the audit log.
func write(tx *models.Tx, c Locked, field Field, was Answer, a draftAnswer, forPerson int64) (Saved, error) {
	draft, opened, err := ensureDraft(tx, c)
	if err != nil {
		return Saved{}, err
	}
	if err := claimAccounts(tx, c, a.accounts); err != nil {
		return Saved{}, err
	}
	if err := insertAnswer(tx, c.ID, draft.ID, field.Key, was.Version+1, a, forPerson); err != nil {
		return Saved{}, err
	}
	if err := tx.Exec("update revisions set version = version + 1 where id = ?", draft.ID).Error; err != nil {
		return Saved{}, err
	}
	before := map[string]any{"field": field.Key, "state": was.State, "value": was.Value, "reason": was.Reason}
	after := map[string]any{"field": field.Key, "state": a.State, "value": a.Value, "reason": a.Reason}
	tx.AuditFor(forPerson, "control.answered", c.Object(), before, after)
	saved := Saved{Field: field.Key, Version: was.Version + 1, State: a.State, Proposal: field.OwnerOnly && a.State == Unresolved && a.Value != "",
		Warnings: warnings(a), Revision: draft.Number, Opened: opened}
	if opened || field.concernsRules() { // facts outside the control may have changed since the last draft
		rules, err := settle(tx, c, draft.ID, forPerson)
		if err != nil {
			return Saved{}, err
		}
		saved.Findings = rules.blocking(field.Recognises())
	}
	return saved, Recount(tx, c.ID)
}

func insertAnswer(tx *models.Tx, control, revision int64, field string, version int, a draftAnswer, forPerson int64) error {
	return tx.Exec(`insert into answers (control_id, revision_id, field, version, state, value, data, reason, person_id, for_person_id, at)
		values (?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?)`,
		control, revision, field, version, a.State, a.Value, jsonOrNull(a.Data), a.Reason, tx.By.ID, orNull(forPerson), tx.Now).Error
}

func jsonOrNull(data json.RawMessage) any {
	if len(data) == 0 {
		return nil
	}
	return string(data)
}

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
