package signoff

import (
	"countersign/models"
)

// Condition is one thing that must hold, with where to put it right.
type Condition struct {
	Key   string // unresolved, field.<key>, questions, people, ...
	OK    bool
	Words string
	Link  string // path with fragment; "" when there is nothing to open
	Count int    // how many are open, where that can be counted
}

// Blocked is a Conflict with the conditions that do not hold.
type Blocked struct {
	conflict   error
	Conditions []Condition // only those that do not hold
}

func (e *Blocked) Error() string { return e.conflict.Error() }

// Unwrap lets errors.As find the domain error.
func (e *Blocked) Unwrap() error { return e.conflict }

func block(message string, conditions []Condition) error {
	var open []Condition
	for _, c := range conditions {
		if !c.OK {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return &Blocked{conflict: models.Conflictf("%s", message), Conditions: open}
}
