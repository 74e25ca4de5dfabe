package replay

import (
	"fmt"
	"strconv"
	"strings"

	"countersign/models/ledger"
)

// SeenText is what a decision form carries: the latest attempt, outcome, report,
// lookup, rule and duplicate that the page showed.
func SeenText(s ledger.Seen) string {
	return fmt.Sprintf("%d.%s.%d.%d.%s.%d", s.Attempt, s.Outcome, s.Report, s.Lookup, s.Rule, s.Duplicate)
}

// ParseSeen reads what SeenText writes; ok is false for anything else.
func ParseSeen(text string) (s ledger.Seen, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 6 {
		return s, false
	}
	for i, n := range map[int]*int64{0: &s.Attempt, 2: &s.Report, 3: &s.Lookup, 5: &s.Duplicate} {
		var err error
		if *n, err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return ledger.Seen{}, false
		}
	}
	s.Outcome, s.Rule = ledger.State(parts[1]), parts[4]
	return s, SeenText(s) == text
}

// Newer says in words what is newer now than what was seen; "" when nothing is.
func Newer(was, is ledger.Seen) string {
	var news []string
	add := func(changed bool, words string) {
		if changed {
			news = append(news, words)
		}
	}
	add(was.Attempt != is.Attempt, "Another attempt was started.")
	add(was.Outcome != is.Outcome, fmt.Sprintf("The action is %s now, and was %s.", is.Outcome, was.Outcome))
	add(was.Report != is.Report, "An attempt reported something.")
	add(was.Lookup != is.Lookup, "Another lookup was recorded.")
	add(was.Rule != is.Rule, "The identity rule is another one.")
	add(was.Duplicate != is.Duplicate, "A duplicate was found.")
	return strings.Join(news, " ")
}
