package matrix_test

import (
	"fmt"
	"testing"

	"countersign/models"
	"countersign/models/matrix"
	"countersign/models/matrix/matrixtest"
)

// The filter of the grid agrees with what each cell shows, in every state.
func TestTheGridsFilterAgreesWithItsCells(t *testing.T) {
	w := matrixtest.New(t)
	n := 0
	for _, state := range []matrix.State{matrix.NoExpectation, matrix.NotAgreed, matrix.NotApplicable, matrix.NotRun, matrix.Started, matrix.AwaitsReview, matrix.Returned,
		matrix.HasPassed, matrix.HasFailed, matrix.WasNot, matrix.EarlierDesign} {
		for _, waived := range []any{nil, -1, 0, 1} {
			n++
			id := w.ID("insert into controls (slug, name, workflow_id, effect, unresolved, created_by) values (?, ?, ?, 'e', 0, ?) returning id", fmt.Sprint("c-", n), fmt.Sprintf("C %03d", n), w.Workflow, w.Admin.ID)
			w.Exec("insert into revisions (control_id, number, state, started_by) values (?, 1, 'draft', ?)", id, w.Admin.ID)
			w.Exec("update case_cells set state = ?, waived_until = current_date + cast(? as int) where control_id = ?", state, waived, id)
		}
	}
	w.Exec("update controls set latest_revision_id = r.id from revisions r where r.control_id = controls.id")
	all, err := matrix.Grid(t.Context(), w.DB, matrix.GridFilter{})
	if err != nil || len(all.Items) != n {
		t.Fatalf("%d of %d, %v", len(all.Items), n, err)
	}
	for _, state := range matrix.States {
		want := map[int64]bool{}
		for _, r := range all.Items {
			if len(r.Cells) != 6 {
				t.Fatalf("%d cells", len(r.Cells))
			}
			if r.Cells[0].Shown == state {
				want[r.ID] = true
			}
		}
		got, err := matrix.Grid(t.Context(), w.DB, matrix.GridFilter{State: state})
		if err != nil || len(got.Items) != len(want) || len(want) == 0 {
			t.Errorf("%s: %d in the list, want %d, %v", state, len(got.Items), len(want), err)
		}
		for _, r := range got.Items {
			if !want[r.ID] {
				t.Errorf("%s shows %s, not %s", r.Slug, r.Cells[0].Shown, state)
			}
		}
	}
	for _, f := range []matrix.GridFilter{{State: "else"}, {State: "\x00"}, {Workflow: "none"}, {Owner: 99}} {
		if got, err := matrix.Grid(t.Context(), w.DB, f); err != nil || len(got.Items) != 0 {
			t.Errorf("%+v: %d, %v", f, len(got.Items), err)
		}
	}
	if _, err := matrix.Grid(t.Context(), w.DB, matrix.GridFilter{Cursor: "damaged"}); !models.IsKind(err, models.KindBadRequest) {
		t.Error(err)
	}
}

func TestTheGridShowsTheRun(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	failed := w.Ran(slug, key, matrix.Failed)
	retest := w.Start(slug, key)
	page, err := matrix.Grid(t.Context(), w.DB, matrix.GridFilter{Workflow: "service-request", Owner: w.Owner.ID, State: matrix.HasFailed})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%d, %v", len(page.Items), err)
	}
	c := page.Items[0].Cells[0]
	if c.Run == nil || c.Run.ID != failed || c.Retest == nil || c.Retest.ID != retest || c.Change == nil || *c.Change != 1 || len(c.Run.Counts) != 1 || c.Failures != 1 || c.Title != "Repeated delivery" {
		t.Errorf("%+v", c)
	}
}

func TestWhatWaitsForAReview(t *testing.T) {
	w := matrixtest.New(t)
	slug := w.Agreed("Create CRM task")
	first, second := w.Start(slug, key), w.Start(slug, key)
	w.Record(second, matrix.Inconclusive)
	w.Record(first, matrix.Inconclusive)
	w.Start(slug, key)
	list := func(by models.Actor) (ids []int64) {
		t.Helper()
		page, err := matrix.ToReview(t.Context(), w.DB, by, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Items {
			ids = append(ids, r.ID)
		}
		return ids
	}
	want := fmt.Sprint([]int64{first, second})
	delegate := w.StandIn(w.Reviewer, w.Person("Deputy", models.Viewer))
	for _, by := range []models.Actor{w.Reviewer, delegate} {
		if got := fmt.Sprint(list(by)); got != want {
			t.Errorf("%s: %s", by.Name, got)
		}
	}
	for _, by := range []models.Actor{w.Owner, w.Viewer, w.Person("Another", models.Reviewer), both(w.Implementer, w.Reviewer), {ID: w.Reviewer.ID}} {
		if got := list(by); len(got) != 0 {
			t.Errorf("%s: %v", by.Name, got)
		}
	}
	w.Review(first, matrix.Accept)
	if got := list(w.Reviewer); len(got) != 1 || got[0] != second {
		t.Errorf("%v", got)
	}
}

// both is by as a delegate of person, too.
func both(by, person models.Actor) models.Actor {
	by.StandsFor = map[int64][]models.Role{person.ID: person.Roles}
	return by
}
