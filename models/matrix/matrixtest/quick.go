// Package matrixtest takes the test matrix of a control as far as a test needs
// it, on the world of controltest.
package matrixtest

import (
	"countersign/models"
	"countersign/models/control"
	"countersign/models/control/controltest"
	"countersign/models/matrix"
)

// AgreeAll leaves every case that has no expectation with one that the owner
// agreed, without running the commands.
func AgreeAll(w *controltest.World, slug string) {
	w.T.Helper()
	quickly(w, slug, `with made as (
			insert into expectations (case_id, version, expected, proposed_by) select t.id, 1, 'What was agreed.', @implementer from test_cases t
			where t.control_id = @control and not exists (select 1 from expectations e where e.case_id = t.id) returning id),
		watched as (insert into expectation_effects (expectation_id, control_id, change) select id, @control, 1 from made)
		insert into expectation_decisions (expectation_id, decision, person_id) select id, 'agreed', @owner from made`)
}

// PassAll leaves every agreed case with an accepted passed run in the sandbox,
// on the latest revision, without running the commands.
func PassAll(w *controltest.World, slug string) {
	w.T.Helper()
	quickly(w, slug, `with made as (
			insert into runs (control_id, case_id, revision_id, design_hash, expectation_id, environment_id, starting_state, started_by)
			select c.id, k.case_id, r.id, coalesce(r.design_hash, c.design_hash), k.expectation_id, @sandbox, 'As it stands.', @implementer
			from controls c join revisions r on r.id = c.latest_revision_id join case_cells k on k.control_id = c.id join expectations x on x.id = k.expectation_id and x.applies
			where c.id = @control order by k.position returning id, expectation_id),
		counted as (insert into run_counts (run_id, control_id, destination_id, change, before)
			select m.id, f.control_id, a.destination_id, f.change, 0 from made m join expectation_effects f on f.expectation_id = m.expectation_id
			join control_accounts a on a.control_id = f.control_id and a.environment_id = @sandbox returning run_id, control_id, change),
		recorded as (insert into run_results (run_id, outcome, claimed, observed, inspected, inspected_what, person_id)
			select id, 'passed', 'passed', 'As agreed.', true, 'The account.', @implementer from made returning run_id),
		after as (insert into run_after (run_id, control_id, after) select run_id, control_id, change from counted),
		proof as (insert into evidence (kind, url, name, about, path, scanned, keep_until, keep_basis, attached_by)
			select 'link', 'https://proof.example.test/', 'Proof', 'A run', '/runs/' || id, false, current_date + 365, 'The test.', @implementer from made returning id, path),
		attached as (insert into run_evidence (run_id, evidence_id, slot) select m.id, p.id, 'need' from made m join proof p on p.path = '/runs/' || m.id)
		insert into run_reviews (run_id, decision, person_id) select run_id, 'accepted', @reviewer from recorded`)
}

// Prove is AgreeAll and PassAll: a matrix that nothing stands against.
func Prove(w *controltest.World, slug string) {
	w.T.Helper()
	AgreeAll(w, slug)
	PassAll(w, slug)
}

func quickly(w *controltest.World, slug, sql string) {
	w.T.Helper()
	_, err := models.Do(w.T.Context(), w.DB, w.Implementer, nil, func(tx *models.Tx) (int, error) {
		c, err := control.Lock(tx, slug)
		if err != nil {
			return 0, err
		}
		args := map[string]any{"control": c.ID, "owner": w.Owner.ID, "implementer": w.Implementer.ID, "reviewer": w.Reviewer.ID, "sandbox": w.Sandbox}
		if err := tx.Exec(sql, args).Error; err != nil {
			return 0, err
		}
		if err := tx.Exec("select derive_cells(?)", c.ID).Error; err != nil {
			return 0, err
		}
		return 0, matrix.KeepGate(tx, c.ID)
	})
	if err != nil {
		w.T.Fatal(err)
	}
}
