package ledger

import (
	"context"
	"fmt"
	"slices"

	"countersign/models"
)

// ActionPath is the page of an action.
func ActionPath(id int64) string { return fmt.Sprintf("/ledger/actions/%d", id) }

func actionObject(id int64) models.Object {
	return models.Object{Type: "action", ID: id, Label: fmt.Sprintf("Action %d", id), Path: ActionPath(id)}
}

// Object names the action when the command is refused.
func (cmd ReportDuplicateCmd) Object() models.Object { return actionObject(cmd.Action) }

// ReportDuplicate opens a confirmed duplicate, or joins the one that is open.
// NotFound; Forbidden by MayReportDuplicate; Invalid.
func ReportDuplicate(ctx context.Context, db *models.DB, by models.Actor, cmd ReportDuplicateCmd) (DuplicateRef, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (DuplicateRef, error) {
		l, err := lockAction(tx, Person(by), cmd.Action, "")
		if err != nil {
			return DuplicateRef{}, err
		}
		if err := MayReportDuplicate(by); err != nil {
			return DuplicateRef{}, err
		}
		var c models.Check
		var ids []string
		for _, id := range cmd.Results {
			if id = models.Clean(id); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			c.Line("results", id, MaxID)
		}
		if len(ids) > MaxResults {
			c.Add("results", "Enter %d ids at most.", MaxResults)
		}
		detail := models.Clean(cmd.Detail)
		c.Required("detail", detail, MaxDetail, "Say what you saw at the destination.")
		if err := c.Err(); err != nil {
			return DuplicateRef{}, err
		}
		if err := openDuplicate(tx, l.ID, confirmed, "person", ids, detail, by.ID, l.Now); err != nil {
			return DuplicateRef{}, err
		}
		tx.Audit("action.duplicate_reported", actionObject(l.ID), nil, map[string]any{"detail": detail, "results": ids})
		out := DuplicateRef{Action: l.ID}
		return out, tx.Raw("select id, kind from duplicates where action_id = ? and settled_at is null", l.ID).Row().Scan(&out.ID, &out.Kind)
	})
}

// SettleDuplicate closes a duplicate with what was done. NotFound; Forbidden by
// MaySettleDuplicate; Conflict when it is settled or changed; Invalid.
func SettleDuplicate(ctx context.Context, db *models.DB, by models.Actor, cmd SettleDuplicateCmd) (DuplicateRef, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (DuplicateRef, error) {
		var d struct {
			DuplicateRef
			Settled bool
			Version int64
		}
		found := tx.Raw("select id, action_id as action, kind, settled_at is not null as settled, version from duplicates where id = ? for update", cmd.Duplicate).Scan(&d)
		if found.Error != nil {
			return DuplicateRef{}, found.Error
		}
		if found.RowsAffected == 0 {
			return DuplicateRef{}, models.NotFoundf("There is no such duplicate.")
		}
		if err := MaySettleDuplicate(by); err != nil {
			return DuplicateRef{}, err
		}
		var c models.Check
		what := models.Clean(cmd.Done)
		c.Required("done", what, MaxDetail, "Say what was done about it.")
		if err := c.Err(); err != nil {
			return DuplicateRef{}, err
		}
		switch {
		case d.Settled:
			return DuplicateRef{}, models.Conflictf("Somebody already said what was done about this.")
		case d.Version != cmd.Version:
			return DuplicateRef{}, models.Conflictf("More became known since you opened this. Read it, then say what was done.")
		}
		if err := tx.Exec("update duplicates set done = ?, settled_by = ?, settled_at = ?, version = version + 1 where id = ?", what, by.ID, tx.Now, d.ID).Error; err != nil {
			return DuplicateRef{}, err
		}
		tx.Audit("action.duplicate_settled", actionObject(d.Action), map[string]any{"kind": d.Kind}, map[string]any{"done": what})
		return d.DuplicateRef, d.settleTold(tx)
	})
}
