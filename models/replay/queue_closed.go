package replay

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/ledger"

	"gorm.io/gorm"
)

// closedKey is what was decided or settled, and when.
type closedKey struct {
	Kind Kind
	ID   int64
	At   time.Time
}

func (k closedKey) place(back bool) string {
	return Item{Kind: k.Kind, ID: k.ID, sort: k.At}.place(back)
}

// closed is a page of what was decided or settled, of every kind together, the
// latest first: the numbers first, each kind along its own index, then the items.
func closed(ctx context.Context, db *models.DB, by models.Actor, f QueueFilter, at *place) (models.Page[Item], error) {
	var page models.Page[Item]
	keys, err := closedKeys(db.Query(ctx), f, at)
	if err != nil {
		return page, models.Classify(err)
	}
	back := at != nil && at.Back
	more := len(keys) > models.PageSize
	keys = keys[:min(len(keys), models.PageSize)]
	if back {
		slices.Reverse(keys)
	}
	if page.Items, err = closedItems(ctx, db, by, keys); err != nil || len(keys) == 0 {
		return page, models.Classify(err)
	}
	if more || back {
		page.Next = keys[len(keys)-1].place(false)
	}
	if at != nil && !back || back && more {
		page.Prev = keys[0].place(true)
	}
	return page, nil
}

// closedTables are where each kind is decided, and when.
var closedTables = []struct {
	kind            Kind
	at, from, where string
}{
	{ConfirmedDuplicate, "x.settled_at", "duplicates x join actions a on a.id = x.action_id", "x.kind = 'confirmed' and x.settled_at is not null"},
	{PossibleDuplicate, "x.settled_at", "duplicates x join actions a on a.id = x.action_id", "x.kind = 'possible' and x.settled_at is not null"},
	{Replay, "x.closed_at", "requests x", "x.closed_at is not null"},
	{ReviewItem, "x.decided_at", "review_items x", "x.decided_at is not null"},
}

func closedKeys(q *gorm.DB, f QueueFilter, at *place) (keys []closedKey, err error) {
	compare, edge, direction := "<", "<=", " desc"
	if at != nil && at.Back {
		compare, edge, direction = ">", ">=", ""
	}
	limit := " limit " + strconv.Itoa(models.PageSize+1)
	var parts []string
	var args []any
	for _, t := range closedTables {
		if f.Kind != "" && f.Kind != t.kind {
			continue
		}
		sql := "(select '" + string(t.kind) + "' as kind, x.id, " + t.at + " as at from " + t.from + " where " + t.where
		if at != nil {
			sql += " and " + t.at + " " + edge + " ?::timestamptz and (" + t.at + ", '" + string(t.kind) + "', x.id) " + compare + " (?::timestamptz, ?, ?::bigint)"
			args = append(args, at.Sort, at.Sort, at.Kind, at.ID)
		}
		if f.Workflow != 0 {
			workflow := "x.workflow_id"
			if strings.Contains(t.from, "actions a") {
				workflow = "a.workflow_id"
			}
			sql += " and " + workflow + " = ?"
			args = append(args, f.Workflow)
		}
		parts = append(parts, sql+" order by "+t.at+direction+", x.id"+direction+limit+")")
	}
	if len(parts) == 0 {
		return nil, nil
	}
	err = q.Raw("select * from ("+strings.Join(parts, " union all ")+") k order by at"+direction+", kind"+direction+", id"+direction+limit, args...).Scan(&keys).Error
	return keys, err
}

// closedItems reads the items of keys, in their order.
func closedItems(ctx context.Context, db *models.DB, by models.Actor, keys []closedKey) ([]Item, error) {
	ids := map[Kind][]int64{}
	for _, k := range keys {
		ids[k.Kind] = append(ids[k.Kind], k.ID)
	}
	found := map[closedKey]Item{}
	for _, kind := range Kinds {
		if len(ids[kind]) == 0 {
			continue
		}
		items, err := readClosed(db.Query(ctx), by, kind, ids[kind])
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			found[closedKey{Kind: i.Kind, ID: i.ID}] = i
		}
	}
	items := make([]Item, 0, len(keys))
	for _, k := range keys {
		i := found[closedKey{Kind: k.Kind, ID: k.ID}]
		i.Since = k.At
		items = append(items, i)
	}
	return items, nil
}

func readClosed(q *gorm.DB, by models.Actor, kind Kind, ids []int64) ([]Item, error) {
	switch kind {
	case Replay:
		return requests(q, bounds{by: by}, "select "+requestColumns+" from requests r"+requestJoins+" where r.id = any(?::bigint[])", idList(ids))
	case ReviewItem:
		return others(q, kind, func(r otherRow, i *Item) {
			item := ledger.ReviewItem{ID: r.ID, Kind: ledger.ReviewKind(r.Kind)}
			i.Ref, i.Path, i.NextStep, i.DecidedBy = item.Ref(), ledger.ReviewPath(item.Ref()), r.Detail, r.Who
		}, `select i.id, coalesce(i.action_id, 0) as action_id, i.kind, i.decision as detail, i.state, i.decided_at as since, coalesce(c.name, w.name) as control, w.name as workflow,
			e.name as environment, i.record_id as record, p.name as who from review_items i join workflows w on w.id = i.workflow_id join environments e on e.id = i.environment_id
			join people p on p.id = i.decided_by left join controls c on c.id = i.control_id where i.id = any(?::bigint[])`, idList(ids))
	}
	return others(q, kind, func(r otherRow, i *Item) { i.NextStep, i.DecidedBy = r.Detail, r.Who },
		`select d.id, d.action_id, d.done as detail, d.kind as state, d.settled_at as since, c.name as control, w.name as workflow, e.name as environment, a.record_id as record, p.name as who
			from duplicates d join actions a on a.id = d.action_id join people p on p.id = d.settled_by`+placeJoins+` where d.id = any(?::bigint[])`, idList(ids))
}
