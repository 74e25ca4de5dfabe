package control

import (
	"context"

	"countersign/models"
)

// Ask opens a question about a field. It blocks submission, or approval when
// the revision is in review, until it is closed.
func Ask(ctx context.Context, db *models.DB, by models.Actor, cmd AskCmd) (Commented, error) {
	return discuss(ctx, db, by, cmd, cmd.Control, cmd.Field, "question", cmd.Body)
}

// AddComment says something about a field that needs no answer.
func AddComment(ctx context.Context, db *models.DB, by models.Actor, cmd CommentCmd) (Commented, error) {
	return discuss(ctx, db, by, cmd, cmd.Control, cmd.Field, "comment", cmd.Body)
}

func discuss(ctx context.Context, db *models.DB, by models.Actor, cmd models.Command, slug, key, kind, body string) (Commented, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Commented, error) {
		c, field, err := lockField(tx, slug, key)
		if err != nil {
			return Commented{}, err
		}
		return Say(tx, c, field.Key, kind, 0, body)
	})
}

// Reply answers a question or comment. NotFound for one of another control.
func Reply(ctx context.Context, db *models.DB, by models.Actor, cmd ReplyCmd) (Commented, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Commented, error) {
		c, err := Lock(tx, cmd.Control)
		if err != nil {
			return Commented{}, err
		}
		to, err := comment(tx, c, cmd.Comment)
		if err != nil {
			return Commented{}, err
		}
		return Say(tx, c, to.Field, "reply", to.ID, cmd.Body)
	})
}

// Say writes in the thread of a field or test case that the caller found. The
// caller holds the lock. Forbidden by MayDiscuss, Invalid (body).
func Say(tx *models.Tx, c Locked, field, kind string, parent int64, body string) (Commented, error) {
	if err := MayDiscuss(tx.By, c.Parties()); err != nil {
		return Commented{}, err
	}
	body = models.Clean(body)
	var check models.Check
	check.Required("body", body, maxText, map[string]string{"question": "Enter the question.", "comment": "Enter the comment.", "reply": "Enter the reply."}[kind])
	if err := check.Err(); err != nil {
		return Commented{}, err
	}
	latest, err := RevisionByID(tx.DB, c.LatestRevisionID)
	if err != nil {
		return Commented{}, err
	}
	forPerson := standsFor(tx.By, c.Parties())
	var id int64
	err = tx.Raw(`insert into comments (control_id, revision_id, field, parent_id, kind, body, in_review, person_id, for_person_id, at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`, c.ID, latest.ID, field, orNull(parent), kind, body,
		kind == "question" && latest.State == InReview, tx.By.ID, orNull(forPerson), tx.Now).Row().Scan(&id)
	if err != nil {
		return Commented{}, err
	}
	action := map[string]string{"question": "control.asked", "comment": "control.commented", "reply": "control.replied"}[kind]
	tx.AuditFor(forPerson, action, c.Object(), nil, map[string]any{"field": field, "body": body})
	return Commented{ID: id, Field: field}, Recount(tx, c.ID)
}

// CloseQuestion closes a question for its asker. Conflict when it is closed.
func CloseQuestion(ctx context.Context, db *models.DB, by models.Actor, cmd CloseQuestionCmd) (Commented, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Commented, error) {
		c, err := Lock(tx, cmd.Control)
		if err != nil {
			return Commented{}, err
		}
		q, err := comment(tx, c, cmd.Comment)
		if err != nil {
			return Commented{}, err
		}
		if q.Kind != "question" {
			return Commented{}, models.NotFoundf("There is no such question.")
		}
		asker := Asker{ID: q.PersonID, For: q.ForPersonID, Active: q.Active}
		if err := MayClose(by, c.Parties(), asker); err != nil {
			return Commented{}, err
		}
		forPerson := closesFor(by, c.Parties(), asker)
		r := tx.Exec("insert into question_closings (comment_id, person_id, for_person_id, at) values (?, ?, ?, ?) on conflict do nothing",
			q.ID, by.ID, orNull(forPerson), tx.Now)
		if r.Error == nil && r.RowsAffected == 0 {
			return Commented{}, models.Conflictf("This question is closed already.")
		}
		if r.Error != nil {
			return Commented{}, r.Error
		}
		tx.AuditFor(forPerson, "control.question_closed", c.Object(), nil, map[string]any{"field": q.Field, "question": q.Body})
		return Commented{ID: q.ID, Field: q.Field}, Recount(tx, c.ID)
	})
}

type commentRow struct {
	ID                    int64
	Field, Kind, Body     string
	PersonID, ForPersonID int64
	Active                bool
}

// comment loads a question or comment of the control. NotFound.
func comment(tx *models.Tx, c Locked, id int64) (q commentRow, err error) {
	found, err := one(tx.Raw(`select q.id, q.field, q.kind, q.body, q.person_id, q.for_person_id, p.active
		from comments q join people p on p.id = q.person_id where q.id = ? and q.control_id = ? and q.kind <> 'reply'`, id, c.ID), &q)
	if err == nil && !found {
		err = models.NotFoundf("There is no such question or comment on this control.")
	}
	return q, err
}
