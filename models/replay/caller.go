package replay

import (
	"fmt"

	"countersign/models"
	"countersign/models/ledger"
)

// actor is whom a command runs for. A token whose creator has left is turned away
// before any command; what it began before that runs to its end as the system.
func actor(by ledger.Caller) models.Actor {
	if by.Token != 0 {
		return models.Actor{RequestID: by.Person.RequestID}
	}
	return by.Person
}

// within is Forbidden when the token is bound to another workflow or environment.
func within(by ledger.Caller, f ledger.Facts) error {
	if by.Workflow != 0 && by.Workflow != f.Workflow {
		return models.Forbiddenf("This token is for another workflow.")
	}
	if by.Environment != 0 && by.Environment != f.Environment {
		return models.Forbiddenf("This token is for another environment.")
	}
	return nil
}

func ledgerObject(action int64) models.Object {
	return models.Object{Type: "action", ID: action, Label: fmt.Sprintf("action %d", action), Path: fmt.Sprintf("/ledger/actions/%d", action)}
}
