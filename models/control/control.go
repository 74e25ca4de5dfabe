package control

import (
	"time"

	"countersign/models"
)

// Ref names a person, workflow, environment or the like for display.
type Ref struct {
	ID   int64
	Slug string
	Name string
}

// Parties are the three people the record names. An ID is 0 while the answer
// is unresolved.
type Parties struct {
	Owner, Implementer, Reviewer Ref
}

// Object is a control in the audit log.
func Object(id int64, slug, name string) models.Object {
	return models.Object{Type: "control", ID: id, Label: name, Path: "/controls/" + slug}
}

func refused(slug string) models.Object {
	return models.Object{Type: "control", Label: slug, Path: "/controls/" + slug}
}

// RevisionState is where a revision stands. The transitions are in signoff.
type RevisionState string

const (
	Draft            RevisionState = "draft"
	InReview         RevisionState = "in_review"
	ChangesRequested RevisionState = "changes_requested"
	Approved         RevisionState = "approved"
	Superseded       RevisionState = "superseded"
	Expired          RevisionState = "expired" // shown, never stored: approved, and its review date has passed
)

// Words is the state in a sentence.
func (s RevisionState) Words() string {
	switch s {
	case InReview:
		return "in review"
	case ChangesRequested:
		return "changes requested"
	}
	return string(s)
}

// Revision is one numbered state of the record.
type Revision struct {
	ID               int64
	Number           int
	State            RevisionState // as stored
	Version          int64         // the guard a form carries; every answer raises a draft's
	StartedBy        Ref
	StartedAt        time.Time
	SubmittedBy      Ref // zero before submission
	SubmittedAt      *time.Time
	DecidedAt        *time.Time
	DesignHash       string // "" while a draft
	FullHash         string
	ReviewDate       *time.Time // in force through the end of this day, UTC
	Mode             string
	AutomaticRetries *int
}

// Shown is the state at now: Expired once an approved revision's review date
// has passed, whether or not that was noted yet.
func (r Revision) Shown(now time.Time) RevisionState {
	if r.State == Approved && Passed(r.ReviewDate, now) {
		return Expired
	}
	return r.State
}

// Passed reports whether the UTC day of date is over at now.
func Passed(date *time.Time, now time.Time) bool {
	return date != nil && !now.UTC().Before(date.AddDate(0, 0, 1))
}
