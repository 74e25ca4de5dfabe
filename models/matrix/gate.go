package matrix

import (
	"countersign/models"

	"gorm.io/gorm"
)

// restsOn is what the approved revision of control @id rests on: for each case
// that it agreed, the newest accepted pass and until when its evidence is kept,
// else the newest waiver that both signed; and the failures of its design that
// nothing on that design answered.
const restsOn = `with agreed as (
		select (x->>'case_id')::bigint as case_id, (x->>'expectation_id')::bigint as expectation_id, r.design_hash
		from controls c join revisions r on r.id = c.approved_revision_id
		cross join lateral jsonb_array_elements(case when jsonb_typeof(r.content::jsonb->'expectations') = 'array' then r.content::jsonb->'expectations' else '[]' end) x
		where c.id = @id and (x->>'applies')::boolean),
	rests as (
		select a.case_id, run.id as run, proof.until as proven, waiver.until as waived from agreed a
		left join lateral (select r.id from runs r join run_results s on s.run_id = r.id and s.outcome = 'passed'
			join run_reviews v on v.run_id = r.id and v.decision = 'accepted'
			where r.case_id = a.case_id and r.expectation_id = a.expectation_id and r.design_hash = a.design_hash order by r.id desc limit 1) run on true
		left join lateral (select min(slots.until) as until from (select max(e.keep_until) as until from run_evidence x join evidence e on e.id = x.evidence_id
			where x.run_id = run.id and x.slot <> 'other' group by x.slot) slots) proof on true
		left join lateral (select case when w.ended_at is null then w.until else least(w.until, (w.ended_at at time zone 'utc')::date - 1) end as until from waivers w
			where w.case_id = a.case_id and w.owner_at is not null and w.reviewer_at is not null order by w.id desc limit 1) waiver on true),
	failing as (
		select d.id, (select r.id from run_results s join runs r on r.id = s.run_id
			where s.discrepancy_id = d.id and r.design_hash = a.design_hash and r.expectation_id = a.expectation_id order by s.number desc limit 1) as run
		from agreed a join discrepancies d on d.case_id = a.case_id
		where d.closed_at is null or not exists (select 1 from runs k join run_results p on p.run_id = k.id and p.outcome = 'passed'
			join run_reviews v on v.run_id = k.id and v.decision = 'accepted'
			where k.case_id = a.case_id and k.design_hash = a.design_hash and k.expectation_id = a.expectation_id
				and k.id > (select max(s.run_id) from run_results s where s.discrepancy_id = d.id))) `

// KeepGate brings what the gate reads from the matrix up to date: until when
// what the approved revision rests on is waived and proven, and how many of its
// failures nothing answered. A failure of the approved design that was put right
// on another design counts until that one is approved, or until the approved one
// passes too. The caller holds the control.
func KeepGate(tx *models.Tx, controlID int64) error {
	return tx.Exec(restsOn+`update controls set
			waived_until = (select min(waived) from rests where run is null),
			proven_until = (select min(proven) from rests where run is not null),
			open_discrepancies = (select count(*) from failing where run is not null)
		where id = @id`, map[string]any{"id": controlID}).Error
}

// Ways are the pages that put right what the matrix says against a gate; "" for
// what it does not say.
type Ways struct{ Waiver, Evidence, Discrepancy string }

// WaysOut finds the scenario whose waiver ends first, the run whose evidence
// expires first, and the newest failure that nothing answered.
func WaysOut(q *gorm.DB, controlID int64) (Ways, error) {
	var r struct {
		Slug, Key     string
		Proof, Failed int64
	}
	err := q.Raw(restsOn+`select c.slug, (select t.key from rests s join test_cases t on t.id = s.case_id where s.run is null and s.waived is not null order by s.waived, t.position limit 1) as key,
			(select run from rests where run is not null and proven is not null order by proven, run limit 1) as proof, (select max(run) from failing) as failed
		from controls c where c.id = @id`, map[string]any{"id": controlID}).Scan(&r).Error
	var w Ways
	if r.Key != "" {
		w.Waiver = Path(r.Slug, r.Key)
	}
	if r.Proof != 0 {
		w.Evidence = RunPath(r.Proof)
	}
	if r.Failed != 0 {
		w.Discrepancy = RunPath(r.Failed)
	}
	return w, err
}
