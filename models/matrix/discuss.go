package matrix

import (
	"context"

	"countersign/models"
	"countersign/models/control"
)

// AskCmd asks a question in the thread of a case; it blocks submission, or
// approval when in review. Replying and closing are models/control's.
type AskCmd struct {
	models.Once
	Control, Case, Body string
}

// CommentCmd says something about a case that needs no answer.
type CommentCmd struct {
	models.Once
	Control, Case, Body string
}

// Object names the control when the command is refused.
func (c AskCmd) Object() models.Object { return refused(c.Control) }

// Object names the control when the command is refused.
func (c CommentCmd) Object() models.Object { return refused(c.Control) }

// Said is what came of writing in a thread.
type Said struct {
	ID   int64
	Case string
}

// Ask opens a question about a case. NotFound, Forbidden, Invalid (body).
func Ask(ctx context.Context, db *models.DB, by models.Actor, cmd AskCmd) (Said, error) {
	return discuss(ctx, db, by, cmd, cmd.Control, cmd.Case, "question", cmd.Body)
}

// Comment says something about a case. NotFound, Forbidden, Invalid (body).
func Comment(ctx context.Context, db *models.DB, by models.Actor, cmd CommentCmd) (Said, error) {
	return discuss(ctx, db, by, cmd, cmd.Control, cmd.Case, "comment", cmd.Body)
}

func discuss(ctx context.Context, db *models.DB, by models.Actor, cmd models.Command, slug, key, kind, body string) (Said, error) {
	return models.Do(ctx, db, by, cmd, func(tx *models.Tx) (Said, error) {
		c, t, err := lockCase(tx, slug, key)
		if err != nil {
			return Said{}, err
		}
		said, err := control.Say(tx, c, ThreadField(t.Key), kind, 0, body)
		return Said{ID: said.ID, Case: t.Key}, err
	})
}
