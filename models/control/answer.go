package control

import (
	"encoding/json"
	"time"

	"countersign/models"
	"countersign/models/identity"
)

// AnswerState says whether a field is settled.
type AnswerState string

const (
	Unresolved    AnswerState = "unresolved"
	Answered      AnswerState = "answered"
	NotApplicable AnswerState = "not_applicable"
)

// Answer is one version of the answer to a field. Version 0 is a field that
// nobody has touched.
type Answer struct {
	Field    string
	Version  int
	State    AnswerState
	Value    string // readable, with names instead of ids
	Data     json.RawMessage
	Reason   string
	By       Ref
	For      Ref // whom By stood for
	At       time.Time
	Revision int // the number of the revision it was written in
}

// Proposal reports whether somebody typed the sentence for the business owner,
// who has not confirmed it yet.
func (a Answer) Proposal() bool {
	f, _ := FieldByKey(a.Field)
	return a.State == Unresolved && a.Value != "" && f.OwnerOnly
}

// Input is what a person typed for one field. Only the members of the field's
// kind are read.
type Input struct {
	State        AnswerState
	Text         string           // Text, Reference, Sentence
	Person       int64            // Person
	Environments []string         // Environments: slugs
	Date         string           // Date: 2026-05-31
	Sender       string           // Sender: slug
	Operations   map[string]int64 // Operations: environment slug to operation id; 0 is none
	Mode         string           // Mode: observe or enforce
	Number       string           // Number, Hours, Days
	Basis        string           // Hours, Days: where the number comes from
	Policy       string           // Policy: slug@version
	Reason       string           // not applicable: why; mode: why observe
	Rule         identity.Rule    // Rule: statement, components, boundary and example
}

// SaveAnswerCmd answers one field, declares it not applicable, or opens it again.
type SaveAnswerCmd struct {
	models.Once
	Control string
	Field   string
	Version int // the version the person saw; 0 when there was none
	Input   Input
}

// Object names the control when the command is refused.
func (c SaveAnswerCmd) Object() models.Object { return refused(c.Control) }

// ConfirmSentenceCmd makes a proposed sentence the business owner's own.
type ConfirmSentenceCmd struct {
	models.Once
	Control string
	Version int // of the proposal that was read
}

// Object names the control when the command is refused.
func (c ConfirmSentenceCmd) Object() models.Object { return refused(c.Control) }

// Saved is what came of saving an answer.
type Saved struct {
	Field    string
	Version  int
	State    AnswerState
	Proposal bool     // kept for the business owner to confirm
	Findings int      // a rule: how many findings keep it unresolved
	Warnings []string // saved nevertheless
	Revision int      // the draft it belongs to now
	Opened   bool     // that draft was opened by this answer
}

// AnswerConflict is a Conflict with both versions: somebody saved the field
// after the person opened it.
type AnswerConflict struct {
	conflict error
	Field    Field
	Saved    Answer // what stands now
	Base     Answer // what the person started from; version 0 when nothing stood there
	Yours    Input  // what was not saved
}

func (e *AnswerConflict) Error() string { return e.conflict.Error() }

// Unwrap lets errors.As find the domain error.
func (e *AnswerConflict) Unwrap() error { return e.conflict }
