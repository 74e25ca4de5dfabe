package matrix

import (
	"time"

	"countersign/models"
	"countersign/views/ui"
)

// Show is the test matrix of one control.
type Show struct {
	Slug, Name                 string
	WorkflowSlug, WorkflowName string
	Number                     int    // of the latest revision
	State                      string // of it
	Summary                    ui.State
	Design                     string // fingerprint of the record as it stands
	Strip                      []Cell
	Cards                      []Card
	WhyNoCustom                string // why the reader may not add a scenario; "" when they may
	Custom                     *CustomForm
	Runs                       []RunLine
	RunsOf                     string   // the scenario that Runs is narrowed to; "" for all
	Next, Prev                 string   // of Runs
	Notes                      []string // why the reader may not do what others may
	Refused                    string   // what a command said that was not done
	Lost                       []ui.Lost
	Problems                   []models.FieldError
	Zone                       *time.Location
}

func (p Show) path() string { return "/controls/" + p.Slug + "/matrix" }

// Card is one scenario of the control.
type Card struct {
	Control, Key, Title, Text string
	Custom                    bool
	State                     ui.State
	Settled                   bool         // nothing is left to do
	Agreed                    *Expectation // in force; also "not applicable"
	Waiting                   *Expectation // proposed, and waiting for the owner
	Declined                  *Expectation // the last word of the owner, when nothing was proposed since
	NoExpectation             string       // who proposes one
	Evidence                  []string     // what a run has to show, with what to attach
	Needs                     []string     // the same in few words
	Chains                    [][]Step     // one for each discrepancy, newest first
	MoreChains                bool
	Runs                      []RunLine // not recorded, to review, the latest: newest first
	Exceptions                []Exception
	Waiver                    *Waiver
	EarlierWaivers            []EndedWaiver // newest first
	Earlier                   []Expectation // newest first, without Agreed and Waiting
	Buttons                   []ui.Btn      // what can be done now
	Links                     []Link        // what else
	Thread                    []Entry
	MayDiscuss                bool

	Decide   *DecideForm
	Propose  *ProposeForm
	Ask      *WaiverForm // for a waiver
	Talk     *Talk
	Zone     *time.Location
	Problems []models.FieldError // of the open form
}

// ID is the fragment of the card.
func (c Card) ID() string { return "c-" + c.Key }

// Path is the address that the card's forms post under.
func (c Card) Path() string { return "/controls/" + c.Control + "/matrix/" + c.Key }

// Opens is the address of the page with one form of the card open.
func (c Card) Opens(form string) string {
	return "/controls/" + c.Control + "/matrix?case=" + c.Key + "&do=" + form + "#" + c.ID()
}

// Back is the address of the page with the card's forms closed.
func (c Card) Back() string { return "/controls/" + c.Control + "/matrix#" + c.ID() }

// Link is a quiet way to one more thing, or why it is not there.
type Link struct{ Text, Href, Why string }

// Expectation is one version of what a scenario must show.
type Expectation struct {
	Version   int
	Applies   bool
	Expected  string
	Effects   []Effect
	Reason    string
	By        string
	At        time.Time
	Decision  string // agreed or declined; "" while it waits
	DecidedBy string
	DecidedAt time.Time
	Note      string
	Exception bool
}

// Effect is a watched effect and the agreed change of its count.
type Effect struct{ Name, Slug, Accounts, Change string }

// Exception is an expectation that was changed while a discrepancy was open.
type Exception struct {
	Words string // "Changed by the business owner while a discrepancy was open: ..."
	By    string
	At    time.Time

	Changes []ui.VersionPair // what was agreed before, and since
}

// Waiver is in force, wanted, or over.
type Waiver struct {
	ID         int64
	State      ui.State
	Reason     string
	Until      time.Time
	AskedBy    string
	AskedAt    time.Time
	Signatures []string // "Business owner, 3 May"
	Missing    []string // "reviewer"
	Sign       ui.Btn   // zero Text: not for this reader
	End        ui.Btn
}

// EndedWaiver is over.
type EndedWaiver struct {
	Reason, Words string // "Ended by Reviewer: it can be run now."
	At            time.Time
}

// DecideForm is the owner's word on a proposal.
type DecideForm struct {
	Version    int
	Note       string
	Help       string // when a note is needed, and why
	Primary    bool   // the page's one filled button
	Submission string
}

// ProposeForm proposes an expectation, or that the scenario does not apply.
type ProposeForm struct {
	NotApplicable bool
	Expected      string
	Effects       []EffectField
	Reason        string
	NeedReason    string // why a reason is asked for; "" when it is optional
	Version       int    // the newest version the person saw
	Submission    string
}

// EffectField takes the agreed change of one effect; empty is not watched.
type EffectField struct {
	Slug, Label, Accounts, Value string
	Own                          bool
}

// WaiverForm asks for a waiver.
type WaiverForm struct {
	Reason, Until, Latest string
	Submission            string
}

// CustomForm adds a scenario.
type CustomForm struct {
	Title, Needs, Submission string
	Problems                 []models.FieldError
}

// Entry is a question or comment about a scenario, with its replies.
type Entry struct {
	ID         int64
	Question   bool
	Open       bool
	Body       string
	By         string
	At         time.Time
	Closed     string // "Closed by Owner, 3 May"
	MayClose   bool
	WhyNoClose string
	Replies    []Entry
	Reply      *Talk
}

// Talk is an open form of a thread.
type Talk struct{ Body, Error, Submission string }
