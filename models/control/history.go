package control

import (
	"context"
	"encoding/json"
	"time"

	"countersign/models"

	"gorm.io/gorm"
)

const selectAnswer = `a.field, a.version, a.state, a.value, a.data, a.reason, a.person_id, p.name as person_name,
	a.for_person_id, f.name as for_name, a.at, r.number as revision
	from answers a join people p on p.id = a.person_id left join people f on f.id = a.for_person_id
	join revisions r on r.id = a.revision_id where a.control_id = ? `

type answerRow struct {
	Field                 string
	Version               int
	State                 AnswerState
	Value                 string
	Data                  json.RawMessage
	Reason                string
	PersonID, ForPersonID int64
	PersonName, ForName   string
	At                    time.Time
	Revision              int
}

// answer is the row as it counts: a rule in plain text only, from before rules
// had components, is unresolved.
func (r answerRow) answer() Answer {
	if f, _ := FieldByKey(r.Field); f.Kind == Rule && r.State == Answered && len(r.Data) == 0 {
		r.State = Unresolved
	}
	return Answer{Field: r.Field, Version: r.Version, State: r.State, Value: r.Value, Data: r.Data, Reason: r.Reason,
		By: Ref{ID: r.PersonID, Name: r.PersonName}, For: Ref{ID: r.ForPersonID, Name: r.ForName}, At: r.At.UTC(), Revision: r.Revision}
}

// answers lists every version of one field, newest first.
func answers(q *gorm.DB, control int64, field string) ([]Answer, error) {
	var rows []answerRow
	err := q.Raw("select "+selectAnswer+"and a.field = ? order by a.version desc", control, field).Scan(&rows).Error
	var all []Answer
	for _, r := range rows {
		all = append(all, r.answer())
	}
	return all, err
}

// current returns the answer that stands for each field anybody has touched.
func current(q *gorm.DB, control int64) (map[string]Answer, error) {
	var rows []answerRow
	err := q.Raw("select distinct on (a.field) "+selectAnswer+"order by a.field, a.version desc", control).Scan(&rows).Error
	all := map[string]Answer{}
	for _, r := range rows {
		all[r.Field] = r.answer()
	}
	return all, err
}

// AnswerHistory lists every version of one field of a control, newest first.
// NotFound for an unknown control or field.
func AnswerHistory(ctx context.Context, db *models.DB, slug, field string) ([]Answer, error) {
	id, err := idOf(db.Query(ctx), slug)
	if err != nil {
		return nil, err
	}
	if _, ok := FieldByKey(field); !ok {
		return nil, models.NotFoundf("There is no such field.")
	}
	return answers(db.Query(ctx), id, field)
}

func idOf(q *gorm.DB, slug string) (id int64, err error) {
	found, err := one(q.Raw("select id from controls where slug = ?", Plain(slug)), &id)
	if err == nil && !found {
		err = notFound(slug)
	}
	return id, err
}
