package matrix

import (
	"context"
	"slices"
	"time"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

const (
	today = "(now() at time zone 'utc')::date"

	waived      = "k.state not in ('passed', 'not_applicable') and k.waived_until >= " + today
	latestState = "case when l.state = 'approved' and l.review_date < " + today + " then 'expired' else l.state end"
)

// shownIs is Cell.Shown as a condition on case_cells k.
func shownIs(s State) (condition string, args []any) {
	if s == Waived {
		return waived, nil
	}
	return "k.state = ? and not coalesce(" + waived + ", false)", []any{control.Plain(string(s))}
}

// Grid is a page of controls by name, with where their cases stand. BadRequest
// for a damaged cursor.
func Grid(ctx context.Context, db *models.DB, f GridFilter) (models.Page[GridRow], error) {
	q := db.Query(ctx)
	list := q.Table("controls c").Select(`c.id, c.slug, c.name, w.slug as workflow_slug, w.name as workflow_name, c.business_owner_id as owner_id, o.name as owner_name,
			l.number as latest_number, ` + latestState + ` as latest_state, c.changed_at, now() as now`).
		Joins("join workflows w on w.id = c.workflow_id").Joins("join revisions l on l.id = c.latest_revision_id").Joins("left join people o on o.id = c.business_owner_id")
	if f.Workflow != "" {
		list = list.Where("c.workflow_id = (select id from workflows where slug = ?)", control.Plain(f.Workflow))
	}
	if f.Owner != 0 {
		list = list.Where("c.business_owner_id = ?", f.Owner)
	}
	if f.State != "" {
		condition, args := shownIs(f.State)
		list = list.Where("exists (select 1 from case_cells k where k.control_id = c.id and "+condition+")", args...)
	}
	page, err := models.Keyset(list, f.Cursor, models.PageSize, models.Order{Columns: []string{"c.name", "c.id"}},
		func(r gridRow) []any { return []any{r.Name, r.ID} })
	if err != nil {
		return models.Page[GridRow]{}, err
	}
	out := models.Page[GridRow]{Next: page.Next, Prev: page.Prev}
	for _, r := range page.Items {
		out.Items = append(out.Items, r.row())
	}
	return out, addCells(q, out.Items)
}

type gridRow struct {
	ID                         int64
	Slug, Name                 string
	WorkflowSlug, WorkflowName string
	OwnerID                    int64
	OwnerName                  string
	LatestNumber               int
	LatestState                control.RevisionState
	ChangedAt, Now             time.Time
}

func (r gridRow) row() GridRow {
	return GridRow{ID: r.ID, Slug: r.Slug, Name: r.Name, WorkflowSlug: r.WorkflowSlug, WorkflowName: r.WorkflowName, OwnerID: r.OwnerID, OwnerName: r.OwnerName,
		LatestNumber: r.LatestNumber, LatestState: r.LatestState, ChangedAt: r.ChangedAt, Now: r.Now}
}

// addCells reads where the cases of each row stand.
func addCells(q *gorm.DB, rows []GridRow) error {
	at, ids := map[int64]int{}, []int64{}
	for i, r := range rows {
		at[r.ID] = i
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	var cells []struct {
		Row        cellRow `gorm:"embedded"`
		ControlID  int64
		Key, Title string
		Change     *int
	}
	err := q.Raw(`select k.case_id, k.state, k.pending, k.expectation_id, k.failures, k.run_id, k.retest_id, k.discrepancy_id, k.waived_until, k.proven_until,
			k.control_id, t.key, t.title, f.change
		from case_cells k join test_cases t on t.id = k.case_id
		left join expectation_effects f on f.expectation_id = k.expectation_id and f.control_id = k.control_id
		where k.control_id in ? order by k.control_id, k.position`, ids).Scan(&cells).Error
	if err != nil {
		return err
	}
	var runIDs []int64
	for _, c := range cells {
		for _, id := range []int64{c.Row.RunID, c.Row.RetestID} {
			if id != 0 {
				runIDs = append(runIDs, id)
			}
		}
	}
	slices.Sort(runIDs)
	runs, err := loadRuns(q, slices.Compact(runIDs)...)
	for _, c := range cells {
		row := &rows[at[c.ControlID]]
		cell := c.Row.cell()
		title := c.Title
		if s, ok := ScenarioByKey(c.Key); ok {
			title = s.Title
		}
		row.Cells = append(row.Cells, GridCell{Cell: cell, CaseID: c.Row.CaseID, Key: c.Key, Title: title, Shown: cell.Shown(row.Now),
			Run: pick(runs, cell.RunID), Retest: pick(runs, cell.RetestID), Change: c.Change})
	}
	return err
}
