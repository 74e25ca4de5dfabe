package ledger

import (
	"context"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/identity"

	"gorm.io/gorm"
)

// SearchFilter narrows a list of actions or deliveries; zero values don't.
type SearchFilter struct {
	Q                              string // a whole identifier: event, record, key, destination key, result, A-n or D-n
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

const actionRows = `a.id, state_now(a.state, a.lease_until, a.waiting) as state, c.name as control, c.slug as control_slug, w.name as workflow, w.slug as workflow_slug,
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
	Linked                 int64 // the action that its review said it is
	ReceivedAt             time.Time
	Action                 int64 // that its claim made or met; 0: none
	ReviewID               int64 `json:"-"`
	Digest, Payload        string
	PayloadUntil           *time.Time
}

const deliveryRows = `d.id, d.disposition, d.event_id as event, d.record_id as record, d.source_version as version, d.reason, s.name as sender, s.slug as sender_slug,
	w.name as workflow, w.slug as workflow_slug, e.name as environment, e.slug as env_slug, coalesce(d.first_delivery_id, 0) as first, coalesce(d.review_id, 0) as review_id,
	coalesce(i.state, '') as review_state, coalesce(i.linked_action_id, 0) as linked, d.received_at, coalesce((select min(a.id) from actions a where a.delivery_id = d.id), (select min(x.action_id) from suppressed_claims x where x.delivery_id = d.id), 0) as action`

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

// newestActions is the order of the list.
var newestActions = models.Order{Columns: []string{"a.created_at", "a.id"}, Desc: true}

// SearchActions returns a page of actions, newest first. A search finds whole
// identifiers, each along its index; without one the page is taken from walks.
// BadRequest for a cursor that no page of ours made.
func SearchActions(ctx context.Context, db *models.DB, f SearchFilter) (models.Page[ActionRow], error) {
	w := walks{table: "actions", prefix: "a", state: "state", at: "created_at", order: newestActions, day: f.Day}
	switch f.State {
	case "":
		w.states = []string{string(Pending), string(Unknown), string(Failed), string(Succeeded)}
	case Pending:
		w.states, w.also = []string{string(Pending)}, "a.lease_until > now()"
	case Unknown:
		w.states, w.also = []string{string(Unknown), string(Pending)}, "(a.state = 'unknown' or a.lease_until <= now() and not a.waiting)"
	case Succeeded:
		w.states, w.also = []string{string(Succeeded), string(Pending)}, "(a.state = 'succeeded' or a.lease_until <= now() and a.waiting)"
	case Failed:
		w.states = []string{string(Failed)}
	}
	q := db.Query(ctx)
	if err := w.environment(q, f.Environment); err != nil {
		return models.Page[ActionRow]{}, models.Classify(err)
	}
	if f.Control+f.Workflow != "" {
		if err := w.only(q, "control_id", "select c.id from controls c join workflows w on w.id = c.workflow_id where ? in ('', c.slug) and ? in ('', w.slug)", f.Control, f.Workflow); err != nil {
			return models.Page[ActionRow]{}, models.Classify(err)
		}
	}
	if f.Q != "" {
		ids, err := actionsNamed(q, f.Q)
		if err != nil {
			return models.Page[ActionRow]{}, models.Classify(err)
		}
		w.search, w.args = "(a.record_id = ? or a.id = any(?::bigint[]))", []any{f.Q, array(ids)}
	}
	q, err := w.list(q, f.At, actionPlaces)
	if err != nil {
		return models.Page[ActionRow]{}, err
	}
	return models.Keyset(q.Select(actionRows), f.At, models.PageSize, newestActions, func(r ActionRow) []any { return []any{r.CreatedAt, r.ID} })
}

// actionsNamed are the actions that an event, a key, a result or a number leads to.
func actionsNamed(q *gorm.DB, text string) (ids []int64, err error) {
	seen, err := SeenAtDestination(q, text)
	if err != nil {
		return nil, err
	}
	err = q.Raw(`(select id from actions where identity_key = @q limit @n)
		union (select a.id from deliveries d join actions a on a.delivery_id = d.id where d.event_id = @q limit @n)
		union (select s.action_id from deliveries d join suppressed_claims s on s.delivery_id = d.id where d.event_id = @q and s.action_id is not null limit @n)
		union (select id from actions where id = @id)`, map[string]any{"q": text, "n": found, "id": Number("a", text)}).Scan(&ids).Error
	return append(ids, seen...), err
}

// SeenAtDestination are the actions that somebody may know from the destination:
// by a result there, also one of a duplicate, or by the destination key.
func SeenAtDestination(q *gorm.DB, text string) (ids []int64, err error) {
	if digest, ok := identity.DestinationDigest(text); ok {
		err = q.Raw(`select k.action_id from claim_rules r cross join lateral (select x.action_id from action_keys x
			where x.control_id = r.control_id and x.environment_id = r.environment_id and x.rule_id = r.id and x.digest = decode(?, 'hex') limit 1) k limit ?`, hex.EncodeToString(digest), found).Scan(&ids).Error
		return ids, err
	}
	err = q.Raw(`(select id from actions where result_id = @q and result_id <> '' limit @n)
		union (select action_id from duplicates where result_ids && array[cast(@q as text)] limit @n)`, map[string]any{"q": text, "n": found}).Scan(&ids).Error
	return ids, err
}

// AnyDelivery reports whether a delivery has this event, record or number.
func AnyDelivery(ctx context.Context, db *models.DB, text string) (seen bool, err error) {
	err = db.Query(ctx).Raw(`select exists (select 1 from deliveries where event_id = @q) or exists (select 1 from deliveries where record_id = @q)
		or exists (select 1 from deliveries where id = @id)`, map[string]any{"q": text, "id": Number("d", text)}).Row().Scan(&seen)
	return seen, models.Classify(err)
}

// array is a list of numbers as PostgreSQL reads it.
func array(ids []int64) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = strconv.FormatInt(id, 10)
	}
	return "{" + strings.Join(text, ",") + "}"
}

// newestDeliveries is the order of the list.
var newestDeliveries = models.Order{Columns: []string{"d.received_at", "d.id"}, Desc: true}

// SearchDeliveries returns a page of deliveries, newest first; as SearchActions.
func SearchDeliveries(ctx context.Context, db *models.DB, f SearchFilter) (models.Page[DeliveryRow], error) {
	w := walks{table: "deliveries", prefix: "d", state: "disposition", at: "received_at", order: newestDeliveries, day: f.Day}
	switch f.Disposition {
	case "":
		w.states = []string{string(Accepted), string(Duplicate), string(Stale), string(NeedsReview)}
	case Accepted, Duplicate, Stale, NeedsReview:
		w.states = []string{string(f.Disposition)}
	}
	q := db.Query(ctx)
	if err := w.environment(q, f.Environment); err != nil {
		return models.Page[DeliveryRow]{}, models.Classify(err)
	}
	if f.Workflow != "" {
		if err := w.only(q, "workflow_id", "select id from workflows where slug = ?", f.Workflow); err != nil {
			return models.Page[DeliveryRow]{}, models.Classify(err)
		}
	}
	if f.Q != "" {
		w.search, w.args = "(d.event_id = ? or d.record_id = ? or d.id = ?)", []any{f.Q, f.Q, Number("d", f.Q)}
	}
	q, err := w.list(q, f.At, deliveryPlaces)
	if err != nil {
		return models.Page[DeliveryRow]{}, err
	}
	page, err := models.Keyset(q.Select(deliveryRows), f.At, models.PageSize, newestDeliveries, func(r DeliveryRow) []any { return []any{r.ReceivedAt, r.ID} })
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
	Stopped []Stopped
}

// Stopped is a workflow whose stop switch is on, and why.
type Stopped struct{ Slug, Name, Reason string }

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
	if err == nil {
		err = q.Raw("select w.slug, w.name, s.reason from stops s join workflows w on w.id = s.workflow_id where s.lifted_at is null order by s.stopped_at limit 20").Scan(&s.Stopped).Error
	}
	return s, models.Classify(err)
}
