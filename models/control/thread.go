package control

import (
	"time"

	"countersign/models"
)

// Comment is one entry of a field's thread.
type Comment struct {
	ID       int64
	Field    string
	Kind     string // comment, question or reply
	ParentID int64
	Body     string
	InReview bool // asked while the revision was in review: blocks approval
	By       Ref
	ByActive bool // whether By's account is active; see MayClose
	For      Ref
	At       time.Time
	Revision int

	Closed   bool // a question that its asker closed
	ClosedBy Ref
	ClosedAt *time.Time

	Replies []Comment
}

// Asker is who asked c, for MayClose.
func (c Comment) Asker() Asker { return Asker{ID: c.By.ID, For: c.For.ID, Active: c.ByActive} }

// Open reports whether c is a question nobody closed yet.
func (c Comment) Open() bool { return c.Kind == "question" && !c.Closed }

// AskCmd asks an open question about a field.
type AskCmd struct {
	models.Once
	Control, Field, Body string
}

// CommentCmd says something about a field that needs no answer.
type CommentCmd struct {
	models.Once
	Control, Field, Body string
}

// ReplyCmd answers a question or comment.
type ReplyCmd struct {
	models.Once
	Control string
	Comment int64 // what it replies to
	Body    string
}

// CloseQuestionCmd closes a question for its asker.
type CloseQuestionCmd struct {
	models.Once
	Control string
	Comment int64
}

// Object names the control when the command is refused.
func (c AskCmd) Object() models.Object           { return refused(c.Control) }
func (c CommentCmd) Object() models.Object       { return refused(c.Control) }
func (c ReplyCmd) Object() models.Object         { return refused(c.Control) }
func (c CloseQuestionCmd) Object() models.Object { return refused(c.Control) }

// Commented is what came of writing in a thread.
type Commented struct {
	ID    int64
	Field string
}
