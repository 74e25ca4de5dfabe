package controltest

import (
	"sync"

	"countersign/models"
	"countersign/models/control"
)

var (
	once  sync.Once
	model string // the answers of a filled control, as JSON rows
)

// FillQuickly leaves the same answers as Fill without running each command:
// one control is filled by commands, and its answers are copied. Every fresh
// World has the same ids, which makes the copy valid.
func (w *World) FillQuickly(slug string) {
	w.T.Helper()
	once.Do(func() {
		first := New(w.T)
		slug := first.Create("Model")
		first.Fill(slug)
		err := first.DB.Query(w.T.Context()).Raw(`select jsonb_agg(jsonb_build_object('field', field, 'state', state, 'value', value, 'data', data, 'person_id', person_id))::text
			from (select distinct on (field) * from answers order by field, version desc) a`).Row().Scan(&model)
		if err != nil {
			w.T.Fatal(err)
		}
	})
	_, err := models.Do(w.T.Context(), w.DB, w.Implementer, nil, func(tx *models.Tx) (int64, error) {
		c, err := control.Lock(tx, slug)
		if err != nil {
			return 0, err
		}
		done := tx.Exec(`insert into answers (control_id, revision_id, field, version, state, value, data, person_id)
			select c.id, c.latest_revision_id, a.field, 1, a.state, a.value, a.data, a.person_id
			from controls c, jsonb_to_recordset(?::jsonb) as a(field text, state text, value text, data jsonb, person_id bigint)
			where c.id = ? and not exists (select 1 from answers o where o.control_id = c.id and o.field = a.field)`, model, c.ID)
		if done.Error != nil {
			return 0, done.Error
		}
		if err := tx.Exec("update revisions set version = version + ? where id = ?", done.RowsAffected, c.LatestRevisionID).Error; err != nil {
			return 0, err
		}
		return done.RowsAffected, control.Recount(tx, c.ID)
	})
	if err != nil {
		w.T.Fatal(err)
	}
	if n := w.Show(slug).Unresolved; n != 0 {
		w.T.Fatalf("%d fields are unresolved", n)
	}
}
