package matrix

import (
	"context"

	"countersign/models"
	"countersign/models/control"

	"gorm.io/gorm"
)

// ToReview is a page of the recorded runs that the reader may review, the
// longest waiting first. BadRequest for a damaged cursor.
func ToReview(ctx context.Context, db *models.DB, reader models.Actor, cursor string) (models.Page[Run], error) {
	ids := ReviewerIDs(reader)
	if len(ids) == 0 {
		return models.Page[Run]{}, nil
	}
	everybody := append(reader.StandIns(), reader.ID)
	q := db.Query(ctx)
	list := q.Table(fromRun).Select(selectRun).Joins("join open_runs waits on waits.run_id = r.id and waits.waits_for = 'review'").
		Where("c.reviewer_id in ?", ids).Where("not (r.started_by in @me or coalesce(r.started_for, 0) in @me or s.person_id in @me or coalesce(s.for_person_id, 0) in @me)", map[string]any{"me": everybody})
	return pageOfRuns(q, list, cursor, false)
}

// ReviewerIDs are the people in whose place the reader may review: themselves
// and those they stand in for, while they hold the role.
func ReviewerIDs(reader models.Actor) []int64 {
	var ids []int64
	for _, id := range append(reader.StandIns(), reader.ID) {
		if reader.ActsAs(id, models.Reviewer) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Runs is a page of runs, newest first. NotFound for an unknown control or
// case, BadRequest for a damaged cursor.
func Runs(ctx context.Context, db *models.DB, f RunFilter) (models.Page[Run], error) {
	q := db.Query(ctx)
	list := q.Table(fromRun).Select(selectRun)
	if f.Control != "" {
		var c struct{ ID int64 }
		found, err := one(q.Raw("select id from controls where slug = ?", control.Plain(f.Control)), &c)
		if err == nil && !found {
			err = models.NotFoundf("There is no control named “%s”.", control.Plain(f.Control))
		}
		if err != nil {
			return models.Page[Run]{}, err
		}
		if f.Case != "" {
			t, err := caseByKey(q, c.ID, f.Case)
			if err != nil {
				return models.Page[Run]{}, err
			}
			list = list.Where("r.case_id = ?", t.ID)
		} else {
			list = list.Where("r.control_id = ?", c.ID)
		}
	}
	return pageOfRuns(q, list, f.Cursor, true)
}

// pageOfRuns reads a page of a query that selectRun and fromRun made.
func pageOfRuns(q, list *gorm.DB, cursor string, newestFirst bool) (models.Page[Run], error) {
	rows, err := models.Keyset(list, cursor, models.PageSize, models.Order{Columns: []string{"r.id"}, Desc: newestFirst}, func(r runRow) []any { return []any{r.ID} })
	if err != nil {
		return models.Page[Run]{}, err
	}
	page := models.Page[Run]{Next: rows.Next, Prev: rows.Prev}
	for _, r := range rows.Items {
		page.Items = append(page.Items, r.run())
	}
	return page, addCounts(q, page.Items)
}
