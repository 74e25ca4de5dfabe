// Package policies shows escalation policies: who decides replays, level by level.
package policies

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/models/people"
	"countersign/models/workflow"
	"countersign/views/ui"
)

// Index is the list of escalation policies.
type Index struct {
	Rows     []workflow.PolicyRow
	Archived string // "yes" shows the archived ones
	Pager    ui.Pager
	WhyNoNew string // "" when this person may write one
}

// Show is the page of one escalation policy.
type Show struct {
	workflow.PolicyDetails
	WhyNoEdit string
	Zone      *time.Location
}

func (s Show) path(rest string) string { return workflow.PolicyPath(s.Slug) + rest }

// gone says for each level who is skipped, and whether anybody is left.
func gone(l workflow.Level) string {
	var lines []string
	for _, p := range l.People {
		if why := p.WhyNot(); why != "" {
			lines = append(lines, why)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if !l.Able() {
		lines = append(lines, "Nobody is left on this level, so a request waits here for nothing.")
	}
	return strings.Join(lines, " ")
}

// anyGone reports whether the version names somebody who cannot decide.
func anyGone(v workflow.PolicyVersion) bool {
	for _, l := range v.Levels {
		if gone(l) != "" {
			return true
		}
	}
	return false
}

// Fields are the answers of the form as typed.
type Fields struct {
	Slug                 string
	Name                 string
	Levels               [workflow.MaxLevels]Level
	ExpiryDays           string
	AuthorizationMinutes string
	Days                 string // digits: "12345"
	Opens, Closes        string
	TimeZone             string
}

// Level is one level as typed; People are ids joined by commas.
type Level struct{ People, Minutes string }

// Form edits or creates an escalation policy.
type Form struct {
	Fields
	New      bool
	At       ui.FormAt
	Base     string
	Problems []ui.FieldProblem
	Stale    *ui.StaleEdit
	Cancel   string
	People   [workflow.MaxLevels][]ui.Option // who may be chosen on each level
}

// levels is how many the form shows: the filled ones and one more.
func (f Form) levels() int {
	n := 0
	for i, l := range f.Levels {
		if l != (Level{}) {
			n = i + 1
		}
	}
	return min(n+1, workflow.MaxLevels)
}

func (f Form) field(name, label, help, value string) ui.Field {
	return ui.Field{Name: name, Label: label, Help: help, Value: value}.With(f.Problems)
}

func (f Form) required(name, label, help, value string) ui.Field {
	field := f.field(name, label, help, value)
	field.Required = true
	return field
}

func (f Form) optional(name, label, help, value string) ui.Field {
	field := f.field(name, label, help, value)
	field.Optional = true
	return field
}

func (f Form) number(name, label, help, value string) ui.Field {
	field := f.field(name, label, help, value)
	field.Type, field.Narrow, field.Attrs = "number", true, map[string]any{"min": "1", "inputmode": "numeric"}
	return field
}

func (f Form) people(i int) ui.Field {
	field := f.field(fmt.Sprintf("people-%d", i+1), fmt.Sprintf("Who is asked at level %d", i+1), "", "")
	field.Options, field.Values = f.People[i], []string{}
	if f.Levels[i].People != "" {
		field.Values = strings.Split(f.Levels[i].People, ",")
	}
	return field
}

func (f Form) days() ui.Field {
	field := f.field("days", "Days that count", "Without a day every hour of every day counts.", "")
	field.Values = strings.Split(f.Fields.Days, "")
	for _, d := range workflow.Weekdays {
		field.Options = append(field.Options, ui.Option{Value: strconv.Itoa(int(d)), Label: d.String()})
	}
	return field
}

func (f Form) clock(name, label, value string) ui.Field {
	field := f.field(name, label, "", value)
	field.Narrow, field.Placeholder = true, "09:00"
	if name == "closes" {
		field.Placeholder = "17:00"
	}
	return field
}

func (f Form) zone() ui.Field {
	field := f.field("time_zone", "Time zone", "Of these hours, changes of the clocks included.", f.TimeZone)
	for _, z := range people.TimeZones() {
		field.Options = append(field.Options, ui.Option{Value: z, Label: z})
	}
	return field
}

func levelTitle(i int) string { return fmt.Sprintf("Level %d", i+1) }

func within(l workflow.Level) string {
	return fmt.Sprintf("Level %d, within %s", l.Number, workflow.MinutesWords(l.RespondMinutes))
}

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
