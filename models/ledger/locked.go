package ledger

import (
	"encoding/json"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

// locked is an action whose row this transaction holds, with every lease that is
// over noted.
type locked struct {
	actionFact
	Now                            time.Time // the database's clock once the row was held
	Workflow, Environment, Control int64
	Key                            string
	Record, Version                string
	Rank                           string // "" when the version does not order
	Revision, Rule                 int64
	LeaseUntil                     time.Time
	AttemptCount, Automatic        int
	Replayed                       bool
	Report, Lookup                 int64
	Due                            string // a duplicate that follows from a lease end nobody noted yet; "" none
}

func (l locked) standing() *Standing { return &Standing{l.ID, l.State, l.Result} }

// lockAction takes an action and notes the leases that ended. token names one
// observed attempt to load as well, by the hash of its claim token; "" none.
// NotFound; Forbidden outside the token's workflow or environment.
func lockAction(tx *models.Tx, by Caller, id int64, token string) (*locked, error) {
	l, err := readAction(tx.DB, id, " for update")
	if err != nil {
		return nil, err
	}
	if err := by.within(l.Workflow, l.Environment); err != nil {
		return nil, err
	}
	if err := l.loadAttempts(tx.DB, token); err != nil {
		return nil, err
	}
	return l, l.noteLapsed(tx)
}

// seeAction is lockAction for reading: nothing is held or noted, and the state is
// the clock's.
func seeAction(q *gorm.DB, id int64) (*locked, error) {
	l, err := readAction(q, id, "")
	if err != nil {
		return nil, err
	}
	if err := l.loadAttempts(q, ""); err != nil {
		return nil, err
	}
	for i, t := range l.Attempts {
		if t.lapsed(l.Now) && t.NotedAt == nil {
			v := judgeLapse(l.Now, l.actionFact, t)
			l.Attempts[i].NotedAt = &l.Now
			l.take(t, v)
			if v.Duplicate != "" {
				l.Due = v.Duplicate
			}
		}
	}
	return l, nil
}

// take is the action as a verdict about an attempt says.
func (l *locked) take(me attemptFact, v verdict) {
	if v.Settles {
		l.SettledBy = me.ID
		if w, ok := l.waiting(); ok && v.Kept != Succeeded {
			l.SettledBy = w.ID
		}
	}
	l.State, l.Result = v.Next, v.Result
}

func readAction(q *gorm.DB, id int64, suffix string) (*locked, error) {
	var r struct {
		ID, WorkflowID, EnvironmentID, ControlID, AttemptID, SettledBy, SettledLookup int64
		RevisionID, RuleID, ReportID, LookupID                                        int64
		State                                                                         State
		ResultID, IdentityKey, RecordID, Version, VersionRank                         string
		LeaseUntil                                                                    time.Time
		Attempts, Automatic                                                           int
		Replayed                                                                      bool
	}
	done := q.Raw(`select id, workflow_id, environment_id, control_id, attempt_id, coalesce(settled_by, 0) as settled_by, coalesce(settled_lookup, 0) as settled_lookup,
			revision_id, rule_id, report_id, lookup_id, state, result_id, identity_key, record_id, version, coalesce(version_rank::text, '') as version_rank,
			lease_until, attempts, automatic, replayed from actions where id = ?`+suffix, id).Scan(&r)
	switch {
	case done.Error != nil:
		return nil, done.Error
	case done.RowsAffected == 0:
		return nil, models.NotFoundf("There is no action %d.", id)
	}
	return &locked{actionFact: actionFact{ID: r.ID, State: r.State, Attempt: r.AttemptID, Result: r.ResultID, SettledBy: r.SettledBy, SettledLookup: r.SettledLookup},
		Workflow: r.WorkflowID, Environment: r.EnvironmentID, Control: r.ControlID, Key: r.IdentityKey, Record: r.RecordID, Version: r.Version, Rank: r.VersionRank,
		Revision: r.RevisionID, Rule: r.RuleID, LeaseUntil: r.LeaseUntil, AttemptCount: r.Attempts, Automatic: r.Automatic, Replayed: r.Replayed, Report: r.ReportID, Lookup: r.LookupID}, nil
}

// mostObserved is how many observed successes a judgement looks at, the first.
const mostObserved = 100

func (l *locked) loadAttempts(q *gorm.DB, token string) error {
	var cleared *time.Time
	var found string
	err := q.Raw(`select clock_timestamp(), (select max(began_at) from lookups where action_id = @id and counts and result = 'not_found'),
		(select coalesce(json_agg(x order by first), '[]')::text from (select x, min(l.id) as first from lookups l, unnest(l.result_ids) x where l.action_id = @id group by x) f)`,
		map[string]any{"id": l.ID}).Row().Scan(&l.Now, &cleared, &found)
	if err != nil {
		return err
	}
	if l.Now = l.Now.UTC(); cleared != nil {
		l.Cleared = *cleared
	}
	if err := json.Unmarshal([]byte(found), &l.Found); err != nil {
		return err
	}
	return q.Raw(`select id, number, kind, coalesce(outcome, '') as outcome, result_id as result, detail, started_at, lease_until, ended_at, noted_at
		from attempts where action_id = @id and (kind <> 'observed' or token_hash = decode(@token, 'hex')
			or id in (select id from attempts where action_id = @id and kind = 'observed' and outcome = 'succeeded' order by ended_at, id limit @most)) order by number`,
		map[string]any{"id": l.ID, "token": token, "most": mostObserved}).Scan(&l.Attempts).Error
}

// noteLapsed writes down what the clock says already: leases that ended without a
// report, the observed success that counts from then on, and the duplicate that
// may follow.
func (l *locked) noteLapsed(tx *models.Tx) error {
	for i, t := range l.Attempts {
		if !t.lapsed(l.Now) || t.NotedAt != nil {
			continue
		}
		l.Attempts[i].NotedAt = &l.Now
		if err := l.noteLapse(tx, t, judgeLapse(l.Now, l.actionFact, t)); err != nil {
			return err
		}
	}
	return nil
}

func (l *locked) noteLapse(tx *models.Tx, t attemptFact, v verdict) error {
	if err := tx.Exec("update attempts set noted_at = ? where id = ?", l.Now, t.ID).Error; err != nil {
		return err
	}
	before := l.State
	l.take(t, v)
	if t.ID == l.Attempt {
		err := tx.Exec("update actions set state = ?, result_id = ?, settled_by = nullif(?, 0), waiting = false, ended_at = ?, changed_at = ? where id = ?",
			l.State, l.Result, l.SettledBy, t.LeaseUntil, l.Now, l.ID).Error
		if err != nil {
			return err
		}
	}
	if err := insertReport(tx, l.ID, t.ID, "lease_ended", "", "", false, before, l.State, Caller{}, t.LeaseUntil, nil); err != nil {
		return err
	}
	if v.Settles {
		if err := overtake(tx, l.ID, l.Now); err != nil {
			return err
		}
	}
	if before == Pending && l.State == Unknown {
		if err := countUp(tx, l.Control, l.Environment, "unknown"); err != nil {
			return err
		}
	}
	if v.Duplicate == "" {
		return nil
	}
	return openDuplicate(tx, l.ID, v.Duplicate, "lease", nil, v.Why, 0, t.LeaseUntil)
}

// insertReport keeps what an attempt said; id, unless nil, gets its number.
func insertReport(tx *models.Tx, action, attempt int64, said, result, detail string, late bool, before, after State, by Caller, at time.Time, id *int64) error {
	var made int64
	err := tx.Raw(`insert into attempt_reports (action_id, attempt_id, said, result_id, detail, late, before, after, token_id, person_id, at)
		values (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0), ?) returning id`,
		action, attempt, said, result, detail, late, before, after, by.Token, by.person(), at).Row().Scan(&made)
	if id != nil {
		*id = made
	}
	return err
}

// openDuplicate heads the queue with what may be, or is, a second effect. One is
// open for each action; a confirmed one takes over a possible one.
func openDuplicate(tx *models.Tx, action int64, kind, source string, results []string, why string, person int64, at time.Time) error {
	list, err := json.Marshal(append([]string{}, results...))
	if err != nil {
		return err
	}
	d := DuplicateRef{Action: action}
	err = tx.Raw(`insert into duplicates (action_id, kind, source, result_ids, detail, opened_by, opened_at)
		values (@action, @kind, @source, array(select jsonb_array_elements_text(cast(@results as jsonb))), @why, nullif(@person, 0), @at)
		on conflict (action_id) where settled_at is null do update set
			kind = case when excluded.kind = 'confirmed' then 'confirmed' else duplicates.kind end,
			result_ids = array(select distinct unnest(duplicates.result_ids || excluded.result_ids) order by 1),
			detail = right(duplicates.detail || E'\n' || excluded.detail, 8000), version = duplicates.version + 1
		returning id, kind`,
		map[string]any{"action": action, "kind": kind, "source": source, "results": string(list), "why": why, "person": person, "at": at}).Row().Scan(&d.ID, &d.Kind)
	if err != nil {
		return err
	}
	return tellDuplicate(tx, d, why)
}

// overtake ends the authorizations of an action that succeeded without them.
func overtake(tx *models.Tx, action int64, at time.Time) error {
	return tx.Exec("update authorizations set ended_at = ?, ended_as = 'overtaken' where action_id = ? and used_at is null and ended_at is null", at, action).Error
}

func countUp(tx *models.Tx, control, environment int64, kind string) error {
	list, err := json.Marshal([]map[string]any{{"c": control, "e": environment, "k": kind}})
	if err != nil {
		return err
	}
	return tx.Exec("select count_up(cast(? as jsonb))", string(list)).Error
}
