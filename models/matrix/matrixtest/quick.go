// Package matrixtest takes the test matrix of a control as far as a test needs
// it.
package matrixtest

import (
	"testing"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
)

// AgreeAll leaves every case that has no expectation with one that the owner
// agreed, without running the commands.
func AgreeAll(t testing.TB, db *models.DB, slug string) {
	t.Helper()
	quickly(t, db, slug, `with made as (
			insert into expectations (case_id, version, expected, proposed_by) select t.id, 1, 'What was agreed.', c.implementer_id from test_cases t join controls c on c.id = t.control_id
			where t.control_id = @control and not exists (select 1 from expectations e where e.case_id = t.id) returning id),
		watched as (insert into expectation_effects (expectation_id, control_id, change) select id, @control, 1 from made)
		insert into expectation_decisions (expectation_id, decision, person_id) select m.id, 'agreed', c.business_owner_id from made m join controls c on c.id = @control`)
}

// PassAll leaves every agreed case with an accepted passed run on the latest
// revision, in an environment that cannot reach customers, without running the
// commands.
func PassAll(t testing.TB, db *models.DB, slug string) {
	t.Helper()
	quickly(t, db, slug, `with made as (
			insert into runs (control_id, case_id, revision_id, design_hash, expectation_id, environment_id, starting_state, started_by)
			select c.id, k.case_id, r.id, coalesce(r.design_hash, c.design_hash), k.expectation_id, e.id, 'As it stands.', c.implementer_id
			from controls c join revisions r on r.id = c.latest_revision_id join case_cells k on k.control_id = c.id join expectations x on x.id = k.expectation_id and x.applies
			join lateral (select e.id from control_accounts a join environments e on e.id = a.environment_id and not e.reaches_customers and e.reach_confirmed_at is not null
				where a.control_id = c.id limit 1) e on true
			where c.id = @control order by k.position returning id, expectation_id, environment_id),
		counted as (insert into run_counts (run_id, control_id, destination_id, change, before)
			select m.id, f.control_id, a.destination_id, f.change, 0 from made m join expectation_effects f on f.expectation_id = m.expectation_id
			join control_accounts a on a.control_id = f.control_id and a.environment_id = m.environment_id returning run_id, control_id, change),
		recorded as (insert into run_results (run_id, outcome, claimed, observed, inspected, inspected_what, person_id)
			select made.id, 'passed', 'passed', 'As agreed.', true, 'The account.', c.implementer_id from made join controls c on c.id = @control returning run_id),
		after as (insert into run_after (run_id, control_id, after) select run_id, control_id, change from counted),
		proof as (insert into evidence (kind, url, name, about, path, scanned, keep_until, keep_basis, attached_by)
			select 'link', 'https://proof.example.test/', 'Proof', 'A run', '/runs/' || made.id, false, current_date + 365, 'The test.', c.implementer_id from made join controls c on c.id = @control returning id, path),
		attached as (insert into run_evidence (run_id, evidence_id, slot) select m.id, p.id, 'need' from made m join proof p on p.path = '/runs/' || m.id)
		insert into run_reviews (run_id, decision, person_id) select run_id, 'accepted', c.reviewer_id from recorded join controls c on c.id = @control`)
}

// Prove is AgreeAll and PassAll: a matrix that nothing stands against.
func Prove(t testing.TB, db *models.DB, slug string) {
	t.Helper()
	AgreeAll(t, db, slug)
	PassAll(t, db, slug)
}

func quickly(t testing.TB, db *models.DB, slug, sql string) {
	t.Helper()
	_, err := models.Do(t.Context(), db, models.Actor{}, nil, func(tx *models.Tx) (int, error) {
		c, err := control.Lock(tx, slug)
		if err != nil {
			return 0, err
		}
		if err := tx.Exec(sql, map[string]any{"control": c.ID}).Error; err != nil {
			return 0, err
		}
		if err := tx.Exec("select derive_cells(?)", c.ID).Error; err != nil {
			return 0, err
		}
		return 0, matrix.KeepGate(tx, c.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
}
