// Package home shows what waits for the person who opened it.
package home

import (
	"time"

	"countersign/models/home"
	"countersign/views/ui"
)

// Props is the home page.
type Props struct {
	Role      string // "business owner", as in "wait for the business owner"
	Needs     []home.Need
	Controls  []Health
	More      bool           // there are more controls than shown
	Guide     []ui.CheckItem // first steps of an empty workspace
	Demo      bool           // the demo can be played first: nothing is there yet
	Charts    []Chart        // none when nothing happened yet
	Workflows []home.Card
	Zone      *time.Location
	Now       time.Time
}

// Health is one control in the table.
type Health struct {
	Name, Path     string
	Workflow       string
	Gate, GateWord string
	Revision       int
	State          string
	Unresolved     int
	OpenQuestions  int
	Tests          ui.State  // "6 of 6 passed"
	ReviewDate     time.Time // zero: no revision is approved
	ReviewPassed   bool
}
