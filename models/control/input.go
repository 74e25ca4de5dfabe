package control

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/models/identity"
)

// Longest texts, in characters.
const (
	maxText     = 4000
	maxSentence = 1000
	maxLine     = 500
	maxBasis    = 1000
	maxReason   = 2000
	maxValue    = 10000 // of any answer, as the database has it
)

// draftAnswer is an answer that is about to be written.
type draftAnswer struct {
	State    AnswerState
	Value    string
	Data     json.RawMessage
	Reason   string
	accounts []accountChoice // Operations: where the effect happens from now on
}

func (a *draftAnswer) data(v any) error {
	b, err := json.Marshal(v)
	a.Data = b
	return err
}

// clean gives every typed text one form. Checks come after it.
func (in Input) clean() Input {
	for _, s := range []*string{&in.Text, &in.Date, &in.Sender, &in.Mode, &in.Number, &in.Basis, &in.Policy, &in.Reason} {
		*s = models.Clean(*s)
	}
	in.Rule = cleanRule(in.Rule)
	return in
}

// check turns what was typed into an answer, for the kinds that need no look
// at the database; done is false for the others. Invalid names the member of
// Input in lower case: text, date, number, basis, mode, reason, state.
func (in Input) check(f Field, today string) (a draftAnswer, done bool, err error) {
	var c models.Check
	a = draftAnswer{State: in.State, Reason: in.Reason}
	c.Text("reason", in.Reason, maxReason)
	switch in.State {
	case Unresolved:
		return a, true, c.Err()
	case NotApplicable:
		if f.Always {
			c.Add("state", "%s is always needed. Answer it, or leave it unresolved.", f.Label)
		}
		c.Required("reason", in.Reason, maxReason, "Say why this does not apply.")
		return a, true, c.Err()
	case Answered:
	default:
		return a, true, models.Invalid("state", "Say whether this is answered, not applicable or unresolved.")
	}
	if f.Kind != Mode {
		a.Reason = ""
	}
	done = true
	switch f.Kind {
	case Workflow:
		c.Add("text", "The workflow was fixed when the control was created. Create another control for another workflow.")
	case Text:
		c.Required("text", in.Text, maxText, "Enter an answer, or leave the field unresolved.")
		a.Value = in.Text
	case Sentence:
		c.Required("text", in.Text, maxSentence, "Enter the sentence.")
		a.Value = in.Text
	case Reference:
		c.Required("text", in.Text, maxLine, "Enter the reference.")
		c.Line("text", in.Text, maxLine)
		a.Value = in.Text
	case Date:
		in.checkDate(&c, &a, today)
	case Mode:
		if in.Mode != "observe" && in.Mode != "enforce" {
			c.Add("mode", "Choose enforce or observe.")
		}
		a.Value = strings.ToUpper(in.Mode[:min(1, len(in.Mode))]) + in.Mode[min(1, len(in.Mode)):]
		_ = a.data(map[string]string{"mode": in.Mode})
	case Number:
		n := in.wholeNumber(&c, 0, 20)
		a.Value = strconv.Itoa(n)
		_ = a.data(map[string]int{"number": n})
	case Hours:
		in.checkSpan(&c, &a, "hours", 876000)
	case Days:
		in.checkSpan(&c, &a, "days", 36500)
	case Rule:
		in.Rule.Kind, in.Rule.Missing = f.Recognises(), identity.Review
		checkRule(&c, in.Rule)
		a.Value = RuleWords(in.Rule)
		_ = a.data(in.Rule)
	default:
		done = false
	}
	return a, done, c.Err()
}

func (in Input) checkDate(c *models.Check, a *draftAnswer, today string) {
	if in.Date == "" {
		c.Add("date", "Enter a date as year-month-day, such as 2026-05-31.")
		return
	}
	d := c.Date("date", in.Date)
	if d == nil {
		return
	}
	if in.Date <= today {
		c.Add("date", "Enter a date later than today, %s.", today)
	}
	a.Value = d.Format("2 January 2006")
	_ = a.data(map[string]string{"date": in.Date})
}

func (in Input) checkSpan(c *models.Check, a *draftAnswer, unit string, most int) {
	n := in.wholeNumber(c, 1, most)
	c.Required("basis", in.Basis, maxBasis, "Say what this is based on, such as a page of the documentation.")
	word := unit
	if n == 1 {
		word = strings.TrimSuffix(unit, "s")
	}
	a.Value = fmt.Sprintf("%d %s. %s", n, word, in.Basis)
	_ = a.data(map[string]any{unit: n, "basis": in.Basis})
}

func (in Input) wholeNumber(c *models.Check, least, most int) int {
	n, err := strconv.Atoi(in.Number)
	if err != nil || n < least || n > most {
		c.Add("number", "Enter a whole number from %d to %d.", least, most)
		return least
	}
	return n
}

var overclaim = regexp.MustCompile(`(?i)\bexactly[\s\p{Pd}]+once\b`)

// warnings about an answer that is saved nevertheless.
func warnings(a draftAnswer) []string {
	if overclaim.MatchString(a.Value) || overclaim.MatchString(a.Reason) {
		return []string{"This claims more than can be promised. Say what prevents a second effect, and what happens when nobody knows whether the first one worked."}
	}
	return nil
}
