package control

import (
	"context"
	"errors"

	"countersign/models"
)

var errLater = errors.New("not built yet")

// CreateCmd makes a control of a workflow with its first draft.
type CreateCmd struct {
	models.Once
	Workflow string // slug
	Name     string
	Slug     string            // "" takes it from the name
	Effect   string            // slug of the effect; fixed
	Sentence string            // what must not happen twice, in plain words
	Accounts map[string]string // environment slug to destination slug; fixed, may be empty
}

// Object names the control when the command is refused.
func (c CreateCmd) Object() models.Object { return models.Object{Type: "control", Label: c.Name} }

// Created names the new control.
type Created struct {
	ID   int64
	Slug string
}

// OpenDraftCmd opens the next draft of a decided control.
type OpenDraftCmd struct {
	models.Once
	Control string
}

// Object names the control when the command is refused.
func (c OpenDraftCmd) Object() models.Object { return refused(c.Control) }

// Opened names the draft.
type Opened struct{ Revision int }

func Create(ctx context.Context, db *models.DB, by models.Actor, cmd CreateCmd) (Created, error) {
	return Created{}, errLater
}
func SaveAnswer(ctx context.Context, db *models.DB, by models.Actor, cmd SaveAnswerCmd) (Saved, error) {
	return Saved{}, errLater
}
func ConfirmSentence(ctx context.Context, db *models.DB, by models.Actor, cmd ConfirmSentenceCmd) (Saved, error) {
	return Saved{}, errLater
}
func OpenDraft(ctx context.Context, db *models.DB, by models.Actor, cmd OpenDraftCmd) (Opened, error) {
	return Opened{}, errLater
}
func Ask(ctx context.Context, db *models.DB, by models.Actor, cmd AskCmd) (Commented, error) {
	return Commented{}, errLater
}
func AddComment(ctx context.Context, db *models.DB, by models.Actor, cmd CommentCmd) (Commented, error) {
	return Commented{}, errLater
}
func Reply(ctx context.Context, db *models.DB, by models.Actor, cmd ReplyCmd) (Commented, error) {
	return Commented{}, errLater
}
func CloseQuestion(ctx context.Context, db *models.DB, by models.Actor, cmd CloseQuestionCmd) (Commented, error) {
	return Commented{}, errLater
}

func List(ctx context.Context, db *models.DB, f ListFilter) (models.Page[ListRow], error) {
	return models.Page[ListRow]{}, errLater
}
func Show(ctx context.Context, db *models.DB, slug string) (Detail, error) {
	return Detail{}, errLater
}
func AnswerHistory(ctx context.Context, db *models.DB, slug, field string) ([]Answer, error) {
	return nil, errLater
}
func LoadRevision(ctx context.Context, db *models.DB, slug string, number int) (Frozen, error) {
	return Frozen{}, errLater
}

// FormOptions are the choices for the edit forms of one control.
func FormOptions(ctx context.Context, db *models.DB, slug string) (Options, error) {
	return Options{}, errLater
}
