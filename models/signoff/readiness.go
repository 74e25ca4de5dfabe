package signoff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
	"countersign/models/matrix"
)

// Condition is one thing that must hold, with where to put it right.
type Condition struct {
	Key   string // unresolved, questions, people, accounts, sentence, operations, archived, rules, pairs, expectations, matrix, discrepancies, runs, review_date, difference
	OK    bool
	Words string
	Link  string // path with fragment; "" when there is nothing to open
	Count int    // how many are open, where that can be counted
	Items []Item // each of them
}

// Item is one field or question that a condition waits for.
type Item struct{ Words, Link string }

// Blocked is a Conflict with the conditions that do not hold.
type Blocked struct {
	conflict   error
	Conditions []Condition // only those that do not hold
}

func (e *Blocked) Error() string { return e.conflict.Error() }

// Unwrap lets errors.As find the domain error.
func (e *Blocked) Unwrap() error { return e.conflict }

func block(message string, conditions []Condition) error {
	open := slices.DeleteFunc(slices.Clone(conditions), func(c Condition) bool { return c.OK })
	if len(open) == 0 {
		return nil
	}
	return &Blocked{conflict: models.Conflictf("%s", message), Conditions: open}
}

// Facts are what submission and approval are decided from.
type Facts struct {
	Path      string // of the control's page
	Content   control.Content
	Questions []control.Comment // open ones
	Unable    []Item            // named people who left or lost the role, with where to name another
	Archived  []Item            // what the record rests on that was taken out of use
	Before    *Approved         // of submission: what is approved now; nil while nothing is
	Findings  []control.Finding // of the rule checker
	Broken    []control.Pair    // saved pairs that the rules do not satisfy

	Cases      []matrix.Standing // of the test matrix, on the design of Content
	Unrecorded []int64           // runs started and neither recorded nor abandoned
	Now        time.Time
}

// Approved is the revision that was approved last, with what it froze.
type Approved struct {
	Number  int
	Content control.Content
}

// Readiness lists what submission needs, in the order it is shown. The page and
// Submit use this same function; a later condition is one more line.
func Readiness(f Facts) []Condition {
	return []Condition{f.unresolved(), f.questions("submission"), f.people(), f.accounts(), f.sentence(), f.operations(), f.inUse(), f.rules(), f.pairs(), f.expectations(), f.reviewDate(), f.difference()}
}

// ApprovalConditions lists what an approving signature needs beside the people.
func ApprovalConditions(f Facts) []Condition {
	return []Condition{f.questions("approval"), f.proven(), f.discrepancies(), f.recorded(), f.reviewDate()}
}

func (f Facts) link(field string) string { return f.Path + "#f-" + field }

func (f Facts) unresolved() Condition {
	c := Condition{Key: "unresolved", OK: true, Words: "Every field is answered or not applicable."}
	for _, field := range control.Fields() {
		if a, _ := f.Content.Answer(field.Key); field.Required && a.State != control.Answered && a.State != control.NotApplicable {
			words := field.Label
			switch _, rule := a.Rule(); {
			case rule:
				words += ": the rule has findings"
			case a.Value != "" && field.OwnerOnly:
				words += ": the business owner confirms the sentence"
			}
			c.Items = append(c.Items, Item{words, f.link(field.Key)})
		}
	}
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, plural(c.Count, "field")+" to answer", c.Items[0].Link
	}
	return c
}

func (f Facts) questions(what string) Condition {
	c := Condition{Key: "questions", OK: true, Words: "No question is open."}
	for _, q := range f.Questions {
		label, link := f.threadOf(q.Field)
		c.Items = append(c.Items, Item{label + ": " + q.Body, link})
	}
	if c.Count = len(c.Items); c.Count > 0 {
		verb := " block "
		if c.Count == 1 {
			verb = " blocks "
		}
		c.OK, c.Words, c.Link = false, plural(c.Count, "open question")+verb+what+" until the asker closes it", c.Items[0].Link
	}
	return c
}

func (f Facts) people() Condition {
	p := f.Content.People
	same := func(what, field string) Condition {
		return Condition{Key: "people", Words: what + " are the same person. Name three different people.", Link: f.link(field), Count: 1}
	}
	switch {
	case p.BusinessOwner.ID != 0 && p.BusinessOwner.ID == p.Implementer.ID:
		return same("The business owner and the implementer", "implementer")
	case p.BusinessOwner.ID != 0 && p.BusinessOwner.ID == p.Reviewer.ID:
		return same("The business owner and the reviewer", "reviewer")
	case p.Implementer.ID != 0 && p.Implementer.ID == p.Reviewer.ID:
		return same("The implementer and the reviewer", "reviewer")
	}
	ok := p.BusinessOwner.ID != 0 && p.Implementer.ID != 0 && p.Reviewer.ID != 0
	if !ok {
		return Condition{Key: "people", Words: "Name a business owner, an implementer and a reviewer.", Link: f.link("business_owner"), Count: 1}
	}
	return Condition{Key: "people", OK: true, Words: "Business owner, implementer and reviewer are three people."}
}

func (f Facts) inUse() Condition {
	if len(f.Archived) == 0 {
		return Condition{Key: "archived", OK: true, Words: "Nothing that this rests on is archived."}
	}
	c := Condition{Key: "archived", Words: f.Archived[0].Words, Link: f.Archived[0].Link, Count: len(f.Archived)}
	if c.Count > 1 {
		c.Words, c.Items = fmt.Sprintf("%d things this rests on are archived", c.Count), f.Archived
	}
	return c
}

func (f Facts) accounts() Condition {
	if len(f.Unable) == 0 {
		return Condition{Key: "accounts", OK: true, Words: "All three can sign."}
	}
	c := Condition{Key: "accounts", Words: f.Unable[0].Words, Link: f.Unable[0].Link, Count: len(f.Unable)}
	if c.Count > 1 {
		c.Words, c.Items = fmt.Sprintf("%d of the people named cannot sign", c.Count), f.Unable
	}
	return c
}

// sentence holds when the words are the named owner's own, also after the
// control got another owner.
func (f Facts) sentence() Condition {
	a, _ := f.Content.Answer("duplicate_in_plain_words")
	author := a.AnsweredBy
	if a.AnsweredFor != nil {
		author = a.AnsweredFor
	}
	if a.State == control.Answered && author != nil && author.ID == f.Content.People.BusinessOwner.ID {
		return Condition{Key: "sentence", OK: true, Words: "The sentence is the business owner’s own."}
	}
	return Condition{Key: "sentence", Words: "The business owner writes or confirms the sentence in plain words.", Link: f.link("duplicate_in_plain_words"), Count: 1}
}

// operations holds when every environment the control covers has its call.
func (f Facts) operations() Condition {
	var covered struct{ Environments []string }
	a, _ := f.Content.Answer("environment")
	_ = json.Unmarshal(a.Data, &covered)
	c := Condition{Key: "operations", OK: true, Words: "Every environment has its operation."}
	for _, slug := range covered.Environments {
		if !slices.ContainsFunc(f.Content.Operations, func(o control.ContentOperation) bool { return o.Environment == slug }) {
			c.Items = append(c.Items, Item{"Choose the operation in " + slug + ".", f.link("operation")})
		}
	}
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, c.Items[0].Words, c.Items[0].Link
	}
	return c
}

// rules holds when nothing that the checker found blocks.
func (f Facts) rules() Condition {
	c := Condition{Key: "rules", OK: true, Words: "The identity rules hold nothing that blocks."}
	for _, found := range f.Findings {
		if found.Blocks() {
			field := control.RuleField(found.Rule)
			c.Items = append(c.Items, Item{field.Label + ": " + found.Words, f.link(field.Key)})
		}
	}
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, plural(c.Count, "finding")+" in the identity rules to settle", c.Items[0].Link
	}
	return c
}

// pairs holds when the rules do what every saved pair expects.
func (f Facts) pairs() Condition {
	c := Condition{Key: "pairs", OK: true, Words: "Every saved pair comes to what it expects."}
	for _, p := range f.Broken {
		c.Items = append(c.Items, Item{fmt.Sprintf("%s: expected “%s”, comes to “%s”", p.Name, p.Expected.Words(), p.Verdict.Words()),
			fmt.Sprintf("/identity-rules/lab?control=%s&pair=%d", f.slug(), p.ID)})
	}
	if c.Count = len(c.Items); c.Count > 0 {
		c.OK, c.Words, c.Link = false, plural(c.Count, "saved pair")+" broken by the rules", c.Items[0].Link
	}
	return c
}

func (f Facts) slug() string { return strings.TrimPrefix(f.Path, "/controls/") }

func (f Facts) reviewDate() Condition {
	if date := reviewDate(f.Content); control.Passed(date, f.Now) {
		return Condition{Key: "review_date", Words: "The review date, " + date.Format("2 January 2006") + ", has passed. Set a later one.", Link: f.link("review_date"), Count: 1}
	}
	return Condition{Key: "review_date", OK: true, Words: "The review date lies ahead."}
}

// difference holds when signing would change anything.
func (f Facts) difference() Condition {
	c := Condition{Key: "difference", OK: true, Words: "Something differs from what is approved."}
	if f.Before != nil && f.Before.Content.People == f.Content.People && len(Diff(f.Before.Content, f.Content).Changes) == 0 {
		c.OK, c.Count = false, 1
		c.Words = fmt.Sprintf("Nothing differs from revision %d, which is in force. Change an answer first; a later review date is a change too.", f.Before.Number)
	}
	return c
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
