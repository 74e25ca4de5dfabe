package control

import (
	"context"
	"slices"

	"countersign/models"
)

// KeepFindingCmd keeps what the checker found in a rule, with the owner's reason.
type KeepFindingCmd struct {
	models.Once
	Control string
	Field   string
	Finding string // its key
	Version int    // of the rule that was read
	Reason  string
}

// Object names the control when the command is refused.
func (c KeepFindingCmd) Object() models.Object { return refused(c.Control) }

// KeepFinding records why a finding stays. Signers see it. On a decided control
// it opens the next draft.
//
// NotFound, Forbidden, Invalid (reason), and Conflict while in review, when the
// rule changed meanwhile, or when the finding is gone or no reason can keep it.
func KeepFinding(ctx context.Context, db *models.DB, by models.Actor, cmd KeepFindingCmd) (Saved, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Saved, error) {
		c, field, err := lockField(tx, cmd.Control, cmd.Field)
		if err != nil {
			return Saved{}, err
		}
		if err := MayKeep(by, c.Parties()); err != nil {
			return Saved{}, err
		}
		if _, err := seen(tx, c, field, cmd.Version, Input{}); err != nil {
			return Saved{}, err
		}
		var check models.Check
		reason := models.Clean(cmd.Reason)
		check.Required("reason", reason, maxReason, "Say why this is right here. Whoever signs reads it.")
		if err := check.Err(); err != nil {
			return Saved{}, err
		}
		rules, err := RulesOf(tx.DB, c.ID)
		if err != nil {
			return Saved{}, err
		}
		found, err := rules.keepable(field, cmd.Finding)
		if err != nil {
			return Saved{}, err
		}
		return keep(tx, c, field, found, reason)
	})
}

func (r Rules) keepable(field Field, key string) (Finding, error) {
	own := r.Of(field.Recognises())
	i := slices.IndexFunc(own, func(f Finding) bool { return f.Key == key })
	switch {
	case field.Kind != Rule || i < 0:
		return Finding{}, models.Conflictf("This finding is gone. Open the rule again.")
	case !own[i].Keepable():
		return Finding{}, models.Conflictf("No reason can keep this finding. Change the rule.")
	}
	return own[i], nil
}

func keep(tx *models.Tx, c Locked, field Field, found Finding, reason string) (Saved, error) {
	draft, opened, err := ensureDraft(tx, c)
	if err != nil {
		return Saved{}, err
	}
	forPerson, _ := tx.By.ActsFor(c.OwnerID)
	err = tx.Exec(`insert into rule_reasons (control_id, revision_id, field, finding, reason, person_id, for_person_id, at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, draft.ID, field.Key, found.Key, reason, tx.By.ID, orNull(forPerson), tx.Now).Error
	if err != nil {
		return Saved{}, err
	}
	if err := tx.Exec("update revisions set version = version + 1 where id = ?", draft.ID).Error; err != nil {
		return Saved{}, err
	}
	was := ""
	if found.Kept != nil {
		was = found.Kept.Reason
	}
	tx.AuditFor(forPerson, "control.finding_kept", c.Object(), map[string]any{"field": field.Key, "finding": found.Words, "reason": was},
		map[string]any{"field": field.Key, "finding": found.Words, "reason": reason})
	rules, err := settle(tx, c, draft.ID, forPerson)
	if err != nil {
		return Saved{}, err
	}
	if err := Recount(tx, c.ID); err != nil {
		return Saved{}, err
	}
	now, err := answers(tx.DB, c.ID, field.Key)
	if err != nil {
		return Saved{}, err
	}
	return Saved{Field: field.Key, Version: now[0].Version, State: now[0].State, Findings: rules.blocking(field.Recognises()), Revision: draft.Number, Opened: opened}, nil
}
