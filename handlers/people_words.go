package handlers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/people"
	"countersign/views/ui"
)

// roleHints say what each role is for, on the pages where roles are chosen.
var roleHints = map[models.Role]string{
	models.BusinessOwner: "Describes duplicates in plain words, agrees expected results, approves controls.",
	models.Implementer:   "Answers the technical fields, builds rules, runs the tests, connects the automation.",
	models.Reviewer:      "Accepts or returns runs, decides review items, signs.",
	models.Approver:      "Decides replay requests.",
	models.Viewer:        "Reads everything, changes nothing.",
	models.Admin:         "Looks after people, roles, environments and settings. Signs and approves nothing from this role.",
}

func roleOptions(roles []models.Role) []ui.Option {
	var options []ui.Option
	for _, r := range roles {
		options = append(options, ui.Option{Value: string(r), Label: sentence(roleWord(r)), Hint: roleHints[r]})
	}
	return options
}

func roleWord(r models.Role) string {
	if r == models.Admin {
		return "administrator"
	}
	return r.Word()
}

// roleWords is a list of roles as one line: "Business owner, reviewer".
func roleWords(roles []models.Role) string {
	var words []string
	for _, r := range roles {
		words = append(words, roleWord(r))
	}
	return sentence(strings.Join(words, ", "))
}

// sentence starts text with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func asRoles(typed []string) []models.Role {
	var roles []models.Role
	for _, t := range typed {
		roles = append(roles, models.Role(t))
	}
	return roles
}

func roleValues(roles []models.Role) []string {
	values := []string{}
	for _, r := range roles {
		values = append(values, string(r))
	}
	return values
}

// personOptions is a choice of people; none is the word for nobody.
func personOptions(none string, list []people.Option) []ui.Option {
	options := []ui.Option{{Value: "", Label: none}}
	for _, o := range list {
		options = append(options, ui.Option{Value: fmt.Sprint(o.ID), Label: fmt.Sprintf("%s (%s)", o.Name, o.Email)})
	}
	return options
}

// zoneOptions lists the time zones, with the current one even when it is an old name.
func zoneOptions(current string) []ui.Option {
	zones := people.TimeZones()
	if current != "" && !slices.Contains(zones, current) {
		zones = append([]string{current}, zones...)
	}
	var options []ui.Option
	for _, z := range zones {
		options = append(options, ui.Option{Value: z, Label: strings.ReplaceAll(z, "_", " ")})
	}
	return options
}

func personState(active, invited bool) string {
	switch {
	case !active:
		return "deactivated"
	case invited:
		return "invited"
	}
	return "active"
}

// idText is an id as a form sends it; "" for none.
func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// timeOf is the zero time for nil.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
