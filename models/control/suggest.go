package control

import (
	"context"
	"encoding/json"

	"countersign/models"

	"gorm.io/gorm"
)

// Suggestion is an answer from another control that nobody has taken yet. It
// counts for nothing: the field stays unresolved until somebody saves an answer.
type Suggestion struct {
	Field  string
	State  AnswerState // Answered or NotApplicable
	Value  string
	Data   json.RawMessage
	Reason string
	Source string // where it comes from, in words
}

// Answer is the suggestion as a form starts with it.
func (s Suggestion) Answer() Answer {
	return Answer{Field: s.Field, State: s.State, Value: s.Value, Data: s.Data, Reason: s.Reason}
}

// Suggestible are the answers of a content that another control may start from,
// in its order. Who answers for it, where it runs and until when is asked anew,
// and the sentence is in the form that makes the control.
func (c Content) Suggestible(source string) []Suggestion {
	var all []Suggestion
	for _, a := range c.Answers {
		f, ok := FieldByKey(a.Field)
		if !ok || a.State == Unresolved {
			continue
		}
		switch f.Kind {
		case Workflow, Person, Environments, Sentence, Date:
			continue
		}
		all = append(all, Suggestion{Field: a.Field, State: a.State, Value: a.Value, Data: a.Data, Reason: a.Reason, Source: source})
	}
	return all
}

// CreateFromCmd makes a control whose answers start as suggestions.
type CreateFromCmd struct {
	CreateCmd
	Suggestions []Suggestion
}

// CreateFrom is Create, with suggestions for its fields. Signatures, runs,
// questions and evidence do not come along.
func CreateFrom(ctx context.Context, db *models.DB, by models.Actor, cmd CreateFromCmd) (Created, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Created, error) {
		made, err := create(tx, by, cmd.CreateCmd)
		if err != nil {
			return made, err
		}
		var fields []string
		for _, s := range cmd.Suggestions {
			if err := tx.Exec(`insert into suggestions (control_id, field, state, value, data, reason, source, person_id, at) values (?, ?, ?, ?, ?::jsonb, ?, ?, ?, ?)`,
				made.ID, s.Field, s.State, s.Value, jsonOrNull(s.Data), s.Reason, s.Source, by.ID, tx.Now).Error; err != nil {
				return made, err
			}
			fields = append(fields, s.Field)
		}
		if len(fields) > 0 {
			tx.Audit("control.suggested", Object(made.ID, made.Slug, models.Clean(cmd.Name)), nil, map[string]any{"from": cmd.Suggestions[0].Source, "fields": fields})
		}
		return made, nil
	})
}

// suggestions are what was suggested for fields that nobody has answered yet.
func suggestions(q *gorm.DB, control int64) (map[string]*Suggestion, error) {
	var rows []Suggestion
	err := q.Raw(`select s.field, s.state, s.value, s.data, s.reason, s.source from suggestions s
		where s.control_id = ? and not exists (select 1 from answers a where a.control_id = s.control_id and a.field = s.field)`, control).Scan(&rows).Error
	all := map[string]*Suggestion{}
	for i := range rows {
		all[rows[i].Field] = &rows[i]
	}
	return all, err
}

// withSuggestions puts them next to the fields they are for.
func (d *Detail) withSuggestions(q *gorm.DB) error {
	found, err := suggestions(q, d.ID)
	for i := range d.Sections {
		for j := range d.Sections[i].Answers {
			f := &d.Sections[i].Answers[j]
			f.Suggestion = found[f.Field.Key]
		}
	}
	return err
}
