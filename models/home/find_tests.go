package home

import (
	"fmt"

	"countersign/models"
	"countersign/models/matrix"
)

// toAgree: a proposal waits for the business owner, who did not make it.
func (r reader) toAgree() ([]Need, error) {
	return r.needs(`select c.slug, c.name, t.key field, t.title text, e.at, p.name state, (not e.applies)::int count, c.business_owner_id whom
		from controls c join case_cells k on k.control_id = c.id and k.pending join test_cases t on t.id = k.case_id
		join lateral (select * from expectations e where e.case_id = k.case_id order by e.version desc limit 1) e on true join people p on p.id = e.proposed_by
		where c.business_owner_id in @owners and e.proposed_by not in @ids and coalesce(e.proposed_for, 0) not in @ids
		order by e.at`, map[string]any{"owners": r.as(models.BusinessOwner)}, func(f found) Need {
		if f.Count > 0 {
			return Need{Kind: "expectation", Title: fmt.Sprintf("Agree that “%s” does not apply to %s", f.Text, f.Name), Verb: "Read and decide", Urgent: true,
				Path: matrix.Path(f.Slug, f.Field), Line: f.State + " proposed it. Once you agree, the scenario needs no run."}
		}
		return Need{Kind: "expectation", Title: fmt.Sprintf("Agree what “%s” must show for %s", f.Text, f.Name), Verb: "Read and decide", Urgent: true,
			Path: matrix.Path(f.Slug, f.Field), Line: f.State + " proposed it. Only an agreed scenario can be run."}
	})
}

// toReviewRuns: a recorded run waits for the reviewer, who neither started nor
// recorded it.
func (r reader) toReviewRuns() ([]Need, error) {
	return r.needs(`select c.name, o.run_id id, t.title text, s.outcome state, s.at, c.reviewer_id whom
		from controls c join open_runs o on o.control_id = c.id and o.waits_for = 'review' join runs r on r.id = o.run_id join run_results s on s.run_id = r.id join test_cases t on t.id = r.case_id
		where c.reviewer_id in @reviewers and not (r.started_by in @ids or coalesce(r.started_for, 0) in @ids or s.person_id in @ids or coalesce(s.for_person_id, 0) in @ids)
		order by s.at`, map[string]any{"reviewers": r.as(models.Reviewer)}, func(f found) Need {
		return Need{Kind: "run", Title: fmt.Sprintf("Review run %d of %s", f.ID, f.Name), Verb: "Review", Urgent: true, Path: matrix.RunPath(f.ID),
			Line: fmt.Sprintf("“%s”, recorded as %s. %s", f.Text, f.State, reviewing[f.State])}
	})
}

// reviewing says what the review of a run adds to its recorded result.
var reviewing = map[string]string{"passed": "It counts once you accept it.", "inconclusive": "It shows nothing either way, whatever you decide.",
	"failed": "It counts as a failure already; your review confirms what was found."}

// toRecord: a run was started, and nobody said what became of it.
func (r reader) toRecord() ([]Need, error) {
	return r.needs(`select c.name, o.run_id id, t.title text, r.at, c.implementer_id whom
		from controls c join open_runs o on o.control_id = c.id and o.waits_for = 'result' join runs r on r.id = o.run_id join test_cases t on t.id = r.case_id
		where c.implementer_id in @implementers order by r.at`, map[string]any{"implementers": r.as(models.Implementer)}, func(f found) Need {
		return Need{Kind: "record", Title: fmt.Sprintf("Record run %d of %s", f.ID, f.Name), Verb: "Record", Path: matrix.RunPath(f.ID),
			Line: fmt.Sprintf("“%s” was started. Record what came of it, or abandon it with a reason.", f.Text)}
	})
}

// toRetest: a scenario failed and nothing that runs or waits answers it; or the
// reviewer returned its latest run.
func (r reader) toRetest() ([]Need, error) {
	return r.needs(`select c.name, k.run_id id, t.title text, k.state, coalesce(v.at, s.at) at, coalesce(v.reason, '') field, c.implementer_id whom
		from controls c join case_cells k on k.control_id = c.id and (k.discrepancy_id is not null or k.state = 'returned') join test_cases t on t.id = k.case_id
		join run_results s on s.run_id = k.run_id left join run_reviews v on v.run_id = k.run_id and k.state = 'returned' left join run_reviews w on w.run_id = k.retest_id
		where c.implementer_id in @implementers and (k.retest_id is null or w.run_id is not null) order by at`, map[string]any{"implementers": r.as(models.Implementer)}, func(f found) Need {
		if f.State == string(matrix.Returned) {
			return Need{Kind: "returned", Title: fmt.Sprintf("Run %d of %s was returned", f.ID, f.Name), Verb: "Open", Path: matrix.RunPath(f.ID),
				Line: fmt.Sprintf("“%s”: “%s” Run it again.", f.Text, shorten(f.Field))}
		}
		return Need{Kind: "discrepancy", Title: fmt.Sprintf("Run %d of %s failed", f.ID, f.Name), Verb: "Correct and retest", Urgent: true, Path: matrix.RunPath(f.ID),
			Line: fmt.Sprintf("“%s”. Only a passing, accepted retest closes the discrepancy.", f.Text)}
	})
}

// toWaive: a waiver waits for the owner's or the reviewer's signature, and
// nobody signs both.
func (r reader) toWaive() ([]Need, error) {
	return r.needs(`select c.slug, c.name, t.key field, t.title text, w.at, w.until date, place.whom
		from controls c join waivers w on w.control_id = c.id and w.ended_at is null and w.until >= (now() at time zone 'utc')::date join test_cases t on t.id = w.case_id
		join lateral (select v.whom from (values (c.business_owner_id, w.owner_at, w.reviewer_by, w.reviewer_for), (c.reviewer_id, w.reviewer_at, w.owner_by, w.owner_for)) v(whom, signed, other, other_for)
			where v.signed is null and (v.whom = c.business_owner_id and v.whom in @owners or v.whom = c.reviewer_id and v.whom in @reviewers)
				and coalesce(v.other, 0) not in (@me, v.whom) and coalesce(v.other_for, 0) not in (@me, v.whom)
			order by v.whom <> @me limit 1) place on true
		where c.business_owner_id in @ids or c.reviewer_id in @ids order by w.at`, map[string]any{"owners": r.as(models.BusinessOwner), "reviewers": r.as(models.Reviewer)}, func(f found) Need {
		return Need{Kind: "waiver", Title: fmt.Sprintf("Sign or turn down a waiver of %s", f.Name), Verb: "Read and decide", Path: matrix.Path(f.Slug, f.Field), Due: f.Date,
			Line: fmt.Sprintf("“%s” would not be run until then.", f.Text)}
	})
}
