package demo_test

import (
	"fmt"
	"slices"
	"testing"

	"countersign/models"
	"countersign/models/ledger"
)

// filtersPage holds every combination of filters against one plain statement: the
// pages hold what it finds in its order, nothing twice and nothing left out,
// forwards and back.
func filtersPage(t *testing.T, db *models.DB) {
	var busy ledger.SearchFilter
	if err := db.Query(t.Context()).Raw("select (now() at time zone 'UTC')::date - 90 as day").Row().Scan(&busy.Day); err != nil {
		t.Fatal(err)
	}
	some := map[string]int{}
	for _, f := range filters(busy) {
		args := map[string]any{"state": string(f.State), "disposition": string(f.Disposition), "environment": f.Environment, "control": f.Control, "workflow": f.Workflow, "day": f.Day}
		place := "@environment in ('', e.slug) and @workflow in ('', w.slug)"
		actions := whole(t, db, "select a.id from actions a join environments e on e.id = a.environment_id join controls c on c.id = a.control_id join workflows w on w.id = a.workflow_id where "+place+
			" and @control in ('', c.slug) and @state in ('', state_now(a.state, a.lease_until, a.waiting)) and (cast(@day as date) is null or (a.created_at at time zone 'UTC')::date = cast(@day as date)) order by a.created_at desc, a.id desc", args)
		pages(t, fmt.Sprintf("actions %+v", f), f, actions, func(f ledger.SearchFilter) (ids []int64, next, prev string, err error) {
			p, err := ledger.SearchActions(t.Context(), db, f)
			for _, r := range p.Items {
				ids = append(ids, r.ID)
			}
			return ids, p.Next, p.Prev, err
		})
		deliveries := whole(t, db, "select d.id from deliveries d join environments e on e.id = d.environment_id join workflows w on w.id = d.workflow_id where "+place+
			" and @disposition in ('', d.disposition) and (cast(@day as date) is null or (d.received_at at time zone 'UTC')::date = cast(@day as date)) order by d.received_at desc, d.id desc", args)
		pages(t, fmt.Sprintf("deliveries %+v", f), f, deliveries, func(f ledger.SearchFilter) (ids []int64, next, prev string, err error) {
			p, err := ledger.SearchDeliveries(t.Context(), db, f)
			for _, r := range p.Items {
				ids = append(ids, r.ID)
			}
			return ids, p.Next, p.Prev, err
		})
		some[fmt.Sprint(f.Day != nil, f.State)] += len(actions)
	}
	for _, state := range []ledger.State{ledger.Pending, ledger.Unknown, ledger.Failed, ledger.Succeeded, ""} {
		if some[fmt.Sprint(false, state)] == 0 {
			t.Errorf("no action %s to find", state)
		}
	}
	if some["true"] == 0 {
		t.Error("no action on that day")
	}
}

// filters are all combinations, some of which nothing meets.
func filters(day ledger.SearchFilter) (all []ledger.SearchFilter) {
	dispositions := map[ledger.State]ledger.Disposition{"": "", ledger.Pending: ledger.Duplicate, ledger.Unknown: ledger.NeedsReview, ledger.Failed: ledger.Stale, ledger.Succeeded: ledger.Accepted, "other": "other"}
	for state, disposition := range dispositions {
		for _, environment := range []string{"", "production", "nowhere"} {
			for _, control := range []string{"", "create-crm-task", "book-visit"} {
				for _, workflow := range []string{"", "service-request", "no-workflow"} {
					f := ledger.SearchFilter{State: state, Disposition: disposition, Environment: environment, Control: control, Workflow: workflow}
					all = append(all, f)
					if f.Day = day.Day; workflow == "" {
						all = append(all, f)
					}
				}
			}
		}
	}
	return all
}

func whole(t *testing.T, db *models.DB, sql string, args map[string]any) (ids []int64) {
	t.Helper()
	if err := db.Query(t.Context()).Raw(sql, args).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

// pages walks a list to its end and back.
func pages(t *testing.T, name string, f ledger.SearchFilter, want []int64, page func(ledger.SearchFilter) (ids []int64, next, prev string, err error)) {
	t.Helper()
	var got []int64
	for n := 0; ; n++ {
		ids, next, prev, err := page(f)
		if err != nil || n > len(want) {
			t.Fatalf("%s: page %d: %v", name, n, err)
		}
		got = append(got, ids...)
		if n == 1 {
			back := f
			back.At = prev
			if first, _, _, err := page(back); err != nil || !slices.Equal(first, want[:models.PageSize]) {
				t.Errorf("%s: back from the second page: %v, %d items", name, err, len(first))
			}
		}
		if f.At = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d items, want %d", name, len(got), len(want))
	}
}
