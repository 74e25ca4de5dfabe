// Package signoff holds the page where a revision is signed, and the slots and
// signatures that other pages show too.
package signoff

import (
	"time"

	"countersign/models"
	"countersign/models/signoff"
	"countersign/views/matrix"
	"countersign/views/ui"
)

// Show is the sign-off page of a control's latest revision.
type Show struct {
	Slug, Name   string
	Number       int
	State        string
	WorkflowSlug string
	WorkflowName string
	SubmittedBy  string
	SubmittedAt  time.Time
	NotInReview  string // what the revision is instead; "" while it is in review
	Sentence     string
	Plain        []Fact
	Previous     int // the revision approved before; 0: this is the first
	PreviousAt   time.Time
	Changes      []ui.Change
	Total        int
	Accounts     []Account
	Tests        *matrix.Tests // of the control as it stands; nil where nobody read them
	Conditions   []signoff.Condition
	Warnings     []ui.CheckItem // what a signer should have seen
	FullHash     string
	Decision     *Decision
	MayAsk       bool   // the reader may ask about a field
	Aside        string // why the reader does not sign where they stand in
	WhyNot       string // why the reader may not sign
	Slots        []Slot
	Voided       []Signature
	Withdraw     bool
	Reason       string // typed for a withdrawal that was not taken
	Refused      string // why the decision was not taken
	LostNote     string // the note that came with it
	Problems     []models.FieldError
	Zone         *time.Location
}

// Fact is one question of the plain summary with its answer.
type Fact struct{ Label, Words string }

// Account is where the effect happens in one environment.
type Account struct {
	Slug, Environment          string // of the environment
	System, Account, Operation string
	ReachesCustomers           bool
}

// Decision is the form of somebody who may sign.
type Decision struct {
	As         string         // business owner
	For        string         // whom the reader stands for; "" for themselves
	Last       bool           // the third signature
	MayApprove bool           // nothing blocks approving
	Missing    []signoff.Item // what blocks it, for this reader
	Short      string         // Missing in a few words
	Note       string
	Submission string
}

// Slot is a place for a signature.
type Slot struct {
	Title, Person, Delegate string
	Taken                   string // where Delegate signs instead: "reviewer"; "" when they can sign here
	Signature               *Signature
	Waits                   string // instead of "Not signed": "After submission"
	Hash                    string // what a signature would be bound to
	Yours                   bool
}

// Signature is a decision of one person on one fingerprint.
type Signature struct {
	Slot, By, For  string
	Decision, Note string
	Hash           string
	At             time.Time
	VoidedAt       *time.Time
	VoidReason     string
}
