package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/ledger"

	"gorm.io/gorm"
)

// requestRow is a request in the queue, with what tells where it stands now.
type requestRow struct {
	Request     `gorm:"embedded"`
	Now         time.Time
	Control     string
	Workflow    string
	Environment string
	Record      string
	ActionState ledger.State
	Mine        bool // the person asked for it
	DecidedBy   string

	PermitUsed, PermitEnds, PermitEnded *time.Time
	PermitEndedAs                       string
	PermitAttempt                       int64
	Outcome                             string
	Over                                bool
}

const requestColumns = `r.*, now() as now, c.name as control, w.name as workflow, e.name as environment, a.record_id as record,
	state_now(a.state, a.lease_until, a.waiting) as action_state, z.used_at as permit_used, z.expires_at as permit_ends, z.ended_at as permit_ended,
	coalesce(z.ended_as, '') as permit_ended_as, coalesce(z.attempt_id, 0) as permit_attempt,
	coalesce((select p.name from decisions d join people p on p.id = d.person_id where d.request_id = r.id order by d.id desc limit 1), '') as decided_by,
	coalesce(t.outcome, 'unknown') as outcome, coalesce(t.outcome is not null or t.lease_until <= now(), false) as over`

const requestJoins = ` join actions a on a.id = r.action_id join controls c on c.id = r.control_id join workflows w on w.id = r.workflow_id
	join environments e on e.id = r.environment_id left join authorizations z on z.id = r.authorization_id left join attempts t on t.id = z.attempt_id`

// item is the row as it stands by the ledger and the clock.
func (r requestRow) item() Item {
	l := Record{Now: r.Now, Action: r.ActionState, Ended: r.Over, Outcome: ledger.State(r.Outcome)}
	if r.AuthorizationID != 0 && r.PermitEnds != nil {
		l.Permit = &ledger.Authorization{ID: r.AuthorizationID, Expires: *r.PermitEnds, UsedAt: r.PermitUsed, Attempt: r.PermitAttempt, EndedAt: r.PermitEnded, EndedAs: r.PermitEndedAs}
	}
	stored := r.Request
	now := stored.At(l)
	i := Item{Kind: Replay, ID: r.ID, Ref: r.Ref(), Path: Path(r.Ref()), Control: r.Control, Workflow: r.Workflow, Environment: r.Environment, Record: r.Record,
		State: string(now.State), Outcome: r.ActionState, Level: now.Level, Unanswered: now.Unanswered, DecidedBy: r.DecidedBy, Since: r.AskedAt, sort: stored.NextAt}
	switch now.State {
	case Pending:
		i.Due, i.Overdue = &now.NextAt, !r.Now.Before(now.NextAt)
	case Approved:
		i.Due = &now.NextAt
	}
	if stored.ClosedAt != nil {
		i.sort = *stored.ClosedAt
	}
	i.NextStep = nextStep(now, r.Mine)
	return i
}

// nextStep says what somebody does now.
func nextStep(r Request, mine bool) string {
	switch r.State {
	case Pending:
		if r.Unanswered {
			return "Unanswered past the last level. Anybody on its levels may still decide."
		}
		return fmt.Sprintf("Waits for level %d to decide.", r.Level)
	case EvidenceWanted:
		if mine {
			return "Supply the evidence, or withdraw the request."
		}
		return "Waits for evidence from who asked."
	case Approved:
		return "Approved: one attempt may be started."
	case Started:
		return "The approved attempt is under way."
	}
	if r.Ending != "" {
		return r.Ending
	}
	return "Nothing is left to do. It can be asked for again."
}

func requests(q *gorm.DB, b bounds, sql string, args ...any) ([]Item, error) {
	var rows []requestRow
	if err := q.Raw(sql, args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(rows))
	for _, r := range rows {
		for _, id := range everybody(b.by) {
			r.Mine = r.Mine || id == r.AskedBy || id == r.AskedFor
		}
		items = append(items, r.item())
	}
	return items, nil
}

// openRequests are all that are not decided or ended.
func openRequests(q *gorm.DB, b bounds) ([]Item, error) {
	where, args, order := b.order("r.next_at", "r.id")
	if b.f.Workflow != 0 {
		where, args = where+" and r.workflow_id = ?", append(args, b.f.Workflow)
	}
	if b.ids {
		var ids []int64
		err := q.Raw("select r.id from requests r where r.closed_at is null"+where+order, args...).Scan(&ids).Error
		return make([]Item, len(ids)), err
	}
	return requests(q, b, "select "+requestColumns+" from requests r"+requestJoins+" where r.closed_at is null"+where+order, args...)
}

// requestsFor are those that this person may decide, and those that they asked
// for and must go on with.
func requestsFor(q *gorm.DB, b bounds) ([]Item, error) {
	ids, err := idsFor(q, b)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if b.ids {
		return make([]Item, len(ids)), nil
	}
	b.after = nil
	_, _, order := b.order("r.next_at", "r.id")
	return requests(q, b, "select "+requestColumns+" from requests r"+requestJoins+" where r.id = any(?::bigint[])"+order, idList(ids))
}

// idList is ids as PostgreSQL reads an array: one value, so that the statement
// is the same however many there are, and is planned once.
func idList(ids []int64) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = strconv.FormatInt(id, 10)
	}
	return "{" + strings.Join(text, ",") + "}"
}

// idsFor finds them one level of one policy at a time, each along an index with
// a limit of its own, so that many requests of others cost nothing. Levels before
// theirs count once the clock has passed them, whether or not anybody was told.
// Who asks comes as rows, so that no estimate depends on it and the statement is
// planned once, not for each page.
func idsFor(q *gorm.DB, b bounds) (ids []int64, err error) {
	where, args, order := b.order("r.next_at", "r.id")
	if b.f.Workflow != 0 {
		where, args = where+" and r.workflow_id = ?", append(args, b.f.Workflow)
	}
	all := slices.Concat([]any{everybody(b.by), mine(b.by, models.Approver)}, args, args)
	b.after = nil
	_, _, last := b.order("k.next_at", "k.id")
	return ids, q.Raw(`with me as materialized (select id from people where id in ?), deciders as materialized (select id from people where id in ?),
		levels as (select l.version_id, l.number, m.first, case when l.number < m.first then now() else 'infinity' end as until
			from (select version_id, min(level) as first from level_people where person_id in (select id from deciders) group by version_id) m
			join policy_levels l on l.version_id = m.version_id)
		select k.id from (
			(select r.id, r.next_at from requests r join me on me.id = r.asked_by where r.state in ('evidence_wanted','approved')
				and (r.token_id is null or r.state = 'evidence_wanted')`+where+order+`)
			union all
			select r.id, r.next_at from levels l cross join lateral (select r.id, r.next_at from requests r
				where r.state = 'pending' and r.policy_id = l.version_id and r.level = l.number and r.next_at <= l.until
				and (l.number >= l.first or l.first <= l.number + (select count(*) from request_levels d where d.request_id = r.id and d.number >= l.number and d.due_at <= now()))
				and r.asked_by not in (select id from me) and coalesce(r.asked_for, 0) not in (select id from me) and r.expires_at > now()
				and not exists (select from decisions s where s.request_id = r.id and s.decision = 'supply'
					and (s.person_id in (select id from me) or s.for_person_id in (select id from me)))`+where+order+`) r) k`+last, all...).Scan(&ids).Error
}
