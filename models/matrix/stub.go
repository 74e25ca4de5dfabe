package matrix

import (
	"context"

	"countersign/models"
)

var errSoon = models.NotFoundf("This is being built.")

// Show is the test matrix of a control for the reader. NotFound.
func Show(ctx context.Context, db *models.DB, reader models.Actor, slug string) (Page, error) {
	return Page{}, errSoon
}

// ShowRun is the page of one run for the reader. NotFound.
func ShowRun(ctx context.Context, db *models.DB, reader models.Actor, id int64) (RunPage, error) {
	return RunPage{}, errSoon
}

// Grid is a page of controls by name, with where their cases stand. BadRequest
// for a damaged cursor.
func Grid(ctx context.Context, db *models.DB, f GridFilter) (models.Page[GridRow], error) {
	return models.Page[GridRow]{}, nil
}

// ToReview is a page of the recorded runs that the reader may review, the
// longest waiting first. BadRequest for a damaged cursor.
func ToReview(ctx context.Context, db *models.DB, reader models.Actor, cursor string) (models.Page[Run], error) {
	return models.Page[Run]{}, nil
}

// Runs is a page of runs, newest first. NotFound for an unknown control,
// BadRequest for a damaged cursor.
func Runs(ctx context.Context, db *models.DB, f RunFilter) (models.Page[Run], error) {
	return models.Page[Run]{}, nil
}

// AddCase adds a scenario of its own. NotFound, Forbidden, Conflict while in
// review. Invalid fields: title, needs.
func AddCase(ctx context.Context, db *models.DB, by models.Actor, cmd AddCaseCmd) (Added, error) {
	return Added{}, errSoon
}

// Propose writes the next version of what a case must show. On a decided
// control it opens the next draft. NotFound, Forbidden, Conflict while in
// review, when somebody proposed meanwhile, or, to make it not applicable,
// while a discrepancy is open. Invalid fields: expected, reason, changes.<slug>.
func Propose(ctx context.Context, db *models.DB, by models.Actor, cmd ProposeCmd) (Proposed, error) {
	return Proposed{}, errSoon
}

// DecideExpectation is the owner's word. NotFound, Forbidden (their own
// proposal, too), Conflict when decided already or replaced by a newer one, or
// while in review. Invalid fields: decision, note.
func DecideExpectation(ctx context.Context, db *models.DB, by models.Actor, cmd DecideExpectationCmd) (Decided, error) {
	return Decided{}, errSoon
}

// StartRun starts a run of an agreed case. NotFound, Forbidden, Conflict when
// the agreement changed since Version, a discrepancy's latest failure is
// another run, or changes were requested and no draft is open. Invalid fields:
// environment, starting_state, before.<slug>, retest_of, correction.
func StartRun(ctx context.Context, db *models.DB, by models.Actor, cmd StartRunCmd) (RunStarted, error) {
	return RunStarted{}, errSoon
}

// RecordRun records a result, once. NotFound, Forbidden, Conflict when recorded
// or abandoned already. Invalid fields: claimed, observed, after.<slug>,
// log_reference, inspected_what, and evidence when it would pass and an item is
// missing.
func RecordRun(ctx context.Context, db *models.DB, by models.Actor, cmd RecordRunCmd) (Recorded, error) {
	return Recorded{}, errSoon
}

// AbandonRun ends a start without a result. Refusals as RecordRun. Invalid
// field: reason.
func AbandonRun(ctx context.Context, db *models.DB, by models.Actor, cmd AbandonRunCmd) (Recorded, error) {
	return Recorded{}, errSoon
}

// ReviewRun accepts or returns a recorded run, once. NotFound, Forbidden,
// Conflict when it is not recorded or reviewed already. Invalid fields:
// decision, reason.
func ReviewRun(ctx context.Context, db *models.DB, by models.Actor, cmd ReviewRunCmd) (Reviewed, error) {
	return Reviewed{}, errSoon
}

// AskWaiver asks for a waiver. NotFound, Forbidden, Conflict when one is open
// or the case passed. Invalid fields: reason, until.
func AskWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd AskWaiverCmd) (WaiverChanged, error) {
	return WaiverChanged{}, errSoon
}

// SignWaiver signs in the reader's place. NotFound, Forbidden, Conflict when it
// is over or that place is signed.
func SignWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd SignWaiverCmd) (WaiverChanged, error) {
	return WaiverChanged{}, errSoon
}

// EndWaiver ends a waiver or turns one down. NotFound, Forbidden, Conflict when
// it is over. Invalid field: reason.
func EndWaiver(ctx context.Context, db *models.DB, by models.Actor, cmd EndWaiverCmd) (WaiverChanged, error) {
	return WaiverChanged{}, errSoon
}

// AskCmd asks a question in the thread of a case; it blocks submission, or
// approval when in review. Reply and close with models/control.
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
	return Said{}, errSoon
}

// Comment says something about a case. NotFound, Forbidden, Invalid (body).
func Comment(ctx context.Context, db *models.DB, by models.Actor, cmd CommentCmd) (Said, error) {
	return Said{}, errSoon
}
