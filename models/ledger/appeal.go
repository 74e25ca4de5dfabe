package ledger

import (
	"context"

	"countersign/models"
)

// suppressed is a refused claim, retry or start as it was kept.
type suppressed struct {
	ID, ActionID, AttemptID, WorkflowID, EnvironmentID, ControlID, DeliveryID int64
	Code                                                                      Code
	RecordID, Rank, Newest, Input                                             string
}

// Appeal makes a review item of a refusal, or says that a second request will
// come for an action. NotFound; Forbidden by MayAppeal; Invalid without a reason;
// Conflict when mode observe let it go on. Asking again answers with the first.
func Appeal(ctx context.Context, db *models.DB, by models.Actor, cmd AppealCmd) (ReviewItem, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (ReviewItem, error) {
		from, err := loadSuppressed(tx, cmd)
		if err != nil {
			return ReviewItem{}, err
		}
		if err := MayAppeal(by); err != nil {
			return ReviewItem{}, err
		}
		if from.AttemptID != 0 {
			return ReviewItem{}, models.Conflictf("Mode observe let this go on, so there is nothing to appeal.")
		}
		var c models.Check
		reason := models.Clean(cmd.Reason)
		c.Required("reason", reason, MaxDetail, "Say why this must go on.")
		if err := c.Err(); err != nil {
			return ReviewItem{}, err
		}
		kind, digest := from.appeal()
		if digest == "" {
			return ReviewItem{}, models.Conflictf("This was refused as %s, and its review item exists already.", from.Code)
		}
		return openAppeal(tx, from, kind, digest, reason)
	})
}

func loadSuppressed(tx *models.Tx, cmd AppealCmd) (suppressed, error) {
	var s suppressed
	sql, id := `select id, coalesce(action_id, 0) as action_id, coalesce(attempt_id, 0) as attempt_id, workflow_id, environment_id, control_id, coalesce(delivery_id, 0) as delivery_id,
		code, record_id, coalesce(version_rank::text, '') as rank, coalesce(newest::text, '') as newest, coalesce(encode(input_digest, 'hex'), '') as input from suppressed_claims where id = ?`, cmd.Suppressed
	if cmd.Suppressed == 0 {
		sql, id = "select 0 as id, id as action_id, workflow_id, environment_id, control_id, 'already' as code, record_id from actions where id = ? for update", cmd.Action
	}
	done := tx.Raw(sql, id).Scan(&s)
	if done.Error == nil && done.RowsAffected == 0 {
		return s, models.NotFoundf("There is no such claim.")
	}
	return s, done.Error
}

// appeal is the kind of the item and the SQL of its digest; "" when the refusal
// made an item by itself.
func (s suppressed) appeal() (ReviewKind, string) {
	switch {
	case s.Code == CodeAlready && s.ID == 0: // one open at a time; decided ones make room for the next
		return ReviewRepeat, `review_digest('repeat', 'action', cast(cast(@action as bigint) as text), (select count(*)::text from review_items where action_id = @action and kind = 'repeat' and suppressed_id is null and state <> 'open'))`
	case s.Code == CodeAlready:
		return ReviewRepeat, `review_digest('repeat', cast(cast(@id as bigint) as text))`
	case s.Code == CodeStaleVersion && s.Input == "":
		return ReviewStale, `review_digest('stale_version', 'action', cast(cast(@action as bigint) as text), @newest)`
	case s.Code == CodeStaleVersion:
		return ReviewStale, `review_digest('stale_version', cast(cast(@control as bigint) as text), cast(cast(@environment as bigint) as text), @input, @rank, @newest)`
	}
	return "", ""
}

func openAppeal(tx *models.Tx, s suppressed, kind ReviewKind, digest, reason string) (ReviewItem, error) {
	var item ReviewItem
	var first bool
	err := tx.Raw(`insert into review_items (kind, digest, workflow_id, environment_id, control_id, delivery_id, action_id, suppressed_id, record_id, newest, reason, asked_by, askers)
		values (@kind, `+digest+`, @workflow, @environment, @control, nullif(@delivery, 0), nullif(@action, 0), nullif(@id, 0), @record, cast(nullif(@newest, '') as numeric), @reason, @by, array[cast(@by as bigint)])
		on conflict (digest) do update set times = review_items.times + 1,
			askers = case when excluded.askers <@ review_items.askers then review_items.askers else review_items.askers || excluded.askers end returning id, times = 1`,
		map[string]any{"kind": kind, "workflow": s.WorkflowID, "environment": s.EnvironmentID, "control": s.ControlID, "delivery": s.DeliveryID, "action": s.ActionID, "id": s.ID,
			"record": s.RecordID, "newest": s.Newest, "input": s.Input, "rank": s.Rank, "reason": reason, "by": tx.By.ID}).Row().Scan(&item.ID, &first)
	if err != nil {
		return item, err
	}
	if item, err = findReview(tx.DB, ref(kind, item.ID), ""); err != nil || !first {
		return item, err
	}
	tx.Audit("review.appealed", item.object(), nil, map[string]any{"reason": reason, "action": s.ActionID})
	return item, nil
}
