package ledger

import (
	"fmt"
	"net/url"
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
	accept := map[model.ReviewKind][2]string{
		model.ReviewDelivery:    {"Accept it", "It counts as a delivery of its own. Claims may name it."},
		model.ReviewIdentity:    {"Accept it", "The same claim goes on, as an action of its own."},
		model.ReviewEarlierRule: {"Accept it as a new action", "It is something else than what the earlier rule finds. The same claim goes on."},
		model.ReviewStale:       {"Let it go on", "Until a version comes that is newer still."},
		model.ReviewRepeat:      {"Approve a second one", "One more claim may carry " + p.Ref() + "."},
	}[p.Kind]
	return []ui.Option{{Value: "accept", Label: accept[0], Hint: accept[1]},
		{Value: "link", Label: "Link it to an action", Hint: "It is what that action did or does. Whoever asks gets that action’s state."},
		{Value: "dismiss", Label: "Dismiss it", Hint: "Nothing is done with it. It is kept."}}
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

// candidateWords name actions that it may be linked to.
func (p Review) candidateWords() string {
	words := "Such as A-12."
	if n := len(p.Candidates); n > 0 {
		words = "Of this request, or of what came before:"
		for i, r := range p.Candidates {
			if i > 0 {
				words += ","
			}
			words += " " + A(r.ID) + " " + r.Control
			if i == 4 {
				break
			}
		}
		words += "."
	}
	return words
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
