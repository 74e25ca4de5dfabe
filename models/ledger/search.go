package ledger

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// SearchFilter narrows a list of actions or deliveries; zero values don't.
type SearchFilter struct {
	Q                              string // a whole identifier: event, record, key, A-n or D-n
	State                          State
	Disposition                    Disposition
	Workflow, Control, Environment string // slugs
	Day                            *time.Time
	At                             string // page cursor
}

// ActionRow is an action in a list.
type ActionRow struct {
	ID                     int64
	State                  State // by the clock
	Control, ControlSlug   string
	Workflow, WorkflowSlug string
	Environment, EnvSlug   string
	Record, Version        string
	ResultID               string
	Attempts               int
	LeaseUntil             time.Time
	CreatedAt, ChangedAt   time.Time
	Worker                 string
	RepeatOf               int64
	Duplicate              string // an open possible or confirmed duplicate
	Request                int64  // number of its open replay request; 0: none
	Key                    string
}

const actionRows = `a.id, state_now(a.state, a.lease_until) as state, c.name as control, c.slug as control_slug, w.name as workflow, w.slug as workflow_slug,
	e.name as environment, e.slug as env_slug, a.record_id as record, a.version, a.result_id, a.attempts, a.lease_until, a.created_at, a.changed_at, coalesce(a.repeat_of, 0) as repeat_of,
	a.identity_key as key, coalesce((select d.kind from duplicates d where d.action_id = a.id and d.settled_at is null), '') as duplicate`

const actionPlaces = ` join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id join environments e on e.id = a.environment_id`

// DeliveryRow is a delivery in a list.
type DeliveryRow struct {
	ID                     int64
	Disposition            Disposition
	Event, Record, Version string
	Reason                 string
	Sender, SenderSlug     string
	Workflow, WorkflowSlug string
	Environment, EnvSlug   string
	First                  int64
	Review                 string // RV-n
	ReviewState            ReviewState
	ReceivedAt             time.Time
	Action                 int64 // that its claim made or met; 0: none
	ReviewID               int64 `json:"-"`
	Digest, Payload        string
	PayloadUntil           *time.Time
}

const deliveryRows = `d.id, d.disposition, d.event_id as event, d.record_id as record, d.source_version as version, d.reason, s.name as sender, s.slug as sender_slug,
	w.name as workflow, w.slug as workflow_slug, e.name as environment, e.slug as env_slug, coalesce(d.first_delivery_id, 0) as first, coalesce(d.review_id, 0) as review_id,
	coalesce(i.state, '') as review_state, d.received_at, coalesce((select min(a.id) from actions a where a.delivery_id = d.id), (select min(x.action_id) from suppressed_claims x where x.delivery_id = d.id), 0) as action`

const deliveryPlaces = ` join senders s on s.id = d.sender_id join workflows w on w.id = d.workflow_id join environments e on e.id = d.environment_id left join review_items i on i.id = d.review_id`

// numbered is what an action or delivery is called on pages.
var numbered = regexp.MustCompile(`^(?i:([ad])-)?([1-9][0-9]{0,17})$`)

// Number reads A-12, D-12 or 12, for the letter that is asked for; 0 for anything else.
func Number(letter, text string) int64 {
	m := numbered.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[1] != "" && !strings.EqualFold(m[1], letter) {
		return 0
	}
	n, _ := strconv.ParseInt(m[2], 10, 64)
	return n
}

// found is how many actions an event or key may lead to; beyond it a search by
// record shows all.
const found = 200

// SearchActions returns a page of actions, newest first. A search finds whole
// identifiers, each along its index. BadRequest for a cursor that no page of ours made.
func SearchActions(ctx context.Context, db *models.DB, f SearchFilter) (models.Page[ActionRow], error) {
	q := db.Query(ctx).Table("actions a" + actionPlaces).Select(actionRows)
	if f.Q != "" {
		ids, err := actionsNamed(db.Query(ctx), f.Q)
		if err != nil {
			return models.Page[ActionRow]{}, models.Classify(err)
		}
		q = q.Where("(a.record_id = ? or a.id = any(?::bigint[]))", f.Q, array(ids))
	}
	switch f.State {
	case "":
	case Pending:
		q = q.Where("a.state = 'pending' and a.lease_until > now()")
	case Unknown:
		q = q.Where("a.state in ('unknown','pending') and (a.state = 'unknown' or a.lease_until <= now())")
	case Succeeded:
		q = q.Where("a.state = 'succeeded'")
	case Failed:
		q = q.Where("a.state = 'failed'")
	default:
		q = q.Where("false")
	}
	where, err := f.narrow(db.Query(ctx), "actions", "created_at", func(q *gorm.DB) (string, error) {
		if f.Control != "" {
			return among(q, "control_id", "select id from controls where slug = ?", f.Control)
		}
		return among(q, "control_id", "select c.id from controls c join workflows w on w.id = c.workflow_id where w.slug = ?", f.Workflow)
	})
	if err != nil {
		return models.Page[ActionRow]{}, models.Classify(err)
	}
	for _, w := range where {
		q = q.Where("a." + w)
	}
	if f.Control != "" && f.Workflow != "" {
		q = q.Where("w.slug = ?", f.Workflow)
	}
	return models.Keyset(q, f.At, models.PageSize, models.Order{Columns: []string{"a.id"}, Desc: true}, func(r ActionRow) []any { return []any{r.ID} })
}

// actionsNamed are the actions that an event, a key or a number leads to.
func actionsNamed(q *gorm.DB, text string) (ids []int64, err error) {
	err = q.Raw(`(select id from actions where identity_key = @q limit @n)
		union (select a.id from deliveries d join actions a on a.delivery_id = d.id where d.event_id = @q limit @n)
		union (select s.action_id from deliveries d join suppressed_claims s on s.delivery_id = d.id where d.event_id = @q and s.action_id is not null limit @n)
		union (select id from actions where id = @id)`, map[string]any{"q": text, "n": found, "id": Number("a", text)}).Scan(&ids).Error
	return ids, err
}

// narrow are the conditions of the place and the day. Numbers are written out, so
// that PostgreSQL knows how rare what is asked for is; a day is found along its
// own index first and then read in the order of the list.
func (f SearchFilter) narrow(q *gorm.DB, table, at string, about func(*gorm.DB) (string, error)) (where []string, err error) {
	if f.Workflow+f.Control != "" {
		w, err := about(q)
		if err != nil {
			return nil, err
		}
		where = append(where, w)
	}
	if f.Environment != "" {
		w, err := among(q, "environment_id", "select id from environments where slug = ?", f.Environment)
		if err != nil {
			return nil, err
		}
		where = append(where, w)
	}
	if f.Day != nil {
		from, to := f.Day.Format(time.DateOnly), f.Day.AddDate(0, 0, 1).Format(time.DateOnly)
		day := fmt.Sprintf("%s >= '%s 00:00+00' and %s < '%s 00:00+00'", at, from, at, to)
		var ends struct{ First, Last int64 }
		if err := q.Raw("select coalesce(min(id), 0) as first, coalesce(max(id), 0) as last from (select id from " + table + " where " + day + " offset 0) d").Scan(&ends).Error; err != nil {
			return nil, err
		}
		where = append(where, fmt.Sprintf("id between %d and %d", ends.First, ends.Last), fmt.Sprintf("%s >= '%s 00:00+00'", at, from), fmt.Sprintf("%s < '%s 00:00+00'", at, to))
	}
	return where, nil
}

// among says that a column is one of the ids that sql finds for a slug.
func among(q *gorm.DB, column, sql, slug string) (string, error) {
	var ids []int64
	if err := q.Raw(sql, slug).Scan(&ids).Error; err != nil {
		return "", err
	}
	list := strings.Trim(array(ids), "{}")
	if list == "" {
		list = "0"
	}
	return column + " in (" + list + ")", nil
}

// array is a list of numbers as PostgreSQL reads it.
func array(ids []int64) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = strconv.FormatInt(id, 10)
	}
	return "{" + strings.Join(text, ",") + "}"
}

// SearchDeliveries returns a page of deliveries, newest first; as SearchActions.
func SearchDeliveries(ctx context.Context, db *models.DB, f SearchFilter) (models.Page[DeliveryRow], error) {
	q := db.Query(ctx).Table("deliveries d" + deliveryPlaces).Select(deliveryRows)
	if f.Q != "" {
		q = q.Where("(d.event_id = ? or d.record_id = ? or d.id = ?)", f.Q, f.Q, Number("d", f.Q))
	}
	switch f.Disposition {
	case "":
	case Accepted, Duplicate, Stale, NeedsReview:
		q = q.Where("d.disposition = '" + string(f.Disposition) + "'")
	default:
		q = q.Where("false")
	}
	where, err := f.narrow(db.Query(ctx), "deliveries", "received_at", func(q *gorm.DB) (string, error) {
		return among(q, "workflow_id", "select id from workflows where slug = ?", f.Workflow)
	})
	if err != nil {
		return models.Page[DeliveryRow]{}, models.Classify(err)
	}
	for _, w := range where {
		q = q.Where("d." + w)
	}
	page, err := models.Keyset(q, f.At, models.PageSize, models.Order{Columns: []string{"d.id"}, Desc: true}, func(r DeliveryRow) []any { return []any{r.ID} })
	for i := range page.Items {
		page.Items[i].name()
	}
	return page, err
}

func (r *DeliveryRow) name() {
	if r.ReviewID != 0 {
		r.Review = ref(ReviewDelivery, r.ReviewID)
	}
}

// Tally is what the kept counters say of the last 30 days.
type Tally struct {
	Kind string // repeat, would_have, unknown, identity_missing, stale, earlier_rule
	N    int64
}

// Summary is what stands above the lists, without counting them.
type Summary struct {
	Any     bool // something was ever delivered or claimed
	Reviews int  // open review items, MaxReviews at most
	Tallies []Tally
}

// MaxReviews is how many open review items are counted.
const MaxReviews = 100

// Summarise reads the kept counters.
func Summarise(ctx context.Context, db *models.DB) (s Summary, err error) {
	q := db.Query(ctx)
	err = q.Raw(`select exists (select 1 from actions) or exists (select 1 from deliveries), (select count(*) from (select 1 from review_items where state = 'open' limit ?) t)`, MaxReviews).
		Row().Scan(&s.Any, &s.Reviews)
	if err == nil {
		err = q.Raw("select kind, sum(n)::bigint as n from counters where day > (now() at time zone 'UTC')::date - 30 group by kind order by kind").Scan(&s.Tallies).Error
	}
	return s, models.Classify(err)
}
