package matrix

import (
	"encoding/json"
	"strings"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// lockCase takes the control and finds one of its cases. NotFound.
func lockCase(tx *models.Tx, slug, key string) (control.Locked, Case, error) {
	c, err := control.Lock(tx, slug)
	if err != nil {
		return c, Case{}, err
	}
	t, err := caseByKey(tx.DB, c.ID, key)
	return c, t, err
}

func caseByKey(q *gorm.DB, controlID int64, key string) (Case, error) {
	return oneCase(q.Raw(selectCase+"where t.control_id = ? and t.key = ?", controlID, control.Plain(key)))
}

func caseByID(q *gorm.DB, id int64) (Case, error) {
	return oneCase(q.Raw(selectCase+"where t.id = ?", id))
}

func oneCase(q *gorm.DB) (Case, error) {
	var r caseRow
	found, err := one(q, &r)
	if err == nil && !found {
		err = models.NotFoundf("This control has no such scenario.")
	}
	if err != nil {
		return Case{}, err
	}
	return r.testCase()
}

// lockRun takes the control of a run and reads the run as it is now. NotFound.
func lockRun(tx *models.Tx, id int64) (control.Locked, Run, error) {
	var slug string
	found, err := one(tx.Raw("select c.slug from runs r join controls c on c.id = r.control_id where r.id = ?", id), &slug)
	if err == nil && !found {
		err = noRun(id)
	}
	if err != nil {
		return control.Locked{}, Run{}, err
	}
	c, err := control.Lock(tx, slug)
	if err != nil {
		return c, Run{}, err
	}
	runs, err := loadRuns(tx.DB, id)
	if err != nil {
		return c, Run{}, err
	}
	return c, runs[id], nil
}

func noRun(id int64) error { return models.NotFoundf("There is no run %d.", id) }

// object is a case in the audit log.
func (c Case) object(of control.Locked) models.Object {
	return models.Object{Type: "scenario", ID: c.ID, Label: c.Title + " of " + of.Name, Path: Path(of.Slug, c.Key)}
}

// editable is a Conflict while the latest revision is in review: what was
// agreed is part of what is signed.
func editable(q *gorm.DB, c control.Locked) error {
	latest, err := control.RevisionByID(q, c.LatestRevisionID)
	if err == nil && latest.State == control.InReview {
		err = models.Conflictf("Revision %d is in review, so what its scenarios must show cannot change. Withdraw it first.", latest.Number)
	}
	return err
}

// settle brings what is kept about the control's cases up to date. Every
// command that changes one ends with it.
func settle(tx *models.Tx, controlID int64) error {
	if err := tx.Exec("select derive_cells(?)", controlID).Error; err != nil {
		return err
	}
	return KeepGate(tx, controlID)
}

// KeepGate brings what the gate reads from the matrix up to date: what of the
// approved revision is waived or rests on evidence, and until when, and which
// of its failures nothing answered yet. A failure of the approved design that
// was put right on another design counts until that one is approved. The
// caller holds the control.
func KeepGate(tx *models.Tx, controlID int64) error {
	return tx.Exec(`with agreed as (
			select (x->>'case_id')::bigint as case_id, (x->>'expectation_id')::bigint as expectation_id, r.design_hash
			from controls c join revisions r on r.id = c.approved_revision_id
			cross join lateral jsonb_array_elements(case when jsonb_typeof(r.content::jsonb->'expectations') = 'array' then r.content::jsonb->'expectations' else '[]' end) x
			where c.id = @id and (x->>'applies')::boolean),
		rests as (
			select run.id as run, proof.until as proven, waiver.until as waived from agreed a
			left join lateral (select r.id from runs r join run_results s on s.run_id = r.id and s.outcome = 'passed'
				join run_reviews v on v.run_id = r.id and v.decision = 'accepted'
				where r.case_id = a.case_id and r.expectation_id = a.expectation_id and r.design_hash = a.design_hash order by r.id desc limit 1) run on true
			left join lateral (select min(slots.until) as until from (select max(e.keep_until) as until from run_evidence x join evidence e on e.id = x.evidence_id
				where x.run_id = run.id and x.slot <> 'other' group by x.slot) slots) proof on true
			left join lateral (select case when w.ended_at is null then w.until else least(w.until, (w.ended_at at time zone 'utc')::date - 1) end as until from waivers w
				where w.case_id = a.case_id and w.owner_at is not null and w.reviewer_at is not null order by w.id desc limit 1) waiver on true)
		update controls set
			waived_until = (select min(waived) from rests where run is null),
			proven_until = (select min(proven) from rests where run is not null),
			open_discrepancies = (select count(*) from agreed a join discrepancies d on d.case_id = a.case_id
				where exists (select 1 from run_results s join runs r on r.id = s.run_id
						where s.discrepancy_id = d.id and r.design_hash = a.design_hash and r.expectation_id = a.expectation_id)
					and not exists (select 1 from runs k where k.id = d.closed_by_run and k.design_hash = a.design_hash and k.expectation_id = a.expectation_id))
		where id = @id`, map[string]any{"id": controlID}).Error
}

// one scans the only row of a query; found is false when there is none.
func one(q *gorm.DB, into any) (found bool, err error) {
	r := q.Scan(into)
	return r.RowsAffected > 0, r.Error
}

func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func jsonList(items []string) string {
	b, _ := json.Marshal(items)
	return string(b)
}

func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
