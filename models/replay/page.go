package replay

import (
	"context"
	"time"

	"countersign/models"
	"countersign/models/evidence"
	"countersign/models/identity"
	"countersign/models/ledger"
	"countersign/models/workflow"
)

// Page is everything that the page of one request shows to one person.
type Page struct {
	Request                                     // as it stands by the ledger and the clock
	Title                                string // the decision, as a question
	Facts                                ledger.Facts
	IdentityKey                          string
	AskedByName, AskedForName, TokenName string
	Sentence                             string // which effect needs protection, in the owner's words: those of the approved revision
	Effect                               string // its slug, part of every key
	Policy                               workflow.PolicyVersion
	PolicyName                           string
	PolicySlug                           string
	Ladder                               []Rung
	Conditions                           []Condition
	Lookups                              []Looked
	Siblings                             []Sibling
	Evidence                             []evidence.Attachment
	Permit                               *ledger.Authorization // nil before an approval
	Attempt                              *Tried                // what the automation then did
	History                              []Entry
	SeenText                             string // for the decision form
	HelpContact, IncidentPlan            string
	May                                  map[Decision]error // nil: the person may, and the state allows it
	MayStart                             error
}

// Rung is one level of the ladder.
type Rung struct {
	workflow.Level
	DueAt   time.Time
	ToldAt  *time.Time
	Reached bool
	Over    bool // its time has passed
	Able    bool // somebody on it can decide
}

// Looked is a lookup of the destination.
type Looked struct {
	ID             int64
	Method, Result string
	ResultIds      string // joined by commas
	Counts         bool
	Detail         string
	By             string // "" for an automation
	At             time.Time
}

// Sibling is another action of the same business record, out of reach.
type Sibling struct {
	ID                   int64
	Control, ControlSlug string
	State                ledger.State
	ResultID             string
	LeaseUntil           time.Time
	Worker               string
}

// Tried is the attempt that an approval started.
type Tried struct {
	ID, Number       int64
	Worker           string
	Outcome          ledger.State // pending while its lease lives
	ResultID, Detail string
	StartedAt        time.Time
	EndedAt          *time.Time
	By               string // who started it by hand
}

// shown is how many rows a page shows of something that has its own list.
const shown = 50

// RequestPage reads the page of a request for somebody. NotFound.
func RequestPage(ctx context.Context, db *models.DB, by models.Actor, ref string) (Page, error) {
	q := db.Query(ctx)
	r, err := find(q, ref)
	if err != nil {
		return Page{}, err
	}
	facts, err := ledger.LoadFacts(q, r.ActionID)
	if err != nil {
		return Page{}, err
	}
	f, err := open(q, r, facts)
	if err != nil {
		return Page{}, err
	}
	p := Page{Request: f.Request, Title: Title(facts), Facts: facts, Policy: f.Policy, Evidence: f.Files, Permit: f.Record.Permit,
		SeenText: SeenText(facts.Seen), Conditions: f.conditions(by, nil), May: map[Decision]error{}}
	for _, d := range Decisions {
		if p.May[d] = May(by, d, f.Parties); p.May[d] == nil {
			_, p.May[d] = f.Decide(d, "given")
		}
	}
	if p.MayStart = MayStart(by, f.Parties); p.MayStart == nil && f.State != Approved {
		p.MayStart = models.Conflictf("This request is %s, so there is nothing to start.", f.State.Words())
	}
	for i, l := range f.Policy.Levels {
		p.Ladder = append(p.Ladder, Rung{Level: l, DueAt: f.Steps[i].DueAt, ToldAt: f.Steps[i].ToldAt, Reached: l.Number <= f.Parties.Reached,
			Over: l.Number < f.Parties.Reached || f.Unanswered, Able: f.Parties.able(l.Number)})
	}
	for _, read := range []func(*file) error{p.names(ctx, db), p.lookups(ctx, db), p.siblings(ctx, db), p.attempt(ctx, db), p.history(ctx, db)} {
		if err := read(f); err != nil {
			return Page{}, models.Classify(err)
		}
	}
	return p, nil
}

func (p *Page) names(ctx context.Context, db *models.DB) func(*file) error {
	return func(f *file) error {
		return db.Query(ctx).Raw(`select a.identity_key, p.name as asked_by_name, coalesce(f.name, '') as asked_for_name, coalesce(t.name, '') as token_name,
			x.name as policy_name, x.slug as policy_slug, w.help_contact, w.incident_plan_url as incident_plan, c.effect,
			coalesce((select v->>'value' from jsonb_array_elements(o.content::jsonb->'answers') v where v->>'field' = 'duplicate_in_plain_words'),
				(select value from answers s where s.control_id = c.id and s.field = 'duplicate_in_plain_words' order by s.version desc limit 1), '') as sentence
			from requests r join actions a on a.id = r.action_id join people p on p.id = r.asked_by left join people f on f.id = r.asked_for
			left join tokens t on t.id = r.token_id join policy_versions v on v.id = r.policy_id join escalation_policies x on x.id = v.policy_id
			join workflows w on w.id = r.workflow_id join controls c on c.id = r.control_id left join revisions o on o.id = c.approved_revision_id where r.id = ?`, f.ID).Row().
			Scan(&p.IdentityKey, &p.AskedByName, &p.AskedForName, &p.TokenName, &p.PolicyName, &p.PolicySlug, &p.HelpContact, &p.IncidentPlan, &p.Effect, &p.Sentence)
	}
}

// Key is the identity of the action, component by component.
func (p Page) Key() []identity.Part { return identity.SplitKey(p.IdentityKey) }

func (p *Page) lookups(ctx context.Context, db *models.DB) func(*file) error {
	return func(f *file) error {
		return db.Query(ctx).Raw(`select l.id, l.method, l.result, array_to_string(l.result_ids, ', ') as result_ids, l.counts, l.detail, coalesce(p.name, '') as by, l.at
			from lookups l left join people p on p.id = l.person_id where l.action_id = ? order by l.id desc limit ?`, f.ActionID, shown).Scan(&p.Lookups).Error
	}
}

// siblings are the other actions of the same business record, here.
func (p *Page) siblings(ctx context.Context, db *models.DB) func(*file) error {
	return func(f *file) error {
		if f.Facts.Record == "" {
			return nil
		}
		return db.Query(ctx).Raw(`select a.id, c.name as control, c.slug as control_slug, state_now(a.state, a.lease_until, a.waiting) as state, a.result_id, a.lease_until, t.worker
			from actions a join controls c on c.id = a.control_id join attempts t on t.id = a.attempt_id
			where a.record_id = ? and a.workflow_id = ? and a.environment_id = ? and a.id <> ? order by a.id limit ?`,
			f.Facts.Record, f.WorkflowID, f.EnvironmentID, f.ActionID, shown).Scan(&p.Siblings).Error
	}
}

func (p *Page) attempt(ctx context.Context, db *models.DB) func(*file) error {
	return func(f *file) error {
		if f.AttemptID == 0 {
			return nil
		}
		p.Attempt = &Tried{}
		return db.Query(ctx).Raw(`select t.id, t.number, t.worker, coalesce(t.outcome, case when t.lease_until <= now() then 'unknown' else 'pending' end) as outcome,
			t.result_id, t.detail, t.started_at, t.ended_at, coalesce(p.name, '') as by from attempts t left join people p on p.id = t.person_id where t.id = ?`, f.AttemptID).Scan(p.Attempt).Error
	}
}

// Saw notes what a person was shown of a request, the first time each.
func Saw(ctx context.Context, db *models.DB, by models.Actor, p Page) error {
	if by.ID == 0 || !p.State.Open() {
		return nil
	}
	return models.Classify(db.Query(ctx).Exec("insert into request_views (request_id, person_id, seen) values (?, ?, ?) on conflict do nothing", p.ID, by.ID, p.SeenText).Error)
}
