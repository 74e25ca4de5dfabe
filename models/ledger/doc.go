// Package ledger records what an automation asks before it acts and says
// afterwards: deliveries, actions with their attempts, lookups of the
// destination's real state, authorizations to try again, and what a person must
// settle.
//
// An action is one intended change at a destination. Whoever claims its identity
// key first owns it, under any concurrency; everybody else gets the owner's
// state. A receipt is never proof of an action, a lease that ended is never
// free, and a success is never thrown away.
//
// All times are the database's clock. Whether a lease has ended is read by that
// clock each time and never depends on a job having run.
package ledger

import "countersign/models"

// Caller is who asks. On a page it is a person; over the API a token, which
// counts as its creator wherever duties are kept apart.
type Caller struct {
	Person      models.Actor // the person, or the creator of the token
	Token       int64        // 0 on a page
	Workflow    int64        // id of the workflow that the token is bound to; 0: any
	Environment int64        // id of the environment that the token is bound to; 0: any
}

// Person is somebody on a page.
func Person(by models.Actor) Caller { return Caller{Person: by} }

// actor is whom a command runs for. A token whose creator has left is turned away
// before any command; what it began before that runs to its end as the system.
func (c Caller) actor() models.Actor {
	if c.Token != 0 {
		return models.Actor{RequestID: c.Person.RequestID}
	}
	return c.Person
}

// person is who does it by hand; 0 for a token.
func (c Caller) person() int64 {
	if c.Token != 0 {
		return 0
	}
	return c.Person.ID
}

// within is Forbidden when the token is bound to another workflow or environment.
func (c Caller) within(workflow, environment int64) error {
	if c.Workflow != 0 && c.Workflow != workflow {
		return models.Forbiddenf("This token is for another workflow.")
	}
	if c.Environment != 0 && c.Environment != environment {
		return models.Forbiddenf("This token is for another environment.")
	}
	return nil
}
