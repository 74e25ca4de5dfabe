package matrix

import (
	"slices"
	"time"

	"gorm.io/gorm"
)

// inChain is how many of the newest runs of a discrepancy are shown.
const inChain = 10

// loadChains reads discrepancies with what failed and what answered it, by case
// and newest first: mostChains of a case, and one more when there are more.
func loadChains(q *gorm.DB, where string, args ...any) (map[int64][]Chain, error) {
	var rows []struct {
		ID, CaseID  int64
		OpenedAt    time.Time
		ClosedAt    *time.Time
		ClosedByRun int64
	}
	err := q.Raw(`select d.id, d.case_id, d.opened_at, d.closed_at, d.closed_by_run
		from (select d.*, row_number() over (partition by d.case_id order by d.id desc) as n from discrepancies d where `+where+`) d
		where d.n <= ? order by d.id desc`, append(args, mostChains+1)...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var ids []int64
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	links, runs, err := loadLinks(q, ids)
	all := map[int64][]Chain{}
	for _, r := range rows {
		c := Chain{ID: r.ID, OpenedAt: r.OpenedAt.UTC(), ClosedAt: r.ClosedAt, ClosedByRun: r.ClosedByRun, Left: links[r.ID].left}
		for _, id := range links[r.ID].runs {
			if run, ok := runs[id]; ok {
				c.Runs = append(c.Runs, run)
			}
		}
		all[r.CaseID] = append(all[r.CaseID], c)
	}
	return all, err
}

type linked struct {
	runs []int64 // in the order of their start
	left int
}

// loadLinks finds the runs of each discrepancy: its first failure and the
// newest ones.
func loadLinks(q *gorm.DB, discrepancies []int64) (map[int64]linked, map[int64]Run, error) {
	var rows []struct {
		DiscrepancyID, RunID int64
		Total                int
	}
	err := q.Raw(`select d.id as discrepancy_id, l.run_id, (select count(*) from run_results s where s.discrepancy_id = d.id)
				+ (select count(*) from runs r left join run_results s on s.run_id = r.id where r.discrepancy_id = d.id and s.outcome is distinct from 'failed') as total
		from discrepancies d cross join lateral (
			(select s.run_id from run_results s where s.discrepancy_id = d.id order by s.number limit 1)
			union (select run_id from (
				(select s.run_id from run_results s where s.discrepancy_id = d.id order by s.number desc limit ?)
				union (select r.id from runs r where r.discrepancy_id = d.id order by r.id desc limit ?)) newest order by run_id desc limit ?)) l
		where d.id in ? order by d.id, l.run_id`, inChain, inChain, inChain, discrepancies).Scan(&rows).Error
	if err != nil {
		return nil, nil, err
	}
	links, ids := map[int64]linked{}, []int64{}
	for _, r := range rows {
		l := links[r.DiscrepancyID]
		l.runs = append(l.runs, r.RunID)
		l.left = r.Total - len(l.runs)
		links[r.DiscrepancyID] = l
		ids = append(ids, r.RunID)
	}
	slices.Sort(ids)
	runs, err := loadRuns(q, slices.Compact(ids)...)
	return links, runs, err
}
