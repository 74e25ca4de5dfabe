package control

import (
	"time"
)

// Detail is everything the page of one control shows.
type Detail struct {
	ID            int64
	Slug, Name    string
	Effect        string
	Workflow      Ref
	Parties       Parties
	Unresolved    int
	OpenQuestions int
	CreatedBy     Ref
	CreatedAt     time.Time
	ChangedAt     time.Time
	Now           time.Time // the database's clock when this was read
	Latest        Revision
	Approved      *Revision  // in force, or past its review date
	Revisions     []Revision // newest first
	Sections      []SectionAnswers
	Accounts      []Account
	Covered       []Ref // environments the control covers, by name
	Rules         Rules
}

// SectionAnswers is a section with what stands in it.
type SectionAnswers struct {
	Section
	Unresolved int // required fields still open
	Open       int // open questions
	Answers    []FieldAnswer
}

// FieldAnswer is a field, its current answer and its thread.
type FieldAnswer struct {
	Field  Field
	Answer Answer
	Thread []Comment // questions and comments, oldest first, with their replies

	Suggestion *Suggestion // from another control, while nobody has answered; nil without one
}

// Resolved reports whether nothing is left to do for the field.
func (f FieldAnswer) Resolved() bool { return f.Answer.State != Unresolved }

// Find returns the field with its answer; ok is false when there is none.
func (d Detail) Find(field string) (FieldAnswer, bool) {
	for _, s := range d.Sections {
		for _, f := range s.Answers {
			if f.Field.Key == field {
				return f, true
			}
		}
	}
	return FieldAnswer{}, false
}

// Account is where the effect happens in one environment, and the operation
// that makes it happen once that is answered.
type Account struct {
	Environment      Ref
	Kind             string // test or production
	ReachesCustomers bool   // also while nobody has confirmed that it cannot
	Destination      Ref    // Name is the system
	Account          string
	Operation        *OperationFacts
}

// OperationFacts is a call with what its documentation says.
type OperationFacts struct {
	ID         int64
	Slug, Name string
	Behaviour
	DocURL, DocumentedAt, Notes string
	CheckedOn                   *time.Time
	CheckedBy                   Ref
}

// ListFilter narrows the list of controls. Zero values do not.
type ListFilter struct {
	Q          string // part of the name, slug or effect
	Workflow   string // slug
	State      RevisionState
	Gate       string // blocked, observing, manual or automatic
	Owner      int64  // business owner
	Unresolved bool   // only with fields still open
	Cursor     string
}

// ListRow is a control in the list, with the columns its gate is decided from.
type ListRow struct {
	ID                        int64
	Slug, Name, Effect        string
	WorkflowSlug              string
	WorkflowName              string
	OwnerID                   int64
	OwnerName                 string
	Unresolved, OpenQuestions int
	LatestNumber              int
	LatestState               RevisionState // Expired included
	ApprovedNumber            int           // 0: none was ever approved
	ReviewDate                *time.Time    // of the approved revision
	Mode                      string
	AutomaticRetries          *int
	WaivedUntil               *time.Time // of what the approved revision rests on, the first waiver to end
	ProvenUntil               *time.Time // and the first required evidence to expire
	OpenDiscrepancies         int        // failures of its design that nothing answered
	StopReason                string
	StoppedAt                 *time.Time
	ChangedAt                 time.Time
	Now                       time.Time
}

// Options are the choices of the forms on a control's page.
type Options struct {
	Owners, Implementers, Reviewers []Ref // active people who hold the role
	Environments                    []EnvironmentOption
	Senders                         []Ref
	Operations                      []OperationOption
	WorkflowOwner                   int64 // business owner of the workflow
	Policies                        []PolicyOption
}

// EnvironmentOption is an environment that can be chosen. Account is where the
// control acts in it, fixed once chosen.
type EnvironmentOption struct {
	Ref
	Kind             string
	ReachesCustomers bool
	Account          string // destination slug; "" while open
	Destinations     int    // how many it has
	Destination      string // the only one of them; "" when there is none or a choice
}

// OperationOption is an operation that can be chosen in one environment.
type OperationOption struct {
	ID              int64
	EnvironmentSlug string
	DestinationSlug string
	System          string
	Account         string
	Name            string
}

// PolicyOption is an escalation policy with its newest version. Chosen says that
// the workflow chose it.
type PolicyOption struct {
	Slug, Name string
	Latest     int
	Chosen     bool
}

// Frozen is a submitted revision with the content that was frozen.
type Frozen struct {
	ControlID  int64
	Slug, Name string
	Revision   Revision
	Content    Content
	Now        time.Time
}
