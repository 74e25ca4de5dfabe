// Package control holds the pages of controls: the list, a new control, the
// record with its answers and threads, both versions of a conflict, the history
// of an answer and the frozen content of a revision.
package control

import (
	"time"

	"countersign/models"
	"countersign/models/signoff"
	"countersign/views/matrix"
	signing "countersign/views/signoff"
	"countersign/views/ui"
)

// Index is the list of controls.
type Index struct {
	Filter     Filter
	Rows       []Row
	Next, Prev string // addresses, "" at the ends
	WhyNoWrite string // why the reader may not write a control; "" when they may
}

// Filter is what the list was narrowed to.
type Filter struct {
	Q, Workflow, State, Gate string
	Mine, Unresolved         bool
	Workflows                []ui.Option
}

// Narrow reports whether anything is filtered out.
func (f Filter) Narrow() bool {
	return f.Q != "" || f.Workflow != "" || f.State != "" || f.Gate != "" || f.Mine || f.Unresolved
}

// Row is a control in the list.
type Row struct {
	Slug, Name                 string
	WorkflowSlug, WorkflowName string
	Gate, GateWords            string // state and what it says
	Number                     int
	State                      string
	Unresolved, Questions      int
	Tests                      ui.State   // "6 of 6 passed"
	ReviewBy                   *time.Time // of the approved revision
	Expired                    bool
}

// New is the form for a control that does not exist yet.
type New struct {
	Sentence, Name, Slug, Effect, Workflow string
	Workflows                              []ui.Option
	Accounts                               []AccountChoice
	NoWorkflow, NoAccount                  *Lack // nil when there is a choice
	From                                   From
	Problems                               []models.FieldError
	Submission                             string // of the form that was refused; "" for a fresh one
}

// From is what a new control starts with; the zero value is nothing.
type From struct {
	Title  string         // "Copy “Create CRM task”"
	Copy   string         // slug of the control that is copied
	Record string         // the JSON that is read in
	Lines  []ui.CheckItem // what becomes of each answer
}

// AccountChoice chooses the account in one environment.
type AccountChoice struct {
	Environment, Name, Value string
	ReachesCustomers         bool
	Options                  []ui.Option
}

// Show is the record of one control.
type Show struct {
	Slug, Name                 string
	Number                     int
	State                      string // of the latest revision
	WorkflowSlug, WorkflowName string
	Accounts                   []AccountLine
	Gate                       Gate
	Requested                  *Requested // who asked for changes, while that ended the review
	Sections                   []Section
	Actions                    Actions
	ReadOnly                   string // why no answer can be changed now; "" when they can
	Blocking                   []signoff.Condition
	Warnings                   []ui.CheckItem // what a signer will be told, and stops nothing
	Blocked                    string         // what a refused submission said
	Problems                   []models.FieldError
	Slots                      []signing.Slot
	Facts                      RevisionFacts
	Revisions                  []RevisionLine
	Tests                      *matrix.Tests
	Zone                       *time.Location
}

// Requested is the request for changes that ended a review.
type Requested struct {
	By, Note    string
	At          time.Time
	Next        int    // the revision the reader may start; 0: they may not
	Implementer string // who changes it then
}

// AccountLine is where the effect happens in one environment.
type AccountLine struct{ Environment, System, Account string }

// Gate is what the control allows now, and why.
type Gate struct {
	State, Words string
	Reasons      []signoff.Reason
	Plain        string // what that means, in one sentence
}

// Actions are the buttons of the page header. Each is there only for somebody
// who may press it.
type Actions struct {
	Submit     bool
	Ready      bool   // nothing blocks submitting
	Version    int64  // of the draft, as the person sees it
	Refusal    string // why the reader may not submit the draft; "" when they may
	Withdraw   bool
	SignOff    bool // a link to the sign-off page
	Yours      bool // the reader's signature is wanted there
	StartDraft int  // the number of the next draft; 0: none to start
}

// Section is one of the eight parts.
type Section struct {
	Number     int
	Title      string
	Unresolved int
	Questions  int
	Answers    []Answer
}

// Answer is one field of the record.
type Answer struct {
	Control, Field, Label, Ask string
	State                      string
	Value, Reason              string
	Said                       bool       // the business owner's own words
	Proposal                   bool       // words that wait for the owner
	Suggested                  *Suggested // from another control; nil without one
	MayConfirm                 bool
	WhyNoConfirm               string
	MayEdit                    bool
	MayDiscuss                 bool
	Version                    int
	By                         string
	At                         time.Time
	Accounts                   []OperationLine
	Sender                     *SenderLine
	Rule                       *Rule // an identity rule that is written
	Edit                       *Edit
	Thread                     []Entry
	Talk                       *Talk
	Done                       *Said  // what the last form did here
	Hint                       string // whose answer it is, when that matters
	AskAt                      string // where to ask about it from another page
	Back                       bool   // its form was just put away: the focus returns here
	Zone                       *time.Location
}

// Suggested is an answer of another control that nobody has taken yet.
type Suggested struct{ Value, Reason, Source string }

// ID is the fragment of the field.
func (a Answer) ID() string { return "f-" + a.Field }

// Path is the answer's own address.
func (a Answer) Path() string { return "/controls/" + a.Control + "/answers/" + a.Field }

// Threads is the address that the thread's forms post under.
func (a Answer) Threads() string { return "/controls/" + a.Control + "/fields/" + a.Field }

// Opens is the address of the page with the answer's part opened: edit, talk or reply.
func (a Answer) Opens(what, value string) string {
	return "/controls/" + a.Control + "?" + what + "=" + value + "#" + a.ID()
}

// OperationLine is the operation in one environment, with what is known of it.
type OperationLine struct {
	Environment, Destination, Account, Operation string
	Mechanism, Lookup                            string
	Facts                                        []Fact // the rest of what is written down
	Source
}

// SenderLine is the sender with what is known of it.
type SenderLine struct {
	Name  string
	Facts []Fact
	Source
}

// Fact is something a documentation says, "" when it says nothing.
type Fact struct{ Label, Text string }

// Source is where facts are documented and who compared them with it.
type Source struct {
	DocURL, DocumentedAt, Notes string
	CheckedOn                   *time.Time // nil: nobody has
	CheckedBy                   string
}

// Open reports whether no operation was chosen for a covered environment.
func (o OperationLine) Open() bool { return o.Operation == "" }

// Edit is the form of one answer.
type Edit struct {
	Kind         string
	Help         string
	Text         string
	Person       string
	Options      []ui.Option // person, sender
	Environments []ui.Option
	Chosen       []string
	Date         string
	Mode         string
	Number       string
	Basis        string
	Reason       string
	Operations   []OperationChoice
	Lack         *Lack // there is nothing to choose
	Rule         RuleEdit
	Always       bool   // cannot be "not applicable"
	Settled      bool   // can be marked unresolved again
	From         int    // the earlier version that it starts with; 0: the current one
	ForOwner     string // says that the words will wait for the owner's confirmation
	Version      int
	Submission   string
	Problems     []models.FieldError
	Declining    bool // the reason for "not applicable" is open
}

// OperationChoice chooses the operation in one environment.
type OperationChoice struct {
	Environment, Name, Value, Fixed string
	Options                         []ui.Option
	Lack                            *Lack // what is missing when there is nothing to choose
}

// Lack says that there is nothing to choose yet, and where to make it, or who does.
type Lack struct {
	Words      string // "No sender is described yet."
	Text, Href string // the link; "" for somebody who may not follow it
	Who        string // why they may not
}

// Error is the message at one of the form's inputs.
func (e Edit) Error(name string) string {
	for _, p := range e.Problems {
		if p.Field == name {
			return p.Message
		}
	}
	return ""
}

// Entry is a question or comment with its replies.
type Entry struct {
	ID         int64
	Question   bool
	Open       bool
	InReview   bool
	Body       string
	By         string
	At         time.Time
	ClosedBy   string
	ClosedAt   time.Time
	MayClose   bool
	WhyNoClose string
	Replies    []Entry
	Reply      *Talk
}

// Talk is an open form of a thread.
type Talk struct{ Body, Error, Submission string }

// RevisionFacts is what is known of the latest revision.
type RevisionFacts struct {
	Number               int
	ApprovedNumber       int
	StartedBy            string
	StartedAt, ChangedAt time.Time
	SubmittedBy          string
	SubmittedAt          *time.Time
	DecidedAt            *time.Time
	DesignHash, FullHash string
	Frozen               bool // the hashes are of content that cannot change
	ReviewDate           *time.Time
}

// RevisionLine is a revision in the list of them.
type RevisionLine struct {
	Number int
	State  string
	At     time.Time
	Frozen bool // it has content to read
}
