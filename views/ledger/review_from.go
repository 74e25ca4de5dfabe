package ledger

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	model "countersign/models/ledger"
	"countersign/views/ui"
)

// Reviews is the list of review items.
type Reviews struct {
	Decided   bool
	Rows      []model.ReviewRow
	Open      int
	Workflow  string
	Workflows []ui.Option
	Pager     ui.Pager
	Zone      *time.Location
}

// Review is the page of one review item.
type Review struct {
	model.ReviewPage
	WhyNot     string // why this person cannot decide now; "" when they can
	Decision   string // as typed
	ActionText string
	OtherText  string
	Reason     string
	Problems   []ui.FieldProblem
	Refused    string // why the decision was not taken
	Submission string
	Zone       *time.Location
}

// kindWords say what waits, as a heading.
func kindWords(k model.ReviewKind) string {
	return map[model.ReviewKind]string{model.ReviewDelivery: "Delivery that cannot be told apart", model.ReviewIdentity: "Claim without an identity", model.ReviewEarlierRule: "Found only by an earlier rule",
		model.ReviewStale: "Older version that should go on", model.ReviewRepeat: "Real second request"}[k]
}

func reviewState(s model.ReviewState) ui.State { return ui.StateFor("review_" + string(s)) }

func (p Review) title() string {
	ref := p.Ref()
	if p.State != model.ReviewOpen {
		return ref + ": " + kindWords(p.Kind)
	}
	switch p.Kind {
	case model.ReviewDelivery:
		return "What is delivery " + D(p.Delivery) + "?"
	case model.ReviewIdentity:
		return "What does this claim without an identity stand for?"
	case model.ReviewEarlierRule:
		return "Is this the same as " + A(p.Action()) + "?"
	case model.ReviewStale:
		return "May the older version go on?"
	}
	return "Is this a real second request?"
}

// Action is the number of the action that it is about.
func (p Review) Action() int64 { return p.ReviewItem.Action }

// options are the decisions, with what each does.
func (p Review) options() []ui.Option {
	accept, link, dismiss := p.Kind.Choices()
	hint := map[model.ReviewKind]string{
		model.ReviewDelivery:    "It counts as a delivery of its own. Claims may name it.",
		model.ReviewIdentity:    "The same claim goes on, as an action of its own.",
		model.ReviewEarlierRule: "It is something else than what the earlier rule finds. The same claim goes on.",
		model.ReviewStale:       "Until a version comes that is newer still.",
		model.ReviewRepeat:      "The automation may create one more.",
	}[p.Kind]
	return []ui.Option{{Value: "accept", Label: accept, Hint: hint},
		{Value: "link", Label: link, Hint: "It is what that action did or does. Whoever asks gets that action’s state."},
		{Value: "dismiss", Label: dismiss, Hint: "Nothing is done with it. It is kept."}}
}

func (p Review) asker() string {
	who := p.Row.AskedBy
	if p.AskedForName != "" {
		who += " for " + p.AskedForName
	}
	if p.TokenName != "" {
		who = "Automation “" + p.TokenName + "”, which counts as " + who
	}
	return who
}

func (p Review) decider() string {
	if p.DecidedForName != "" {
		return p.DecidedByName + " for " + p.DecidedForName
	}
	return p.DecidedByName
}

func (p Review) times() string {
	if p.Times > 1 {
		return fmt.Sprintf("It came %d times", p.Times)
	}
	return ""
}

// candidates are the actions that it may be linked to, to choose from.
func (p Review) candidates() []ui.Option {
	list := []ui.Option{{Label: "Not chosen"}}
	for _, r := range p.Candidates {
		list = append(list, ui.Option{Value: A(r.ID), Label: A(r.ID) + ", " + about(r.Control, r.Record) + repeatWords(r) + ", " + strings.ToLower(ui.StateFor(string(r.State)).Word)})
	}
	return list
}

// means is what the reason of an item about a claim without an identity comes to.
func (p Review) means() string {
	if p.Kind != model.ReviewIdentity {
		return ""
	}
	return "The identity rule of “" + p.Row.Control + "” needs it to tell one request from another. Without it nothing was claimed: it may be the same as an earlier one, or something new, and nothing is guessed."
}

// labHref opens the identity lab with what arrived, next to what came before.
func (p Review) labHref() string {
	if p.LabControl == "" {
		return ""
	}
	q := url.Values{"control": {p.LabControl}, "a": {D(p.Arrived.ID)}}
	if p.Earlier != nil && p.Earlier.Payload != "" {
		q = url.Values{"control": {p.LabControl}, "a": {D(p.Earlier.ID)}, "b": {D(p.Arrived.ID)}}
	}
	return "/identity-rules/lab?" + q.Encode()
}

func (p Review) labWords() string {
	if p.Earlier != nil && p.Earlier.Payload != "" {
		return "Compare both bodies in the identity lab"
	}
	return "Open the body in the identity lab"
}
