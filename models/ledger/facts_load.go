package ledger

import (
	"fmt"
	"time"

	"countersign/models"
	"countersign/models/signoff"
	"countersign/models/workflow"

	"gorm.io/gorm"
)

// LoadFacts reads what decides whether an action may be tried again. NotFound.
func LoadFacts(q *gorm.DB, action int64) (Facts, error) {
	l, err := seeAction(q, action)
	if err != nil {
		return Facts{}, err
	}
	f, _, err := l.facts(q)
	return f, err
}

// LockFacts is LoadFacts with the action's row held until the transaction ends,
// so that nothing newer comes between a decision and its commit. NotFound.
func LockFacts(tx *models.Tx, action int64) (Facts, error) {
	l, err := lockAction(tx, Caller{}, action, "")
	if err != nil {
		return Facts{}, err
	}
	f, _, err := l.facts(tx.DB)
	return f, err
}

func (l *locked) facts(q *gorm.DB) (Facts, serving, error) {
	s, err := servingOf(q, l.Control, l.Environment)
	if err != nil {
		return Facts{}, s, err
	}
	f := Facts{Standing: *l.standing(), Now: l.Now, Control: l.Control, Workflow: l.Workflow, Environment: l.Environment,
		ControlSlug: s.ControlSlug, ControlName: s.ControlName, WorkflowSlug: s.WorkflowSlug, WorkflowName: s.WorkflowName, EnvironmentSlug: s.EnvironmentSlug, Account: s.Account,
		Record: l.Record, Version: l.Version, ReachesCustomers: s.Reaches, Approved: s.Approved > 0, Attempts: l.AttemptCount, AutomaticUsed: l.Automatic, Replayed: l.Replayed}
	f.Seen = Seen{Attempt: l.Attempt, Outcome: l.State, Report: l.Report, Lookup: l.Lookup, Rule: s.Digest}
	f.FirstAttempt = l.Attempts[0].StartedAt.UTC()
	if held, end := l.lastEnd(l.Now); !held {
		f.LastEnded = &end
	}
	if f.Gate, err = gateIn(q, s); err != nil {
		return f, s, err
	}
	if err := f.loadVersion(q, l, s.VersionOrder); err != nil {
		return f, s, err
	}
	if err := f.loadLookups(q, l); err != nil {
		return f, s, err
	}
	f.loadOperation(s)
	err = q.Raw("select coalesce(max(kind) filter (where settled_at is null), ''), coalesce(max(id), 0) from duplicates where action_id = ?", l.ID).Row().Scan(&f.Duplicate, &f.Seen.Duplicate)
	if f.Duplicate == "" {
		f.Duplicate = l.Due
	}
	return f, s, err
}

// gateIn is what the control allows in an environment now.
func gateIn(q *gorm.DB, s serving) (signoff.Gate, error) {
	var live struct {
		Now                      time.Time
		Stopped                  bool
		StopReason               string
		OpenDiscrepancies        int
		WaivedUntil, ProvenUntil *time.Time
	}
	err := q.Raw(`select now() as now, t.id is not null as stopped, coalesce(t.reason, '') as stop_reason, c.open_discrepancies, c.waived_until, c.proven_until
		from controls c left join stops t on t.workflow_id = c.workflow_id and t.lifted_at is null where c.id = ?`, s.Control).Scan(&live).Error
	gate, _ := s.gate(gateRow{Now: live.Now, Stopped: live.Stopped, StopReason: live.StopReason, OpenDiscrepancies: live.OpenDiscrepancies,
		WaivedUntil: (*day)(live.WaivedUntil), ProvenUntil: (*day)(live.ProvenUntil)})
	return gate, err
}

// loadVersion compares the action's version with the newest of its record.
func (f *Facts) loadVersion(q *gorm.DB, l *locked, order string) error {
	if l.Rank == "" || l.Record == "" {
		return nil
	}
	var r struct {
		Newest       string
		StaleVersion bool
	}
	err := q.Raw(`select r.version as newest, cast(@rank as numeric) < r.version_rank and not exists (select 1 from review_items i
				where i.kind = 'stale_version' and i.state = 'accepted' and i.newest = r.version_rank and (i.action_id = @action or i.carried_by = @action)) as stale_version
			from record_versions r where r.workflow_id = @workflow and r.environment_id = @environment and r.record_id = @record and r.ordering = @ordering`,
		map[string]any{"rank": l.Rank, "action": l.ID, "workflow": l.Workflow, "environment": l.Environment, "record": l.Record, "ordering": order}).
		Scan(&r).Error
	f.Newest, f.StaleVersion = r.Newest, r.StaleVersion
	return err
}

// loadLookups reads what the lookups after the last attempt say.
func (f *Facts) loadLookups(q *gorm.DB, l *locked) error {
	var rows []struct {
		Result  Looked
		Counts  bool
		BeganAt time.Time
		At      time.Time
	}
	if err := q.Raw("select result, counts, began_at, at from lookups where action_id = ? order by id desc limit 100", l.ID).Scan(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		counts := r.Counts && f.LastEnded != nil && !r.BeganAt.Before(*f.LastEnded)
		switch {
		case counts && f.Counting == "":
			f.Counting, f.CountingAt = r.Result, &r.At
		case !counts && r.Result == Found:
			f.FoundUncounted = true
		}
	}
	return nil
}

// loadOperation reads what the documentation of the operation says. Where it
// documents a key without its lifetime, the agreed retry window stands for it.
func (f *Facts) loadOperation(s serving) {
	o := s.operation()
	f.Mechanism, f.KeyLifetimeHours, f.LookupMethod, f.LookupDocumented = o.Mechanism, o.KeyLifetimeHours, o.LookupMethod, o.LookupMethod != ""
	if hours, ok := s.number("retry_window"); ok && f.KeyLifetimeHours == nil {
		f.KeyLifetimeHours = &hours
	}
	if f.Mechanism == workflow.Documented && f.KeyLifetimeHours != nil {
		ends := f.FirstAttempt.Add(time.Duration(*f.KeyLifetimeHours) * time.Hour)
		f.WindowEnds = &ends
	}
}

// staleWords says which version is newer.
func (f Facts) staleWords() string {
	return fmt.Sprintf("Version %s is older than %s, the newest of this record.", f.Version, f.Newest)
}
