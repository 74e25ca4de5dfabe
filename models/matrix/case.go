package matrix

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"countersign/models"
	"countersign/models/control"
)

// Case is a scenario of one control.
type Case struct {
	ID       int64
	Key      string // in addresses; its thread is the field ThreadField(Key)
	Position int
	Title    string
	Words    string // of a built-in scenario: what happens, in one line; "" for a custom one
	Custom   bool
	Needs    []Slot // the evidence that a passed run must have
	By, For  control.Ref
	At       time.Time // when a custom one was added
}

// ThreadField is the field of models/control that holds the thread of a case.
func ThreadField(key string) string { return "case." + key }

// Path is where the matrix of a control shows a case.
func Path(slug, key string) string { return "/controls/" + slug + "/matrix#c-" + key }

// RunPath is the page of a run.
func RunPath(id int64) string { return fmt.Sprintf("/runs/%d", id) }

// Slot finds one of the required items.
func (c Case) Slot(key string) (Slot, bool) {
	for _, s := range c.Needs {
		if s.Key == key {
			return s, true
		}
	}
	return Slot{}, false
}

type caseRow struct {
	ID                          int64
	Key                         string
	Position                    int
	Title                       string
	Custom                      bool
	Needs                       string
	CreatedBy, CreatedFor       int64
	CreatedName, CreatedForName string
	CreatedAt                   time.Time
}

const selectCase = `select t.id, t.key, t.position, t.title, t.custom, t.needs, t.created_by, p.name as created_name, t.created_for, f.name as created_for_name, t.created_at
	from test_cases t left join people p on p.id = t.created_by left join people f on f.id = t.created_for `

func (r caseRow) testCase() (Case, error) {
	c := Case{ID: r.ID, Key: r.Key, Position: r.Position, Title: r.Title, Custom: r.Custom}
	if s, ok := ScenarioByKey(r.Key); ok && !r.Custom {
		c.Title, c.Words, c.Needs = s.Title, s.Words, s.Needs
		return c, nil
	}
	c.By, c.For, c.At = control.Ref{ID: r.CreatedBy, Name: r.CreatedName}, control.Ref{ID: r.CreatedFor, Name: r.CreatedForName}, r.CreatedAt.UTC()
	var needs []string
	err := json.Unmarshal([]byte(r.Needs), &needs)
	c.Needs = slots(needs)
	return c, err
}

// slots makes the required items of a custom scenario from what they are called.
func slots(labels []string) []Slot {
	var all []Slot
	for i, label := range labels {
		all = append(all, Slot{Key: fmt.Sprintf("need-%d", i+1), Label: label})
	}
	return all
}

// AddCaseCmd adds a scenario of its own to a control.
type AddCaseCmd struct {
	models.Once
	Control string
	Title   string
	Needs   string // the required evidence, one item a line; at least one, 10 at most
}

// Object names the control when the command is refused.
func (c AddCaseCmd) Object() models.Object { return refused(c.Control) }

func refused(slug string) models.Object {
	return models.Object{Type: "control", Label: slug, Path: "/controls/" + slug + "/matrix"}
}

// Added names the new case.
type Added struct{ Key, Title string }

const maxNeeds = 10

// needsOf reads the lines of the form, without empty ones.
func needsOf(text string) []string {
	var needs []string
	for _, line := range strings.Split(models.Clean(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			needs = append(needs, line)
		}
	}
	return needs
}
