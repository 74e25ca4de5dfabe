package replay

import (
	"fmt"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/ledger"

	"gorm.io/gorm"
)

// otherRow is what else waits.
type otherRow struct {
	ID, ActionID int64
	Kind         string
	Control      string
	Workflow     string
	Environment  string
	Record       string
	State        string
	Detail       string
	Who          string // decided or settled it
	Since        time.Time
}

func others(q *gorm.DB, kind Kind, item func(otherRow, *Item), sql string, args ...any) ([]Item, error) {
	var rows []otherRow
	if err := q.Raw(sql, args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	items := make([]Item, len(rows))
	for n, r := range rows {
		action := r.ActionID
		if action == 0 {
			action = r.ID
		}
		items[n] = Item{Kind: kind, ID: r.ID, Ref: fmt.Sprintf("A-%d", action), Path: fmt.Sprintf("/ledger/actions/%d", action), Control: r.Control, Workflow: r.Workflow,
			Environment: r.Environment, Record: r.Record, State: r.State, Since: r.Since, sort: r.Since}
		item(r, &items[n])
	}
	return items, nil
}

// theirs narrows a branch to workflows of which the person, or whoever they
// stand in for, holds one of the places, when the queue is theirs alone.
func (b bounds) theirs(columns ...string) (string, []any) {
	where, args := "", []any{}
	if b.f.Workflow != 0 {
		where, args = " and w.id = ?", append(args, b.f.Workflow)
	}
	if b.f.View != Waiting {
		return where, args
	}
	roles := map[string]models.Role{"business_owner_id": models.BusinessOwner, "implementer_id": models.Implementer, "reviewer_id": models.Reviewer}
	var any []string
	for _, c := range columns {
		any = append(any, "w."+c+" in ?")
		args = append(args, mine(b.by, roles[c]))
	}
	return where + " and (" + strings.Join(any, " or ") + ")", args
}

const placeJoins = ` join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id join environments e on e.id = a.environment_id`

// duplicatesOf are the open possible or confirmed duplicates.
func duplicatesOf(kind string) func(q *gorm.DB, b bounds) ([]Item, error) {
	return func(q *gorm.DB, b bounds) ([]Item, error) {
		where, args, order := b.order("d.opened_at", "d.id")
		theirs, more := b.theirs("business_owner_id", "implementer_id", "reviewer_id")
		sql := `select d.id, d.action_id, d.detail, d.kind as state, d.opened_at as since, c.name as control, w.name as workflow, e.name as environment, a.record_id as record
			from duplicates d join actions a on a.id = d.action_id` + placeJoins + " where d.settled_at is null and d.kind = '" + kind + "'" + where + theirs + order
		return others(q, Kind(kind+"_duplicate"), func(_ otherRow, i *Item) { i.NextStep = "Look at the destination, and say what was done." }, sql, append(args, more...)...)
	}
}

// unknownOutcomes are actions of which nobody knows the result, and nobody asked
// to try them again.
func unknownOutcomes(q *gorm.DB, b bounds) ([]Item, error) {
	where, args, order := b.order("a.changed_at", "a.id")
	theirs, more := b.theirs("implementer_id")
	args = append(args, more...)
	// A short walk for each workflow: many that others wait for are not read.
	branch := func(which string) string {
		return `(select a.id, 'unknown' as state, a.changed_at as since, c.name as control, w.name as workflow, e.name as environment, a.record_id as record, a.changed_at
			from workflows w cross join lateral (select * from actions a where a.workflow_id = w.id and a.request_id is null and ` + which + where + order + `) a
			join controls c on c.id = a.control_id join environments e on e.id = a.environment_id where true` + theirs + order + ")"
	}
	sql := "select * from (" + branch("a.state = 'unknown'") + " union all " + branch("a.state = 'pending' and a.lease_until <= now() and not a.waiting") + ") a" + order
	return others(q, UnknownOutcome, func(_ otherRow, i *Item) {
		i.Outcome, i.NextStep = ledger.Unknown, "Look it up at the destination, then ask to try it again if nothing is there."
	}, sql, append(args, args...)...)
}

// reviewItems are what a reviewer or the business owner must settle.
func reviewItems(q *gorm.DB, b bounds) ([]Item, error) {
	where, args, order := b.order("i.asked_at", "i.id")
	narrow, more := "", []any{}
	if b.f.Workflow != 0 {
		narrow, more = " and w.id = ?", append(more, b.f.Workflow)
	}
	if b.f.View == Waiting {
		me := everybody(b.by)
		narrow += " and coalesce(i.asked_by, 0) not in ? and coalesce(i.asked_for, 0) not in ? and not exists (select from unnest(i.askers) who where who in ?)"
		more = append(more, me, me, me)
		if !b.by.Has(models.Reviewer) {
			narrow += " and (w.business_owner_id in ? or w.reviewer_id in ?)"
			more = append(more, mine(b.by, models.BusinessOwner), mine(b.by, models.Reviewer))
		}
	}
	sql := `select i.id, coalesce(i.action_id, 0) as action_id, i.kind, i.reason as detail, i.kind as state, i.asked_at as since, coalesce(c.name, w.name) as control, w.name as workflow,
		e.name as environment, i.record_id as record from review_items i join workflows w on w.id = i.workflow_id join environments e on e.id = i.environment_id
		left join controls c on c.id = i.control_id where i.state = 'open'` + where + narrow + order
	return others(q, ReviewItem, func(r otherRow, i *Item) {
		item := ledger.ReviewItem{ID: r.ID, Kind: ledger.ReviewKind(r.Kind)}
		i.Ref, i.Path, i.NextStep = item.Ref(), ledger.ReviewPath(item.Ref()), "Accept it, link it to the action that it is, or dismiss it."
	}, sql, append(args, more...)...)
}

// stalledOwners are actions that one attempt has held for too long.
func stalledOwners(q *gorm.DB, b bounds) ([]Item, error) {
	where, args, order := b.order("t.started_at", "a.id")
	theirs, more := b.theirs("implementer_id")
	sql := `select a.id, 'pending' as state, t.started_at as since, c.name as control, w.name as workflow, e.name as environment, a.record_id as record
		from actions a join attempts t on t.id = a.attempt_id` + placeJoins + fmt.Sprintf(" where a.state = 'pending' and a.lease_until > now() and t.started_at < now() - interval '%d seconds'", int(ledger.StalledAfter.Seconds())) +
		where + theirs + order
	return others(q, StalledOwner, func(_ otherRow, i *Item) {
		i.Outcome, i.NextStep = ledger.Pending, "Find out what the worker is doing before anything else is started."
	}, sql, append(args, more...)...)
}
