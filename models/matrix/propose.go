package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/control"
)

const maxChange = 1_000_000

// Propose writes the next version of what a case must show. On a decided
// control it opens the next draft. NotFound, Forbidden, Conflict while in
// review, when somebody proposed meanwhile, or, to make it not applicable,
// while a discrepancy is open. Invalid fields: expected, reason, changes,
// changes.<slug>.
func Propose(ctx context.Context, db *models.DB, by models.Actor, cmd ProposeCmd) (Proposed, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Proposed, error) {
		c, t, err := lockCase(tx, cmd.Control, cmd.Case)
		if err != nil {
			return Proposed{}, err
		}
		if err := MayPropose(by, c.Parties()); err != nil {
			return Proposed{}, err
		}
		if err := editable(tx.DB, c); err != nil {
			return Proposed{}, err
		}
		byCase, err := loadExpectations(tx.DB, "where x.case_id = ?", t.ID)
		if err != nil {
			return Proposed{}, err
		}
		versions := byCase[t.ID]
		if err := cmd.fresh(versions); err != nil {
			return Proposed{}, err
		}
		d, err := openDiscrepancy(tx, t.ID)
		if err != nil {
			return Proposed{}, err
		}
		if err := mayNotApply(!cmd.NotApplicable, d.ID); err != nil {
			return Proposed{}, err
		}
		e, err := cmd.expectation(tx, c, t, agreed(versions) != nil)
		if err != nil {
			return Proposed{}, err
		}
		e.Version = cmd.Version + 1
		return propose(tx, c, t, e)
	})
}

// fresh is a Conflict when the newest proposal is not the one the person saw.
func (cmd ProposeCmd) fresh(versions []Expectation) error {
	latest := newest(versions)
	switch {
	case latest == nil && cmd.Version == 0 || latest != nil && latest.Version == cmd.Version:
		return nil
	case latest == nil:
		return models.Conflictf("Nothing was proposed for this scenario. Open it again.")
	}
	return models.Conflictf("%s proposed version %d while you were editing. Read it, then propose yours on top of it.", latest.By.Name, latest.Version)
}

// mayNotApply is a Conflict when a case would become not applicable although a
// discrepancy is open.
func mayNotApply(applies bool, discrepancy int64) error {
	if !applies && discrepancy != 0 {
		return models.Conflictf("A discrepancy is open. The scenario cannot become not applicable until a retest closes it.")
	}
	return nil
}

// expectation checks the form.
func (cmd ProposeCmd) expectation(tx *models.Tx, c control.Locked, t Case, changes bool) (Expectation, error) {
	var check models.Check
	e := Expectation{Applies: !cmd.NotApplicable, Reason: models.Clean(cmd.Reason)}
	switch {
	case cmd.NotApplicable:
		check.Required("reason", e.Reason, 4000, "Say why this cannot happen here.")
	case changes:
		check.Required("reason", e.Reason, 4000, "Say why what was agreed changes.")
	default:
		check.Text("reason", e.Reason, 4000)
	}
	if !e.Applies {
		return e, check.Err()
	}
	e.Expected = models.Clean(cmd.Expected)
	check.Required("expected", e.Expected, 4000, "Say what must be seen at the destination.")
	var err error
	if e.Effects, err = cmd.effects(tx, c, &check); err != nil {
		return e, err
	}
	if least := MinWatched(t.Key); len(e.Effects) < least && check.Err() == nil {
		check.Add("changes", "Watch at least %d effects: one completes and another fails. Choose another control of the workflow.", least)
	}
	return e, check.Err()
}

// effects reads the agreed changes: the control's own, and those of other
// controls of its workflow.
func (cmd ProposeCmd) effects(tx *models.Tx, c control.Locked, check *models.Check) ([]Effect, error) {
	var watchable []control.Ref
	if err := tx.Raw("select id, slug, name from controls where workflow_id = ?", c.WorkflowID).Scan(&watchable).Error; err != nil {
		return nil, err
	}
	var effects []Effect
	for _, slug := range slices.Sorted(maps.Keys(cmd.Changes)) {
		field, typed := "changes."+slug, strings.TrimSpace(cmd.Changes[slug])
		if typed == "" {
			continue
		}
		i := slices.IndexFunc(watchable, func(r control.Ref) bool { return r.Slug == slug })
		n, err := strconv.Atoi(strings.Replace(typed, "−", "-", 1))
		switch {
		case i < 0:
			check.Add("changes", "%s is no control of this workflow.", control.Plain(slug))
		case err != nil || n < -maxChange || n > maxChange:
			check.Add(field, "Enter by how much the count changes, such as +1 or 0.")
		default:
			effects = append(effects, Effect{ControlID: watchable[i].ID, Slug: slug, Name: watchable[i].Name, Change: n, Own: slug == c.Slug})
		}
	}
	if strings.TrimSpace(cmd.Changes[c.Slug]) == "" {
		check.Add("changes."+c.Slug, "Enter by how much the count changes, such as +1 or 0.")
	}
	return effects, nil
}

func propose(tx *models.Tx, c control.Locked, t Case, e Expectation) (Proposed, error) {
	if _, err := control.Edit(tx, c); err != nil {
		return Proposed{}, err
	}
	forPerson, _ := tx.By.ActsFor(c.ImplementerID)
	err := tx.Raw(`insert into expectations (case_id, version, applies, expected, reason, proposed_by, proposed_for, at) values (?, ?, ?, ?, ?, ?, ?, ?) returning id`,
		t.ID, e.Version, e.Applies, e.Expected, e.Reason, tx.By.ID, orNull(forPerson), tx.Now).Row().Scan(&e.ID)
	if err != nil {
		return Proposed{}, err
	}
	for _, f := range e.Effects {
		if err := tx.Exec("insert into expectation_effects (expectation_id, control_id, change) values (?, ?, ?)", e.ID, f.ControlID, f.Change).Error; err != nil {
			return Proposed{}, err
		}
	}
	tx.AuditFor(forPerson, "scenario.expectation_proposed", t.object(c), nil, e.audit())
	if err := tellProposed(tx, c, t, e); err != nil {
		return Proposed{}, err
	}
	return Proposed{Case: t.Key, Version: e.Version}, settle(tx, c.ID)
}

func (e Expectation) audit() map[string]any {
	all := map[string]any{"version": e.Version, "applies": e.Applies, "reason": e.Reason}
	if e.Applies {
		all["expected"] = e.Expected
		for _, f := range e.Effects {
			all["change of "+f.Slug] = fmt.Sprintf("%+d", f.Change)
		}
	}
	return all
}
