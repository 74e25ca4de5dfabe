package ledger

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/identity"

	"gorm.io/gorm"
)

// Moments is how many of each kind of event the page of an action shows.
const Moments = 100

// ActionPage is everything that the page of one action shows.
type ActionPage struct {
	Facts
	Head
	LeaseUntil time.Time
	Key        string
	SendKey    string // the destination key
	RetryCode  Code   // why no automatic retry is taken; "" when one is
	RetryWhy   string // in words
	Retries    int    // automatic ones as signed
	Moments    []Moment
	Siblings   []ActionRow // other actions of the same business record
	Duplicates []DuplicateRow
	Reviews    []ReviewRow // about this action
}

// Head is what an action is about, in names.
type Head struct {
	EnvironmentName           string
	System, Destination       string // the account's system, and its slug
	Revision                  int
	Worker                    string // of the latest attempt
	StartedAt                 time.Time
	CreatedAt, ChangedAt      time.Time
	RepeatOf                  int64
	HelpContact, IncidentPlan string
	AttemptCount              int
	Lookups, Events           int    `gorm:"-"` // as shown
	Mode                      string `gorm:"-"`
}

// Moment is something that happened to an action.
type Moment struct {
	Kind    string // delivery, attempt, report, lookup, suppressed, duplicate, settled, review, decided
	ID      int64
	At      time.Time
	Number  int    // of the attempt
	Name    string // worker, event, method, kind
	Code    string // disposition, kind of attempt, what was said, result, code
	Result  string // destination result ids
	Detail  string
	By      string // who did it by hand
	Late    bool   // a late report; a lookup that does not count; mode observe of a claim
	Open    bool   // a suppressed claim that nobody appealed yet; a duplicate to settle
	Seconds int    // lease of an attempt
	Record  string
	Version string
	Before  State // of a report: where the action stood, and then
	After   State
	Early   bool // a late report that came while its lease lived: a later attempt had begun
}

// eachResult lists the results of a duplicate, each once.
const eachResult = `(select coalesce(string_agg(u.id, ', ' order by u.n), '') from (select id, min(n) as n from unnest(x.result_ids) with ordinality t(id, n) group by id) u)`

// DuplicateRow is a possible or confirmed duplicate.
type DuplicateRow struct {
	ID, Version                   int64
	Kind, Source, Results, Detail string
	OpenedBy, SettledBy, Done     string
	OpenedAt                      time.Time
	SettledAt                     *time.Time
}

// PageOf reads the page of an action. NotFound.
func PageOf(ctx context.Context, db *models.DB, id int64) (ActionPage, error) {
	q := db.Query(ctx)
	l, err := seeAction(q, id)
	if err != nil {
		return ActionPage{}, models.Classify(err)
	}
	p := ActionPage{LeaseUntil: l.LeaseUntil, Key: l.Key, SendKey: identity.DestinationKey(l.Key)}
	var s serving
	if p.Facts, s, err = l.facts(q); err != nil {
		return p, models.Classify(err)
	}
	p.Retries, _ = s.number("automatic_retries")
	p.RetryCode, p.RetryWhy = p.mayRetry(p.Retries)
	for _, read := range []func(*gorm.DB) error{p.head, p.moments, p.duplicates, p.siblings, p.reviews} {
		if err := read(db.Query(ctx)); err != nil {
			return p, models.Classify(err)
		}
	}
	p.Mode = s.mode()
	return p, nil
}

func (p *ActionPage) head(q *gorm.DB) error {
	return q.Raw(`select e.name as environment_name, d.system, d.slug as destination, coalesce(r.number, 0) as revision, t.worker, a.created_at, a.changed_at,
			t.started_at, coalesce(a.repeat_of, 0) as repeat_of, w.help_contact, w.incident_plan_url as incident_plan, a.attempts as attempt_count
		from actions a join attempts t on t.id = a.attempt_id join environments e on e.id = a.environment_id join destinations d on d.id = a.destination_id
		join workflows w on w.id = a.workflow_id left join revisions r on r.id = a.revision_id where a.id = ?`, p.Action).Scan(&p.Head).Error
}

// reviewsOf are the review items that a timeline tells of: about the action, those
// that it carries out, and those of its deliveries.
const reviewsOf = `select id from review_items where action_id = @id union select id from review_items where carried_by = @id union select id from review_items where linked_action_id = @id
	union select review_id from deliveries where id in (select delivery_id from actions where id = @id union select delivery_id from attempts where action_id = @id)`

// moments reads the timeline, oldest first, the newest of each kind. Of one
// instant the cause comes before what followed from it.
func (p *ActionPage) moments(q *gorm.DB) error {
	const sql = `select m.*, coalesce(ar.before, '') as before, coalesce(ar.after, '') as after, coalesce(ar.late and ar.at < tt.lease_until, false) as early from (
		(select 'delivery' as kind, d.id, d.received_at as at, 0 as number, d.event_id as name, d.disposition as code, s.name as result, d.reason as detail, '' as by, false as late, false as open, 0 as seconds, d.record_id as record, d.source_version as version
			from deliveries d join senders s on s.id = d.sender_id where d.id in (select delivery_id from actions where id = @id union select delivery_id from attempts where action_id = @id
			union (select delivery_id from suppressed_claims where action_id = @id order by id desc limit @n) union (select delivery_id from review_items where linked_action_id = @id order by id desc limit @n)) order by d.id desc limit @n)
		union all (select 'attempt', t.id, t.started_at, t.number, t.worker, t.kind, '', coalesce(t.would_have->>'code', ''), coalesce(p.name, ''), t.kind = 'observed', false, t.lease_seconds, '', ''
			from attempts t left join people p on p.id = t.person_id where t.action_id = @id order by t.id desc limit @n)
		union all (select 'report', r.id, r.at, t.number, t.worker, r.said, r.result_id, r.detail, coalesce(p.name, ''), r.late, false, 0, '', ''
			from attempt_reports r join attempts t on t.id = r.attempt_id left join people p on p.id = r.person_id where r.action_id = @id order by r.id desc limit @n)
		union all (select 'report', -t.id, t.lease_until, t.number, t.worker, 'lease_ended', '', '', '', false, false, 0, '', ''
			from attempts t where t.action_id = @id and t.outcome is null and t.noted_at is null and t.lease_until <= now() order by t.id desc limit @n)
		union all (select 'lookup', l.id, l.at, t.number, l.method, l.result, array_to_string(l.result_ids, ', '), l.detail, coalesce(p.name, ''), not l.counts, false, 0, '', ''
			from lookups l join attempts t on t.id = l.attempt_id left join people p on p.id = l.person_id where l.action_id = @id order by l.id desc limit @n)
		union all (select 'suppressed', c.id, c.at, 0, c.worker, c.code, coalesce(d.event_id, ''), '', '', c.attempt_id is not null,
				c.attempt_id is null and c.code in ('already','stale_version') and not exists (select 1 from review_items i where i.suppressed_id = c.id and i.action_id = @id), 0, c.record_id, c.version
			from suppressed_claims c left join deliveries d on d.id = c.delivery_id where c.action_id = @id order by c.id desc limit @n)
		union all (select 'duplicate', x.id, x.opened_at, 0, x.source, x.kind, ` + eachResult + `, x.detail, coalesce(p.name, ''), false, x.settled_at is null, 0, '', ''
			from duplicates x left join people p on p.id = x.opened_by where x.action_id = @id order by x.id desc limit @n)
		union all (select 'settled', x.id, x.settled_at, 0, x.source, x.kind, '', x.done, coalesce(p.name, ''), false, false, 0, '', ''
			from duplicates x left join people p on p.id = x.settled_by where x.action_id = @id and x.settled_at is not null order by x.id desc limit @n)
		union all (select 'review', i.id, i.asked_at, 0, i.kind, i.state, '', i.reason, coalesce(p.name, ''), false, i.state = 'open', 0, '', ''
			from review_items i left join people p on p.id = i.asked_by where i.id in (` + reviewsOf + `) order by i.id desc limit @n)
		union all (select 'decided', i.id, i.decided_at, coalesce(i.linked_action_id, 0), i.kind, i.state, '', i.decision, coalesce(p.name, ''), false, false, 0, '', ''
			from review_items i left join people p on p.id = i.decided_by where i.id in (` + reviewsOf + `) and i.decided_at is not null order by i.id desc limit @n)
		) m left join attempt_reports ar on m.kind = 'report' and ar.id = m.id left join attempts tt on tt.id = ar.attempt_id order by m.at, array_position(array['delivery','attempt','report','lookup','suppressed','duplicate','settled','review','decided'], m.kind), m.id`
	err := q.Raw(sql, map[string]any{"id": p.Action, "n": Moments}).Scan(&p.Moments).Error
	for _, m := range p.Moments {
		switch m.Kind {
		case "delivery":
			p.Events++
		case "lookup":
			p.Lookups++
		}
	}
	return err
}

func (p *ActionPage) duplicates(q *gorm.DB) error {
	return q.Raw(`select x.id, x.version, x.kind, x.source, `+eachResult+` as results, x.detail, coalesce(o.name, '') as opened_by, x.opened_at,
			coalesce(s.name, '') as settled_by, x.settled_at, x.done
		from duplicates x left join people o on o.id = x.opened_by left join people s on s.id = x.settled_by where x.action_id = ? order by x.id desc limit ?`, p.Action, Moments).Scan(&p.Duplicates).Error
}

// siblings are the other actions of the same business record, here.
func (p *ActionPage) siblings(q *gorm.DB) error {
	if p.Record == "" {
		return nil
	}
	return q.Raw("select "+actionRows+" from actions a"+actionPlaces+" where a.record_id = ? and a.workflow_id = ? and a.environment_id = ? and a.id <> ? order by a.id limit 20",
		p.Record, p.Workflow, p.Environment, p.Action).Scan(&p.Siblings).Error
}

func (p *ActionPage) reviews(q *gorm.DB) (err error) {
	p.Reviews, err = reviewRows(q, "i.action_id = ? order by i.id desc limit ?", p.Action, Moments)
	return err
}
