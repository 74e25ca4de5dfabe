package ledger

import (
	"context"
	"fmt"

	"countersign/models"

	"gorm.io/gorm"
)

// reviewColumns is everything about an item, its workflow's people and who asked.
const reviewColumns = `select i.id, i.kind, i.state, i.workflow_id as workflow, i.environment_id as environment, coalesce(i.control_id, 0) as control, coalesce(i.delivery_id, 0) as delivery,
	coalesce(i.action_id, 0) as action, coalesce(i.suppressed_id, 0) as suppressed, i.record_id as record, i.reason, coalesce(i.asked_by, 0) as asked_by, coalesce(i.asked_for, 0) as asked_for, to_json(i.askers)::text as askers, i.asked_at,
	i.decision, coalesce(i.decided_by, 0) as decided_by, coalesce(i.decided_for, 0) as decided_for, i.decided_at, coalesce(i.linked_action_id, 0) as linked, coalesce(i.carried_by, 0) as carried, i.times, i.version
	from review_items i `

func findReview(q *gorm.DB, text, suffix string) (ReviewItem, error) {
	var item ReviewItem
	repeat, id, ok := parseRef(text)
	if ok {
		done := q.Raw(reviewColumns+"where i.id = ? and (i.kind = 'repeat') = ?"+suffix, id, repeat).Scan(&item)
		if done.Error != nil {
			return item, done.Error
		}
		ok = done.RowsAffected > 0
	}
	if !ok {
		return item, models.NotFoundf("There is no such review item.")
	}
	return item, nil
}

// ReviewByRef loads a review item. NotFound; Forbidden outside the token's place.
func ReviewByRef(ctx context.Context, db *models.DB, by Caller, ref string) (ReviewItem, error) {
	item, err := findReview(db.Query(ctx), ref, "")
	if err != nil {
		return item, models.Classify(err)
	}
	return item, by.within(item.Workflow, item.Environment)
}

// PartiesOf are the people of a workflow that decide about its review items.
func PartiesOf(q *gorm.DB, workflow int64) (p Parties, err error) {
	err = q.Raw("select business_owner_id as owner, reviewer_id as reviewer from workflows where id = ?", workflow).Scan(&p).Error
	return p, err
}

func (r ReviewItem) object() models.Object {
	return models.Object{Type: "review item", ID: r.ID, Label: r.Ref(), Path: ReviewPath(r.Ref())}
}

// Object names the item when the command is refused.
func (cmd DecideReviewCmd) Object() models.Object {
	_, id, _ := parseRef(cmd.Ref)
	return models.Object{Type: "review item", ID: id, Label: cmd.Ref, Path: ReviewPath(cmd.Ref)}
}

// DecideReview settles a review item. NotFound; Forbidden by MayDecideReview;
// Conflict when it is decided or changed; Invalid without a reason, or when the
// linked action is not of the same place.
func DecideReview(ctx context.Context, db *models.DB, by models.Actor, cmd DecideReviewCmd) (ReviewItem, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (ReviewItem, error) {
		item, err := findReview(tx.DB, cmd.Ref, " for update")
		if err != nil {
			return item, err
		}
		parties, err := PartiesOf(tx.DB, item.Workflow)
		if err != nil {
			return item, err
		}
		if err := MayDecideReview(by, parties, item); err != nil {
			return item, err
		}
		next, err := item.decide(cmd)
		if err != nil {
			return item, err
		}
		if next.State == ReviewLinked {
			if err := linkable(tx, item, cmd.Action); err != nil {
				return item, err
			}
		}
		next.DecidedBy, next.DecidedFor, next.DecidedAt = by.ID, standsFor(by, parties), &tx.Now
		done := tx.Exec(`update review_items set state = ?, decision = ?, decided_by = ?, decided_for = nullif(?, 0), decided_at = ?, linked_action_id = nullif(?, 0), version = version + 1
			where id = ? and version = ?`, next.State, next.Decision, by.ID, next.DecidedFor, tx.Now, next.Linked, item.ID, cmd.Version)
		if done.Error != nil {
			return item, done.Error
		}
		if done.RowsAffected != 1 {
			return item, models.Conflictf("%s changed since you opened it.", item.Ref())
		}
		next.Version++
		if item.Kind == ReviewDelivery && next.State == ReviewAccepted {
			if err := acceptDelivery(tx, item.Delivery); err != nil {
				return item, err
			}
		}
		tx.AuditFor(next.DecidedFor, "review."+string(next.State), item.object(), map[string]any{"state": item.State},
			map[string]any{"state": next.State, "reason": next.Decision, "action": next.Linked})
		return next, nil
	})
}

// decide returns the item as it would be. Conflict when it is decided already;
// Invalid without a reason, or to link without an action.
func (r ReviewItem) decide(cmd DecideReviewCmd) (ReviewItem, error) {
	next, ok := reviewTransitions[r.State][cmd.Decision]
	if !ok && r.State != ReviewOpen {
		return r, models.Conflictf("%s is %s already.", r.Ref(), r.State.Words())
	}
	var c models.Check
	reason := models.Clean(cmd.Reason)
	c.Required("reason", reason, MaxDetail, "Say why.")
	switch {
	case !ok:
		accept, link, dismiss := r.Kind.Choices()
		c.Add("decision", "Choose “%s”, “%s” or “%s”.", accept, link, dismiss)
	case cmd.Decision == LinkReview && cmd.Action <= 0:
		c.Add("action", "Choose the action that this is, or enter its number.")
	}
	if err := c.Err(); err != nil {
		return r, err
	}
	r.State, r.Decision = next, reason
	if next == ReviewLinked {
		r.Linked = cmd.Action
	}
	return r, nil
}

func linkable(tx *models.Tx, item ReviewItem, action int64) error {
	var same bool
	err := tx.Raw(`select exists (select 1 from actions where id = ? and workflow_id = ? and environment_id = ? and (? = 0 or control_id = ?))`,
		action, item.Workflow, item.Environment, item.Control, item.Control).Row().Scan(&same)
	if err == nil && !same {
		return models.Invalid("action", "Enter an action of the same control and environment.")
	}
	return err
}

// acceptDelivery lets an accepted delivery raise the newest version of its record.
func acceptDelivery(tx *models.Tx, id int64) error {
	return tx.Exec(`select raise_version(d.workflow_id, d.environment_id, d.record_id, d.version_rank, d.source_version)
		from deliveries d join workflows w on w.id = d.workflow_id
		cross join lateral hold_version(d.workflow_id, d.environment_id, d.record_id, w.version_order, d.version_rank, d.source_version) h
		where d.id = ? and d.record_id <> '' and d.version_rank is not null and w.version_order <> 'none'`, id).Error
}

// standsFor is whom a delegate decides for; 0 for a reviewer or the owner in person.
func standsFor(by models.Actor, p Parties) int64 {
	if by.Has(models.Reviewer) || by.ID == p.Owner {
		return 0
	}
	for _, id := range []int64{p.Reviewer, p.Owner} {
		if forPerson, ok := by.ActsFor(id); ok {
			return forPerson
		}
	}
	return 0
}

// Allows says what an automation may do about the item now.
func (r ReviewItem) Allows() string {
	switch {
	case r.State == ReviewOpen:
		return "Nothing yet. A reviewer or the business owner decides."
	case r.State == ReviewLinked:
		return fmt.Sprintf("Nothing new is done: it is A-%d, and whoever asks gets the state of A-%[1]d.", r.Linked)
	case r.State == ReviewDismissed:
		return "Nothing. It was dismissed: " + r.Decision
	case r.Kind != ReviewStale && r.Carried != 0:
		return fmt.Sprintf("Nothing more: it became A-%d.", r.Carried)
	case r.Kind == ReviewRepeat:
		return fmt.Sprintf("The automation may create one more: its next claim with the same input names %s as repeat.", r.Ref())
	case r.Kind == ReviewDelivery:
		return "Claims that name this delivery go on."
	case r.Kind == ReviewStale:
		return "The same claim or retry goes on when it comes again, until a newer version comes."
	}
	return "The same claim goes on when it comes again, as an action of its own."
}
