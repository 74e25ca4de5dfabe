package identity

import (
	"fmt"
	"slices"
	"strings"
)

// VerdictCode is what two inputs are to each other. Saved pairs store it, so the
// values are never renamed.
type VerdictCode string

const (
	SameDelivery   VerdictCode = "same_delivery"     // one notification, sent again
	SameAction     VerdictCode = "same_action"       // another notification of the same action
	RepeatVerdict  VerdictCode = "legitimate_repeat" // an action of its own, by the owner's repeat rule
	OtherAction    VerdictCode = "different_action"
	ToReview       VerdictCode = "goes_to_review"
	KeysNeverCross VerdictCode = "keys_never_cross" // another environment, account or effect
)

// Verdicts lists the codes in the order in which a form offers them.
var Verdicts = []VerdictCode{SameDelivery, SameAction, RepeatVerdict, OtherAction, ToReview, KeysNeverCross}

// Words is the verdict as a short label.
func (v VerdictCode) Words() string {
	switch v {
	case SameDelivery:
		return "Same delivery"
	case SameAction:
		return "Same action"
	case RepeatVerdict:
		return "Legitimate repeat"
	case OtherAction:
		return "Different action"
	case ToReview:
		return "Goes to review"
	case KeysNeverCross:
		return "Keys never cross"
	}
	return string(v)
}

// Verdict is the four comparisons, and what they come to.
type Verdict struct {
	Code        VerdictCode
	Words       string       // why, and what follows
	Apart       []string     // the components that set the two apart
	Comparisons []Comparison // in the order of Kinds
}

// Of returns the comparison of one kind.
func (v Verdict) Of(k Kind) Comparison { return v.Comparisons[slices.Index(Kinds, k)] }

// Compare says what two inputs are to each other under the rules of one control.
// The first that holds:
//
//   - one side misses a value of the transport event, the business record or the
//     intended effect, or there is no rule for the effect: goes to review;
//   - environment, account or effect differ: keys never cross;
//   - the same transport event with another record or effect: goes to review;
//   - the same transport event: same delivery;
//   - the repeat rule tells them apart by what the owner named, and nothing else
//     in the intended effect differs: legitimate repeat;
//   - the same intended effect: same action;
//   - otherwise a different action.
func Compare(rules Set, a, b Side) Verdict {
	var v Verdict
	for _, k := range Kinds {
		v.Comparisons = append(v.Comparisons, compareRule(k, rules.Of(k), a, b))
	}
	event, record, effect, repeat := v.Comparisons[0], v.Comparisons[1], v.Comparisons[2], v.Comparisons[3]
	v.Apart = differing(effect)
	switch places := otherPlace(a.Scope, b.Scope); {
	case effect.Outcome == Undefined:
		v.Code, v.Words = ToReview, "There is no rule for the intended effect yet, so nothing says what counts as the same action."
	case slices.Contains([]Outcome{event.Outcome, record.Outcome, effect.Outcome}, NeedsReview):
		v.Code, v.Words = ToReview, reviewWords(event, record, effect)
	case len(places) > 0:
		v.Code, v.Apart = KeysNeverCross, places
		v.Words = fmt.Sprintf("Another %s: keys never cross, so each side is an action of its own, whatever the inputs say.", list(places))
	case event.Outcome == Same && (record.Outcome == Different || effect.Outcome == Different):
		v.Code, v.Words = ToReview, reusedWords(record, effect)
		v.Apart = differing(record, effect)
	case event.Outcome == Same:
		v.Code, v.Words = SameDelivery, "The sender sent one notification again. The second gets the first one's answer, and nothing is done twice."
	case tellsApart(rules, repeat, effect):
		v.Code, v.Apart = RepeatVerdict, differing(repeat)
		v.Words = repeatWords(v.Apart, effect.Outcome)
	case effect.Outcome == Same && repeat.Outcome == NeedsReview:
		v.Code, v.Words = SameAction, "The same intended effect. Whether a repeat is wanted cannot be read from these inputs, so it is held as the same action: nothing may happen twice."
	case effect.Outcome == Same:
		v.Code, v.Words = SameAction, "Two notifications of the same action. The second is a repeat: nothing may happen twice."
	default:
		v.Code = OtherAction
		v.Words = fmt.Sprintf("Two actions, told apart by %s. Both may happen.", list(v.Apart))
	}
	return v
}

func otherPlace(a, b Scope) []string {
	var places []string
	if a.Environment != b.Environment {
		places = append(places, "environment")
	}
	if a.Account != b.Account {
		places = append(places, "account")
	}
	if a.Effect != b.Effect {
		places = append(places, "effect")
	}
	return places
}

// tellsApart reports whether the repeat rule differs, and everything that
// differs in the intended effect is something the repeat rule names.
func tellsApart(rules Set, repeat, effect Comparison) bool {
	if repeat.Outcome != Different {
		return false
	}
	for i, row := range effect.Rows {
		if row.Outcome == Different && !rules.Repeat.reads(&rules.Effect.parts[i]) {
			return false
		}
	}
	return true
}

// reads reports whether the rule has a component from the same place as p.
func (c *Compiled) reads(p *part) bool {
	return slices.ContainsFunc(c.parts, func(own part) bool { return own.samePlace(p) })
}

func (p *part) samePlace(other *part) bool {
	if p.Scope != "" || other.Scope != "" {
		return p.Scope == other.Scope && p.fixed == other.fixed
	}
	return p.path.normalized == other.path.normalized
}

// differing names the components that differ, each once.
func differing(comparisons ...Comparison) []string {
	var names []string
	for _, c := range comparisons {
		for _, row := range c.apart() {
			if !slices.Contains(names, row.Name) {
				names = append(names, row.Name)
			}
		}
	}
	return names
}

func reviewWords(comparisons ...Comparison) string {
	var left, right []string
	for _, c := range comparisons {
		left, right = addReasons(left, c.A.Reviews), addReasons(right, c.B.Reviews)
	}
	var sides []string
	if len(left) > 0 {
		sides = append(sides, "Input A: "+strings.Join(left, " "))
	}
	if len(right) > 0 {
		sides = append(sides, "Input B: "+strings.Join(right, " "))
	}
	return "A person must look before anything is done. " + strings.Join(sides, " ")
}

func addReasons(words []string, reasons []Reason) []string {
	for _, r := range reasons {
		if !slices.Contains(words, r.Words) {
			words = append(words, r.Words)
		}
	}
	return words
}

func reusedWords(record, effect Comparison) string {
	what := "another intended effect"
	if record.Outcome == Different {
		what = "another business record"
	}
	return fmt.Sprintf("The same transport event with %s (%s). Either the sender reused an event ID or the rule reads too little, so a person must look.",
		what, differ(differing(record, effect)))
}

func differ(names []string) string {
	if len(names) == 1 {
		return names[0] + " differs"
	}
	return list(names) + " differ"
}

func repeatWords(apart []string, effect Outcome) string {
	set := "set"
	if len(apart) == 1 {
		set = "sets"
	}
	words := fmt.Sprintf("A second action that the owner wants: %s %s it apart.", list(apart), set)
	if effect == Same {
		return words + " The intended effect is the same, so it is held until a person approves the repeat with its reason."
	}
	return words + " Its key is its own, so it may happen."
}
