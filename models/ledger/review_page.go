package ledger

import (
	"context"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// ReviewPath is the page of a review item.
func ReviewPath(ref string) string { return "/ledger/reviews/" + ref }

// ReviewRow is a review item in a list.
type ReviewRow struct {
	ID                             int64
	Kind                           ReviewKind
	State                          ReviewState
	Control, Workflow, Environment string
	Record, Reason, AskedBy        string
	AskedAt                        time.Time
	Times                          int
	Event                          string
	Suppressed                     int64
}

// Ref is RV-n or LR-n.
func (r ReviewRow) Ref() string { return ref(r.Kind, r.ID) }

func reviewRows(q *gorm.DB, where string, args ...any) (rows []ReviewRow, err error) {
	err = q.Raw(reviewSelect+" where "+where, args...).Scan(&rows).Error
	return rows, err
}

const reviewList = `i.id, i.kind, i.state, coalesce(c.name, '') as control, w.name as workflow, e.name as environment, i.record_id as record, i.reason, coalesce(p.name, '') as asked_by,
	i.asked_at, i.times, coalesce(d.event_id, '') as event, coalesce(i.suppressed_id, 0) as suppressed`

const reviewFrom = `review_items i join workflows w on w.id = i.workflow_id join environments e on e.id = i.environment_id left join controls c on c.id = i.control_id
	left join deliveries d on d.id = i.delivery_id left join people p on p.id = i.asked_by`

const reviewSelect = "select " + reviewList + " from " + reviewFrom

// ReviewFilter narrows the list of review items.
type ReviewFilter struct {
	Decided  bool // instead of the open ones
	Workflow string
	At       string
}

// ListReviews returns a page of review items: open ones oldest first, decided
// ones newest first. BadRequest for a cursor that no page of ours made.
func ListReviews(ctx context.Context, db *models.DB, f ReviewFilter) (models.Page[ReviewRow], error) {
	q := db.Query(ctx).Table(reviewFrom).Select(reviewList)
	if f.Decided {
		q = q.Where("i.state <> 'open'")
	} else {
		q = q.Where("i.state = 'open'")
	}
	if f.Workflow != "" {
		q = q.Where("i.workflow_id = (select id from workflows where slug = ?)", f.Workflow)
	}
	return models.Keyset(q, f.At, models.PageSize, models.Order{Columns: []string{"i.id"}, Desc: f.Decided}, func(r ReviewRow) []any { return []any{r.ID} })
}

// ReviewPage is everything that the page of a review item shows.
type ReviewPage struct {
	ReviewItem
	Row                     ReviewRow
	Record                  string
	WorkflowSlug, EnvSlug   string
	ControlSlug             string
	LabControl              string // a control of the workflow, for the lab; "" when it has none
	AskedForName, TokenName string
	DecidedByName           string
	DecidedForName          string
	Arrived                 *DeliveryRow // what arrived; nil where the item is about no delivery
	Earlier                 *DeliveryRow // the one it contradicts or repeats
	Winner                  *ActionRow   // the action it collided with
	LinkedTo, CarriedBy     *ActionRow
	Claim                   *Moment     // the suppressed claim
	WhyNot                  error       // MayDecideReview, or that it is decided
	Candidates              []ActionRow // of the same record and place: what it may be linked to
}

// ReviewOf reads the page of a review item for somebody. NotFound.
func ReviewOf(ctx context.Context, db *models.DB, by models.Actor, text string) (ReviewPage, error) {
	item, err := findReview(db.Query(ctx), text, "")
	if err != nil {
		return ReviewPage{}, models.Classify(err)
	}
	p := ReviewPage{ReviewItem: item}
	parties, err := PartiesOf(db.Query(ctx), item.Workflow)
	if err != nil {
		return p, models.Classify(err)
	}
	if p.WhyNot = MayDecideReview(by, parties, item); item.State != ReviewOpen {
		p.WhyNot = models.Conflictf("%s is %s already.", item.Ref(), item.State.Words())
	}
	for _, read := range []func(*gorm.DB) error{p.names, p.delivery, p.earlier, p.claim, p.actions, p.candidates} {
		if err := read(db.Query(ctx)); err != nil {
			return p, models.Classify(err)
		}
	}
	return p, nil
}

func (p *ReviewPage) names(q *gorm.DB) error {
	rows, err := reviewRows(q, "i.id = ?", p.ID)
	if err != nil || len(rows) == 0 {
		return err
	}
	p.Row, p.Record = rows[0], rows[0].Record
	return q.Raw(`select w.slug, e.slug, coalesce(c.slug, ''), coalesce(f.name, ''), coalesce(t.name, ''), coalesce(d.name, ''), coalesce(g.name, ''),
			coalesce((select x.slug from controls x where x.workflow_id = i.workflow_id order by x.id = i.control_id desc, x.name, x.id limit 1), '')
		from review_items i join workflows w on w.id = i.workflow_id join environments e on e.id = i.environment_id left join controls c on c.id = i.control_id
		left join people f on f.id = i.asked_for left join tokens t on t.id = i.token_id left join people d on d.id = i.decided_by left join people g on g.id = i.decided_for where i.id = ?`, p.ID).
		Row().Scan(&p.WorkflowSlug, &p.EnvSlug, &p.ControlSlug, &p.AskedForName, &p.TokenName, &p.DecidedByName, &p.DecidedForName, &p.LabControl)
}

func oneDelivery(q *gorm.DB, where string, args ...any) (*DeliveryRow, error) {
	var rows []DeliveryRow
	err := q.Raw("select "+deliveryRows+", coalesce(encode(d.digest, 'hex'), '') as digest, coalesce(left(d.payload, 20000), '') as payload, d.payload_until from deliveries d"+deliveryPlaces+" where "+where, args...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	rows[0].name()
	return &rows[0], nil
}

func (p *ReviewPage) delivery(q *gorm.DB) (err error) {
	if p.Delivery != 0 {
		p.Arrived, err = oneDelivery(q, "d.id = ?", p.Delivery)
	}
	return err
}

// earlier is the delivery that had the same event first.
func (p *ReviewPage) earlier(q *gorm.DB) (err error) {
	if p.Arrived != nil && p.Arrived.Event != "" {
		p.Earlier, err = oneDelivery(q, `d.id = (select f.id from deliveries d join deliveries f on f.workflow_id = d.workflow_id and f.environment_id = d.environment_id and f.sender_id = d.sender_id
			and f.event_id = d.event_id and f.disposition in ('accepted','stale') where d.id = ?) and d.id <> ?`, p.Delivery, p.Delivery)
	}
	return err
}

func (p *ReviewPage) claim(q *gorm.DB) error {
	if p.Suppressed == 0 {
		return nil
	}
	p.Claim = &Moment{}
	return q.Raw(`select 'suppressed' as kind, c.id, c.at, c.worker as name, c.code, coalesce(d.event_id, '') as result, c.record_id as record, c.version
		from suppressed_claims c left join deliveries d on d.id = c.delivery_id where c.id = ?`, p.Suppressed).Scan(p.Claim).Error
}

func (p *ReviewPage) actions(q *gorm.DB) error {
	var rows []ActionRow
	if err := q.Raw("select "+actionRows+", t.worker from actions a"+actionPlaces+" join attempts t on t.id = a.attempt_id where a.id in (?, ?, ?)", p.Action, p.Linked, p.Carried).Scan(&rows).Error; err != nil {
		return err
	}
	for i := range rows {
		switch r := &rows[i]; r.ID {
		case p.Action:
			p.Winner = r
		case p.Linked:
			p.LinkedTo = r
		case p.Carried:
			p.CarriedBy = r
		}
		if rows[i].ID == p.Linked {
			p.LinkedTo = &rows[i]
		}
	}
	return nil
}

// candidates are actions of the same record, or of the one that came before, that an open item may be linked to.
func (p *ReviewPage) candidates(q *gorm.DB) error {
	if p.State != ReviewOpen {
		return nil
	}
	earlier := ""
	if p.Earlier != nil {
		earlier = p.Earlier.Record
	}
	return q.Raw("select "+actionRows+" from actions a"+actionPlaces+` where a.record_id in (?, ?) and a.record_id <> '' and a.workflow_id = ? and a.environment_id = ? and (? = 0 or a.control_id = ?) order by a.id desc limit 20`,
		p.Record, earlier, p.Workflow, p.Environment, p.Control, p.Control).Scan(&p.Candidates).Error
}
