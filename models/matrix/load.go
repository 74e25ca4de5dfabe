package matrix

import (
	"time"

	"countersign/models/control"

	"gorm.io/gorm"
)

// selectRun reads a run with its result and its review.
const selectRun = `r.id, r.control_id, c.slug as control_slug, c.name as control_name, t.key as case_key, t.title as case_title, v.number as revision,
	r.design_hash, r.expectation_id, r.environment_id, e.slug as environment_slug, e.name as environment_name, r.retest_of,
	coalesce(s.discrepancy_id, r.discrepancy_id) as discrepancy_id, r.correction, r.starting_state,
	r.started_by, sb.name as started_name, r.started_for, sf.name as started_for_name, r.at as started_at,
	s.outcome, s.claimed, s.observed, s.log_reference, s.inspected, s.inspected_what, s.reason,
	s.person_id as recorded_by, rb.name as recorded_name, s.for_person_id as recorded_for, rf.name as recorded_for_name, s.at as recorded_at,
	w.decision, w.reason as review_note, w.person_id as reviewed_by, wb.name as reviewed_name, w.for_person_id as reviewed_for, wf.name as reviewed_for_name, w.at as reviewed_at,
	k.expectation_id is not distinct from r.expectation_id and c.design_hash = r.design_hash as current, r.revision_id is not distinct from c.approved_revision_id as in_force`

const fromRun = `runs r join controls c on c.id = r.control_id join test_cases t on t.id = r.case_id join case_cells k on k.case_id = r.case_id
	join revisions v on v.id = r.revision_id join environments e on e.id = r.environment_id
	join people sb on sb.id = r.started_by left join people sf on sf.id = r.started_for
	left join run_results s on s.run_id = r.id left join people rb on rb.id = s.person_id left join people rf on rf.id = s.for_person_id
	left join run_reviews w on w.run_id = r.id left join people wb on wb.id = w.person_id left join people wf on wf.id = w.for_person_id`

type runRow struct {
	ID, ControlID                                       int64
	ControlSlug, ControlName                            string
	CaseKey, CaseTitle                                  string
	Revision                                            int
	DesignHash                                          string
	ExpectationID, EnvironmentID                        int64
	EnvironmentSlug, EnvironmentName                    string
	RetestOf, DiscrepancyID                             int64
	Correction, StartingState                           string
	StartedBy, StartedFor                               int64
	StartedName, StartedForName                         string
	StartedAt                                           time.Time
	Outcome, Claimed                                    Outcome
	Observed, LogReference                              string
	Inspected                                           bool
	InspectedWhat, Reason                               string
	RecordedBy, RecordedFor                             int64
	RecordedName, RecordedForName                       string
	RecordedAt                                          *time.Time
	Decision, ReviewNote, ReviewedName, ReviewedForName string
	ReviewedBy, ReviewedFor                             int64
	ReviewedAt                                          *time.Time
	Current, InForce                                    bool
}

func (r runRow) run() Run {
	ref := func(id int64, name string) control.Ref { return control.Ref{ID: id, Name: name} }
	title := r.CaseTitle
	if s, ok := ScenarioByKey(r.CaseKey); ok {
		title = s.Title
	}
	return Run{ID: r.ID, Control: control.Ref{ID: r.ControlID, Slug: r.ControlSlug, Name: r.ControlName}, Case: control.Ref{Slug: r.CaseKey, Name: title},
		Revision: r.Revision, DesignHash: r.DesignHash, ExpectationID: r.ExpectationID,
		Environment: control.Ref{ID: r.EnvironmentID, Slug: r.EnvironmentSlug, Name: r.EnvironmentName},
		RetestOf:    r.RetestOf, DiscrepancyID: r.DiscrepancyID, Correction: r.Correction, StartingState: r.StartingState,
		StartedBy: ref(r.StartedBy, r.StartedName), StartedFor: ref(r.StartedFor, r.StartedForName), StartedAt: r.StartedAt.UTC(),
		Outcome: r.Outcome, Claimed: r.Claimed, Observed: r.Observed, LogReference: r.LogReference, Inspected: r.Inspected, InspectedWhat: r.InspectedWhat, Reason: r.Reason,
		RecordedBy: ref(r.RecordedBy, r.RecordedName), RecordedFor: ref(r.RecordedFor, r.RecordedForName), RecordedAt: r.RecordedAt,
		Decision: r.Decision, ReviewNote: r.ReviewNote, ReviewedBy: ref(r.ReviewedBy, r.ReviewedName), ReviewedFor: ref(r.ReviewedFor, r.ReviewedForName), ReviewedAt: r.ReviewedAt,
		Current: r.Current, InForce: r.InForce}
}

// loadRuns reads runs with their counts by id. Ids of 0 or of no run are left out.
func loadRuns(q *gorm.DB, ids ...int64) (map[int64]Run, error) {
	all := map[int64]Run{}
	if len(ids) == 0 {
		return all, nil
	}
	var rows []runRow
	if err := q.Raw("select "+selectRun+" from "+fromRun+" where r.id in ?", ids).Scan(&rows).Error; err != nil {
		return nil, err
	}
	runs := make([]Run, 0, len(rows))
	for _, r := range rows {
		runs = append(runs, r.run())
	}
	if err := addCounts(q, runs); err != nil {
		return nil, err
	}
	for _, r := range runs {
		all[r.ID] = r
	}
	return all, nil
}

// addCounts reads the counts of runs.
func addCounts(q *gorm.DB, runs []Run) error {
	at, ids := map[int64]int{}, []int64{}
	for i, r := range runs {
		at[r.ID] = i
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	var rows []struct {
		RunID, ControlID, DestinationID int64
		Slug, Name                      string
		DestinationSlug, System         string
		Account                         string
		Change                          int
		Before                          int64
		After                           *int64
		Own                             bool
	}
	err := q.Raw(`select n.run_id, n.control_id, c.slug, c.name, n.destination_id, d.slug as destination_slug, d.system, d.account, n.change, n.before, a.after,
			n.control_id = r.control_id as own
		from run_counts n join runs r on r.id = n.run_id join controls c on c.id = n.control_id join destinations d on d.id = n.destination_id
		left join run_after a on a.run_id = n.run_id and a.control_id = n.control_id
		where n.run_id in ? order by own desc, c.name, c.id`, ids).Scan(&rows).Error
	for _, n := range rows {
		r := &runs[at[n.RunID]]
		r.Counts = append(r.Counts, Count{ControlID: n.ControlID, Slug: n.Slug, Name: n.Name, Own: n.Own,
			Destination: control.Ref{ID: n.DestinationID, Slug: n.DestinationSlug, Name: n.System + ", " + n.Account}, Change: n.Change, Before: n.Before, After: n.After})
	}
	return err
}

type expectationRow struct {
	ID, CaseID                    int64
	Version                       int
	Applies                       bool
	Expected, Reason              string
	ProposedBy, ProposedFor       int64
	ProposedName, ProposedForName string
	At                            time.Time
	Decision, Note                string
	Exception                     bool
	DecidedBy, DecidedFor         int64
	DecidedByName, DecidedForName string
	DecidedAt                     *time.Time
}

const selectExpectation = `select x.id, x.case_id, x.version, x.applies, x.expected, x.reason, x.proposed_by, p.name as proposed_name, x.proposed_for, pf.name as proposed_for_name, x.at,
	d.decision, d.note, d.exception, d.person_id as decided_by, dp.name as decided_by_name, d.for_person_id as decided_for, df.name as decided_for_name, d.at as decided_at
	from expectations x join people p on p.id = x.proposed_by left join people pf on pf.id = x.proposed_for
	left join expectation_decisions d on d.expectation_id = x.id left join people dp on dp.id = d.person_id left join people df on df.id = d.for_person_id `

func (r expectationRow) expectation() Expectation {
	e := Expectation{ID: r.ID, Version: r.Version, Applies: r.Applies, Expected: r.Expected, Reason: r.Reason,
		By: control.Ref{ID: r.ProposedBy, Name: r.ProposedName}, For: control.Ref{ID: r.ProposedFor, Name: r.ProposedForName}, At: r.At.UTC(),
		Decision: r.Decision, Note: r.Note, Exception: r.Exception,
		DecidedBy: control.Ref{ID: r.DecidedBy, Name: r.DecidedByName}, DecidedFor: control.Ref{ID: r.DecidedFor, Name: r.DecidedForName}}
	if r.DecidedAt != nil {
		e.DecidedAt = r.DecidedAt.UTC()
	}
	return e
}

// loadExpectations reads expectations with their effects, by case and newest
// first. where filters x.
func loadExpectations(q *gorm.DB, where string, args ...any) (map[int64][]Expectation, error) {
	var rows []expectationRow
	if err := q.Raw(selectExpectation+where+" order by x.case_id, x.version desc", args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	all, ids := map[int64][]Expectation{}, []int64{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	effects, err := loadEffects(q, ids)
	for _, r := range rows {
		e := r.expectation()
		e.Effects = effects[e.ID]
		all[r.CaseID] = append(all[r.CaseID], e)
	}
	return all, err
}

func loadEffects(q *gorm.DB, expectations []int64) (map[int64][]Effect, error) {
	all := map[int64][]Effect{}
	if len(expectations) == 0 {
		return all, nil
	}
	var rows []struct {
		ExpectationID, ControlID int64
		Slug, Name               string
		Change                   int
		Own                      bool
	}
	err := q.Raw(`select f.expectation_id, f.control_id, c.slug, c.name, f.change, f.control_id = t.control_id as own
		from expectation_effects f join expectations x on x.id = f.expectation_id join test_cases t on t.id = x.case_id join controls c on c.id = f.control_id
		where f.expectation_id in ? order by own desc, c.name, c.id`, expectations).Scan(&rows).Error
	for _, r := range rows {
		all[r.ExpectationID] = append(all[r.ExpectationID], Effect{r.ControlID, r.Slug, r.Name, r.Change, r.Own})
	}
	return all, err
}

// newest and agreed of the versions of one case, newest first; nil without one.
func newest(versions []Expectation) *Expectation {
	if len(versions) == 0 {
		return nil
	}
	return &versions[0]
}

func agreed(versions []Expectation) *Expectation {
	for i := range versions {
		if versions[i].Agreed() {
			return &versions[i]
		}
	}
	return nil
}
