package matrix

import (
	"time"

	"countersign/views/ui"
)

// Index is every control against every scenario.
type Index struct {
	CSV        string     // the address of the same list as CSV
	Scenarios  []Scenario // the columns
	Rows       []Row
	Filter     Filter
	Tabs       []ui.Tab
	Reviews    []RunLine // recorded by others, and waiting for the reader
	MoreToRead string    // where the rest of Reviews is; "" when they are all here
	Next, Prev string
	Zone       *time.Location
}

// Scenario is a column.
type Scenario struct{ Title, Text string }

// Row is one control.
type Row struct {
	Slug, Name string
	Revision   string   // "Revision 4, in review"
	Summary    ui.State // "6 of 6 passed"
	Cells      []Cell   // in the order of the columns
	Own        string   // "2 scenarios of its own, 1 failed"; "" without any
}

func (r Row) path() string { return "/controls/" + r.Slug + "/matrix" }

// Filter is what the grid was narrowed to.
type Filter struct {
	Workflow, Owner, State string
	Workflows, Owners      []ui.Option
}

// Narrow reports whether anything is filtered out.
func (f Filter) Narrow() bool { return f.Workflow != "" || f.Owner != "" || f.narrowState() }

func (f Filter) narrowState() bool { return f.State != "" && f.State != "all" }

// RunLine is a run in a list.
type RunLine struct {
	ID            int64
	Scenario      string
	Control, Slug string
	State         ui.State
	Environment   string
	By            string // who recorded it, or started it
	At            time.Time
	Line          string // "Change +2, agreed +1"
	Design        string
	Current       bool // of the design and agreement of today
}
