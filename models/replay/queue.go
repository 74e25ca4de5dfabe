package replay

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"countersign/models"
	"countersign/models/ledger"

	"gorm.io/gorm"
)

// Kind is what waits in the queue.
type Kind string

const (
	ConfirmedDuplicate Kind = "confirmed_duplicate"
	PossibleDuplicate  Kind = "possible_duplicate"
	Replay             Kind = "replay"
	UnknownOutcome     Kind = "unknown"
	ReviewItem         Kind = "review"
	StalledOwner       Kind = "stalled"
)

// Kinds in the order of the queue: what may be two effects comes first.
var Kinds = []Kind{ConfirmedDuplicate, PossibleDuplicate, Replay, UnknownOutcome, ReviewItem, StalledOwner}

// View is which part of the queue is looked at.
type View string

const (
	Waiting View = "waiting" // on this person
	All     View = "open"
	Closed  View = "decided"
)

// QueueFilter narrows the queue; zero values don't.
type QueueFilter struct {
	View     View
	Kind     Kind
	Workflow int64
	At       string // page cursor
}

// Item is one line of the queue, with its next step. Ref and Path lead to where
// it is settled.
type Item struct {
	Kind        Kind
	ID          int64
	Ref, Path   string
	Control     string // name; of a review item about no control, the workflow's
	Workflow    string
	Environment string
	Record      string       // business record, or the event
	State       string       // of the request, or of what else waits
	Outcome     ledger.State // of the action, by the clock; "" where there is none
	Level       int
	Unanswered  bool
	Due         *time.Time // when something happens by itself; nil: nothing does
	Since       time.Time
	Overdue     bool
	DecidedBy   string // who decided last; "" when nobody has
	NextStep    string
	sort        time.Time
}

// branch is one kind of the queue in its own order, so that each is read along
// an index.
type branch struct {
	kind Kind
	read func(q *gorm.DB, b bounds) ([]Item, error)
}

// bounds say where a branch goes on.
type bounds struct {
	by    models.Actor
	f     QueueFilter
	after *place // nil: from its start
	back  bool
	limit int
	ids   bool // only how many there are is asked
}

// place is where a page ends: a kind, and in it a time and a number.
type place struct {
	Kind Kind      `json:"k"`
	Sort time.Time `json:"t"`
	ID   int64     `json:"i"`
	Back bool      `json:"b,omitempty"`
}

// Queue returns a page of what waits: on this person, on anybody, or what was
// decided. Each kind keeps its own order: what is due first comes first.
// BadRequest for a cursor that no page of ours made.
func Queue(ctx context.Context, db *models.DB, by models.Actor, f QueueFilter) (models.Page[Item], error) {
	var page models.Page[Item]
	at, err := parsePlace(f.At)
	if err != nil {
		return page, err
	}
	if f.View == Closed {
		return closed(ctx, db, by, f, at)
	}
	branches := branchesOf(f)
	back := at != nil && at.Back
	if back {
		slices.Reverse(branches)
	}
	var items []Item
	for _, b := range branches {
		if at != nil && before(b.kind, at.Kind, back) {
			continue
		}
		bound := bounds{by: by, f: f, back: back, limit: models.PageSize + 1 - len(items)}
		if at != nil && b.kind == at.Kind {
			bound.after = at
		}
		more, err := b.read(db.Query(ctx), bound)
		if err != nil {
			return page, models.Classify(err)
		}
		if items = append(items, more...); len(items) > models.PageSize {
			break
		}
	}
	return cut(items, at, back), nil
}

// before reports whether a kind was passed by the page that ended in at.
func before(kind, at Kind, back bool) bool {
	if back {
		return slices.Index(Kinds, kind) > slices.Index(Kinds, at)
	}
	return slices.Index(Kinds, kind) < slices.Index(Kinds, at)
}

// cut makes a page of what was read, one more than it shows.
func cut(items []Item, at *place, back bool) models.Page[Item] {
	more := len(items) > models.PageSize
	if more {
		items = items[:models.PageSize]
	}
	if back {
		slices.Reverse(items)
	}
	page := models.Page[Item]{Items: items}
	if len(items) == 0 {
		return page
	}
	if more || back {
		page.Next = items[len(items)-1].place(false)
	}
	if (at != nil && !back) || (back && more) {
		page.Prev = items[0].place(true)
	}
	return page
}

func (i Item) place(back bool) string {
	b, _ := json.Marshal(place{i.Kind, i.sort, i.ID, back})
	return base64.RawURLEncoding.EncodeToString(b)
}

func parsePlace(text string) (*place, error) {
	if text == "" {
		return nil, nil
	}
	var p place
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, &p) != nil || !slices.Contains(Kinds, p.Kind) {
		return nil, models.BadRequestf("This page link is damaged. Start again from the first page.")
	}
	return &p, nil
}

func branchesOf(f QueueFilter) []branch {
	all := []branch{{ConfirmedDuplicate, duplicatesOf("confirmed")}, {PossibleDuplicate, duplicatesOf("possible")}, {Replay, openRequests},
		{UnknownOutcome, unknownOutcomes}, {ReviewItem, reviewItems}, {StalledOwner, stalledOwners}}
	if f.View == Waiting {
		all[2].read = requestsFor
	}
	return slices.DeleteFunc(all, func(b branch) bool { return f.Kind != "" && b.kind != f.Kind })
}

// order is the keyset condition and order of a branch on the columns sort and id.
func (b bounds) order(sort, id string) (where string, args []any, order string) {
	compare, direction := ">", " asc"
	if b.back {
		compare, direction = "<", " desc"
	}
	if b.after != nil {
		where, args = " and ("+sort+", "+id+") "+compare+" (?::timestamptz, ?::bigint)", []any{b.after.Sort, b.after.ID}
	}
	return where, args, " order by " + sort + direction + ", " + id + direction + " limit " + strconv.Itoa(b.limit)
}

// mine are the ids of the person and of whoever they stand in for in role.
func mine(by models.Actor, role models.Role) []int64 {
	ids := []int64{}
	if by.Has(role) {
		ids = append(ids, by.ID)
	}
	for _, id := range by.StandIns() {
		if by.ActsAs(id, role) {
			ids = append(ids, id)
		}
	}
	return append(ids, 0)
}

// everybody is by and whoever they stand in for.
func everybody(by models.Actor) []int64 { return append(by.StandIns(), by.ID) }
