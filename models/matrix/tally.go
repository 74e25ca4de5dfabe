package matrix

import (
	"context"
	"fmt"
	"strings"

	"countersign/models"
	"countersign/models/control"
)

// MostCounted is where Tally stops counting a state; a page says "1,000 or more".
const MostCounted = 1000

// Tally counts the scenarios in each state, of the controls that the filter
// leaves whatever its state says. It stops at MostCounted for each state, so
// that it takes as long in a large workspace as in a small one.
func Tally(ctx context.Context, db *models.DB, f GridFilter) (map[State]int, error) {
	join, narrow := "", []any{}
	if f.Workflow != "" {
		join, narrow = "join controls c on c.id = k.control_id and c.workflow_id = (select id from workflows where slug = ?) ", []any{control.Plain(f.Workflow)}
	}
	if f.Owner != 0 {
		join, narrow = join+"join controls o on o.id = k.control_id and o.business_owner_id = ? ", append(narrow, f.Owner)
	}
	var parts []string
	var args []any
	for _, s := range States {
		condition, more := shownIs(s)
		parts = append(parts, fmt.Sprintf("select '%s' as state, count(*) as n from (select from case_cells k %swhere %s limit %d) x", s, join, condition, MostCounted))
		args = append(append(args, narrow...), more...)
	}
	var rows []struct {
		State State
		N     int
	}
	if err := db.Query(ctx).Raw(strings.Join(parts, " union all "), args...).Scan(&rows).Error; err != nil {
		return nil, models.Classify(err)
	}
	counts := map[State]int{}
	for _, r := range rows {
		counts[r.State] = r.N
	}
	return counts, nil
}

// Owners are the people whom controls name as business owner, by name.
func Owners(ctx context.Context, db *models.DB) (list []control.Ref, err error) {
	err = db.Query(ctx).Raw(`select p.id, p.name from people p where exists (select 1 from controls c where c.business_owner_id = p.id) order by p.name, p.id limit 500`).Scan(&list).Error
	return list, models.Classify(err)
}

// CellsOf is where the cases of each control stand, in their order.
func CellsOf(ctx context.Context, db *models.DB, controls ...int64) (map[int64][]Cell, error) {
	all := map[int64][]Cell{}
	if len(controls) == 0 {
		return all, nil
	}
	var rows []struct {
		ControlID int64
		Cell      `gorm:"embedded"`
	}
	err := db.Query(ctx).Raw(`select k.control_id, k.state, k.pending, k.failures, k.run_id, k.retest_id, k.discrepancy_id, k.waived_until, k.proven_until
		from case_cells k where k.control_id in ? order by k.control_id, k.position`, controls).Scan(&rows).Error
	for _, r := range rows {
		all[r.ControlID] = append(all[r.ControlID], r.Cell)
	}
	return all, models.Classify(err)
}
